# Extended grapheme clusters after UAX #29 (Unicode 17.0.0), looked at only round one place of a text.
#
# The class of a code point comes from sorted ranges (_grapheme_table.h, written by ext/generate_graphemes.py), that of a
# Hangul syllable from its number. A boundary needs the two code points beside it; for three rules also those before them:
# conjuncts of Indic scripts, pictographs joined by ZWJ, and pairs of regional indicators. Below U+0300 nothing continues
# anything but LF a CR, which is what most cuts are decided by. The twin is tests/reference/graphemes.py.
from libc.stdint cimport uint8_t, uint32_t

cdef extern from "Python.h":
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t at)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef extern from "_grapheme_table.h":
    int N_GRAPHEME_RANGES
    const char* GRAPHEME_UNICODE
    const uint32_t grapheme_starts[]
    const uint8_t grapheme_classes[]

cdef enum:                      # as ext/generate_graphemes.py numbers them
    OTHER = 0
    CR = 1
    LF = 2
    CONTROL = 3
    EXTEND = 4
    INDIC_EXTEND = 5
    INDIC_LINKER = 6
    ZWJ = 7
    REGIONAL = 8
    PREPEND = 9
    SPACING_MARK = 10
    HANGUL_L = 11
    HANGUL_V = 12
    HANGUL_T = 13
    HANGUL_LV = 14
    HANGUL_LVT = 15
    PICTOGRAPHIC = 16
    CONSONANT = 17

UNICODE_VERSION = GRAPHEME_UNICODE.decode("ascii")


cdef int class_of(uint32_t code) noexcept nogil:
    cdef int low = 0, high = N_GRAPHEME_RANGES, middle
    if 0x20 <= code < 0x7F:
        return OTHER
    if 0xAC00 <= code <= 0xD7A3:
        return HANGUL_LV if (code - 0xAC00) % 28 == 0 else HANGUL_LVT
    while high - low > 1:
        middle = (low + high) // 2
        if grapheme_starts[middle] <= code:
            low = middle
        else:
            high = middle
    return grapheme_classes[low]


cdef bint is_boundary(str text, Py_ssize_t at) noexcept:
    """Whether a cluster may end and another begin at `at`, which is inside the text."""
    cdef uint32_t char = PyUnicode_READ_CHAR(text, at), char_before = PyUnicode_READ_CHAR(text, at - 1)
    cdef int here, before, kind
    cdef bint linked = False
    cdef Py_ssize_t i = at - 1
    if char < 0x300 and char_before < 0x300:
        return not (char == 10 and char_before == 13)           # GB3 to GB5, GB999
    here, before = class_of(char), class_of(char_before)
    if before == CR or before == LF or before == CONTROL or here == CR or here == LF or here == CONTROL:
        return True                                             # GB4, GB5
    if here in (EXTEND, INDIC_EXTEND, INDIC_LINKER, ZWJ, SPACING_MARK) or before == PREPEND:
        return False                                            # GB9, GB9a, GB9b
    if before == HANGUL_L and here in (HANGUL_L, HANGUL_V, HANGUL_LV, HANGUL_LVT):
        return False                                            # GB6
    if before in (HANGUL_LV, HANGUL_V) and here in (HANGUL_V, HANGUL_T):
        return False                                            # GB7
    if before in (HANGUL_LVT, HANGUL_T) and here == HANGUL_T:
        return False                                            # GB8
    if here == CONSONANT and before in (INDIC_EXTEND, INDIC_LINKER, ZWJ):
        while i >= 0:                                           # GB9c: a linker between two consonants
            kind = class_of(PyUnicode_READ_CHAR(text, i))
            if kind == INDIC_LINKER:
                linked = True
            elif kind != INDIC_EXTEND and kind != ZWJ:
                return not (linked and kind == CONSONANT)
            i -= 1
        return True
    if here == PICTOGRAPHIC and before == ZWJ:
        i -= 1
        while i >= 0 and class_of(PyUnicode_READ_CHAR(text, i)) in (EXTEND, INDIC_EXTEND, INDIC_LINKER):
            i -= 1
        return not (i >= 0 and class_of(PyUnicode_READ_CHAR(text, i)) == PICTOGRAPHIC)      # GB11
    if here == REGIONAL and before == REGIONAL:
        while i >= 0 and class_of(PyUnicode_READ_CHAR(text, i)) == REGIONAL:
            i -= 1
        return (at - 1 - i) % 2 == 0                            # GB12, GB13
    return True


cdef Py_ssize_t grapheme_before(str text, Py_ssize_t at) noexcept:
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    while 0 < at < n and not is_boundary(text, at):
        at -= 1
    return at


cdef Py_ssize_t grapheme_after(str text, Py_ssize_t at) noexcept:
    cdef Py_ssize_t n = PyUnicode_GET_LENGTH(text)
    while 0 < at < n and not is_boundary(text, at):
        at += 1
    return at


def grapheme_start(text not None, Py_ssize_t at) -> int:
    """The last place at or before `at` where a grapheme cluster starts; `at` itself at the ends of the text and beyond."""
    if not isinstance(text, str):
        raise TypeError(f"a str is needed, not {type(text).__name__}")
    return grapheme_before(<str>text, at)
