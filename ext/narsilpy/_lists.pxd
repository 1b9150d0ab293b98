# One postings list on its way into a sealed segment. See _lists.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from narsilpy._buffer cimport Buffer
from narsilpy._cursor cimport Cursor
from narsilpy._postings cimport Occurrence

cdef struct ListBuilder:        # postings of one (term, field), documents ascending
    uint32_t* docs
    uint32_t* tfs
    uint32_t* lengths
    uint64_t* span_ends         # end of each posting's bytes in `spans`
    uint32_t n
    uint32_t size
    Buffer spans
    bint failed

cdef void builder_free(ListBuilder* b) noexcept nogil
cdef void builder_clear(ListBuilder* b) noexcept nogil
# append what a cursor still has, documents shifted by `shift`, those that `accept` lacks left out; False = corrupt
cdef bint builder_take(ListBuilder* b, Cursor* c, Occurrence** memory, const uint64_t* accept, uint32_t shift,
                       bint has_spans) noexcept nogil
# write the body and the spans; returns the flags of the list
cdef uint32_t builder_write(ListBuilder* b, Buffer* body, Buffer* spans, bint has_spans) noexcept nogil
