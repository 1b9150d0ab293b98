# Which places of one document stand for the words of a query: where phrases hold, and what spans are made of.
#
# Everything is read from the Query's own arrays, lent as `Words` (spans, with the GIL, since an array of Python's numbers
# may say where elements start) or as `PhraseContext` (phrase checks of a running search, without it); nothing is kept.
# `collect_places` appends to a buffer of its caller's, who frees it: of each word outside phrases at most `limit` places,
# the first ones, with `horizon` at the first place behind which others may be missing. Words of a phrase are read whole
# into the Query's room for them, and only those are appended that are part of an instance. `fill_spans` sorts by start.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort

from narsilpy._cursor cimport CURSOR_CORRUPT, Cursor, cursor_open, cursor_seek
from narsilpy._occurrences cimport ALL_PLACES, Place, Places, match_phrase, push_place, read_places, sort_places
from narsilpy._spans cimport SpanArray


cdef bint check_phrase(void* context, Cursor* cursors, uint32_t number, uint32_t doc) noexcept nogil:
    """Whether a phrase stands in one field of a document."""
    cdef PhraseContext* c = <PhraseContext*>context
    cdef const Phrase* phrase = &c.phrases[number]
    cdef uint32_t field, j, word, n_found
    for field in range(c.n_fields):
        for word in range(phrase.n_words):
            c.words[word].n = 0
        for j in range(c.n_cursors):
            if c.cursor_field[j] != field or c.cursor_leaf[j] < phrase.first_leaf:
                continue
            word = c.cursor_leaf[j] - phrase.first_leaf
            if word < phrase.n_words and cursor_seek(&cursors[j], doc) == doc:
                if read_places(&cursors[j], c.views[c.view].occurrences, 0, ALL_PLACES, &c.words[word]) < 0:
                    cursors[j].error = CURSOR_CORRUPT
                    return False
        n_found = 0
        for word in range(phrase.n_words):
            if c.words[word].n == 0:
                break
            n_found += 1
        if n_found < phrase.n_words:
            continue
        for word in range(phrase.n_words):
            sort_places(&c.words[word])
        if match_phrase(c.words, phrase.offsets, phrase.n_words, phrase.slop, NULL):
            return True
    return False


cdef int collect_places(const Words* words, Cursor* cursor, uint32_t view, uint32_t doc, uint32_t field, uint64_t kept,
                        uint32_t limit, Places* out) except -1:
    """Append the places of a document (its number within the segment) in one field, of the leaves in `kept`."""
    cdef uint32_t i
    cdef const Ref* ref
    cdef int status
    out.complete = True
    out.horizon = 0xFFFFFFFF
    for i in range(words.n_refs):
        ref = &words.refs[i]
        if ref.view != view or ref.field != field or not words.leaves[ref.leaf].scores:
            continue
        if (ref.leaf < 64 and not (kept >> ref.leaf) & 1) or in_phrase(words, ref.leaf):
            continue
        status = places_of(words, cursor, ref, doc, limit, out)
        if status == 0 and cursor.doc == doc and cursor.tfs[cursor.i] > limit:
            out.complete = False                # beyond the last of them others may be missing
            out.horizon = min(out.horizon, out.items[out.n - 1].start)
    for i in range(words.n_phrases):
        if words.phrases[i].first_leaf >= 64 or (kept >> words.phrases[i].first_leaf) & 1:
            phrase_places(words, cursor, &words.phrases[i], view, doc, field, out)
    return 0


cdef inline bint in_phrase(const Words* words, uint32_t leaf) noexcept:
    cdef uint32_t i
    for i in range(words.n_phrases):
        if words.phrases[i].first_leaf <= leaf < words.phrases[i].first_leaf + words.phrases[i].n_words:
            return True
    return False


cdef int places_of(const Words* words, Cursor* cursor, const Ref* ref, uint32_t doc, uint32_t limit, Places* out) except -1:
    """Append the first places of one list in a document; leaves the cursor on what it found there."""
    cdef int status = 0
    cursor_open(cursor, &ref.source, 0.0, 0.0, 0.0)
    if cursor_seek(cursor, doc) == doc:
        status = read_places(cursor, words.views[ref.view].occurrences, ref.match, limit, out)
    if status == -2:
        raise MemoryError()
    if status == -1 or cursor.error:
        raise ValueError("the spans of a term are corrupt")
    return 0


cdef int phrase_places(const Words* words, Cursor* cursor, const Phrase* phrase, uint32_t view, uint32_t doc,
                       uint32_t field, Places* out) except -1:
    """Append the places of a phrase's words wherever the phrase stands."""
    cdef Places* room = words.room
    cdef const Ref* ref
    cdef uint8_t* marks[MAX_PHRASE_WORDS]
    cdef uint8_t* flags
    cdef uint32_t i, word
    cdef size_t total = 0, j
    for word in range(phrase.n_words):
        room[word].n = 0
    for i in range(words.n_refs):
        ref = &words.refs[i]
        word = ref.leaf - phrase.first_leaf
        if ref.view == view and ref.field == field and ref.leaf >= phrase.first_leaf and word < phrase.n_words:
            places_of(words, cursor, ref, doc, ALL_PLACES, &room[word])
    for word in range(phrase.n_words):
        sort_places(&room[word])
        total += room[word].n
    flags = <uint8_t*>calloc(max(total, <size_t>1), 1)
    if flags == NULL:
        raise MemoryError()
    total = 0
    for word in range(phrase.n_words):
        marks[word] = flags + total
        total += room[word].n
    match_phrase(room, phrase.offsets, phrase.n_words, phrase.slop, marks)
    try:
        for word in range(phrase.n_words):
            for j in range(room[word].n):
                if marks[word][j] and push_place(out, &room[word].items[j]) < 0:
                    raise MemoryError()
    finally:
        free(flags)
    return 0


cdef int by_start(const void* a, const void* b) noexcept nogil:
    cdef const Place* x = <const Place*>a
    cdef const Place* y = <const Place*>b
    if x.start != y.start:
        return 1 if x.start > y.start else -1
    if x.end != y.end:
        return 1 if x.end > y.end else -1
    return (x.match > y.match) - (x.match < y.match)


cdef int fill_spans(SpanArray out, const Places* places, item_starts) except -1:
    """The places as records of `out`, in order; for an array field, by where each element starts."""
    cdef size_t j, n = places.n
    if n > 1:
        qsort(places.items, n, sizeof(Place), by_start)
    if not places.complete:
        while n and places.items[n - 1].start > places.horizon:
            n -= 1
        out.horizon = places.horizon
    out.reserve(n)
    if item_starts is not None:
        return push_items(out, places, n, item_starts)
    for j in range(n):
        out.push(places.items[j].start, places.items[j].end, places.items[j].match, -1)
    return 0


cdef int push_items(SpanArray out, const Places* places, size_t n_places, item_starts) except -1:
    """Spans of an array field: the element and the offsets within it."""
    cdef size_t j
    cdef Py_ssize_t item = 0, n = len(item_starts)
    cdef uint32_t start, next_start
    if n == 0:
        return 0
    start = item_starts[0]
    next_start = item_starts[1] if n > 1 else 0xFFFFFFFF
    for j in range(n_places):
        while places.items[j].start >= next_start:
            item += 1
            start = next_start
            next_start = item_starts[item + 1] if item + 1 < n else 0xFFFFFFFF
        out.push(places.items[j].start - start, places.items[j].end - start, places.items[j].match, <int>item)
    return 0
