# A cursor over the postings of one (term, field) of one segment, sealed or in memory, a block of 128 at a time.
#
# `docs`, `tfs` and `firsts` hold the decoded block; `doc` is the current document. A cursor only moves forward. It reads
# a `Source`, which a query fills while holding the GIL; after that nothing here needs it: memory segments never move
# what a source points at, sealed ones never change. Bytes of a sealed list are checked as they are decoded (widths,
# ends, sums against the block's last document), and a list that fails stops with `error` set instead of answering.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from narsilpy._blocks cimport read_varint, unpack_block
from narsilpy._postings cimport MemPosting, chunk_postings
from narsilpy._segment cimport FRONTIER, MAX_PAIR

cdef extern from "_unpack.h":
    int FAST_WIDTH "NARSIL_FAST_WIDTH"      # widths up to this one may be given to what follows; -1 = none
    void unpack_documents(const uint8_t* data, uint32_t width, uint32_t first, uint32_t* out) noexcept nogil
    void unpack_frequencies(const uint8_t* data, uint32_t width, uint32_t* out) noexcept nogil

# Bounds are compared with sums that were rounded in another order: they get this much room (a few ulps are needed).
cdef double SLACK = 1.0 + 1e-12


cdef void source_memory(Source* source, MemorySegment segment, uint32_t field, MemList* postings) noexcept:
    memset(source, 0, sizeof(Source))
    source.head = postings.head
    source.n = postings.n
    source.max_tf = postings.max_tf
    source.min_length = postings.min_length
    source.n_docs = segment.n_docs
    source.lengths = <const uint8_t*>segment.lengths[field]
    source.width = 4


cdef void source_sealed(Source* source, SealedSegment segment, SealedList* found) noexcept:
    memset(source, 0, sizeof(Source))
    source.n = found.n
    source.flags = found.flags
    source.body = found.body
    source.body_size = found.body_size
    source.spans = found.spans
    source.spans_size = found.spans_size
    source.n_docs = segment.n_docs
    source.lengths = segment.base + segment.columns[found.field].offset
    source.width = <uint32_t>segment.columns[found.field].width


cdef void cursor_open(Cursor* c, const Source* source, double weight, double c0, double c1) noexcept nogil:
    cdef uint64_t at
    cdef uint32_t j
    cdef double best = 0.0, value
    c.source = source
    c.doc = NO_DOC
    c.i = 0
    c.count = 0
    c.block = NO_BLOCK
    c.n_seen = 0
    c.chunk_at = 0
    c.chunk = source.head
    c.metas = NULL
    c.blocks = source.body
    c.shallow = NO_BLOCK
    c.shallow_bound = 0.0
    c.weight = weight
    c.c0 = c0
    c.c1 = c1
    c.error = CURSOR_FINE
    c.n_blocks = (source.n + BLOCK - 1) // BLOCK
    c.bound = 0.0
    if source.head != NULL:
        c.bound = impact(c, source.max_tf, source.min_length) * SLACK
        return
    if source.n > BLOCK:
        # the metas stand at the next multiple of 8 in memory, which is how the writer padded them
        at = (8 - (<uint64_t>source.body & 7)) & 7
        if at + (c.n_blocks + 1) * sizeof(BlockMeta) > source.body_size:
            c.error = CURSOR_CORRUPT
            c.n_blocks = 0
            return
        # the first one bounds the whole list
        c.bound = frontier_bound(c, <const BlockMeta*>(source.body + at))
        c.metas = <const BlockMeta*>(source.body + at) + 1
        c.blocks = <const uint8_t*>(c.metas + c.n_blocks)
        return
    if weight != 0.0 and cursor_next_block(c):      # one block: its exact maximum costs less than its bound would save
        for j in range(c.count):
            value = impact(c, c.tfs[j], length_at(source, c.docs[j]))
            if value > best:
                best = value
    c.bound = best * SLACK


cdef bint decode_varints(Cursor* c, const uint8_t* data, const uint8_t* end, uint64_t next_doc,
                         uint32_t count) noexcept nogil:
    cdef uint64_t value, doc = next_doc
    cdef uint32_t j
    for j in range(count):
        data = read_varint(data, end, &value)
        if data == NULL:
            return False
        doc += value >> 1
        if doc >= c.source.n_docs:
            return False
        c.docs[j] = <uint32_t>doc
        doc += 1
        if value & 1:
            c.tfs[j] = 1
        else:
            data = read_varint(data, end, &value)
            if data == NULL or value == 0 or value > 0xFFFFFFFFULL:
                return False
            c.tfs[j] = <uint32_t>value
    return True


cdef bint decode_sealed(Cursor* c, uint32_t block) noexcept nogil:
    """Decode one block of a sealed list; False and `error` where its bytes are not one."""
    cdef uint64_t start = 0, stop, doc = 0, size
    cdef uint32_t j, doc_width, tf_width, count = BLOCK
    cdef const uint8_t* data
    cdef const Source* source = c.source
    c.error = CURSOR_CORRUPT
    if c.metas == NULL:
        if not decode_varints(c, source.body, source.body + source.body_size, 0, source.n):
            return False
        c.count = source.n
        c.error = CURSOR_FINE
        return True
    size = source.body_size - <uint64_t>(c.blocks - source.body)
    if block > 0:
        start = c.metas[block - 1].data_end
        doc = <uint64_t>c.metas[block - 1].last_doc + 1
    stop = c.metas[block].data_end
    if start > stop or stop > size:
        return False
    data = c.blocks + start
    if block + 1 == c.n_blocks and source.n % BLOCK != 0:
        count = source.n % BLOCK
        if not decode_varints(c, data, c.blocks + stop, doc, count):
            return False
    else:
        if stop - start < 2:
            return False
        doc_width, tf_width = data[0], data[1]
        if doc_width > 32 or tf_width > 32 or stop - start != 2 + 16 * (doc_width + tf_width):
            return False
        if <int>max(doc_width, tf_width) <= FAST_WIDTH and doc < 0x7FFFFFFFULL:     # no sum can pass 2**32
            unpack_documents(data + 2, doc_width, <uint32_t>doc, c.docs)
            unpack_frequencies(data + 2 + 16 * doc_width, tf_width, c.tfs)
        else:
            unpack_block(data + 2, doc_width, c.docs)
            unpack_block(data + 2 + 16 * doc_width, tf_width, c.tfs)
            for j in range(BLOCK):
                doc += c.docs[j]
                if doc >= source.n_docs:
                    return False
                c.docs[j] = <uint32_t>doc
                doc += 1
                c.tfs[j] += 1
    if c.docs[count - 1] != c.metas[block].last_doc or c.docs[count - 1] >= source.n_docs:
        return False
    c.count = count
    c.error = CURSOR_FINE
    return True


cdef bint next_memory_block(Cursor* c) noexcept nogil:
    cdef uint32_t j, room, left
    cdef MemPosting* posting
    c.n_seen += c.count
    left = c.source.n - c.n_seen
    c.count = 0
    if left == 0:
        return False
    if c.chunk_at == c.chunk.capacity:
        c.chunk = c.chunk.next
        c.chunk_at = 0
    room = min(min(c.chunk.capacity - c.chunk_at, <uint32_t>BLOCK), left)
    posting = chunk_postings(c.chunk) + c.chunk_at
    for j in range(room):
        c.docs[j] = posting[j].doc
        c.tfs[j] = posting[j].tf
        c.firsts[j] = posting[j].first
    c.chunk_at += room
    c.count = room
    c.block = 0 if c.block == <uint32_t>NO_BLOCK else c.block + 1
    return True


cdef bint cursor_next_block(Cursor* c) noexcept nogil:
    """Decode the next block and stand on its first posting; False at the end."""
    cdef uint32_t block
    if c.source.head != NULL:
        if not next_memory_block(c):
            c.doc = NO_DOC
            return False
    else:
        block = 0 if c.block == <uint32_t>NO_BLOCK else c.block + 1
        if block >= c.n_blocks or not decode_sealed(c, block):
            c.block = block
            c.count = 0
            c.doc = NO_DOC
            return False
        c.block = block
    c.i = 0
    c.doc = c.docs[0]
    return True


cdef uint32_t cursor_find_block(const Cursor* c, uint32_t target, uint32_t start) noexcept nogil:
    cdef uint32_t low = start, high, step = 1, middle
    if c.metas == NULL:
        return start
    if low >= c.n_blocks or c.metas[low].last_doc >= target:
        return low
    high = low + 1
    while high < c.n_blocks and c.metas[high].last_doc < target:   # gallop: most seeks are short
        low = high
        step *= 2
        high = low + step
    if high > c.n_blocks:
        high = c.n_blocks
    low += 1
    while low < high:
        middle = low + (high - low) // 2
        if c.metas[middle].last_doc < target:
            low = middle + 1
        else:
            high = middle
    return low


cdef uint32_t cursor_seek(Cursor* c, uint32_t target) noexcept nogil:
    """Stand on the first posting whose document is at least `target` and return the document, NO_DOC at the end."""
    cdef uint32_t low, high, middle, block
    if c.block == <uint32_t>NO_BLOCK:
        if c.metas != NULL:
            block = cursor_find_block(c, target, 0)
            c.block = block - 1 if block > 0 else <uint32_t>NO_BLOCK
        if not cursor_next_block(c):
            return NO_DOC
    elif c.count == 0:
        return NO_DOC
    if c.docs[c.count - 1] < target:
        if c.metas != NULL:
            block = cursor_find_block(c, target, c.block + 1)
            c.block = block - 1
            if not cursor_next_block(c):
                return NO_DOC
        else:
            while c.docs[c.count - 1] < target:
                if c.source.head != NULL:
                    # whole chunks that end before the target are passed unread
                    while (c.chunk_at == c.chunk.capacity and c.n_seen + c.count < c.source.n
                           and c.chunk.next != NULL
                           and c.source.n - c.n_seen - c.count > c.chunk.next.capacity
                           and chunk_postings(c.chunk.next)[c.chunk.next.capacity - 1].doc < target):
                        c.n_seen += c.chunk.next.capacity
                        c.chunk = c.chunk.next
                        c.chunk_at = c.chunk.capacity
                if not cursor_next_block(c):
                    return NO_DOC
    low, high = c.i, c.count - 1
    if c.docs[low] < target:
        while low < high:
            middle = (low + high) // 2
            if c.docs[middle] < target:
                low = middle + 1
            else:
                high = middle
    c.i = low
    c.doc = c.docs[low]
    return c.doc


cdef uint32_t cursor_next(Cursor* c) noexcept nogil:
    if c.i + 1 < c.count:
        c.i += 1
        c.doc = c.docs[c.i]
        return c.doc
    cursor_next_block(c)
    return c.doc


cdef double frontier_bound(const Cursor* c, const BlockMeta* meta) noexcept nogil:
    cdef uint32_t k
    cdef double best = 0.0, value
    for k in range(FRONTIER):
        if meta.frontier[2 * k] == 0:
            break
        if meta.frontier[2 * k] == MAX_PAIR:
            value = c.weight
        else:
            value = impact(c, meta.frontier[2 * k], meta.frontier[2 * k + 1])
        if value > best:
            best = value
    return best * SLACK


cdef double block_bound(Cursor* c, uint32_t block) noexcept nogil:
    if c.shallow != block:
        c.shallow = block
        c.shallow_bound = frontier_bound(c, &c.metas[block])
    return c.shallow_bound


cdef double cursor_bound(Cursor* c, uint32_t first, uint32_t last) noexcept nogil:
    """No document in [first, last] scores more than this. `first` never goes back between calls."""
    cdef uint32_t block
    cdef double best = 0.0, value
    if c.count == 0 and c.block != <uint32_t>NO_BLOCK:
        return 0.0
    if c.metas == NULL:
        if c.source.head == NULL and (c.docs[c.count - 1] < first or c.doc > last):
            return 0.0
        return c.bound
    block = c.shallow if c.shallow != <uint32_t>NO_BLOCK else 0
    if block > 0 and c.metas[block - 1].last_doc >= first:
        block = 0 if c.block == <uint32_t>NO_BLOCK else c.block
    block = cursor_find_block(c, first, block)
    while block < c.n_blocks:
        value = block_bound(c, block)
        if value > best:
            best = value
        if c.metas[block].last_doc >= last:
            break
        block += 1
    return best
