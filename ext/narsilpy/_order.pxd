# The order of matches by stored values, scores and ids. See _order.pyx.
from libc.stdint cimport uint32_t

from narsilpy._query cimport Query

cdef enum:
    MAX_KEYS = 9                # 8 fields of a sort, and the score

cdef enum:                      # where a key comes from
    BY_NUMBER = 0
    BY_RANK = 1
    BY_SCORE = 2

cdef struct Key:
    int kind
    uint32_t n_rows             # of the column
    const double* numbers       # BY_NUMBER: by document; BY_SCORE: by match
    const uint32_t* ordinals    # BY_RANK: by document
    const double* ranks         # BY_RANK: by ordinal
    double sign                 # -1: descending

cdef struct Entry:
    double keys[MAX_KEYS]       # smaller comes first; infinite where there is none
    uint32_t match              # index into the matches

cdef struct Heap:               # the last of the first `size` entries stands at the top
    Entry* items
    uint32_t n
    uint32_t room

cdef class Order:
    cdef Query query
    cdef const uint32_t[::1] docs
    cdef list sources           # keeps the columns and arrays that keys point into
    cdef Key keys[MAX_KEYS]
    cdef uint32_t n_keys

    cdef void fill(self, Entry* entry, uint32_t match) noexcept nogil
    cdef void id_of(self, uint32_t match, const char** utf8, uint32_t* n) noexcept nogil
    cdef int compare_keys(self, const Entry* a, const Entry* b) noexcept nogil
    cdef bint before(self, const Entry* a, const Entry* b) noexcept nogil
    cdef int offer(self, Heap* heap, const Entry* entry, uint32_t k) noexcept nogil
    cdef void sift(self, Heap* heap, uint32_t at, uint32_t n) noexcept nogil
    cdef void arrange(self, Heap* heap) noexcept nogil
    cdef int scan(self, Heap* heap, Entry* entry, const Entry* anchor, const char* anchor_id, uint32_t anchor_size,
                  uint32_t n, uint32_t k) noexcept nogil
