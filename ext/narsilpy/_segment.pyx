# A sealed segment: an immutable run of documents in one flat buffer, read where it lies (heap or memory map).
#
# Layout (all little-endian, sections aligned to 8 bytes; SegmentHeader names them):
#   ids         the documents' ids, for ties            lengths   tokens by field and document, 1, 2 or 4 bytes each
#   hash        open addressing, term -> number         terms     sorted by code point, for prefix and fuzzy walks
#   data        by term: varint n_lists; if more than one, varint df (documents holding the term in any field);
#               per list varint field, varint n << 1 | directory flag, varint body size, varint spans size; then
#               varint offset of the term's spans; then the bodies in the same order.
#     body, n <= BLOCK: varints (doc delta << 1 | tf is 1) [tf].
#     body, n >  BLOCK: padding to 8, BlockMeta of the whole list, BlockMeta of each block, then the blocks: byte doc width, byte tf width, packed
#               (doc delta - 1), packed (tf - 1); the last, shorter block as varints like above.
#   spans       by list, posting and occurrence: varint position delta, varint start delta << 5 | min(length, 31)
#               [varint length - 31]; deltas restart with each document. A block of more than DIRECTORY_BYTES starts
#               with 128 uint32: where each posting's spans begin, so that long documents cost what short ones do.
#
# Invariants: documents ascend within a list, lists ascend by field within a term. Nothing read from the buffer is
# trusted: offsets are checked when the segment is opened, widths, sums and ends where they are decoded.
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp

from narsilpy._blocks cimport read_varint
from narsilpy._guard cimport BlockGuard

from narsilpy.errors import ErrorCode, IndexCorrupted


cdef uint64_t hash_term(const char* utf8, Py_ssize_t n, uint64_t seed) noexcept nogil:
    """FNV-1a over the bytes from a seeded start, with a final mix (the low bits choose the slot)."""
    cdef uint64_t h = seed ^ <uint64_t>14695981039346656037ULL
    cdef Py_ssize_t i
    for i in range(n):
        h = (h ^ <uint8_t>utf8[i]) * <uint64_t>1099511628211ULL
    h ^= h >> 32
    h *= <uint64_t>0x9E3779B97F4A7C15ULL
    return h ^ (h >> 29)


cdef const char* segment_term(const uint8_t* base, uint32_t term, Py_ssize_t* n) noexcept nogil:
    """UTF-8 of a term by number; n = -1 where its offsets are corrupt."""
    cdef const SegmentHeader* h = <const SegmentHeader*>base
    cdef const uint32_t* index = <const uint32_t*>(base + h.term_index)
    cdef uint32_t start = index[term], end = index[term + 1]
    if end < start or end > index[h.n_terms]:
        n[0] = -1
        return NULL
    n[0] = end - start
    return <const char*>(base + h.terms + start)


cdef int segment_lists(const uint8_t* base, uint32_t term, uint32_t* df, SealedList* lists, int room) noexcept nogil:
    """Read the header of a term: its document frequency and its lists. Returns their number, -1 = corrupt."""
    cdef const SegmentHeader* h = <const SegmentHeader*>base
    cdef const uint64_t* index = <const uint64_t*>(base + h.data_index)
    cdef uint64_t start = index[term], stop = index[term + 1]
    cdef uint64_t spans_size = h.end - h.spans
    cdef uint64_t value, n_lists, span_at
    cdef const uint8_t* data
    cdef const uint8_t* end
    cdef int i
    if start > stop or stop > h.spans - h.data:
        return -1
    data = base + h.data + start
    end = base + h.data + stop
    data = read_varint(data, end, &n_lists)
    if data == NULL or n_lists == 0 or n_lists > <uint64_t>room:
        return -1
    df[0] = 0
    if n_lists > 1:
        data = read_varint(data, end, &value)
        if data == NULL or value > h.n_docs:
            return -1
        df[0] = <uint32_t>value
    for i in range(<int>n_lists):
        data = read_varint(data, end, &value)
        if data == NULL or value >= h.n_fields:
            return -1
        lists[i].field = <uint32_t>value
        data = read_varint(data, end, &value)
        if data == NULL or value >> 1 > h.n_docs or value >> 1 == 0:
            return -1
        lists[i].n = <uint32_t>(value >> 1)
        lists[i].flags = value & 1
        data = read_varint(data, end, &lists[i].body_size)
        if data == NULL:
            return -1
        data = read_varint(data, end, &lists[i].spans_size)
        if data == NULL:
            return -1
    data = read_varint(data, end, &span_at)
    if data == NULL:
        return -1
    for i in range(<int>n_lists):
        if lists[i].body_size > <uint64_t>(end - data) or span_at > spans_size or (
                lists[i].spans_size > spans_size - span_at):
            return -1
        lists[i].body = data
        lists[i].spans = base + h.spans + span_at
        data += lists[i].body_size
        span_at += lists[i].spans_size
    if n_lists == 1:
        df[0] = lists[0].n
    return <int>n_lists


cdef int segment_frequency(const uint8_t* base, uint32_t term, uint32_t* df) noexcept nogil:
    """The document frequency of a term as sealed, without its lists. Returns -1 where its header is corrupt."""
    cdef const SegmentHeader* h = <const SegmentHeader*>base
    cdef const uint64_t* index = <const uint64_t*>(base + h.data_index)
    cdef uint64_t value, n_lists, room = h.spans - h.data
    cdef const uint8_t* data
    cdef const uint8_t* end
    if index[term] > index[term + 1] or index[term + 1] > room:
        return -1
    data = base + h.data + index[term]
    end = base + h.data + index[term + 1]
    data = read_varint(data, end, &n_lists)
    if data != NULL:
        data = read_varint(data, end, &value)
        if data != NULL and n_lists == 1:
            data = read_varint(data, end, &value)
            value >>= 1
    if data == NULL or value > h.n_docs:
        return -1
    df[0] = <uint32_t>value
    return 0


cdef class SealedSegment:
    """An immutable run of documents, read from any buffer of the layout above.

    Raises ValueError with the reason where the buffer is not such a segment.
    """

    def __cinit__(self, buffer, uint32_t first_doc, BlockGuard guard=None):
        PyObject_GetBuffer(buffer, &self.view, PyBUF_SIMPLE)
        self.buffer = buffer
        self.base = <const uint8_t*>self.view.buf
        self.header = <const SegmentHeader*>self.base
        self.first_doc = first_doc
        self.removed = {}
        self.guard = guard
        self.ensure(self.base, min(<uint64_t>self.view.len, <uint64_t>sizeof(SegmentHeader)))
        self.check_header()
        self.n_docs = self.header.n_docs
        self.n_fields = self.header.n_fields
        self.n_terms = self.header.n_terms
        self.has_spans = self.header.flags & 1
        self.columns = <const LengthColumn*>(self.base + self.header.lengths)

    def __dealloc__(self):
        if self.view.buf != NULL:
            PyBuffer_Release(&self.view)

    cdef int check_header(self) except -1:
        cdef uint64_t size = <uint64_t>self.view.len
        cdef const SegmentHeader* h = self.header
        cdef uint64_t n_docs, n_terms
        cdef const LengthColumn* column
        cdef const uint32_t* index
        cdef uint32_t i
        if <size_t>self.base & 7:
            raise ValueError("a segment must lie at a multiple of 8 bytes")
        if size < sizeof(SegmentHeader) or h.magic[:8] != b"NARSILSG":
            raise ValueError("not a segment: the magic bytes are missing")
        if h.version != SEGMENT_VERSION:
            raise ValueError(f"segment format {h.version}; this version reads {SEGMENT_VERSION}")
        n_docs, n_terms = h.n_docs, h.n_terms
        # each section's end is the next one's start, so checking the order and the sizes checks every offset
        if not (sizeof(SegmentHeader) <= h.id_index and h.id_index + 4 * (n_docs + 1) <= h.ids
                and h.ids <= h.lengths and h.lengths + h.n_fields * sizeof(LengthColumn) <= h.hash
                and h.hash + 4 * <uint64_t>h.hash_slots <= h.term_index
                and h.term_index + 4 * (n_terms + 1) <= h.terms and h.terms <= h.data_index
                and h.data_index + 8 * (n_terms + 1) <= h.data and h.data <= h.spans and h.spans <= h.end
                and h.end <= size):
            raise ValueError("a segment's sections overlap or pass its end")
        if (h.id_index | h.lengths | h.hash | h.term_index | h.data_index) & 7:
            raise ValueError("a segment's sections are not aligned")
        if h.hash_slots == 0 or h.hash_slots & (h.hash_slots - 1) or h.hash_slots <= n_terms:
            raise ValueError("a segment's hash table has a wrong size")
        # what every query reads at random is checked now: it is small
        self.ensure(self.base + h.lengths, h.hash - h.lengths)
        self.ensure(self.base + h.id_index + 4 * n_docs, 4)
        self.ensure(self.base + h.term_index + 4 * n_terms, 4)
        column = <const LengthColumn*>(self.base + h.lengths)
        for i in range(h.n_fields):
            if column[i].width not in (1, 2, 4) or column[i].offset % 8 or (
                    column[i].offset < h.lengths or column[i].offset + n_docs * column[i].width > h.hash):
                raise ValueError("a segment's length column passes its section")
        index = <const uint32_t*>(self.base + h.id_index)
        if h.ids + index[n_docs] > h.lengths:
            raise ValueError("a segment's ids pass their section")
        index = <const uint32_t*>(self.base + h.term_index)
        if h.terms + index[n_terms] > h.data_index:
            raise ValueError("a segment's terms pass their section")
        return 0

    # --------------------------------------------------------------- checksums
    cdef int ensure(self, const void* start, uint64_t size) except -1:
        cdef uint64_t at = <const uint8_t*>start - self.base
        if self.guard is not None and self.guard.check_range(at, at + size) < 0:
            raise IndexCorrupted(
                ErrorCode.PERSISTENCE_CRC_MISMATCH,
                f"a sealed segment is damaged between bytes {at} and {at + size}; rebuild the index from its documents",
                {"offset": at, "size": size})
        return 0

    cdef int ensure_ids(self) except -1:
        if not self.ids_sound:
            self.ensure(self.base + self.header.id_index, self.header.lengths - self.header.id_index)
            self.ids_sound = True
        return 0

    cdef int ensure_term(self, uint32_t term) except -1:
        """The header and the lists of a term, its spans aside."""
        cdef const uint64_t* index = <const uint64_t*>(self.base + self.header.data_index) + term
        if self.guard is None:
            return 0
        self.ensure(index, 16)
        if index[0] <= index[1]:
            self.ensure(self.base + self.header.data + index[0], index[1] - index[0])
        return 0

    def verify(self):
        """Check every byte against its checksum. Raises IndexCorrupted; a segment on the heap has none."""
        self.ensure(self.base, self.view.len)

    # ------------------------------------------------------------------- terms
    cdef const char* term_at(self, uint32_t term, Py_ssize_t* n) noexcept nogil:
        return segment_term(self.base, term, n)

    cdef int64_t find_term(self, const char* utf8, Py_ssize_t n) except -2:
        """The number of a term, or -1."""
        cdef const uint32_t* slots = <const uint32_t*>(self.base + self.header.hash)
        cdef const uint32_t* index = <const uint32_t*>(self.base + self.header.term_index)
        cdef uint32_t mask = self.header.hash_slots - 1
        cdef uint32_t slot = <uint32_t>hash_term(utf8, n, self.header.hash_seed) & mask
        cdef uint32_t number, probes
        cdef Py_ssize_t size
        cdef const char* found
        for probes in range(self.header.hash_slots):  # no-cython-lint
            if self.guard is not None:
                self.ensure(slots + slot, 4)
            number = slots[slot]
            if number == 0 or number > self.header.n_terms:
                return -1
            if self.guard is not None:
                self.ensure(index + (number - 1), 8)
                if index[number - 1] <= index[number]:
                    self.ensure(self.base + self.header.terms + index[number - 1], index[number] - index[number - 1])
            found = self.term_at(number - 1, &size)
            if size == n and memcmp(found, utf8, n) == 0:
                return number - 1
            slot = (slot + 1) & mask
        return -1

    cdef int read_lists(self, uint32_t term, uint32_t* df, SealedList* lists, int room) noexcept nogil:
        return segment_lists(self.base, term, df, lists, room)

    # --------------------------------------------------------------- documents
    cdef const char* doc_id(self, uint32_t doc, uint32_t* n) noexcept nogil:
        cdef const uint32_t* index = <const uint32_t*>(self.base + self.header.id_index)
        if index[doc + 1] < index[doc] or index[doc + 1] > index[self.header.n_docs]:
            n[0] = 0
            return <const char*>self.base
        n[0] = index[doc + 1] - index[doc]
        return <const char*>(self.base + self.header.ids + index[doc])

    cdef uint32_t doc_length(self, uint32_t field, uint32_t doc) noexcept nogil:
        cdef const uint8_t* column = self.base + self.columns[field].offset
        cdef uint64_t width = self.columns[field].width
        if width == 1:
            return column[doc]
        if width == 2:
            return (<const uint16_t*>column)[doc]
        return (<const uint32_t*>column)[doc]

    def length(self, uint32_t field, uint32_t doc):
        """Tokens of a field of a document (its number within the segment)."""
        if field >= self.n_fields or doc >= self.n_docs:
            raise IndexError("no such field or document")
        return self.doc_length(field, doc)

    def id_at(self, uint32_t doc):
        """The id of a document, as UTF-8 (surrogatepass)."""
        cdef uint32_t n
        cdef const char* utf8
        if doc >= self.n_docs:
            raise IndexError("no such document")
        self.ensure_ids()
        utf8 = self.doc_id(doc, &n)
        return utf8[:n]

    def corrections(self):
        """What `_ingest.forget` noted: term number to documents, to be kept beside a stored segment."""
        return dict(self.removed)

    def correct(self, dict corrections):
        """Take over what `corrections` of the same segment gave."""
        for number in corrections:
            if not 0 <= number < self.n_terms:
                raise ValueError("a correction names a term that is not there")
        self.removed = dict(corrections)

    @property
    def nbytes(self):
        return self.view.len
