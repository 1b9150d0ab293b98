# Where a term stands in one document: positions for phrases, spans for highlights, from the index alone.
#
# `read_places` reads the posting a cursor stands on: from the chain of a memory segment, or from the spans of a sealed
# one (see _segment.pyx for the bytes), where it finds the posting by the block's directory or, in the short blocks that
# have none, by reading past the postings before it: at most 1,024 bytes. It returns -1 on corrupt bytes, -2 without
# memory. `match_phrase` looks for places of all words, one of each, whose shifts (position less offset in the phrase)
# differ by at most `slop`.
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


cdef int read_places(const Cursor* c, Occurrence** memory, uint32_t match, uint32_t limit, Places* out) noexcept nogil:
    """Append the first places of the posting that the cursor stands on."""
    cdef uint32_t number
    cdef const Occurrence* occurrence
    if c.doc == <uint32_t>NO_DOC:
        return 0
    if c.source.head == NULL:
        return read_sealed(c, match, limit, out)
    number = c.firsts[c.i]
    while number != <uint32_t>NO_OCCURRENCE and limit:
        limit -= 1
        occurrence = &memory[number >> OCCURRENCES_SHIFT][number & OCCURRENCES_MASK]
        if push(out, occurrence.position, occurrence.start, occurrence.end, match) < 0:
            return -2
        number = occurrence.next
    return 0


cdef int read_sealed(const Cursor* c, uint32_t match, uint32_t limit, Places* out) noexcept nogil:
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
        for j in range(to_skip):  # no-cython-lint
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
    for j in range(min(c.tfs[c.i], limit)):  # no-cython-lint
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
    """Whether the phrase stands here. With `marks` (a byte for each place of each word, zero), marks every place that is
    part of an instance; without, stops at the first instance. Words of the same term never share a place."""
    cdef uint32_t i
    cdef uint32_t group[MAX_WORDS]
    if n_words == 0 or n_words > MAX_WORDS:
        return False
    for i in range(n_words):
        if words[i].n == 0:
            return False
    if slop == 0 or (marks == NULL and not find_repeats(words, n_words, group)):
        return sweep(words, offsets, n_words, slop, marks)
    find_repeats(words, n_words, group)
    return mark_all(words, offsets, n_words, slop, group, marks)


cdef bint same_places(const Places* a, const Places* b) noexcept nogil:
    """Whether two words are the same term: no two terms stand at all the same places."""
    cdef size_t i
    if a.n != b.n:
        return False
    for i in range(a.n):
        if a.items[i].position != b.items[i].position or a.items[i].start != b.items[i].start:
            return False
    return True


cdef bint find_repeats(const Places* words, uint32_t n_words, uint32_t* group) noexcept nogil:
    """Whether a word comes twice; `group` becomes, by word, the first one of the same term."""
    cdef uint32_t i, j
    cdef bint repeats = False
    for i in range(n_words):
        group[i] = i
        for j in range(i):
            if same_places(&words[i], &words[j]):
                group[i] = j
                repeats = True
                break
    return repeats


cdef bint sweep(Places* words, const uint32_t* offsets, uint32_t n_words, uint32_t slop, uint8_t** marks) noexcept nogil:
    """One walk over the sorted lists, the one that stands furthest behind moves: finds an instance if there is one, and
    every instance where the distances are fixed (slop 0)."""
    cdef uint32_t i, lowest
    cdef size_t at[MAX_WORDS]
    cdef int64_t place, low, high
    cdef bint found = False
    for i in range(n_words):
        at[i] = 0
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
            found = True
            if marks == NULL:
                return True
            for i in range(n_words):
                marks[i][at[i]] = 1
        at[lowest] += 1
        if at[lowest] == words[lowest].n:
            return found


cdef size_t first_from(const Places* places, int64_t position) noexcept nogil:
    """The first place at or behind a position."""
    cdef size_t low = 0, high = places.n, middle
    while low < high:
        middle = low + (high - low) // 2
        if places.items[middle].position < position:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint assign(Places* words, const uint32_t* offsets, uint32_t n_words, int64_t low, uint32_t slop, const uint32_t* group,
                 uint32_t forced, size_t forced_at) noexcept nogil:
    """Whether every word finds a place of its own, shifted by `low` to `low + slop`, when one word has a given place.

    Words are taken in the order of their offsets, each takes the first place that is left: their ranges are of one
    length and ascend, so whoever could use an early place can do with it at least as well as those that follow.
    """
    cdef uint32_t i, j
    cdef size_t taken[MAX_WORDS]
    cdef size_t at
    cdef bint free_place
    for i in range(n_words):
        if i == forced:
            taken[i] = forced_at
            continue
        at = first_from(&words[i], low + offsets[i])
        while True:
            if at == words[i].n or <int64_t>words[i].items[at].position - offsets[i] > low + slop:
                return False
            free_place = not (group[i] == group[forced] and at == forced_at)
            for j in range(i):
                if j != forced and taken[j] == at and group[i] == group[j]:
                    free_place = False
            if free_place:
                break
            at += 1
        taken[i] = at
    return True


cdef bint mark_all(Places* words, const uint32_t* offsets, uint32_t n_words, uint32_t slop, const uint32_t* group,
                   uint8_t** marks) noexcept nogil:
    """Every place that is part of an instance: for each, every window of shifts that holds it is tried."""
    cdef uint32_t i, back
    cdef size_t at
    cdef int64_t shift
    cdef bint found = False
    for i in range(n_words):
        for at in range(words[i].n):
            shift = <int64_t>words[i].items[at].position - offsets[i]
            for back in range(slop + 1):
                if assign(words, offsets, n_words, shift - back, slop, group, i, at):
                    found = True
                    if marks == NULL:
                        return True
                    marks[i][at] = 1
                    break
    return found
