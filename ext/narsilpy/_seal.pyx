# Sealing and merging: neighbouring segments in, one sealed segment's bytes out. One mechanism for both: sealing is the
# merge of one memory segment.
#
# The result covers the document numbers of all its sources (they must follow one another); documents that `accept`
# lacks lose their postings, ids and lengths, their numbers stay. Terms are merged in code point order, every list is
# gathered source by source, which keeps documents ascending. Document frequencies are counted anew, so what had been
# removed is gone from them. All but a copy of the lexicon's pointers runs without the GIL: a memory segment must not be
# appended to meanwhile (documents may be removed from any source: the caller passes sets that never change). A `Stop`
# ends a merge early from another thread.
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset
import os

from narsilpy._bits cimport Bits
from narsilpy._blocks cimport BLOCK, fetch_ahead, read_varint
from narsilpy._buffer cimport Buffer, buffer_bytes, buffer_free, buffer_varint, buffer_zeros
from narsilpy._cursor cimport Cursor, Source, cursor_open, length_at
from narsilpy._lists cimport ListBuilder, builder_clear, builder_free, builder_take, builder_write
from narsilpy._postings cimport (
    OCCURRENCES_MASK, OCCURRENCES_SHIFT, MemList, MemorySegment, Occurrence, chunk_postings)
from narsilpy._segment cimport (
    SEGMENT_VERSION, LengthColumn, SealedList, SealedSegment, SegmentHeader, hash_term, segment_lists, segment_term)

cdef const char* MAGIC = b"NARSILSG"

cdef struct MemTerm:            # a term of a memory segment, for sorting
    uint64_t prefix             # its first 8 bytes, big-endian: most comparisons end here
    const char* utf8
    uint32_t n
    uint32_t term

cdef struct MergeSource:
    const uint8_t* base         # sealed segment, else NULL
    MemTerm* terms              # memory segment
    void** lists                # [field * n_terms + place in terms]: MemList*
    Occurrence** occurrences
    uint32_t** lengths
    const char** ids            # memory segment
    const uint32_t* id_sizes
    uint32_t n_terms
    uint32_t n_fields
    bint has_spans
    uint32_t at                 # next term
    uint32_t n_docs
    uint32_t shift              # of its documents in the result
    const uint64_t* accept
    const LengthColumn* columns
    const char* utf8            # the term at `at`
    Py_ssize_t n

cdef struct Merge:
    MergeSource* sources
    uint32_t n_sources
    uint32_t n_fields
    uint32_t n_docs
    bint has_spans
    Buffer terms
    Buffer term_index
    Buffer data
    Buffer data_index
    Buffer spans
    Buffer bodies               # of the term at hand
    ListBuilder builder
    uint32_t* seen              # by document: last term that it was counted for, + 1
    uint32_t n_terms
    SealedList* lists           # [n_sources * n_fields]
    int* n_lists                # [n_sources]
    int error                   # 1 = out of memory, 2 = corrupt source, 3 = stopped
    const int* stop             # not NULL and not 0: give up


cdef class Stop:
    """Ends the merge that it was given to, soon, from another thread."""

    cdef int value

    def set(self):
        """The merge raises `Stopped`; one that has not begun, too."""
        self.value = 1


class Stopped(Exception):
    """A merge was given up; nothing came of it."""


cdef int by_term(const void* a, const void* b) noexcept nogil:
    cdef const MemTerm* x = <const MemTerm*>a
    cdef const MemTerm* y = <const MemTerm*>b
    cdef int order
    if x.prefix != y.prefix:
        return 1 if x.prefix > y.prefix else -1
    order = memcmp(x.utf8, y.utf8, min(x.n, y.n))
    return order if order != 0 else (x.n > y.n) - (x.n < y.n)


cdef int open_memory(MergeSource* s, MemorySegment segment) except -1:
    """Collect and sort the terms of a memory segment."""
    cdef uint32_t i, n_terms = min(segment.terms_size, segment.lexicon.n_terms)
    cdef Py_ssize_t size
    s.terms = <MemTerm*>malloc(max(<size_t>segment.n_lists, <size_t>1) * sizeof(MemTerm))
    if s.terms == NULL:
        raise MemoryError()
    with nogil:
        find_terms(s, segment, n_terms)
    for i in range(s.n_terms):      # the lexicon's tables move when a term is added: they are read under the GIL
        s.terms[i].utf8 = segment.lexicon.utf8(s.terms[i].term, &size)
        s.terms[i].n = <uint32_t>size
    s.lists = <void**>calloc(max(<size_t>s.n_terms * segment.n_fields, <size_t>1), sizeof(void*))
    if s.lists == NULL:
        raise MemoryError()
    with nogil:
        sort_terms(s, segment)
    s.occurrences = segment.occurrence_chunks
    s.lengths = segment.lengths
    s.ids = segment.ids
    s.id_sizes = segment.id_sizes
    return 0


cdef void find_terms(MergeSource* s, MemorySegment segment, uint32_t n_terms) noexcept nogil:
    """The numbers of the terms that have postings; there are at most as many as lists."""
    cdef uint32_t term, field
    cdef MemList* postings
    for term in range(n_terms):
        for field in range(segment.n_fields):
            postings = segment.find_list(term, field)
            if postings != NULL and postings.n > 0:
                s.terms[s.n_terms].term = term
                s.n_terms += 1
                break


cdef void sort_terms(MergeSource* s, MemorySegment segment) noexcept nogil:
    cdef uint32_t i, j, field
    cdef MemTerm* item
    for i in range(s.n_terms):
        item = &s.terms[i]
        item.prefix = 0
        for j in range(8):
            item.prefix = (item.prefix << 8) | (<uint8_t>item.utf8[j] if j < item.n else 0)
    qsort(s.terms, s.n_terms, sizeof(MemTerm), by_term)
    for i in range(s.n_terms):
        for field in range(segment.n_fields):
            s.lists[<size_t>i * segment.n_fields + field] = segment.find_list(s.terms[i].term, field)


cdef void fetch_terms(MergeSource* s) noexcept nogil:
    """Ask for what the next terms of a memory segment need: their lists and bytes, the first postings of nearer ones."""
    cdef uint32_t ahead = s.at + 16, field
    cdef MemList* postings
    if ahead < s.n_terms:
        fetch_ahead(s.terms[ahead].utf8)
        for field in range(s.n_fields):
            fetch_ahead(s.lists[<size_t>ahead * s.n_fields + field])
    ahead = s.at + 8
    if ahead < s.n_terms:
        for field in range(s.n_fields):
            postings = <MemList*>s.lists[<size_t>ahead * s.n_fields + field]
            if postings != NULL:
                fetch_ahead(postings.head)
    ahead = s.at + 4
    if ahead < s.n_terms:
        for field in range(s.n_fields):
            postings = <MemList*>s.lists[<size_t>ahead * s.n_fields + field]
            if postings != NULL and s.has_spans:
                field_fetch(s, postings)


cdef inline void field_fetch(MergeSource* s, MemList* postings) noexcept nogil:
    cdef uint32_t number = chunk_postings(postings.head).first
    fetch_ahead(&s.occurrences[number >> OCCURRENCES_SHIFT][number & OCCURRENCES_MASK])


cdef void load_term(MergeSource* s) noexcept nogil:
    if s.at >= s.n_terms:
        s.utf8 = NULL
    elif s.base == NULL:
        s.utf8 = s.terms[s.at].utf8
        s.n = s.terms[s.at].n
        fetch_terms(s)
    else:
        s.utf8 = segment_term(s.base, s.at, &s.n)


cdef inline int compare_terms(const char* a, Py_ssize_t n_a, const char* b, Py_ssize_t n_b) noexcept nogil:
    cdef int order = memcmp(a, b, min(n_a, n_b))
    return order if order != 0 else (n_a > n_b) - (n_a < n_b)


cdef void take_list(Merge* m, MergeSource* s, uint32_t field, SealedList* found) noexcept nogil:
    """Add one source's postings of the term at hand to the builder."""
    cdef Source source
    cdef Cursor cursor
    cdef MemList* postings
    memset(&source, 0, sizeof(Source))
    source.n_docs = s.n_docs
    if s.base == NULL:
        postings = <MemList*>s.lists[<size_t>s.at * m.n_fields + field]
        source.head = postings.head
        source.n = postings.n
        source.max_tf = postings.max_tf
        source.min_length = postings.min_length
        source.lengths = <const uint8_t*>s.lengths[field]
        source.width = 4
    else:
        source.n = found.n
        source.flags = found.flags
        source.body = found.body
        source.body_size = found.body_size
        source.spans = found.spans
        source.spans_size = found.spans_size
        source.lengths = s.base + s.columns[field].offset
        source.width = <uint32_t>s.columns[field].width
    cursor_open(&cursor, &source, 0.0, 0.0, 0.0)
    if not builder_take(&m.builder, &cursor, s.occurrences, s.accept, s.shift, m.has_spans):
        m.error = 2


cdef void merge_term(Merge* m, const char* utf8, Py_ssize_t n) noexcept nogil:
    """Write the term that stands first in some of the sources, and move those on."""
    cdef uint32_t i, field, n_lists = 0, df = 0, flags, j
    cdef int k
    cdef SealedList* found
    cdef MergeSource* s
    cdef Buffer heads
    cdef size_t body_at, spans_at = m.spans.n, list_spans
    memset(&heads, 0, sizeof(Buffer))
    m.bodies.n = 0
    for i in range(m.n_sources):
        s = &m.sources[i]
        m.n_lists[i] = -1
        if s.utf8 == NULL or compare_terms(s.utf8, s.n, utf8, n) != 0:
            continue
        m.n_lists[i] = 0
        if s.base != NULL:
            m.n_lists[i] = segment_lists(s.base, s.at, &flags, &m.lists[i * m.n_fields], m.n_fields)
            if m.n_lists[i] < 0:
                m.error = 2
                return
    for field in range(m.n_fields):
        builder_clear(&m.builder)
        for i in range(m.n_sources):
            s = &m.sources[i]
            if m.n_lists[i] < 0:
                continue
            if s.base == NULL:
                if s.lists[<size_t>s.at * m.n_fields + field] != NULL:
                    take_list(m, s, field, NULL)
                continue
            for k in range(m.n_lists[i]):
                found = &m.lists[i * m.n_fields + k]
                if found.field == field:
                    take_list(m, s, field, found)
        if m.builder.n == 0:
            continue
        for j in range(m.builder.n):
            if m.seen[m.builder.docs[j]] != m.n_terms + 1:
                m.seen[m.builder.docs[j]] = m.n_terms + 1
                df += 1
        n_lists += 1
        body_at = m.bodies.n
        list_spans = m.spans.n
        flags = builder_write(&m.builder, &m.bodies, &m.spans, m.has_spans)
        buffer_varint(&heads, field)
        buffer_varint(&heads, (<uint64_t>m.builder.n << 1) | flags)
        # 8 bytes more, in which a reader aligns the metas of a list with blocks
        buffer_varint(&heads, m.bodies.n - body_at + (8 if m.builder.n > <uint32_t>BLOCK else 0))
        buffer_varint(&heads, m.spans.n - list_spans)
    if n_lists > 0:
        write_term(m, utf8, n, n_lists, df, &heads, spans_at)
    if heads.failed:
        m.error = 1
    buffer_free(&heads)


cdef void write_term(Merge* m, const char* utf8, Py_ssize_t n, uint32_t n_lists, uint32_t df, Buffer* heads,
                     size_t spans_at) noexcept nogil:
    cdef uint32_t end
    cdef uint64_t at = m.data.n
    buffer_bytes(&m.data_index, &at, 8)
    end = <uint32_t>m.terms.n
    buffer_bytes(&m.term_index, &end, 4)
    buffer_bytes(&m.terms, utf8, n)
    if m.terms.n > 0xFFFFFFFFULL:
        m.error = 1
    buffer_varint(&m.data, n_lists)
    if n_lists > 1:
        buffer_varint(&m.data, df)
    buffer_bytes(&m.data, heads.data, heads.n)
    buffer_varint(&m.data, spans_at)
    write_bodies(m, heads, n_lists)
    m.n_terms += 1


cdef void write_bodies(Merge* m, Buffer* heads, uint32_t n_lists) noexcept nogil:
    """Copy the bodies behind the header just written, the metas of those with blocks at multiples of 8."""
    cdef uint32_t i
    cdef uint64_t field, count, size, spans_size, padding
    cdef const uint8_t* head = heads.data
    cdef const uint8_t* stop = heads.data + heads.n
    cdef size_t body_at = 0
    for i in range(n_lists):  # no-cython-lint
        head = read_varint(head, stop, &field)
        head = read_varint(head, stop, &count)
        head = read_varint(head, stop, &size)
        head = read_varint(head, stop, &spans_size)
        if count >> 1 > <uint64_t>BLOCK:
            size -= 8
            padding = (8 - (m.data.n & 7)) & 7
            buffer_zeros(&m.data, padding)
            buffer_bytes(&m.data, m.bodies.data + body_at, size)
            buffer_zeros(&m.data, 8 - padding)
        else:
            buffer_bytes(&m.data, m.bodies.data + body_at, size)
        body_at += size


cdef void merge_terms(Merge* m) noexcept nogil:
    cdef uint32_t i
    cdef const char* utf8
    cdef Py_ssize_t n
    for i in range(m.n_sources):
        load_term(&m.sources[i])
    while m.error == 0:
        if m.stop != NULL and m.stop[0]:
            m.error = 3
            return
        utf8 = NULL
        n = 0
        for i in range(m.n_sources):
            if m.sources[i].utf8 != NULL and (
                    utf8 == NULL or compare_terms(m.sources[i].utf8, m.sources[i].n, utf8, n) < 0):
                utf8 = m.sources[i].utf8
                n = m.sources[i].n
        if utf8 == NULL:
            return
        merge_term(m, utf8, n)
        if m.builder.failed or m.builder.spans.failed or m.bodies.failed or m.data.failed or m.spans.failed:
            m.error = 1
        for i in range(m.n_sources):
            if m.n_lists[i] >= 0:
                m.sources[i].at += 1
                load_term(&m.sources[i])
        if m.n_terms == 0xFFFFFFFEU:
            m.error = 1


# ------------------------------------------------------------------- documents
cdef void write_documents(Merge* m, Buffer* ids, Buffer* id_index) noexcept nogil:
    """The ids of the accepted documents; the others keep an empty one."""
    cdef uint32_t i, doc, at
    cdef MergeSource* s
    cdef const SegmentHeader* header
    cdef const uint32_t* index
    for i in range(m.n_sources):
        s = &m.sources[i]
        for doc in range(s.n_docs):
            at = <uint32_t>ids.n
            buffer_bytes(id_index, &at, 4)
            if s.accept != NULL and not (s.accept[doc >> 6] >> (doc & 63)) & 1:
                continue
            if s.base == NULL:
                buffer_bytes(ids, s.ids[doc], s.id_sizes[doc])
            else:
                header = <const SegmentHeader*>s.base
                index = <const uint32_t*>(s.base + header.id_index)
                if index[doc] > index[doc + 1] or index[doc + 1] > index[header.n_docs]:
                    m.error = 2
                    return
                buffer_bytes(ids, s.base + header.ids + index[doc], index[doc + 1] - index[doc])
            if ids.n > 0xFFFFFFFFULL:
                m.error = 4
                return
    at = <uint32_t>ids.n
    buffer_bytes(id_index, &at, 4)


cdef uint32_t source_length(MergeSource* s, uint32_t field, uint32_t doc) noexcept nogil:
    cdef Source source
    if s.accept != NULL and not (s.accept[doc >> 6] >> (doc & 63)) & 1:
        return 0
    if s.base == NULL:
        return s.lengths[field][doc]
    source.lengths = s.base + s.columns[field].offset
    source.width = <uint32_t>s.columns[field].width
    return length_at(&source, doc)


cdef void write_lengths(Merge* m, Buffer* out, uint64_t section) noexcept nogil:
    """LengthColumn by field, then the columns, each as narrow as its greatest length allows."""
    cdef uint32_t field, i, doc, length, longest
    cdef uint64_t width
    cdef LengthColumn column
    buffer_zeros(out, m.n_fields * sizeof(LengthColumn))
    for field in range(m.n_fields):
        longest = 0
        for i in range(m.n_sources):
            for doc in range(m.sources[i].n_docs):
                longest = max(longest, source_length(&m.sources[i], field, doc))
        width = 1 if longest < 256 else 2 if longest < 65536 else 4
        buffer_zeros(out, (8 - (out.n & 7)) & 7)
        column.offset = section + out.n
        column.width = width
        if out.failed:
            return
        memcpy(out.data + field * sizeof(LengthColumn), &column, sizeof(LengthColumn))
        for i in range(m.n_sources):
            for doc in range(m.sources[i].n_docs):
                length = source_length(&m.sources[i], field, doc)
                buffer_bytes(out, &length, width)       # little-endian: the low bytes come first
    buffer_zeros(out, (8 - (out.n & 7)) & 7)


cdef void write_hash(Merge* m, Buffer* out, uint32_t slots, uint64_t seed) noexcept nogil:
    cdef uint32_t term, slot, start, stop, mask = slots - 1
    cdef uint32_t* table
    cdef const uint32_t* index = <const uint32_t*>m.term_index.data
    buffer_zeros(out, 4 * <size_t>slots)
    if out.failed:
        return
    table = <uint32_t*>out.data
    for term in range(m.n_terms):
        start = index[term]
        stop = index[term + 1]
        slot = <uint32_t>hash_term(<const char*>m.terms.data + start, stop - start, seed) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = term + 1


cdef bytes assemble(Merge* m):
    """All sections in one bytes object."""
    cdef Buffer made[4]             # ids and their index, lengths, hash table
    cdef SegmentHeader header
    cdef Buffer* sections[9]
    cdef uint64_t starts[9]
    cdef uint64_t end
    cdef uint64_t seed = int.from_bytes(os.urandom(8), "little")
    cdef uint32_t i
    cdef char* out
    cdef bytes result
    memset(made, 0, sizeof(made))
    memset(&header, 0, sizeof(SegmentHeader))
    sections[:] = [&made[0], &made[1], &made[2], &made[3], &m.term_index, &m.terms, &m.data_index, &m.data, &m.spans]
    header.hash_seed = seed
    try:
        with nogil:
            end = write_sections(m, &header, sections, starts)
        check_error(m)
        result = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>end)
        out = PyBytes_AS_STRING(result)
        with nogil:
            memcpy(out, &header, sizeof(SegmentHeader))
            for i in range(9):
                memcpy(out + starts[i], sections[i].data, sections[i].n)
        return result
    finally:
        with nogil:
            for i in range(4):
                buffer_free(&made[i])


cdef uint64_t write_sections(Merge* m, SegmentHeader* header, Buffer** sections, uint64_t* starts) noexcept nogil:
    """Make the sections that `merge_terms` did not, and the header; returns the size of all, or sets `error`."""
    cdef uint32_t end = <uint32_t>m.terms.n, i
    cdef uint64_t stop = m.data.n, at = sizeof(SegmentHeader)
    buffer_bytes(&m.term_index, &end, 4)
    buffer_bytes(&m.data_index, &stop, 8)
    write_documents(m, sections[1], sections[0])
    header.hash_slots = 1
    while header.hash_slots < m.n_terms + m.n_terms // 2 + 1:
        header.hash_slots *= 2
    for i in range(9):
        if m.error:
            return 0
        if i == 2:
            write_lengths(m, sections[2], at)
        elif i == 3:
            write_hash(m, sections[3], header.hash_slots, header.hash_seed)
        if i != 8:
            buffer_zeros(sections[i], (8 - (sections[i].n & 7)) & 7)
        if sections[i].failed:
            m.error = 1
        starts[i] = at
        at += sections[i].n
    memcpy(header.magic, MAGIC, 8)
    header.version = SEGMENT_VERSION
    header.flags = 1 if m.has_spans else 0
    header.n_docs = m.n_docs
    header.n_fields = m.n_fields
    header.n_terms = m.n_terms
    header.id_index, header.ids, header.lengths, header.hash = starts[0], starts[1], starts[2], starts[3]
    header.term_index, header.terms, header.data_index = starts[4], starts[5], starts[6]
    header.data, header.spans, header.end = starts[7], starts[8], at
    return at


cdef int check_error(const Merge* m) except -1:
    if m.error == 1:
        raise MemoryError()
    if m.error == 2:
        raise ValueError("a segment to merge is corrupt")
    if m.error == 3:
        raise Stopped()
    if m.error == 4:
        raise OverflowError("the ids of a segment pass 4 GB")
    return 0


cdef int open_sources(Merge* m, list segments, list accepts) except -1:
    """Fill `sources`; the segments and sets must outlive the merge."""
    cdef uint32_t i, next_doc = segments[0].first_doc
    cdef MergeSource* s
    cdef MemorySegment memory
    cdef SealedSegment sealed
    cdef Bits accept
    for i in range(m.n_sources):
        s = &m.sources[i]
        if segments[i].first_doc != next_doc or segments[i].n_fields != m.n_fields:
            raise ValueError("segments to merge must be neighbours of one index")
        s.n_fields = m.n_fields
        s.has_spans = m.has_spans
        s.shift = next_doc - <uint32_t>segments[0].first_doc
        if isinstance(segments[i], MemorySegment):
            memory = segments[i]
            s.n_docs = memory.n_docs
            open_memory(s, memory)
        else:
            sealed = segments[i]
            sealed.verify()
            s.n_docs = sealed.n_docs
            s.base = sealed.base
            s.columns = sealed.columns
            s.n_terms = sealed.n_terms
        if accepts[i] is not None:
            accept = accepts[i]
            if accept.n < s.n_docs:
                raise ValueError("a set of documents does not cover its segment")
            s.accept = accept.words
        next_doc += s.n_docs
        m.n_docs += s.n_docs
    return 0


cdef void close_merge(Merge* m) noexcept nogil:
    cdef uint32_t i
    if m.sources != NULL:
        for i in range(m.n_sources):
            free(m.sources[i].terms)
            free(m.sources[i].lists)
    free(m.sources)
    free(m.lists)
    free(m.n_lists)
    free(m.seen)
    builder_free(&m.builder)
    buffer_free(&m.terms)
    buffer_free(&m.term_index)
    buffer_free(&m.data)
    buffer_free(&m.data_index)
    buffer_free(&m.spans)
    buffer_free(&m.bodies)


def merge(list segments, list accepts, Stop stop=None) -> bytes:
    """The bytes of one sealed segment that stands for `segments` (neighbours, in order of their numbers).

    `accepts` holds, for each, a Bits of its live documents or None for all. Raises ValueError or IndexCorrupted where a
    source is corrupt, Stopped where `stop` was set.
    """
    cdef Merge m
    cdef uint32_t n = <uint32_t>len(segments)
    if n == 0 or len(accepts) != n:
        raise ValueError("a merge needs segments, and as many sets")
    memset(&m, 0, sizeof(Merge))
    m.n_sources = n
    m.n_fields = segments[0].n_fields
    m.has_spans = segments[0].has_spans
    if stop is not None:
        m.stop = &stop.value
    try:
        m.sources = <MergeSource*>calloc(n, sizeof(MergeSource))
        m.lists = <SealedList*>malloc(max(<size_t>n * m.n_fields, <size_t>1) * sizeof(SealedList))
        m.n_lists = <int*>malloc(n * sizeof(int))
        if m.sources == NULL or m.lists == NULL or m.n_lists == NULL:
            raise MemoryError()
        open_sources(&m, segments, accepts)
        m.seen = <uint32_t*>calloc(max(m.n_docs, 1), sizeof(uint32_t))
        if m.seen == NULL:
            raise MemoryError()
        with nogil:
            merge_terms(&m)
        check_error(&m)
        return assemble(&m)
    finally:
        with nogil:
            close_merge(&m)
