# Building one postings list: postings gathered from any number of cursors, then encoded (layout: _segment.pyx).
#
# A ListBuilder holds parallel arrays by posting and the already encoded spans of each, whose bytes do not depend on the
# document's number: a merge copies them. Writing cuts the list into blocks of 128 and gives each block, and the list,
# its frontier: up to three (frequency, length) pairs such that every posting has a frequency at most, and a length at
# least, that of one pair. BM25 rises with the frequency and falls with the length whatever its parameters and the
# average length are, so a frontier bounds a block's scores for ever, in every state of the index.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from narsilpy._blocks cimport BLOCK, bits_needed, fetch_ahead, pack_block, read_varint, write_varint
from narsilpy._buffer cimport Buffer, buffer_bytes, buffer_free, buffer_room, buffer_varint, buffer_zeros
from narsilpy._cursor cimport NO_BLOCK, NO_DOC, Cursor, cursor_next, cursor_seek, length_at
from narsilpy._postings cimport NO_OCCURRENCE, OCCURRENCES_MASK, OCCURRENCES_SHIFT, Occurrence
from narsilpy._segment cimport DIRECTORY_BYTES, FRONTIER, MAX_PAIR, BlockMeta

cdef enum:
    SMALL_TF = 32               # frequencies told apart in a frontier; all above count as the greatest

cdef struct Frontier:
    uint32_t min_length[SMALL_TF + 1]   # by frequency; [SMALL_TF] for all from there on
    uint32_t max_tf


cdef void builder_free(ListBuilder* b) noexcept nogil:
    free(b.docs)
    free(b.tfs)
    free(b.lengths)
    free(b.span_ends)
    buffer_free(&b.spans)


cdef void builder_clear(ListBuilder* b) noexcept nogil:
    b.n = 0
    b.spans.n = 0


cdef bint grow(ListBuilder* b) noexcept nogil:
    cdef uint32_t size = max(<uint32_t>256, b.size * 2)
    cdef void* block
    block = realloc(b.docs, <size_t>size * 4)
    if block != NULL:
        b.docs = <uint32_t*>block
        block = realloc(b.tfs, <size_t>size * 4)
    if block != NULL:
        b.tfs = <uint32_t*>block
        block = realloc(b.lengths, <size_t>size * 4)
    if block != NULL:
        b.lengths = <uint32_t*>block
        block = realloc(b.span_ends, <size_t>size * 8)
    if block == NULL:
        b.failed = True
        return False
    b.span_ends = <uint64_t*>block
    b.size = size
    return True


cdef void encode_chain(Buffer* spans, Occurrence** memory, uint32_t number) noexcept nogil:
    """The spans of one posting of a memory segment."""
    cdef uint32_t position = 0, start = 0, length
    cdef const Occurrence* occurrence
    cdef uint8_t* out
    while number != <uint32_t>NO_OCCURRENCE:
        occurrence = &memory[number >> OCCURRENCES_SHIFT][number & OCCURRENCES_MASK]
        if not buffer_room(spans, 30):
            return
        out = spans.data + spans.n
        out = write_varint(out, occurrence.position - position)
        length = occurrence.end - occurrence.start
        out = write_varint(out, (<uint64_t>(occurrence.start - start) << 5) | min(length, <uint32_t>31))
        if length >= 31:
            out = write_varint(out, length - 31)
        spans.n = out - spans.data
        position = occurrence.position
        start = occurrence.start
        number = occurrence.next


cdef const uint8_t* skip_spans(const uint8_t* data, const uint8_t* end, uint32_t tf) noexcept nogil:
    cdef uint32_t j
    cdef uint64_t value
    for j in range(tf):  # no-cython-lint
        data = read_varint(data, end, &value)
        if data != NULL:
            data = read_varint(data, end, &value)
        if data != NULL and value & 31 == 31:
            data = read_varint(data, end, &value)
        if data == NULL:
            return NULL
    return data


cdef bint builder_take(ListBuilder* b, Cursor* c, Occurrence** memory, const uint64_t* accept, uint32_t shift,
                       bint has_spans) noexcept nogil:
    cdef const uint8_t* at = c.source.spans
    cdef const uint8_t* end = c.source.spans + c.source.spans_size
    cdef const uint8_t* after = c.source.spans
    cdef uint32_t block = NO_BLOCK
    cdef bint sealed = c.source.head == NULL
    cdef uint32_t j, number
    cursor_seek(c, 0)
    while c.doc != <uint32_t>NO_DOC:
        if has_spans and not sealed and c.i == 0:
            for j in range(c.count):
                number = c.firsts[j]
                fetch_ahead(&memory[number >> OCCURRENCES_SHIFT][number & OCCURRENCES_MASK])
        if has_spans and sealed:
            if c.block != block:        # a block's spans may start with a directory, which is made anew
                block = c.block
                if c.metas != NULL:
                    if c.metas[block].span_start > c.source.spans_size:
                        return False
                    at = c.source.spans + c.metas[block].span_start
                if (c.metas[block].flags if c.metas != NULL else c.source.flags) & 1:
                    at += 4 * BLOCK
            after = skip_spans(at, end, c.tfs[c.i])
            if after == NULL:
                return False
        if accept == NULL or (accept[c.doc >> 6] >> (c.doc & 63)) & 1:
            if b.n == b.size and not grow(b):
                return True
            b.docs[b.n] = c.doc + shift
            b.tfs[b.n] = c.tfs[c.i]
            b.lengths[b.n] = length_at(c.source, c.doc)
            if has_spans:
                if sealed:
                    buffer_bytes(&b.spans, at, after - at)
                else:
                    encode_chain(&b.spans, memory, c.firsts[c.i])
            b.span_ends[b.n] = b.spans.n
            b.n += 1
        at = after
        cursor_next(c)
    return c.error == 0


# ------------------------------------------------------------------- frontiers
cdef void frontier_clear(Frontier* f) noexcept nogil:
    cdef uint32_t i
    for i in range(SMALL_TF + 1):
        f.min_length[i] = 0xFFFFFFFFU
    f.max_tf = 0


cdef inline void frontier_add(Frontier* f, uint32_t tf, uint32_t length) noexcept nogil:
    cdef uint32_t i = min(tf, <uint32_t>SMALL_TF)
    if length < f.min_length[i]:
        f.min_length[i] = length
    if tf > f.max_tf:
        f.max_tf = tf


cdef void frontier_write(const Frontier* f, uint16_t* out) noexcept nogil:
    """The pairs that no other dominates, joined until there are at most FRONTIER."""
    cdef uint32_t tfs[SMALL_TF + 1]
    cdef uint32_t lengths[SMALL_TF + 1]
    cdef uint32_t n = 0, i, j, best, tf
    cdef double loss, least
    cdef uint32_t shortest = 0xFFFFFFFFU
    for j in range(SMALL_TF + 1):
        i = SMALL_TF - j
        if f.min_length[i] < shortest:
            tf = f.max_tf if i == SMALL_TF else i
            tfs[n] = tf
            lengths[n] = f.min_length[i]
            shortest = f.min_length[i]
            n += 1
    while n > FRONTIER:                 # join the neighbours that lose least: greater frequency, smaller length
        best = 0
        least = 1e300
        for i in range(n - 1):
            loss = (<double>tfs[i] - tfs[i + 1]) / tfs[i] + (
                (<double>lengths[i] - lengths[i + 1]) / lengths[i] if lengths[i] > 0 else 0.0)
            if loss < least:
                least = loss
                best = i
        lengths[best] = lengths[best + 1]
        for i in range(best + 1, n - 1):
            tfs[i] = tfs[i + 1]
            lengths[i] = lengths[i + 1]
        n -= 1
    for i in range(FRONTIER):
        out[2 * i] = <uint16_t>min(tfs[i], <uint32_t>MAX_PAIR) if i < n else 0
        out[2 * i + 1] = <uint16_t>min(lengths[i], <uint32_t>MAX_PAIR) if i < n else 0


# --------------------------------------------------------------------- writing
cdef uint32_t write_spans(ListBuilder* b, uint32_t first, uint32_t count, Buffer* spans) noexcept nogil:
    """The spans of one block; returns 1 where they start with a directory."""
    cdef uint64_t start = b.span_ends[first - 1] if first > 0 else 0
    cdef uint64_t stop = b.span_ends[first + count - 1]
    cdef uint32_t directory[BLOCK]
    cdef uint32_t i
    if stop - start > DIRECTORY_BYTES:
        if stop - start > 0xFFFFFFFFULL:
            spans.failed = True
            return 0
        for i in range(BLOCK):
            directory[i] = 0
        for i in range(1, count):
            directory[i] = <uint32_t>(b.span_ends[first + i - 1] - start)
        buffer_bytes(spans, directory, sizeof(directory))
    buffer_bytes(spans, b.spans.data + start, stop - start)
    return 1 if stop - start > DIRECTORY_BYTES else 0


cdef void write_varints(ListBuilder* b, uint32_t first, uint32_t count, uint32_t next_doc, Buffer* body) noexcept nogil:
    cdef uint32_t i
    for i in range(first, first + count):
        buffer_varint(body, (<uint64_t>(b.docs[i] - next_doc) << 1) | (b.tfs[i] == 1))
        if b.tfs[i] != 1:
            buffer_varint(body, b.tfs[i])
        next_doc = b.docs[i] + 1


cdef void write_block(ListBuilder* b, uint32_t first, uint32_t next_doc, Buffer* body) noexcept nogil:
    cdef uint32_t deltas[BLOCK]
    cdef uint32_t tfs[BLOCK]
    cdef uint32_t i, all_deltas = 0, all_tfs = 0, doc_width, tf_width
    for i in range(BLOCK):
        deltas[i] = b.docs[first + i] - next_doc
        tfs[i] = b.tfs[first + i] - 1
        all_deltas |= deltas[i]
        all_tfs |= tfs[i]
        next_doc = b.docs[first + i] + 1
    doc_width = bits_needed(all_deltas)
    tf_width = bits_needed(all_tfs)
    if buffer_room(body, 2 + 16 * <size_t>(doc_width + tf_width)):
        body.data[body.n] = <uint8_t>doc_width
        body.data[body.n + 1] = <uint8_t>tf_width
        pack_block(deltas, doc_width, body.data + body.n + 2)
        pack_block(tfs, tf_width, body.data + body.n + 2 + 16 * doc_width)
        body.n += 2 + 16 * (doc_width + tf_width)


cdef uint32_t builder_write(ListBuilder* b, Buffer* body, Buffer* spans, bint has_spans) noexcept nogil:
    """Append the list's body (to be placed so that the metas can be aligned) and its spans."""
    cdef uint32_t n_blocks = (b.n + BLOCK - 1) // BLOCK, block, first, count, i, next_doc = 0
    cdef size_t metas_at, blocks_at, spans_at = spans.n
    cdef BlockMeta meta
    cdef Frontier whole, part
    if b.n <= BLOCK:
        write_varints(b, 0, b.n, 0, body)
        return write_spans(b, 0, b.n, spans) if has_spans else 0
    metas_at = body.n
    buffer_zeros(body, (n_blocks + 1) * sizeof(BlockMeta))
    if body.failed:
        return 0
    blocks_at = body.n
    frontier_clear(&whole)
    for block in range(n_blocks):
        first = block * BLOCK
        count = min(b.n - first, <uint32_t>BLOCK)
        frontier_clear(&part)
        for i in range(first, first + count):
            frontier_add(&part, b.tfs[i], b.lengths[i])
            frontier_add(&whole, b.tfs[i], b.lengths[i])
        meta.last_doc = b.docs[first + count - 1]
        meta.span_start = spans.n - spans_at
        meta.flags = write_spans(b, first, count, spans) if has_spans else 0
        frontier_write(&part, meta.frontier)
        if count == BLOCK:
            write_block(b, first, next_doc, body)
        else:
            write_varints(b, first, count, next_doc, body)
        if body.failed or body.n - blocks_at > 0xFFFFFFFFULL:
            body.failed = True
            return 0
        meta.data_end = <uint32_t>(body.n - blocks_at)
        memcpy(body.data + metas_at + (block + 1) * sizeof(BlockMeta), &meta, sizeof(BlockMeta))
        next_doc = meta.last_doc + 1
    meta.last_doc = b.docs[b.n - 1]
    meta.data_end = 0
    meta.span_start = 0
    meta.flags = 0
    frontier_write(&whole, meta.frontier)
    memcpy(body.data + metas_at, &meta, sizeof(BlockMeta))
    return 0
