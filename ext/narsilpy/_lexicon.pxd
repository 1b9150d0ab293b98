# Terms of one index: UTF-8 term <-> dense id. See _lexicon.pyx.
from libc.stdint cimport uint32_t

cdef enum:
    NO_TERM = 0xFFFFFFFF

cdef class Lexicon:
    cdef readonly uint32_t n_terms
    cdef uint32_t intern_utf8(self, const char* utf8, Py_ssize_t n) except? NO_TERM   # existing or new id
    cdef uint32_t find_utf8(self, const char* utf8, Py_ssize_t n) noexcept nogil      # id or NO_TERM
    # the UTF-8 bytes of a term; the pointer stays valid as long as the lexicon lives (arena chunks never move)
    cdef const char* utf8(self, uint32_t term, Py_ssize_t* n) noexcept nogil
