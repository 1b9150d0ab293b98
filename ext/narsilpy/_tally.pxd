# Counts by number. See _tally.pyx.
from libc.stdint cimport uint32_t, uint64_t

cdef class Tally:
    cdef uint64_t* keys         # the bits of doubles
    cdef uint32_t* counts       # 0 where nothing stands
    cdef size_t size
    cdef size_t used

    cdef int count_number(self, double number) noexcept nogil
    cdef size_t slot(self, uint64_t key) noexcept nogil
    cdef int grow(self) noexcept nogil
    cdef dict counted(self)
