# A set of documents of one segment, or of a whole index: bit d of a flat array of 64-bit words, d = number within it.
#
# A Bits is made once and never changes: removing documents makes a new one and leaves the old to the queries that
# hold it. `n` is the number of bits, `n_set` how many are set; bits past `n` are 0.
from cpython cimport array
import array

from libc.stdint cimport uint32_t, uint64_t
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
        cdef uint64_t bit
        memcpy(result.words, self.words, 8 * <size_t>((self.n + 63) // 64))
        result.n_set = self.n_set
        for doc in docs:
            if doc < self.n:
                bit = <uint64_t>1 << (doc & 63)
                result.n_set -= (result.words[doc >> 6] & bit) != 0
                result.words[doc >> 6] &= ~bit
        return result

    def only(self, uint32_t doc) -> Bits:
        """A new set with at most one document."""
        cdef Bits result = Bits(self.n)
        if doc < self.n:
            result.words[doc >> 6] = self.words[doc >> 6] & (<uint64_t>1 << (doc & 63))
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
        """Documents in both."""
        cdef Bits result = Bits(self.n)
        cdef uint32_t i
        same_size(self, other)
        for i in range((self.n + 63) // 64):
            result.words[i] = self.words[i] & other.words[i]
        result.recount()
        return result

    def union(self, Bits other) -> Bits:
        """Documents in either."""
        cdef Bits result = Bits(self.n)
        cdef uint32_t i
        same_size(self, other)
        for i in range((self.n + 63) // 64):
            result.words[i] = self.words[i] | other.words[i]
        result.recount()
        return result

    def difference(self, Bits other) -> Bits:
        """Documents in this set alone."""
        cdef Bits result = Bits(self.n)
        cdef uint32_t i
        same_size(self, other)
        for i in range((self.n + 63) // 64):
            result.words[i] = self.words[i] & ~other.words[i]
        result.recount()
        return result

    def slice(self, uint32_t first, uint32_t n) -> Bits:
        """Documents [first, first + n), numbered from `first`."""
        cdef Bits result = Bits(n)
        cdef uint32_t i, shift = first & 63, start = first >> 6, n_words = (self.n + 63) // 64
        if <uint64_t>first + n > self.n:
            raise ValueError("a slice of a set ends beyond it")
        for i in range((n + 63) // 64):
            result.words[i] = self.words[start + i] >> shift
            if shift and start + i + 1 < n_words:
                result.words[i] |= self.words[start + i + 1] << (64 - shift)
        if n & 63:
            result.words[n >> 6] &= (<uint64_t>1 << (n & 63)) - 1
        result.recount()
        return result

    def documents(self, uint32_t first=0) -> array.array:
        """The documents in ascending order, each plus `first`, as an array("I")."""
        cdef array.array found = array.clone(NO_DOCUMENTS, self.n_set, False)
        cdef uint32_t* out = <uint32_t*>found.data.as_voidptr
        cdef uint32_t i
        cdef uint64_t word
        for i in range((self.n + 63) // 64):
            word = self.words[i]
            while word:
                out[0] = first + 64 * i + count_bits((word & (0 - word)) - 1)
                out += 1
                word &= word - 1
        return found


cdef array.array NO_DOCUMENTS = array.array("I")


cdef int same_size(Bits a, Bits b) except -1:
    if a.n != b.n:
        raise ValueError("sets over different documents")
    return 0
