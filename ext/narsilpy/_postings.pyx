# The memory segment: the newest documents of an index, searchable as soon as they are in.
#
# Layout. Documents are numbered from 0 within the segment (`first_doc` + number is the index's document number).
# A (term, field) pair owns a MemList: a chain of posting chunks, document numbers ascending, chunk sizes doubling.
# Every posting points at its first Occurrence (position and span of one token); the occurrences of one term in one
# field of one document are linked in text order. `lengths`, `ids` and `id_sizes` are arrays by document.
#
# Invariants. Everything is append-only and nothing that a reader can reach ever moves: chunks, occurrences and lists
# live in blocks that stay where they are, arrays by document have their full size from the start (untouched pages
# cost nothing). Readers remember a list's head and its `n` while holding the GIL and need no lock afterwards. All
# writes happen under the GIL; a document that fails half-way is undone before the GIL is given up. `list_of` and
# `terms` are the only arrays that are reallocated: they are read under the GIL alone.
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from narsilpy._blocks cimport fetch_ahead
from narsilpy._lexicon cimport Lexicon
from narsilpy._text cimport Token, TokenBuffer

cdef enum:
    LISTS_SHIFT = 12                # lists a chunk: 4,096
    LISTS_MASK = 4095
    MAX_LIST_CHUNKS = 65536
    MAX_OCCURRENCE_CHUNKS = 65536   # 2**30 occurrences: more than a text of 2**31 code points can hold in words
    MAX_ARENA_CHUNKS = 65536
    ARENA_CHUNK = 262144
    MAX_CHUNK_POSTINGS = 1024
    AHEAD = 64                      # tokens whose lists are fetched together


cdef void* enlarge(void* old, size_t n, size_t size, size_t width) except NULL:
    """Room for `size` items, those behind the first `n` zero. A first block comes zeroed from the system: of a large
    vocabulary only the pages that are written to cost anything."""
    cdef void* block = calloc(size, width) if n == 0 else realloc(old, size * width)
    if block == NULL:
        raise MemoryError()
    if n:
        memset(<char*>block + n * width, 0, (size - n) * width)
    return block


cdef class MemorySegment:
    """Postings and spans of up to 65,536 documents that are still being appended to."""

    def __cinit__(self, Lexicon lexicon, uint32_t first_doc, uint32_t n_fields, bint has_spans=True):
        self.lexicon = lexicon
        self.first_doc = first_doc
        self.n_fields = n_fields
        self.has_spans = has_spans
        self.lengths = <uint32_t**>calloc(max(n_fields, 1), sizeof(void*))
        self.list_of = <uint32_t**>calloc(max(n_fields, 1), sizeof(void*))
        self.list_of_size = <uint32_t*>calloc(max(n_fields, 1), sizeof(uint32_t))
        self.ids = <const char**>calloc(MAX_SEGMENT_DOCS, sizeof(void*))
        self.id_sizes = <uint32_t*>calloc(MAX_SEGMENT_DOCS, sizeof(uint32_t))
        self.list_chunks = <MemList**>calloc(MAX_LIST_CHUNKS, sizeof(void*))
        self.occurrence_chunks = <Occurrence**>calloc(MAX_OCCURRENCE_CHUNKS, sizeof(void*))
        self.arena = <char**>calloc(MAX_ARENA_CHUNKS, sizeof(void*))
        if (self.lengths == NULL or self.list_of == NULL or self.list_of_size == NULL or self.ids == NULL
                or self.id_sizes == NULL or self.list_chunks == NULL or self.occurrence_chunks == NULL
                or self.arena == NULL):
            raise MemoryError()
        cdef uint32_t field
        for field in range(n_fields):
            self.lengths[field] = <uint32_t*>calloc(MAX_SEGMENT_DOCS, sizeof(uint32_t))
            if self.lengths[field] == NULL:
                raise MemoryError()

    def __dealloc__(self):
        with nogil:                 # tens of megabytes: giving them back takes milliseconds
            self.release()

    cdef void release(self) noexcept nogil:
        cdef uint32_t i
        for i in range(self.n_fields):
            if self.lengths != NULL:
                free(self.lengths[i])
            if self.list_of != NULL:
                free(self.list_of[i])
        if self.list_chunks != NULL:
            for i in range((self.n_lists + LISTS_MASK) >> LISTS_SHIFT):
                free(self.list_chunks[i])
        if self.occurrence_chunks != NULL:
            for i in range(self.n_occurrence_chunks):
                free(self.occurrence_chunks[i])
        if self.arena != NULL:
            for i in range(self.n_arena):
                free(self.arena[i])
        free(self.lengths)
        free(self.list_of)
        free(self.list_of_size)
        free(<void*>self.ids)
        free(self.id_sizes)
        free(self.list_chunks)
        free(self.occurrence_chunks)
        free(self.arena)
        free(self.terms)

    # ------------------------------------------------------------------ memory
    cdef void* alloc(self, size_t size) except NULL:
        """`size` bytes that stay where they are until the segment goes."""
        cdef size_t chunk
        cdef char* block
        size = (size + 7) & ~<size_t>7
        if self.n_arena == 0 or self.arena_used + size > self.arena_size:
            chunk = max(size, <size_t>ARENA_CHUNK)
            if self.n_arena == MAX_ARENA_CHUNKS:
                raise MemoryError("a memory segment's arena is full")
            block = <char*>malloc(chunk)
            if block == NULL:
                raise MemoryError()
            self.arena[self.n_arena] = block
            self.n_arena += 1
            self.arena_used = 0
            self.arena_size = chunk
            self.nbytes += chunk
        block = self.arena[self.n_arena - 1] + self.arena_used
        self.arena_used += size
        return block

    cdef MemList* list_at(self, uint32_t number) noexcept nogil:
        return &self.list_chunks[number >> LISTS_SHIFT][number & LISTS_MASK]

    cdef MemList* find_list(self, uint32_t term, uint32_t field) noexcept nogil:
        """The postings of a term in a field, or NULL. Call it with the GIL held."""
        cdef uint32_t number
        if term >= self.list_of_size[field]:
            return NULL
        number = self.list_of[field][term]
        return NULL if number == 0 else self.list_at(number - 1)

    cdef Occurrence* occurrence(self, uint32_t number) noexcept nogil:
        return &self.occurrence_chunks[number >> OCCURRENCES_SHIFT][number & OCCURRENCES_MASK]

    cdef MemList* new_list(self, uint32_t term, uint32_t field) except NULL:
        cdef uint32_t number = self.n_lists
        cdef MemList* chunk
        if number & LISTS_MASK == 0:
            if (number >> LISTS_SHIFT) == MAX_LIST_CHUNKS:
                raise MemoryError("a memory segment holds too many terms")
            chunk = <MemList*>calloc(LISTS_MASK + 1, sizeof(MemList))
            if chunk == NULL:
                raise MemoryError()
            self.list_chunks[number >> LISTS_SHIFT] = chunk
            self.nbytes += (LISTS_MASK + 1) * sizeof(MemList)
        self.n_lists = number + 1
        self.list_of[field][term] = number + 1
        chunk = self.list_at(number)
        chunk.min_length = 0xFFFFFFFF
        return chunk

    cdef int grow(self, MemList* postings) except -1:
        """Room for one more posting."""
        cdef uint32_t capacity = 2 if postings.tail == NULL else min(postings.tail.capacity * 2, MAX_CHUNK_POSTINGS)
        cdef PostingChunk* chunk = <PostingChunk*>self.alloc(sizeof(PostingChunk) + capacity * sizeof(MemPosting))
        chunk.next = NULL
        chunk.capacity = capacity
        if postings.tail == NULL:
            postings.head = chunk
        else:
            postings.tail.next = chunk
        postings.tail = chunk
        postings.tail_used = 0
        return 0

    cdef int reserve(self, Py_ssize_t n_tokens) except -1:
        """Make room by term and by occurrence, so that appending seldom allocates."""
        cdef uint32_t n_terms = self.lexicon.n_terms
        cdef uint32_t size, field
        cdef uint64_t wanted
        cdef void* block
        if self.terms_size < n_terms:
            size = max(n_terms + n_terms // 4, min(self.terms_size * 2, 0x7FFFFFFF), 1024)
            self.terms = <TermState*>enlarge(self.terms, self.terms_size, size, sizeof(TermState))
            self.nbytes += <size_t>(size - self.terms_size) * sizeof(TermState)
            self.terms_size = size
        for field in range(self.n_fields):
            if self.list_of_size[field] < n_terms:
                size = self.terms_size
                self.list_of[field] = <uint32_t*>enlarge(self.list_of[field], self.list_of_size[field], size,
                                                         sizeof(uint32_t))
                self.nbytes += <size_t>(size - self.list_of_size[field]) * sizeof(uint32_t)
                self.list_of_size[field] = size
        if self.has_spans:
            wanted = (<uint64_t>self.n_occurrences + <uint64_t>n_tokens + OCCURRENCES_MASK) >> OCCURRENCES_SHIFT
            if wanted > MAX_OCCURRENCE_CHUNKS:
                raise MemoryError("a memory segment holds too many tokens")
            while self.n_occurrence_chunks < wanted:
                block = malloc((OCCURRENCES_MASK + 1) * sizeof(Occurrence))
                if block == NULL:
                    raise MemoryError()
                self.occurrence_chunks[self.n_occurrence_chunks] = <Occurrence*>block
                self.n_occurrence_chunks += 1
                self.nbytes += (OCCURRENCES_MASK + 1) * sizeof(Occurrence)
        return 0

    # ----------------------------------------------------------------- writing
    cdef int append_field(self, uint32_t field, TokenBuffer buffer, uint32_t length) except -1:
        """Append the tokens of one field of the document `n_docs` (not yet published)."""
        cdef Py_ssize_t first
        for first in range(0, buffer.n, AHEAD):
            self.fetch_lists(field, buffer.tokens + first, min(buffer.n - first, <Py_ssize_t>AHEAD))
            self.append_tokens(field, buffer.tokens + first, min(buffer.n - first, <Py_ssize_t>AHEAD), length)
        return 0

    cdef void fetch_lists(self, uint32_t field, const Token* tokens, Py_ssize_t n) noexcept nogil:
        """Ask for the memory that appending these tokens touches: lists lie scattered, and waiting for each in turn is
        what appending would spend most of its time on."""
        cdef Py_ssize_t i
        cdef uint32_t number
        cdef MemList* postings
        cdef const uint32_t* list_of = self.list_of[field]
        for i in range(n):
            fetch_ahead(&list_of[tokens[i].term])
            fetch_ahead(&self.terms[tokens[i].term])
        for i in range(n):
            number = list_of[tokens[i].term]
            if number != 0:
                fetch_ahead(self.list_at(number - 1))
        for i in range(n):
            number = list_of[tokens[i].term]
            if number != 0:
                postings = self.list_at(number - 1)
                if postings.tail != NULL:
                    fetch_ahead(postings.tail)
                    fetch_ahead(chunk_postings(postings.tail) + postings.tail_used)

    cdef int append_tokens(self, uint32_t field, const Token* token, Py_ssize_t n, uint32_t length) except -1:
        cdef uint32_t doc = self.n_docs
        cdef Py_ssize_t i
        cdef MemList* postings
        cdef MemPosting* posting
        cdef Occurrence* occurrence
        cdef TermState* state
        cdef uint32_t* list_of = self.list_of[field]
        cdef uint32_t number, at = self.n_occurrences
        cdef bint has_spans = self.has_spans
        for i in range(n):  # no-cython-lint
            number = list_of[token.term]
            postings = self.new_list(token.term, field) if number == 0 else self.list_at(number - 1)
            if postings.last_doc != doc + 1:
                if postings.tail == NULL or postings.tail_used == postings.tail.capacity:
                    self.grow(postings)
                posting = chunk_postings(postings.tail) + postings.tail_used
                posting.doc = doc
                posting.tf = 1
                posting.first = at if has_spans else <uint32_t>NO_OCCURRENCE
                postings.tail_used += 1
                postings.n += 1
                postings.last_doc = doc + 1
                if length < postings.min_length:
                    postings.min_length = length
                if postings.max_tf == 0:
                    postings.max_tf = 1
                state = &self.terms[token.term]
                if state.last_doc != doc + 1:
                    state.last_doc = doc + 1
                    state.df += 1
            else:
                posting = chunk_postings(postings.tail) + (postings.tail_used - 1)
                posting.tf += 1
                if posting.tf > postings.max_tf:
                    postings.max_tf = posting.tf
                if has_spans:
                    self.occurrence(postings.last_occurrence).next = at
            if has_spans:
                occurrence = self.occurrence(at)
                occurrence.position = token.position
                occurrence.start = token.start
                occurrence.end = token.end
                occurrence.next = NO_OCCURRENCE
                postings.last_occurrence = at
                at += 1
                self.n_occurrences = at
            token += 1
        return 0

    cdef int undo(self, uint32_t field, TokenBuffer buffer) except -1:
        """Take back what `append_field` wrote of an unpublished document; chunks and lists may stay, empty."""
        cdef uint32_t doc = self.n_docs
        cdef Py_ssize_t i
        cdef MemList* postings
        cdef TermState* state
        for i in range(buffer.n):
            postings = self.find_list(buffer.tokens[i].term, field)
            if postings != NULL and postings.last_doc == doc + 1:
                postings.last_doc = 0
                postings.n -= 1
                postings.tail_used -= 1
            state = &self.terms[buffer.tokens[i].term]
            if state.last_doc == doc + 1:
                state.last_doc = 0
                state.df -= 1
        return 0

    def add(self, bytes doc_id, list buffers):
        """Append one document and publish it; return its number within the segment.

        `doc_id` is the id as UTF-8; `buffers` holds a TokenBuffer or None for each text field. All or nothing.
        """
        cdef uint32_t doc = self.n_docs, field, at = self.n_occurrences
        cdef Py_ssize_t n_tokens = 0
        cdef TokenBuffer buffer
        cdef char* copy
        if doc >= MAX_SEGMENT_DOCS:
            raise OverflowError("the memory segment is full")
        if <uint32_t>len(buffers) != self.n_fields:
            raise ValueError("one buffer for each text field is needed")
        for field in range(self.n_fields):
            buffer = buffers[field]
            if buffer is not None:
                n_tokens += buffer.n
        self.reserve(n_tokens)
        copy = <char*>self.alloc(len(doc_id) + 1)
        memcpy(copy, <const char*>doc_id, len(doc_id) + 1)
        self.ids[doc] = copy
        self.id_sizes[doc] = <uint32_t>len(doc_id)
        field = 0
        try:
            for field in range(self.n_fields):
                buffer = buffers[field]
                self.lengths[field][doc] = 0
                if buffer is not None:
                    self.lengths[field][doc] = <uint32_t>buffer.n
                    self.append_field(field, buffer, <uint32_t>buffer.n)
        except MemoryError:
            self.n_occurrences = at
            for other in range(field + 1):
                if buffers[other] is not None:
                    self.undo(other, buffers[other])
            raise
        self.n_docs = doc + 1
        return doc

    # ----------------------------------------------------------------- reading
    def document_frequency(self, uint32_t term):
        """Live documents of this segment that hold the term in any field."""
        return self.terms[term].df if term < self.terms_size else 0

    def length(self, uint32_t field, uint32_t doc):
        """Tokens of a field of a document (its number within the segment)."""
        if field >= self.n_fields or doc >= self.n_docs:
            raise IndexError("no such field or document")
        return self.lengths[field][doc]

    @property
    def is_full(self):
        return self.n_docs >= MAX_SEGMENT_DOCS
