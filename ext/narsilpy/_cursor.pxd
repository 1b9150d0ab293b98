# A cursor over the postings of one (term, field) of one segment. See _cursor.pyx.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from narsilpy._blocks cimport BLOCK
from narsilpy._postings cimport MemList, MemorySegment, PostingChunk
from narsilpy._segment cimport BlockMeta, SealedList, SealedSegment

cdef enum:
    NO_DOC = 0xFFFFFFFF
    NO_BLOCK = 0xFFFFFFFF

# why a cursor stopped before its end
cdef enum:
    CURSOR_FINE = 0
    CURSOR_CORRUPT = 1

cdef struct Source:             # where a list lies: what a query keeps of it
    PostingChunk* head          # memory segment, else NULL
    uint32_t n                  # postings, at the time of the snapshot
    uint32_t max_tf
    uint32_t min_length
    uint32_t flags              # sealed: SealedList.flags
    const uint8_t* body         # sealed
    uint64_t body_size
    const uint8_t* spans
    uint64_t spans_size
    uint32_t n_docs             # of the segment, at the time of the snapshot
    const uint8_t* lengths      # tokens by document of this field
    uint32_t width              # bytes a length

cdef struct Cursor:
    const Source* source
    uint32_t doc                # current document, NO_DOC at the end (or before the first seek)
    uint32_t i                  # its place in the decoded block
    uint32_t count              # postings in the decoded block
    uint32_t block              # decoded block, NO_BLOCK = none yet
    uint32_t n_blocks
    uint32_t n_seen             # memory: postings before the decoded block
    uint32_t chunk_at           # memory: place of the next block in `chunk`
    PostingChunk* chunk
    const BlockMeta* metas      # sealed and more than one block, else NULL
    const uint8_t* blocks
    uint32_t shallow            # block whose bound is cached in shallow_bound
    double shallow_bound
    double weight               # boost * idf * (k1 + 1)
    double c0                   # k1 * (1 - b)
    double c1                   # k1 * b / average length
    double bound                # no document of this list scores more
    int error
    uint32_t docs[BLOCK]
    uint32_t tfs[BLOCK]
    uint32_t firsts[BLOCK]      # memory: first occurrence

cdef inline uint32_t length_at(const Source* source, uint32_t doc) noexcept nogil:
    if source.width == 1:
        return source.lengths[doc]
    if source.width == 2:
        return (<const uint16_t*>source.lengths)[doc]
    return (<const uint32_t*>source.lengths)[doc]

cdef inline double impact(const Cursor* c, double tf, double length) noexcept nogil:
    """BM25 of one term in one field. Every path computes it by this expression, so that scores agree to the bit."""
    return c.weight * tf / (tf + (c.c0 + c.c1 * length))

cdef inline double cursor_score(const Cursor* c) noexcept nogil:
    return impact(c, c.tfs[c.i], length_at(c.source, c.doc))

cdef void source_memory(Source* source, MemorySegment segment, uint32_t field, MemList* postings) noexcept
cdef void source_sealed(Source* source, SealedSegment segment, SealedList* found) noexcept
# with a weight of 0 nothing is scored: a cursor for reading places or merging needs no bound
cdef void cursor_open(Cursor* c, const Source* source, double weight, double c0, double c1) noexcept nogil
cdef bint cursor_next_block(Cursor* c) noexcept nogil
cdef uint32_t cursor_seek(Cursor* c, uint32_t target) noexcept nogil
cdef uint32_t cursor_next(Cursor* c) noexcept nogil
# the block that would hold `target`; n_blocks at the end. Decodes nothing.
cdef uint32_t cursor_find_block(const Cursor* c, uint32_t target, uint32_t start) noexcept nogil
# no document in [first, last] scores more; `next_change` becomes the first document behind the blocks looked at
cdef double cursor_bound(Cursor* c, uint32_t first, uint32_t last) noexcept nogil
