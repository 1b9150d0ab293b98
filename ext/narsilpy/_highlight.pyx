# What to show of one field of one hit: spans and a text to a window, and the window to a snippet with tags.
#
# Only the window is read, and its snippet is one string of the exact size, filled segment by segment. Everything else a
# Highlight offers (positions, passages, all matches) is made when it is first asked for, from records and a reference to
# the stored text. Passages are candidates in a C array until the best are known; `passages` owns that array. The slow twins
# of `build` and `several` stand in tests/reference/build.py, that of `passages` in tests/reference/passages.py.
from libc.math cimport log
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy
from libc.stdlib cimport calloc, free, malloc, qsort

from narsilpy._graphemes cimport grapheme_after, grapheme_before
from narsilpy._spans cimport SpanArray, densest, snap
from narsilpy._spans import Positions

cdef extern from "Python.h":
    int Py_UNICODE_ISSPACE(uint32_t char)
    object PyUnicode_New(Py_ssize_t size, uint32_t maxchar)
    uint32_t PyUnicode_MAX_CHAR_VALUE(object text)
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t at)
    uint32_t PyUnicode_READ(int kind, const void* data, Py_ssize_t at)
    void PyUnicode_WRITE(int kind, void* data, Py_ssize_t at, uint32_t value)
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)


cdef class Highlight:
    """What to show of a field for a query.

    Attributes:
        snippet: the passages, matches tagged, text escaped unless `escape=False`.
        positions: the matches that the snippet shows, as offsets of the whole field. Spans are made when touched.
        passages: the stretches that the snippet shows.
        matches: every match of the field, shown or not.
    """

    def __init__(self, str snippet not None, positions=(), tuple passages not None=(), matches=(), source=None):
        self.snippet = snippet
        self.shown = positions
        self.stretches = passages
        self.every = matches if source is None else None
        self.source = source

    @property
    def positions(self):
        if self.shown is None:
            if self.parts is None:
                self.shown = shown_inside(self.spans, self.first, self.stop, self.start, self.end)
            else:
                self.shown = tuple([span for passage in self.passages for span in passage.spans])
        return self.shown

    @property
    def passages(self):
        if self.stretches is None:
            if self.parts is None:
                self.stretches = (self.passage(self.start, self.end, self.positions, float(len(self.positions))),)
            else:
                self.stretches = tuple([self.passage(start, end, shown_inside(self.spans, first, stop, start, end), score)
                                        for start, end, first, stop, score in self.parts])
        return self.stretches

    cdef object passage(self, Py_ssize_t start, Py_ssize_t end, positions, double score):
        return passage_type()(self.text[start:end], start, end, positions, score, start > 0, end < len(self.text))

    @property
    def matches(self):
        if self.every is None:
            self.every = self.spans.positions if self.source is None else self.source().positions
            self.source = None
        return self.every

    def _repr_html_(self):
        from narsilpy.notebook import highlight_html

        return highlight_html(self)

    def to_dict(self):
        """Plain values, ready for JSON."""
        return {"snippet": self.snippet, "positions": [span.to_dict() for span in self.positions],
                "passages": [passage.to_dict() for passage in self.passages]}

    def __eq__(self, other):
        if not isinstance(other, Highlight):
            return NotImplemented
        return (self.snippet == other.snippet and tuple(self.positions) == tuple(other.positions)
                and self.passages == other.passages and tuple(self.matches) == tuple(other.matches))

    def __hash__(self):
        return hash((self.snippet, tuple(self.positions)))

    def __repr__(self):
        return (f"Highlight(snippet={self.snippet!r}, positions={tuple(self.positions)!r}, "
                f"passages={self.passages!r}, matches={tuple(self.matches)!r})")

    def __reduce__(self):
        return Highlight, (self.snippet, tuple(self.positions), self.passages, tuple(self.matches))


cdef object passage_class = None


cdef object passage_type():
    global passage_class
    if passage_class is None:
        from narsilpy.highlight.model import Passage

        passage_class = Passage
    return passage_class


def build(value, SpanArray spans not None, options, Py_ssize_t first=0, Py_ssize_t stop=-1, source=None):
    """The highlight of one window of a text: the records [first, stop) of `spans` are its matches, `options` a FieldPlan.

    `source`, where given, makes the SpanArray of every match: `spans` then holds the first of them alone.
    """
    cdef Py_ssize_t size, length, start = 0, end, i, j
    cdef Highlight found
    cdef str text, boundary, language
    cdef tuple plan
    if not isinstance(value, str) or not isinstance(options, tuple) or len(options) < 9:
        raise TypeError("a text and a FieldPlan are needed")
    text, plan = <str>value, <tuple>options     # subclasses are fine
    size, boundary, language = plan[2], plan[3], plan[8]
    end = length = PyUnicode_GET_LENGTH(text)
    if stop < 0:
        stop = spans.n
    if source is None and not spans.horizon == <uint32_t>0xFFFFFFFF:
        raise ValueError("where the other matches come from is not said")
    if not 0 <= first <= stop <= spans.n:
        raise IndexError("no such records")
    found = Highlight.__new__(Highlight)
    found.spans = spans
    found.source = source
    found.text = text
    if first == stop and plan[6] == "none":
        found.snippet = ""
        found.stretches = ()
        found.first = found.stop = first
        return found
    if 0 < size < length:
        i = stop
        # a window round a match that stands near the horizon could show matches that are not here
        while i > first and <uint64_t>spans.records[i - 1].start + size > spans.horizon:
            i -= 1
        if i == first < stop:
            found.spans = spans = source()
            found.source = None
            first, i = 0, spans.n
            stop = i
        start, end = window(text, spans, first, i, size, boundary, language)
    elif spans.horizon < length:
        found.spans = spans = source()
        found.source = None
        first, stop = 0, spans.n
    for i in range(first, stop):
        if not spans.records[i].start < spans.records[i].end <= length:
            raise ValueError("a span ends beyond its text")
    i, j = first, stop
    while i < j and spans.records[i].start < start:
        i += 1
    while j > i and spans.records[j - 1].end > end:
        j -= 1
    found.start = start
    found.end = end
    found.first = i
    found.stop = j
    spans = inside(spans, &i, &j, start, end)
    found.snippet = tagged(text, start, end, spans, i, j, plan[0], plan[1], plan[4], plan[7], start > 0, end < length)
    return found


def several(value, SpanArray spans not None, options, list parts not None, source=None):
    """The highlight of several stretches of a text, `parts` as `passages` gives them: in text order, with an ellipsis
    wherever text is left out. The other arguments are those of `build`."""
    cdef Highlight found
    cdef Py_ssize_t start, end, first, stop, reached = 0, length, look
    cdef str text
    cdef tuple plan
    cdef list pieces = []
    cdef SpanArray shown
    if not isinstance(value, str) or not isinstance(options, tuple) or len(options) < 9:
        raise TypeError("a text and a FieldPlan are needed")
    text, plan = <str>value, <tuple>options
    length, look = PyUnicode_GET_LENGTH(text), plan[2]
    for start, end, first, stop, _ in parts:
        if not (reached <= start <= end <= length and 0 <= first <= stop <= spans.n):
            raise ValueError("passages come in text order, with the records inside them")
        if not is_blank(text, reached, min(start, reached + look)):     # a look at the gap's beginning is enough
            pieces.append(plan[7])
        elif pieces:
            pieces.append(" ")
        shown = inside(spans, &first, &stop, start, end)
        pieces.append(tagged(text, start, end, shown, first, stop, plan[0], plan[1], plan[4], "", False, False))
        reached = end
    if not is_blank(text, reached, min(length, reached + look)):
        pieces.append(plan[7])
    found = Highlight.__new__(Highlight)
    found.snippet = "".join(pieces)
    found.parts = parts
    found.text = text
    found.spans = spans
    found.source = source
    return found


cdef SpanArray inside(SpanArray spans, Py_ssize_t* first, Py_ssize_t* stop, Py_ssize_t start, Py_ssize_t end):
    """The records [first, stop), but none that reaches out of a window: the array itself where none does.

    Tokens may hold others (an identifier its parts), so that not only the first and the last one can reach out.
    """
    cdef Py_ssize_t i
    cdef SpanArray kept
    cdef bint whole = True
    for i in range(first[0], stop[0]):
        whole &= start <= spans.records[i].start < spans.records[i].end <= end
    if whole:
        return spans
    kept = SpanArray.__new__(SpanArray, (), spans.matches)
    for i in range(first[0], stop[0]):
        if start <= spans.records[i].start < spans.records[i].end <= end:
            kept.push(spans.records[i].start, spans.records[i].end, spans.records[i].match, spans.records[i].value)
    first[0] = 0
    stop[0] = kept.n
    return kept


cdef object shown_inside(SpanArray spans, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t start, Py_ssize_t end):
    cdef SpanArray kept = inside(spans, &first, &stop, start, end)
    return Positions(kept, first, stop)


cdef bint is_blank(str text, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef Py_ssize_t at
    for at in range(start, end):
        if not Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at)):
            return False
    return True


cdef (Py_ssize_t, Py_ssize_t) window(str text, SpanArray spans, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t size,
                                     str boundary, str language) except *:
    """Which stretch of a longer text to show."""
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text), start = 0, end, i = first, j = stop, match_start, match_end
    if first < stop:
        start = densest(spans, first, stop, <uint32_t>length, <uint32_t>min(size, <Py_ssize_t>0x7FFFFFFF))
    if start < 0:
        # no match fits whole: a window that starts with the first one shows its beginning
        start = 0 if boundary == "char" else min(<Py_ssize_t>spans.records[first].start, length - size)
        return grapheme_before(text, start), grapheme_before(text, start + size)
    end = start + size
    if first == stop:
        start = 0
        if boundary != "char":
            snap(text, &start, &end, 0, 0)
        return start, grapheme_before(text, end)
    while i < j and spans.records[i].start < start:
        i += 1
    while j > i and spans.records[j - 1].end > end:
        j -= 1
    match_start = spans.records[i].start
    match_end = spans.records[j - 1].end
    if boundary == "char":
        return grapheme_near(text, start, match_start), grapheme_before(text, end)
    if boundary == "sentence":
        from narsilpy.highlight.sentences import sentence_bounds

        start, end = sentence_bounds(text, start, end, match_start, match_end, size, language)
    snap(text, &start, &end, match_start, match_end)
    return grapheme_near(text, start, match_start), grapheme_before(text, end)


cdef Py_ssize_t grapheme_near(str text, Py_ssize_t at, Py_ssize_t limit) noexcept:
    """Where a window that was to start at `at` starts: behind a grapheme that it would cut, where that is not beyond the
    first match; else in front of it, so that the match is shown."""
    cdef Py_ssize_t after = grapheme_after(text, at)
    return after if after <= limit else grapheme_before(text, at)


cdef inline Py_ssize_t escaped_size(uint32_t char) noexcept:
    if char == 38 or char == 39:                # &amp; &#x27;
        return 5 if char == 38 else 6
    if char == 34:                              # &quot;
        return 6
    return 4 if char == 60 or char == 62 else 1     # &lt; &gt;


cdef str tagged(str text, Py_ssize_t start, Py_ssize_t end, SpanArray spans, Py_ssize_t first, Py_ssize_t stop, str pre,
                str post, bint escape, str ellipsis, bint left, bint right):
    """`text[start:end]` with tags round the records [first, stop), which lie inside; overlapping and touching spans are
    tagged as one."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t at, size = end - start, n_tags = 0, i = first, reached
    cdef uint32_t seen = 0, char
    cdef bint special = False
    for at in range(start, end):
        char = PyUnicode_READ(kind, data, at)
        seen |= char
        if escape and char < 64 and escaped_size(char) > 1:
            size += escaped_size(char) - 1
            special = True
    while i < stop:
        reached = spans.records[i].end
        i += 1
        while i < stop and <Py_ssize_t>spans.records[i].start <= reached:
            reached = max(reached, <Py_ssize_t>spans.records[i].end)
            i += 1
        n_tags += 1
    if n_tags:
        size += n_tags * (PyUnicode_GET_LENGTH(pre) + PyUnicode_GET_LENGTH(post))
        seen |= PyUnicode_MAX_CHAR_VALUE(pre) | PyUnicode_MAX_CHAR_VALUE(post)
    if left or right:
        size += (left + right) * PyUnicode_GET_LENGTH(ellipsis)
        seen |= PyUnicode_MAX_CHAR_VALUE(ellipsis)
    return filled(text, start, end, spans, first, stop, pre, post, special, ellipsis, left, right, size,
                  min(seen, <uint32_t>0x10FFFF))


cdef str filled(str text, Py_ssize_t start, Py_ssize_t end, SpanArray spans, Py_ssize_t first, Py_ssize_t stop, str pre,
                str post, bint special, str ellipsis, bint left, bint right, Py_ssize_t size, uint32_t most):
    cdef str out = PyUnicode_New(size, most)
    cdef Py_ssize_t to = 0, at = start, i = first, span_start, span_end
    if left:
        to += put(out, to, ellipsis, 0, PyUnicode_GET_LENGTH(ellipsis), False)
    while i < stop:
        span_start = spans.records[i].start
        span_end = spans.records[i].end
        i += 1
        while i < stop and <Py_ssize_t>spans.records[i].start <= span_end:
            span_end = max(span_end, <Py_ssize_t>spans.records[i].end)
            i += 1
        to += put(out, to, text, at, span_start, special)
        to += put(out, to, pre, 0, PyUnicode_GET_LENGTH(pre), False)
        to += put(out, to, text, span_start, span_end, special)
        to += put(out, to, post, 0, PyUnicode_GET_LENGTH(post), False)
        at = span_end
    to += put(out, to, text, at, end, special)
    if right:
        put(out, to, ellipsis, 0, PyUnicode_GET_LENGTH(ellipsis), False)
    return out


cdef Py_ssize_t put(str out, Py_ssize_t to, str source, Py_ssize_t start, Py_ssize_t end, bint special) except -1:
    """Copy `source[start:end]` to `out[to:]`, escaped where something in it may need that; how much was written."""
    cdef int kind, out_kind
    cdef const void* data
    cdef void* out_data
    cdef Py_ssize_t at, written = 0, n
    cdef uint32_t char
    cdef const char* name
    if end <= start:
        return 0
    kind, data = PyUnicode_KIND(source), PyUnicode_DATA(source)
    out_kind, out_data = PyUnicode_KIND(out), PyUnicode_DATA(out)
    # not PyUnicode_CopyCharacters: from Latin-1 into ASCII it judges the beginning of the source, not what is copied
    if not special and kind == out_kind:
        memcpy(<char*>out_data + to * kind, <const char*>data + start * kind, (end - start) * kind)
        return end - start
    for at in range(start, end):
        char = PyUnicode_READ(kind, data, at)
        n = escaped_size(char) if special and char < 64 else 1
        if n == 1:
            PyUnicode_WRITE(out_kind, out_data, to + written, char)
            written += 1
            continue
        name = (b"&amp;" if char == 38 else b"&#x27;" if char == 39 else b"&quot;" if char == 34 else b"&lt;" if char == 60
                else b"&gt;")
        for i in range(n):
            PyUnicode_WRITE(out_kind, out_data, to + written + i, name[i])
        written += n
    return written


# A passage is scored as a small document, after Lucene's UnifiedHighlighter: the words of the query it holds, each with a
# saturating count (BM25 with k1 = 1.2, b = 0.75 round a pivot of 87 characters, an average English sentence), times a mild
# preference for the beginning of the text.
cdef double K1 = 1.2, B = 0.75, PIVOT = 87.0


cdef struct Stretch:
    Py_ssize_t start
    Py_ssize_t end
    Py_ssize_t first            # records [first, stop) lie inside
    Py_ssize_t stop
    double score


def passages(str text not None, SpanArray spans not None, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t max_chars,
             sentences, Py_ssize_t most, Py_ssize_t n) -> list:
    """`(start, end, first record, stop record, score)` of the best `n` stretches round the records [first, stop), of
    the first `most` of them; equals count in text order. They do not overlap, and come in text order.

    `sentences` gives the sentence round an offset, None for stretches of words; a sentence of more than `max_chars` code
    points (where that is not 0) gives way to words.
    """
    cdef Py_ssize_t at = first, i, n_found = 0, n_words, reached = 0
    cdef dict numbers = {}
    cdef Stretch* found = NULL
    cdef uint32_t* word_of = <uint32_t*>calloc(max(len(spans.matches), 1), 4)
    cdef uint32_t* counts = <uint32_t*>calloc(max(len(spans.matches), 1), 4)
    try:
        if not 0 <= first <= stop <= spans.n or most < 0 or n < 0:
            raise IndexError("no such records")
        most = min(most, stop - first)
        found = <Stretch*>malloc(max(most, 1) * sizeof(Stretch))
        if word_of == NULL or counts == NULL or found == NULL:
            raise MemoryError()
        for i in range(len(spans.matches)):     # words of the query, by expansion
            word_of[i] = numbers.setdefault(spans.matches[i][1], len(numbers))
        n_words = len(numbers)
        while at < stop and n_found < most:
            stretch_round(text, spans, at, max_chars, sentences, &found[n_found])
            found[n_found].start = max(found[n_found].start, reached)
            if found[n_found].end > <Py_ssize_t>spans.horizon:      # it could show matches that are not here
                break
            at = records_inside(spans, at, stop, &found[n_found])
            if found[n_found].first == found[n_found].stop:         # a match longer than a passage may be
                continue
            found[n_found].score = passage_score(spans, &found[n_found], word_of, counts, n_words)
            reached = found[n_found].end
            n_found += 1
        if n_found > n:
            qsort(found, n_found, sizeof(Stretch), by_score)
            n_found = n
            qsort(found, n_found, sizeof(Stretch), by_place)
        return [(found[i].start, found[i].end, found[i].first, found[i].stop, found[i].score) for i in range(n_found)]
    finally:
        free(found)
        free(word_of)
        free(counts)


cdef int by_score(const void* a, const void* b) noexcept nogil:
    cdef const Stretch* x = <const Stretch*>a
    cdef const Stretch* y = <const Stretch*>b
    if x.score != y.score:
        return 1 if x.score < y.score else -1
    return by_place(a, b)


cdef int by_place(const void* a, const void* b) noexcept nogil:
    cdef const Stretch* x = <const Stretch*>a
    cdef const Stretch* y = <const Stretch*>b
    return (x.start > y.start) - (x.start < y.start)


cdef int stretch_round(str text, SpanArray spans, Py_ssize_t at, Py_ssize_t max_chars, sentences,
                       Stretch* out) except -1:
    """The stretch round one record: its sentence, or words to both sides of it up to the length allowed."""
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text), size = max_chars if max_chars else <Py_ssize_t>(2 * PIVOT)
    cdef Py_ssize_t match_start = spans.records[at].start, match_end = spans.records[at].end, start, end
    if not match_start < match_end <= length:
        raise ValueError("a span ends beyond its text")
    if sentences is not None:
        start, end = sentences(text, match_start)
        out.start = grapheme_before(text, start)
        out.end = grapheme_after(text, max(end, match_end))
        if max_chars == 0 or out.end - out.start <= max_chars:
            return 0
    start = max(<Py_ssize_t>0, min((match_start + match_end - size) // 2, length - size))
    end = min(length, start + size)
    snap(text, &start, &end, match_start, match_end)
    out.start = grapheme_near(text, start, match_start)
    out.end = grapheme_before(text, end)
    return 0


cdef Py_ssize_t records_inside(SpanArray spans, Py_ssize_t at, Py_ssize_t stop, Stretch* stretch) noexcept:
    """Find the records inside a stretch, from `at` on; return the first one for the next stretch."""
    cdef Py_ssize_t next_at
    stretch.first = at
    stretch.stop = stop
    while stretch.first < stop and spans.records[stretch.first].start < stretch.start:
        stretch.first += 1
    stop_inside(spans, &stretch.stop, stretch.first, stretch.end)
    if stretch.first == stretch.stop:
        return at + 1
    next_at = stretch.stop
    while next_at < stop and <Py_ssize_t>spans.records[next_at].start < stretch.end:
        next_at += 1
    return next_at


cdef void stop_inside(SpanArray spans, Py_ssize_t* stop, Py_ssize_t first, Py_ssize_t end) noexcept:
    """The records from `first` on that end by `end`, and no fewer than a search from the back would find."""
    cdef Py_ssize_t i = first, last = first
    while i < stop[0] and <Py_ssize_t>spans.records[i].start < end:
        i += 1
        if <Py_ssize_t>spans.records[i - 1].end <= end:
            last = i
    stop[0] = last


cdef double passage_score(SpanArray spans, const Stretch* stretch, const uint32_t* word_of, uint32_t* counts,
                          Py_ssize_t n_words) noexcept:
    cdef double norm = K1 * (1 - B + B * (stretch.end - stretch.start) / PIVOT), total = 0.0
    cdef Py_ssize_t i
    cdef uint32_t word
    for i in range(n_words):
        counts[i] = 0
    for i in range(stretch.first, stretch.stop):
        counts[word_of[spans.records[i].match]] += 1
    for i in range(stretch.first, stretch.stop):    # words in the order in which they stand: one order of addition
        word = word_of[spans.records[i].match]
        if counts[word]:
            total += counts[word] / (counts[word] + norm)
            counts[word] = 0
    return (1 + 1 / log(PIVOT + stretch.start)) * total
