# Spans of one field value of one document, and the text round them.
#
# A SpanArray owns flat records (start, end, match, value), sorted by value, start and end; they may overlap. Span objects
# are made only where one is touched: a common word in a long field costs 16 bytes until then. `tag` copies a window of
# a string into a new one, escaping as it goes and putting tags round merged spans; `densest` finds the window of a given
# length that holds most matches by one sweep. Nothing here reads text outside the window it is given.
from cpython.unicode cimport PyUnicode_Substring
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc

from narsilpy.highlight.model import Span

cdef extern from "Python.h":
    int Py_UNICODE_ISSPACE(uint32_t char)
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t at)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef enum:
    LONG_WORD = 40              # a run without white space longer than this is no word: a window may start inside it


cdef class SpanArray:
    """Matches of one field, in order: `SpanArray([(start, end, match, value)], matches)`; value -1 = a plain string."""

    def __cinit__(self, records, tuple matches):
        self.matches = matches
        self.horizon = 0xFFFFFFFF
        for start, end, match, value in records:
            if not 0 <= match < len(matches):
                raise IndexError("a span of no known match")
            self.push(start, end, match, value)

    def __dealloc__(self):
        free(self.records)

    cdef int reserve(self, Py_ssize_t extra) except -1:
        cdef Py_ssize_t size
        cdef void* block
        if self.n + extra > self.capacity:
            size = max(self.n + extra, self.capacity * 2)
            block = realloc(self.records, size * sizeof(SpanRecord))
            if block == NULL:
                raise MemoryError()
            self.records = <SpanRecord*>block
            self.capacity = size
        return 0

    cdef int push(self, uint32_t start, uint32_t end, uint32_t match, int32_t value) except -1:
        cdef SpanRecord* record
        if self.n == self.capacity:
            self.reserve(4)
        record = &self.records[self.n]
        record.start = start
        record.end = end
        record.match = match
        record.value = value
        self.n += 1
        return 0

    def __len__(self):
        return self.n

    cdef object span(self, Py_ssize_t i):
        cdef SpanRecord* record = &self.records[i]
        term, query_term, kind = self.matches[record.match]
        return Span(record.start, record.end, term, query_term, kind, None if record.value < 0 else record.value)

    @property
    def complete(self):
        """Whether every match of the field is here."""
        return self.horizon == <uint32_t>0xFFFFFFFF

    @property
    def positions(self):
        """The spans as an immutable sequence that makes each Span when it is touched."""
        return Positions(self, 0, self.n)

    def edges(self, Py_ssize_t first, Py_ssize_t stop):
        """`(start, end)`: where the records [first, stop) begin and end. There is at least one."""
        if not 0 <= first < stop <= self.n:
            raise IndexError("no such records")
        return self.records[first].start, self.records[stop - 1].end

    def of_value(self, int32_t value):
        """`(first, stop)`: the records of one element of an array field."""
        cdef Py_ssize_t first = 0, stop
        while first < self.n and self.records[first].value < value:
            first += 1
        stop = first
        while stop < self.n and self.records[stop].value == value:
            stop += 1
        return first, stop

    def within(self, uint32_t start, uint32_t end, Py_ssize_t first, Py_ssize_t stop):
        """`(first, stop)`: of the records [first, stop), those that lie inside [start, end)."""
        while first < stop and self.records[first].start < start:
            first += 1
        while stop > first and self.records[stop - 1].end > end:
            stop -= 1
        return first, stop


cdef class Positions:
    """An immutable sequence of spans over a SpanArray. Equal to any sequence of equal spans."""

    cdef SpanArray array
    cdef Py_ssize_t first
    cdef Py_ssize_t stop

    def __cinit__(self, SpanArray array, Py_ssize_t first, Py_ssize_t stop):
        self.array = array
        self.first = first
        self.stop = stop

    def __len__(self):
        return self.stop - self.first

    def __getitem__(self, index):
        if isinstance(index, slice):
            return tuple(self.array.span(self.first + i) for i in range(*index.indices(self.stop - self.first)))
        if index < 0:
            index += self.stop - self.first
        if not 0 <= index < self.stop - self.first:
            raise IndexError("span index out of range")
        return self.array.span(self.first + index)

    def __iter__(self):
        cdef Py_ssize_t i
        for i in range(self.first, self.stop):
            yield self.array.span(i)

    def __eq__(self, other):
        try:
            return len(self) == len(other) and all(a == b for a, b in zip(self, other))
        except TypeError:
            return NotImplemented

    def __hash__(self):
        return hash(tuple(self))

    def __repr__(self):
        return repr(tuple(self))

    def __reduce__(self):
        return tuple, (list(self),)     # copies and pickles hold the spans themselves

    def pairs(self):
        """`[(start, end), ...]`, without making spans."""
        cdef Py_ssize_t i
        return [(self.array.records[i].start, self.array.records[i].end) for i in range(self.first, self.stop)]


cpdef int64_t densest(SpanArray array, Py_ssize_t first, Py_ssize_t stop, uint32_t length, uint32_t size) except? -2:
    """The start of the window of `size` code points of a text of `length` that holds most of the records [first, stop).

    Windows are centred on the start of each record and moved inside the text; of equals the first one counts, and
    where no record fits whole, -1 is the answer.
    """
    cdef Py_ssize_t i, low = first, high = first, count, best = 0
    cdef int64_t start, best_start = -1, half = size // 2
    for i in range(first, stop):
        start = <int64_t>array.records[i].start - half
        if start + size > length:
            start = <int64_t>length - size
        if start < 0:
            start = 0
        # starts never fall, so neither do the first and last record inside
        while low < stop and array.records[low].start < start:
            low += 1
        if high < low:
            high = low
        while high < stop and array.records[high].end <= start + size:
            high += 1
        count = high - low
        if count > best:
            best = count
            best_start = start
    return best_start


def snap_to_words(str text, Py_ssize_t start, Py_ssize_t end, Py_ssize_t match_start, Py_ssize_t match_end):
    """The window, shrunk to whole words: from the start of one to the end of one, never past the matches in it.

    Where no white space lies between the window's edge and the match, the edge stays (a script without spaces).
    """
    snap(text, &start, &end, match_start, match_end)
    return start, end


cdef void snap(str text, Py_ssize_t* first, Py_ssize_t* last, Py_ssize_t match_start, Py_ssize_t match_end) noexcept:
    cdef Py_ssize_t at, n = PyUnicode_GET_LENGTH(text), start = max(first[0], 0), end = min(last[0], n)
    if start > 0:
        if not is_space(text, start - 1) and not is_space(text, start):
            at = start
            while at < match_start and not is_space(text, at):
                at += 1
            if at < match_start:
                start = at
            elif match_start - start < LONG_WORD:
                start = match_start
        while start < match_start and is_trailing(PyUnicode_READ_CHAR(text, start)):
            start += 1
    if end < n:
        if not is_space(text, end - 1) and not is_space(text, end):
            at = end - 1
            while at >= match_end and not is_space(text, at):
                at -= 1
            if at >= match_end:
                end = at
        while end > match_end and end > start and is_space(text, end - 1):
            end -= 1
    first[0] = start
    last[0] = end


cdef inline bint is_space(str text, Py_ssize_t at) noexcept:
    return Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at))


cdef inline bint is_trailing(uint32_t char) noexcept:
    """White space, and punctuation that ends what stood before the window."""
    if Py_UNICODE_ISSPACE(char):
        return True
    if char < 128:
        return char in (46, 44, 59, 58, 33, 63, 41, 93, 125, 45)        # . , ; : ! ? ) ] } -
    return char in (0xBB, 0x201D, 0x2019, 0x2026, 0x2013, 0x2014)       # closing quotes, ellipsis, dashes


cdef inline str piece(str text, Py_ssize_t start, Py_ssize_t end, bint escape):
    cdef str part = PyUnicode_Substring(text, start, end)
    return escaped(part) if escape else part


cdef str escaped(str text):
    """HTML: the five characters that could end a text or an attribute."""
    cdef Py_UCS4 char
    for char in text:
        if char == u"&" or char == u"<" or char == u">" or char == u'"' or char == u"'":
            return (text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
                    .replace("'", "&#x27;"))
    return text


def tag(str text, Py_ssize_t start, Py_ssize_t end, SpanArray array, Py_ssize_t first, Py_ssize_t stop, str pre, str post,
        bint escape):
    """`text[start:end]` with tags round the records [first, stop), which lie inside; overlapping and touching spans
    are tagged as one."""
    cdef list out = []
    cdef Py_ssize_t at = start, i = first, span_start, span_end
    while i < stop:
        span_start = array.records[i].start
        span_end = array.records[i].end
        i += 1
        while i < stop and array.records[i].start <= span_end:
            if array.records[i].end > span_end:
                span_end = array.records[i].end
            i += 1
        if span_start > at:
            out.append(piece(text, at, span_start, escape))
        out.append(pre)
        out.append(piece(text, span_start, span_end, escape))
        out.append(post)
        at = span_end
    if at < end:
        out.append(piece(text, at, end, escape))
    return "".join(out)
