# One query over one snapshot. See _query.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from narsilpy._cursor cimport Cursor
from narsilpy._places cimport Phrase, PhraseContext, Ref
from narsilpy._score cimport Leaf, Scratch, Search, View

cdef struct FieldParams:
    double boost
    double c0
    double c1
    bint searched

cdef class ScratchBox:
    cdef Scratch scratch

cdef class Query:
    cdef list segments          # MemorySegment | SealedSegment, by view
    cdef list accepts           # Bits | None, by view
    cdef View* views
    cdef uint32_t n_views
    cdef FieldParams* fields
    cdef uint32_t n_fields
    cdef double n_docs
    cdef double k1
    cdef Ref* refs
    cdef uint32_t n_refs
    cdef uint32_t refs_size
    cdef Leaf* leaves           # `first` and `n` are filled for each view
    cdef readonly uint32_t n_leaves
    cdef uint32_t leaves_size
    cdef uint32_t n_parts
    cdef list match_list
    cdef list leaf_starts       # by leaf: its first expansion in match_list
    cdef readonly tuple matches
    cdef Phrase* phrases
    cdef uint32_t n_phrases
    cdef uint8_t* ops
    cdef uint32_t* args
    cdef uint64_t* phrase_masks
    cdef uint32_t n_ops
    cdef bint negative          # a weight is below 0: nothing may be pruned
    cdef public uint32_t need   # leaves that must match, where there is no program
    cdef PhraseContext context

    cdef int add_ref(self, Ref* ref) except -1
    cdef uint32_t find(self, uint32_t view, bytes term, object fields) except? 0xFFFFFFFF
    cdef int open_view(self, uint32_t i) except -1
    cdef uint64_t count_documents(self, const char* utf8, Py_ssize_t n) except? 0xFFFFFFFFFFFFFFFF
    cdef int ensure_spans(self, uint32_t view) except -1
    cdef int run(self, Search* search) except -1
    cdef void search_views(self, Search* search) noexcept nogil
    cdef int prepare(self, Search* search, Cursor* cursors, Cursor* probes, uint32_t* parts, uint32_t room) except -1
    cdef void open_cursors(self, Search* search, uint32_t view) noexcept nogil
    cdef tuple match_tuple(self)
    cdef uint64_t kept_leaves(self, Cursor* cursors, uint32_t n, uint32_t view, uint32_t doc) except? 0
