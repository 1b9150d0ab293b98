# Which part of a text decides where the sentence round an offset starts and ends, and the stops in it.
#
# `piece_of` reads at most LONGEST_BLOCK code points to either side of an offset for blank lines, and two stretches of the
# text for anchors; `narsilpy/highlight/sentences.py` says what those are. `stops` is one pass over a piece. Both read the
# string's own buffer, keep nothing, and never look beyond 0 <= at < n. Their twins are in tests/reference/sentences.py.
from libc.stdint cimport uint32_t
from narsilpy._graphemes cimport grapheme_before

cdef extern from "Python.h":
    int Py_UNICODE_ISSPACE(uint32_t char)
    int Py_UNICODE_ISALPHA(uint32_t char)
    int Py_UNICODE_ISLOWER(uint32_t char)
    int Py_UNICODE_ISDECIMAL(uint32_t char)
    int PyUnicode_KIND(object text)
    const void* PyUnicode_DATA(object text)
    uint32_t PyUnicode_READ(int kind, const void* data, Py_ssize_t at)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_ssize_t PyUnicode_FindChar(object text, uint32_t char, Py_ssize_t start, Py_ssize_t end, int direction) except -2

cdef enum:
    STRETCH = 1024              # code points from one possible anchor to the next
    LONGEST_BLOCK = 2 * STRETCH
    BLANK = 200                 # blanks that a blank line may hold
    LONGEST_GRAPHEME = 64
    FORM_FEED = 0x0C
    PARAGRAPH = 0x2029


def piece_of(str text not None, Py_ssize_t offset) -> tuple:
    """`(start, end)` of the piece that holds an offset. Reads a few thousand code points round it at most.

    >>> piece_of("One.\\n\\nTwo.", 7)
    (6, 10)
    """
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), low, high, stretch, before, after
    if not 0 <= offset < n:
        raise IndexError("no such offset")
    low = cut_before(text, offset, max(0, offset - LONGEST_BLOCK))
    high = cut_after(text, offset, min(n, offset + LONGEST_BLOCK), n)
    if low >= 0 and high >= 0 and high - low <= LONGEST_BLOCK:
        return low, high
    stretch = offset // STRETCH
    before = anchor(text, stretch, n)
    if before <= offset:
        after = anchor(text, stretch + 1, n)
    else:
        after = before
        before = anchor(text, stretch - 1, n)
    return (before if low < before else low), (after if high < 0 or after < high else high)


cdef Py_ssize_t cut_before(str text, Py_ssize_t offset, Py_ssize_t floor) except -2:
    """Where the block that holds `offset` starts; -1 = before `floor`."""
    cdef Py_ssize_t best = PyUnicode_FindChar(text, FORM_FEED, floor, offset, -1), at
    best = max(best, PyUnicode_FindChar(text, PARAGRAPH, floor, offset, -1)) + 1
    floor = max(floor, best)
    at = PyUnicode_FindChar(text, 10, floor, offset, -1)
    while at >= 0:
        if ends_blank_line(text, at):
            return at + 1
        at = PyUnicode_FindChar(text, 10, floor, at, -1)
    return best if best > 0 else 0 if floor == 0 else -1


cdef Py_ssize_t cut_after(str text, Py_ssize_t offset, Py_ssize_t ceiling, Py_ssize_t n) except -2:
    """Where the block after the one that holds `offset` starts, or the text ends; -1 = behind `ceiling`."""
    cdef Py_ssize_t stop = ceiling, at
    cdef bint found = ceiling == n
    at = PyUnicode_FindChar(text, FORM_FEED, offset, stop, 1)
    if at >= 0:
        stop = at + 1
        found = True
    at = PyUnicode_FindChar(text, PARAGRAPH, offset, stop, 1)
    if at >= 0:
        stop = at + 1
        found = True
    at = PyUnicode_FindChar(text, 10, offset, stop, 1)
    while at >= 0:
        if ends_blank_line(text, at):
            return at + 1
        at = PyUnicode_FindChar(text, 10, at + 1, stop, 1)
    return stop if found else -1


cdef bint ends_blank_line(str text, Py_ssize_t at) noexcept:
    """Whether the line that the line feed at `at` ends is blank, and a line before it ended, too."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t floor = max(<Py_ssize_t>-1, at - BLANK)
    cdef uint32_t char
    at -= 1
    while at > floor:
        char = PyUnicode_READ(kind, data, at)
        if char == 10 or not Py_UNICODE_ISSPACE(char):
            break
        at -= 1
    return at >= 0 and PyUnicode_READ(kind, data, at) == 10


cdef inline bint closes(uint32_t char) noexcept:
    return char in (0x22, 0x27, 0x29, 0x5D, 0x2019, 0x201D)


cdef Py_ssize_t anchor(str text, Py_ssize_t stretch, Py_ssize_t n) except -2:
    """Where a long block may be cut in one stretch of the text."""
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t low = stretch * STRETCH, high = min(n, (stretch + 1) * STRETCH), at, behind
    cdef uint32_t char
    if low <= 0:
        return 0
    if low >= high:
        return n
    at = low
    while at < high:
        char = PyUnicode_READ(kind, data, at)
        at += 1
        if char in (0x2E, 0x21, 0x3F):
            behind = at
            while behind < high and (closes(PyUnicode_READ(kind, data, behind)) or PyUnicode_READ(kind, data, behind) == 0xBB):
                behind += 1
            if behind >= high or not Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, behind)):
                continue
            while behind < high and Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, behind)):
                behind += 1
            if behind < high and is_sure(kind, data, at - 1, behind, n):
                return behind
            at = behind
        elif char >= 0x589 and char in (0x3002, 0xFF01, 0xFF1F, 0xFF61, 0x964, 0x965, 0x61F, 0x589, 0x104B):
            while at < high and PyUnicode_READ(kind, data, at) in (0x300D, 0x300F, 0x201D, 0x2019, 0xFF09, 0x22):
                at += 1
            return at
    for at in range(low, high):
        if Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at)):
            return at + 1
    # a text without white space: between graphemes, unless one reaches further back than any real one
    at = grapheme_before(text[low - LONGEST_GRAPHEME:low + 1], LONGEST_GRAPHEME)
    return low - LONGEST_GRAPHEME + at if at > 0 else low


cdef bint is_sure(int kind, const void* data, Py_ssize_t at, Py_ssize_t behind, Py_ssize_t n) noexcept:
    """Whether a stop surely ends a sentence: a whole word in small letters before it, no small letter after it."""
    cdef uint32_t a, b, c, char
    cdef Py_ssize_t k
    for k in range(at - 4, at):
        if not Py_UNICODE_ISLOWER(PyUnicode_READ(kind, data, k)) or not Py_UNICODE_ISALPHA(PyUnicode_READ(kind, data, k)):
            return False
    a, b, c = PyUnicode_READ(kind, data, at - 3), PyUnicode_READ(kind, data, at - 2), PyUnicode_READ(kind, data, at - 1)
    # the ends of "approx", "dept", "assn", "resp", "incl", "excl", "gegr", "evtl"
    if ((a == c'r' and b == c'o' and c == c'x') or (a == c'e' and b == c'p' and c == c't')
            or (a == c's' and b == c's' and c == c'n') or (a == c'e' and b == c's' and c == c'p')
            or (a == c'n' and b == c'c' and c == c'l') or (a == c'x' and b == c'c' and c == c'l')
            or (a == c'e' and b == c'g' and c == c'r') or (a == c'v' and b == c't' and c == c'l')):
        return False
    char = PyUnicode_READ(kind, data, behind)
    if char in (0x22, 0x27, 0x201C, 0x2018, 0xAB, 0x28):
        if behind + 1 >= n:
            return False
        char = PyUnicode_READ(kind, data, behind + 1)
    return Py_UNICODE_ISALPHA(char) and not Py_UNICODE_ISLOWER(char)


cdef inline bint bullet(uint32_t char) noexcept:
    return char in (0x2043, 0x2022, 0x2A, 0x2013, 0x2D)


cdef bint telling(int kind, const void* data, Py_ssize_t at, Py_ssize_t behind) noexcept:
    """Whether a stop may be the marker of a list, or end a sentence though the segmenter goes on."""
    cdef uint32_t char = PyUnicode_READ(kind, data, at), last, a, b
    cdef Py_ssize_t k
    if at == 0:
        return False
    last = PyUnicode_READ(kind, data, at - 1)
    if behind == at + 2 and Py_UNICODE_ISDECIMAL(PyUnicode_READ(kind, data, at + 1)):
        return char == 0x2E and (last == 0x29 or Py_UNICODE_ISLOWER(last))      # the number of a note
    if char == 0x29 and last in (0x2E, 0x21, 0x3F):
        return True
    if char == 0x2E and PyUnicode_READ(kind, data, at + 1) == 0x29:
        return True
    if char == 0x2E and at > 2:
        a, b = PyUnicode_READ(kind, data, at - 3), PyUnicode_READ(kind, data, at - 2)
        if b == 0x2E or (last == c'o' and b in (c'c', c'C') and a == 0x20) or (last == c'c' and b == c'n' and a == c'I'):
            return True
        if (last == c'd' and b == c't' and a == c'L') or (last == c'p' and b == c'r' and a == c'o'):
            return True
    for k in range(at - 1, max(<Py_ssize_t>-1, at - 4), -1):
        if not alnum(PyUnicode_READ(kind, data, k)):
            return False
        if k == 0:
            return True
        char = PyUnicode_READ(kind, data, k - 1)
        if Py_UNICODE_ISSPACE(char) or bullet(char):
            return True
    return False


cdef inline bint alnum(uint32_t char) noexcept:
    return Py_UNICODE_ISALPHA(char) or Py_UNICODE_ISDECIMAL(char)


def stops(str text not None) -> list:
    """`(at, behind)` of each "." and ")" that white space follows, maybe after closing marks, or a digit; telling ones.

    `behind` is where the white space ends, or the digit. Telling is what may mark an item of a list, and what
    `narsilpy/highlight/corrections.py` looks at: ends of asides, initials, companies, numbers of notes.

    >>> stops("1.) It costs 4.5.  So.a) "), stops("no. x")
    ([(1, 4)], [(2, 4)])
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef const void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text), at = 0, behind
    cdef uint32_t char
    cdef list found = []
    while at < n:
        char = PyUnicode_READ(kind, data, at)
        at += 1
        if char != 0x2E and char != 0x29:
            continue
        behind = at
        while behind < n and closes(PyUnicode_READ(kind, data, behind)):
            behind += 1
        if behind < n and Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, behind)):
            while behind < n and Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, behind)):
                behind += 1
        elif at < n and Py_UNICODE_ISDECIMAL(PyUnicode_READ(kind, data, at)):
            behind = at + 1
        else:
            continue
        if telling(kind, data, at - 1, behind):
            found.append((at - 1, behind))
        at = behind
    return found
