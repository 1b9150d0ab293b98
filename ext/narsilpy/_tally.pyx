# Counting for facets: numbers in an open hash, and the leading ones of many counts.
#
# A Tally is filled by one thread, without the GIL if it likes; `leading` reads an array and keeps a heap of k counts.
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy


cdef class Tally:
    """Counts by number: an open hash of the bits of doubles, at most half full."""

    def __cinit__(self):
        self.size = 1024
        self.keys = <uint64_t*>malloc(8 * self.size)
        self.counts = <uint32_t*>calloc(self.size, 4)
        if self.keys == NULL or self.counts == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.keys)
        free(self.counts)

    cdef int count_number(self, double number) noexcept nogil:
        cdef uint64_t key
        cdef size_t at
        number += 0.0                   # -0.0 is 0.0
        memcpy(&key, &number, 8)
        at = self.slot(key)
        if self.counts[at] == 0:
            if 2 * (self.used + 1) > self.size:
                if self.grow() < 0:
                    return -1
                at = self.slot(key)
            self.keys[at] = key
            self.used += 1
        self.counts[at] += 1
        return 0

    cdef size_t slot(self, uint64_t key) noexcept nogil:
        # short fractions leave the low bits of a double empty: only the high ones of the product are mixed
        cdef size_t at = <size_t>((key * <uint64_t>0x9E3779B97F4A7C15) >> 32) & (self.size - 1)
        while self.counts[at] and self.keys[at] != key:
            at = (at + 1) & (self.size - 1)
        return at

    cdef int grow(self) noexcept nogil:
        cdef uint64_t* keys = self.keys
        cdef uint32_t* counts = self.counts
        cdef size_t i, at, size = self.size
        self.keys = <uint64_t*>malloc(16 * size)
        self.counts = <uint32_t*>calloc(2 * size, 4)
        if self.keys == NULL or self.counts == NULL:
            free(self.keys)
            free(self.counts)
            self.keys = keys
            self.counts = counts
            return -1
        self.size = 2 * size
        for i in range(size):
            if counts[i]:
                at = self.slot(keys[i])
                self.keys[at] = keys[i]
                self.counts[at] = counts[i]
        free(keys)
        free(counts)
        return 0

    cdef dict counted(self):
        cdef dict found = {}
        cdef size_t i
        cdef double number
        for i in range(self.size):
            if self.counts[i]:
                memcpy(&number, &self.keys[i], 8)
                found[number] = self.counts[i]
        return found


def leading(const uint32_t[::1] counts, uint32_t k, bint fewest=False) -> list:
    """The ordinals that may be among the k with the greatest (or least) counts above 0: ties of the last included."""
    cdef uint32_t* best = <uint32_t*>malloc(4 * <size_t>max(k, 1))    # a heap of the k counts, the worst at the top
    cdef size_t i, n = counts.shape[0]
    cdef uint32_t count, flip = <uint32_t>-1 if fewest else 0, n_best = 0, at, child
    if best == NULL:
        raise MemoryError()
    try:
        if k == 0:
            return []
        for i in range(n):
            if counts[i] == 0:
                continue
            count = counts[i] ^ flip            # greater is better either way
            if n_best < k:
                at = n_best
                n_best += 1
                while at and best[(at - 1) // 2] > count:
                    best[at] = best[(at - 1) // 2]
                    at = (at - 1) // 2
                best[at] = count
            elif count > best[0]:
                at = 0
                while True:
                    child = 2 * at + 1
                    if child >= k:
                        break
                    if child + 1 < k and best[child + 1] < best[child]:
                        child += 1
                    if best[child] >= count:
                        break
                    best[at] = best[child]
                    at = child
                best[at] = count
        return [i for i in range(n) if counts[i] and (n_best < k or (counts[i] ^ flip) >= best[0])]
    finally:
        free(best)
