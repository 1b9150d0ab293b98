# Where a term stands in one document: positions for phrases, spans for highlights, from the index alone.
#
# `read_places` reads the posting a cursor stands on: from the chain of a memory segment, or from the spans of a sealed
# one (see _segment.pyx for the bytes), where it finds the posting by the block's directory or, in the short blocks that
# have none, by reading past the postings before it: at most 1,024 bytes. It returns -1 on corrupt bytes, -2 without
# memory. `match_phrase` looks for places of all words, one of each, whose distances from their places in the phrase
# differ by at most `slop`; the sorted lists are walked once, the one that stands behind moves.
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport qsort, realloc
from libc.string cimport memcpy

from narsilpy._blocks cimport BLOCK, read_varint
from narsilpy._cursor cimport NO_DOC
from narsilpy._postings cimport NO_OCCURRENCE, OCCURRENCES_MASK, OCCURRENCES_SHIFT

cdef enum:
    MAX_WORDS = 64


cdef int push_place(Places* places, const Place* place) noexcept nogil:
    return push(places, place.position, place.start, place.end, place.match)


cdef inline int push(Places* places, uint32_t position, uint32_t start, uint32_t end, uint32_t match) noexcept nogil:
    cdef size_t size
    cdef void* block
    if places.n == places.size:
        size = max(<size_t>16, places.size * 2)
        block = realloc(places.items, size * sizeof(Place))
        if block == NULL:
            return -2
        places.items = <Place*>block
        places.size = size
    places.items[places.n].position = position
    places.items[places.n].start = start
    places.items[places.n].end = end
    places.items[places.n].match = match
    places.n += 1
    return 0


cdef int read_places(const Cursor* c, Occurrence** memory, uint32_t match, Places* out) noexcept nogil:
    """Append the places of the posting that the cursor stands on."""
    cdef uint32_t number
    cdef const Occurrence* occurrence
    if c.doc == <uint32_t>NO_DOC:
        return 0
    if c.source.head == NULL:
        return read_sealed(c, match, out)
    number = c.firsts[c.i]
    while number != <uint32_t>NO_OCCURRENCE:
        occurrence = &memory[number >> OCCURRENCES_SHIFT][number & OCCURRENCES_MASK]
        if push(out, occurrence.position, occurrence.start, occurrence.end, match) < 0:
            return -2
        number = occurrence.next
    return 0


cdef int read_sealed(const Cursor* c, uint32_t match, Places* out) noexcept nogil:
    cdef const uint8_t* data = c.source.spans
    cdef const uint8_t* end = c.source.spans + c.source.spans_size
    cdef bint directory
    cdef uint32_t j, offset, to_skip = 0
    cdef uint64_t value, extra, position = 0, start = 0
    if c.metas == NULL:
        directory = c.source.flags & 1
    else:
        if c.metas[c.block].span_start > c.source.spans_size:
            return -1
        data += c.metas[c.block].span_start
        directory = c.metas[c.block].flags & 1
    if directory:
        if end - data < 4 * BLOCK:
            return -1
        memcpy(&offset, data + 4 * c.i, 4)
        data += 4 * BLOCK
        if offset > <uint64_t>(end - data):
            return -1
        data += offset
    else:
        for j in range(c.i):
            to_skip += c.tfs[j]
        for j in range(to_skip):
            data = read_varint(data, end, &value)
            if data == NULL:
                return -1
            data = read_varint(data, end, &value)
            if data == NULL:
                return -1
            if value & 31 == 31:
                data = read_varint(data, end, &value)
                if data == NULL:
                    return -1
    for j in range(c.tfs[c.i]):
        data = read_varint(data, end, &value)
        if data == NULL:
            return -1
        position += value
        data = read_varint(data, end, &value)
        if data == NULL:
            return -1
        start += value >> 5
        value &= 31
        if value == 31:
            data = read_varint(data, end, &extra)
            if data == NULL or extra > 0xFFFFFFFFULL:
                return -1
            value += extra
        if position > 0xFFFFFFFFULL or start + value > 0xFFFFFFFFULL:
            return -1
        if push(out, <uint32_t>position, <uint32_t>start, <uint32_t>(start + value), match) < 0:
            return -2
    return 0


cdef int by_position(const void* a, const void* b) noexcept nogil:
    cdef const Place* x = <const Place*>a
    cdef const Place* y = <const Place*>b
    if x.position != y.position:
        return 1 if x.position > y.position else -1
    return (x.match > y.match) - (x.match < y.match)


cdef void sort_places(Places* places) noexcept nogil:
    qsort(places.items, places.n, sizeof(Place), by_position)


cdef bint match_phrase(Places* words, const uint32_t* offsets, uint32_t n_words, uint32_t slop, uint8_t** marks) noexcept nogil:
    """Whether the phrase stands here. With `marks` (a byte for each place of each word, zero), marks the places of every
    instance; without, stops at the first one. Two words never share a place."""
    cdef uint32_t i, j, lowest
    cdef size_t at[MAX_WORDS]
    cdef int64_t place, low, high
    cdef bint found = False, distinct
    if n_words == 0 or n_words > MAX_WORDS:
        return False
    for i in range(n_words):
        at[i] = 0
        if words[i].n == 0:
            return False
    while True:
        low = high = <int64_t>words[0].items[at[0]].position - offsets[0]
        lowest = 0
        for i in range(1, n_words):
            place = <int64_t>words[i].items[at[i]].position - offsets[i]
            if place < low:
                low = place
                lowest = i
            if place > high:
                high = place
        if high - low <= slop:
            distinct = True
            if slop > 0:
                for i in range(1, n_words):
                    for j in range(i):
                        if words[i].items[at[i]].position == words[j].items[at[j]].position:
                            distinct = False
            if distinct:
                found = True
                if marks == NULL:
                    return True
                for i in range(n_words):
                    marks[i][at[i]] = 1
        at[lowest] += 1
        if at[lowest] == words[lowest].n:
            return found
