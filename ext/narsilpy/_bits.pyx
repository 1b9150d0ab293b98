# A set of documents of one segment: bit d of a flat array of 64-bit words, d = number within the segment.
#
# A Bits is made once and never changes: removing documents makes a new one and leaves the old to the queries that
# hold it. `n` is the number of bits, `n_set` how many are set; bits past `n` are 0.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy


cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define count_bits(word) ((int)__popcnt64(word))
    #else
    #define count_bits(word) __builtin_popcountll(word)
    #endif
    """
    int count_bits(unsigned long long word) nogil


cdef class Bits:
    """An immutable set of documents of one segment, by number within the segment."""

    def __cinit__(self, uint32_t n, bint full=False):
        cdef uint32_t n_words = (n + 63) // 64, i
        self.n = n
        self.words = <uint64_t*>calloc(max(n_words, 1), sizeof(uint64_t))
        if self.words == NULL:
            raise MemoryError()
        if full:
            for i in range(n_words):
                self.words[i] = <uint64_t>-1
            if n & 63:
                self.words[n_words - 1] = (<uint64_t>1 << (n & 63)) - 1
            self.n_set = n

    def __dealloc__(self):
        free(self.words)

    cdef int recount(self) except -1:
        cdef uint32_t i, total = 0
        for i in range((self.n + 63) // 64):
            total += count_bits(self.words[i])
        self.n_set = total
        return 0

    def __contains__(self, uint32_t doc):
        return doc < self.n and bool((self.words[doc >> 6] >> (doc & 63)) & 1)

    def __len__(self):
        return self.n_set

    def __iter__(self):
        cdef uint32_t doc
        for doc in range(self.n):
            if (self.words[doc >> 6] >> (doc & 63)) & 1:
                yield doc

    def without(self, docs) -> Bits:
        """A new set that lacks `docs`."""
        cdef Bits result = Bits(self.n)
        cdef uint32_t doc
        memcpy(result.words, self.words, 8 * <size_t>((self.n + 63) // 64))
        for doc in docs:
            if doc < self.n:
                result.words[doc >> 6] &= ~(<uint64_t>1 << (doc & 63))
        result.recount()
        return result

    def missing(self, uint32_t n) -> list:
        """The documents below `n` that are not in the set."""
        cdef uint32_t doc, i
        cdef uint64_t word
        cdef list found = []
        n = min(n, self.n)
        for i in range((n + 63) // 64):
            word = ~self.words[i]
            if word == 0:
                continue
            for doc in range(64 * i, min(64 * i + 64, n)):
                if (word >> (doc & 63)) & 1:
                    found.append(doc)
        return found

    def resized(self, uint32_t n) -> Bits:
        """The same set over `n` documents; documents that it did not have yet are set."""
        cdef Bits result = Bits(n, True)
        cdef uint32_t shared = min(n, self.n), i
        for i in range(shared // 64):
            result.words[i] = self.words[i]
        for i in range(shared & ~<uint32_t>63, shared):
            if not (self.words[i >> 6] >> (i & 63)) & 1:
                result.words[i >> 6] &= ~(<uint64_t>1 << (i & 63))
        result.recount()
        return result

    def intersection(self, Bits other) -> Bits:
        """Documents in both; both must be of the same size."""
        cdef Bits result = Bits(self.n)
        cdef uint32_t i
        if other.n != self.n:
            raise ValueError("sets of different segments")
        for i in range((self.n + 63) // 64):
            result.words[i] = self.words[i] & other.words[i]
        result.recount()
        return result

    @staticmethod
    def from_roaring(bytes portable, uint32_t first, uint32_t n) -> Bits:
        """Documents [first, first + n) of a roaring bitmap in the portable format (`BitMap.serialize()`), numbered from
        `first`. The format is specified at github.com/RoaringBitmap/RoaringFormatSpec."""
        cdef Bits result = Bits(n)
        cdef const uint8_t* data = portable
        cdef size_t size = len(portable), at = 0, i, start, value
        cdef uint32_t cookie, n_containers, key, cardinality, n_runs, offset
        cdef const uint8_t* run_flags = NULL
        cdef const uint8_t* keys
        cdef bint is_run
        if size < 8:
            raise ValueError("not a roaring bitmap")
        cookie = read32(data)
        if cookie & 0xFFFF == 12347:
            n_containers = (cookie >> 16) + 1
            run_flags = data + 4
            at = 4 + (n_containers + 7) // 8
        elif cookie == 12346:
            n_containers = read32(data + 4)
            at = 8
        else:
            raise ValueError("not a roaring bitmap")
        keys = data + at
        at += 4 * <size_t>n_containers
        if run_flags == NULL or n_containers >= 4:
            at += 4 * <size_t>n_containers      # offsets: containers are read in their order
        if at > size:
            raise ValueError("a roaring bitmap ends early")
        for i in range(n_containers):
            key = <uint32_t>read16(keys + 4 * i) << 16
            cardinality = <uint32_t>read16(keys + 4 * i + 2) + 1
            is_run = run_flags != NULL and (run_flags[i >> 3] >> (i & 7)) & 1
            if is_run:
                if at + 2 > size:
                    raise ValueError("a roaring bitmap ends early")
                n_runs = read16(data + at)
                at += 2
                if at + 4 * <size_t>n_runs > size:
                    raise ValueError("a roaring bitmap ends early")
                for offset in range(n_runs):
                    start = key + read16(data + at + 4 * offset)
                    for value in range(start, start + read16(data + at + 4 * offset + 2) + 1):
                        put(result, value, first)
                at += 4 * <size_t>n_runs
            elif cardinality > 4096:
                if at + 8192 > size:
                    raise ValueError("a roaring bitmap ends early")
                put_words(result, data + at, key, first)
                at += 8192
            else:
                if at + 2 * <size_t>cardinality > size:
                    raise ValueError("a roaring bitmap ends early")
                for offset in range(cardinality):
                    put(result, key + read16(data + at + 2 * offset), first)
                at += 2 * <size_t>cardinality
        result.recount()
        return result


cdef inline uint32_t read32(const uint8_t* data) noexcept nogil:
    return data[0] | <uint32_t>data[1] << 8 | <uint32_t>data[2] << 16 | <uint32_t>data[3] << 24


cdef inline uint32_t read16(const uint8_t* data) noexcept nogil:
    return data[0] | <uint32_t>data[1] << 8


cdef inline void put(Bits bits, size_t value, uint32_t first) noexcept:
    cdef size_t doc
    if value >= first and value - first < bits.n:
        doc = value - first
        bits.words[doc >> 6] |= <uint64_t>1 << (doc & 63)


cdef void put_words(Bits bits, const uint8_t* data, size_t key, uint32_t first) noexcept:
    cdef uint32_t i
    cdef uint64_t word
    if first & 63 == 0 and key >= first and key - first + 65536 <= bits.n:
        memcpy(bits.words + ((key - first) >> 6), data, 8192)
        return
    for i in range(1024):
        word = read32(data + 8 * i) | <uint64_t>read32(data + 8 * i + 4) << 32
        while word != 0:
            put(bits, key + 64 * i + count_bits((word & (0 - word)) - 1), first)
            word &= word - 1
