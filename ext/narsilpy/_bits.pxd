# An immutable set of documents of one segment. See _bits.pyx.
from libc.stdint cimport uint32_t, uint64_t

cdef class Bits:
    cdef uint64_t* words
    cdef readonly uint32_t n
    cdef readonly uint32_t n_set
    cdef int recount(self) except -1
