# Terms of one index: UTF-8 term <-> dense id. See _lexicon.pyx.
from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    NO_TERM = 0xFFFFFFFF

cdef class Lexicon:
    cdef readonly uint32_t n_terms
    cdef uint64_t seed
    cdef const char** utf8_of       # by term, into the arena
    cdef uint32_t* size_of
    cdef uint32_t capacity
    cdef uint32_t* slots            # term + 1, 0 = free
    cdef uint32_t n_slots           # a power of two
    cdef char** arena
    cdef uint32_t n_arena
    cdef size_t arena_used
    cdef size_t arena_size
    cdef uint32_t* order            # terms in code point order: the first n_ordered of all
    cdef uint32_t n_ordered
    cdef readonly size_t nbytes

    cdef uint32_t intern_utf8(self, const char* utf8, Py_ssize_t n) except? NO_TERM   # existing or new id
    cdef uint32_t find_utf8(self, const char* utf8, Py_ssize_t n) noexcept nogil      # id or NO_TERM
    # the UTF-8 bytes of a term; the pointer stays valid as long as the lexicon lives (arena chunks never move)
    cdef const char* utf8(self, uint32_t term, Py_ssize_t* n) noexcept nogil
    cdef int grow(self) except -1
    cdef const char* keep(self, const char* utf8, Py_ssize_t n) except NULL
    cdef int sort(self) except -1
    cdef uint32_t lower_bound(self, const char* utf8, Py_ssize_t n, uint32_t low) noexcept nogil
    cdef uint32_t find_str(self, str term) except? 0xFFFFFFFE
    cdef uint32_t pass_prefix(self, uint32_t at, Py_ssize_t n) noexcept nogil
    cdef bint shares(self, uint32_t at, const char* utf8, Py_ssize_t n) noexcept nogil
