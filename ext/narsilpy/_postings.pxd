# The memory segment: postings and spans that are still being appended to. See _postings.pyx.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from narsilpy._lexicon cimport Lexicon
from narsilpy._text cimport Token, TokenBuffer

cdef enum:
    MAX_SEGMENT_DOCS = 65536        # documents one memory segment holds: arrays by document never move
    NO_OCCURRENCE = 0xFFFFFFFF
    OCCURRENCES_SHIFT = 14          # occurrences a chunk: 16,384 (256 KB)
    OCCURRENCES_MASK = 16383

cdef struct MemPosting:
    uint32_t doc                    # number within the segment
    uint32_t tf
    uint32_t first                  # first occurrence, or NO_OCCURRENCE where spans are not kept

cdef struct Occurrence:
    uint32_t position
    uint32_t start
    uint32_t end
    uint32_t next                   # next one of the same term, field and document

cdef struct PostingChunk:
    PostingChunk* next
    uint32_t capacity
    uint32_t unused
    # `capacity` MemPostings follow

cdef struct MemList:                # postings of one (term, field)
    PostingChunk* head
    PostingChunk* tail
    uint32_t n                      # postings in all chunks
    uint32_t tail_used
    uint32_t last_doc               # + 1; 0 = none
    uint32_t last_occurrence
    uint32_t max_tf
    uint32_t min_length

cdef struct TermState:
    uint32_t df                     # live documents that hold the term in any field
    uint32_t last_doc               # + 1

cdef inline MemPosting* chunk_postings(PostingChunk* chunk) noexcept nogil:
    return <MemPosting*>(<char*>chunk + sizeof(PostingChunk))

cdef class MemorySegment:
    cdef readonly Lexicon lexicon
    cdef readonly uint32_t first_doc
    cdef readonly uint32_t n_docs
    cdef readonly uint32_t n_fields
    cdef readonly bint has_spans
    cdef readonly uint32_t n_occurrences
    cdef uint32_t** lengths         # [field][doc]
    cdef const char** ids           # [doc]: UTF-8 (surrogatepass), in the arena
    cdef uint32_t* id_sizes
    cdef uint32_t** list_of         # [field][term] -> list number + 1, 0 = none
    cdef uint32_t* list_of_size
    cdef TermState* terms
    cdef uint32_t terms_size
    cdef MemList** list_chunks
    cdef uint32_t n_lists
    cdef Occurrence** occurrence_chunks
    cdef uint32_t n_occurrence_chunks
    cdef char** arena
    cdef uint32_t n_arena
    cdef size_t arena_used
    cdef size_t arena_size
    cdef readonly size_t nbytes

    cdef void release(self) noexcept nogil
    cdef void* alloc(self, size_t size) except NULL
    cdef MemList* list_at(self, uint32_t number) noexcept nogil
    cdef MemList* find_list(self, uint32_t term, uint32_t field) noexcept nogil
    cdef MemList* new_list(self, uint32_t term, uint32_t field) except NULL
    cdef Occurrence* occurrence(self, uint32_t number) noexcept nogil
    cdef int reserve(self, Py_ssize_t n_tokens) except -1
    cdef int append_field(self, uint32_t field, TokenBuffer buffer, uint32_t length) except -1
    cdef void fetch_lists(self, uint32_t field, const Token* tokens, Py_ssize_t n) noexcept nogil
    cdef int append_tokens(self, uint32_t field, const Token* token, Py_ssize_t n, uint32_t length) except -1
    cdef int grow(self, MemList* postings) except -1
    cdef int undo(self, uint32_t field, TokenBuffer buffer) except -1
