# A sealed segment: one immutable flat buffer, on the heap or memory-mapped. See _segment.pyx.
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from narsilpy._guard cimport BlockGuard

cdef enum:
    SEGMENT_VERSION = 1
    FRONTIER = 3                    # (frequency, length) pairs that bound a block's impact
    DIRECTORY_BYTES = 1024          # spans of a block longer than this carry a directory by posting
    MAX_PAIR = 65535

cdef struct SegmentHeader:          # little-endian, the first bytes of the buffer; offsets count from its start
    char magic[8]
    uint32_t version
    uint32_t flags                  # 1: spans are kept
    uint32_t n_docs
    uint32_t n_fields
    uint32_t n_terms
    uint32_t hash_slots             # a power of two
    uint64_t hash_seed
    uint64_t id_index               # uint32[n_docs + 1] into ids
    uint64_t ids                    # UTF-8, one after the other
    uint64_t lengths                # LengthColumn[n_fields], then the columns
    uint64_t hash                   # uint32[hash_slots]: term number + 1, 0 = free
    uint64_t term_index             # uint32[n_terms + 1] into terms
    uint64_t terms                  # UTF-8, sorted by code point
    uint64_t data_index             # uint64[n_terms + 1] into data
    uint64_t data                   # postings
    uint64_t spans
    uint64_t end

cdef struct LengthColumn:
    uint64_t offset                 # of n_docs lengths
    uint64_t width                  # bytes each: 1, 2 or 4

cdef struct BlockMeta:              # of a list of more than BLOCK postings
    uint32_t last_doc
    uint32_t data_end               # end of the block in the list's block bytes
    uint64_t span_start             # of the block, in the list's spans
    uint16_t frontier[2 * FRONTIER] # tf (rounded up to MAX_PAIR = unbounded), length (rounded down)
    uint32_t flags                  # 1: the block's spans start with a directory

cdef struct SealedList:             # postings of one (term, field), found
    uint32_t field
    uint32_t n
    uint32_t flags                  # 1: spans of a list without blocks start with a directory
    const uint8_t* body
    uint64_t body_size
    const uint8_t* spans
    uint64_t spans_size

cdef class SealedSegment:
    cdef readonly object buffer     # keeps the bytes alive
    cdef Py_buffer view
    cdef const uint8_t* base
    cdef const SegmentHeader* header
    cdef const LengthColumn* columns
    cdef readonly uint32_t first_doc
    cdef readonly uint32_t n_docs
    cdef readonly uint32_t n_fields
    cdef readonly uint32_t n_terms
    cdef readonly bint has_spans
    cdef dict removed               # term number -> documents removed since the seal that held it
    cdef BlockGuard guard           # of a mapped file, else None: asked before bytes of the buffer are believed
    cdef bint ids_sound

    # raise IndexCorrupted unless `size` bytes from `start` are as they were written; nothing to do on the heap
    cdef int ensure(self, const void* start, uint64_t size) except -1
    cdef int ensure_ids(self) except -1
    cdef int ensure_term(self, uint32_t term) except -1
    cdef int check_header(self) except -1
    cdef int64_t find_term(self, const char* utf8, Py_ssize_t n) except -2     # -1 = not there
    cdef const char* term_at(self, uint32_t term, Py_ssize_t* n) noexcept nogil
    # header of a term: its document frequency and its lists (at most `room`); returns their number, -1 = corrupt
    cdef int read_lists(self, uint32_t term, uint32_t* df, SealedList* lists, int room) noexcept nogil
    cdef const char* doc_id(self, uint32_t doc, uint32_t* n) noexcept nogil
    cdef uint32_t doc_length(self, uint32_t field, uint32_t doc) noexcept nogil

cdef uint64_t hash_term(const char* utf8, Py_ssize_t n, uint64_t seed) noexcept nogil
cdef const char* segment_term(const uint8_t* base, uint32_t term, Py_ssize_t* n) noexcept nogil
cdef int segment_lists(const uint8_t* base, uint32_t term, uint32_t* df, SealedList* lists, int room) noexcept nogil
cdef int segment_frequency(const uint8_t* base, uint32_t term, uint32_t* df) noexcept nogil
