# Folding a text for comparison with a quote, with a way back to its offsets.
#
# `fold_quote` gives the folded text and, for every folded character and for the end, where its original starts. What is
# folded: runs of white space to one space, quote marks to one, dashes (and runs of them) to one, the ellipsis to three
# dots, case, and the canonical form of a character with its marks. Nothing else: a changed word stays a changed word.
# ASCII is folded in one native loop; a character outside it is taken with its marks and asked of `unicodedata`.
from cpython.unicode cimport PyUnicode_FromKindAndData
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from cpython cimport array
import array
import unicodedata

cdef extern from "Python.h":
    int Py_UNICODE_ISSPACE(uint32_t char)
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t at)

cdef dict MARKS = {ord(mark): '"' for mark in "\"'`\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\u02bc"}
MARKS.update({ord(mark): "-" for mark in "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"})
MARKS[0x2026] = "..."


def fold_quote(str text):
    """`(folded, starts)`: the folded text, and array('I') of the offset where each folded character comes from, and the end.

    >>> folded, starts = fold_quote("It\\u2019s  the\\nend\\u2026")
    >>> folded, list(starts)[:6], starts[-1]
    ('it"s the end...', [0, 1, 2, 3, 4, 6], 13)
    """
    cdef Py_ssize_t n = len(text), at = 0, start, k, used = 0
    cdef uint32_t char
    cdef array.array starts = array.array("I")
    cdef list pieces = []
    cdef str piece
    cdef uint32_t* out = <uint32_t*>malloc((n + 1) * sizeof(uint32_t))
    cdef Py_ssize_t n_out = 0
    if out == NULL:
        raise MemoryError()
    array.resize(starts, n + 1)
    try:
        while at < n:
            char = PyUnicode_READ_CHAR(text, at)
            start = at
            if char < 128 and (c_isalnum(char) or not (Py_UNICODE_ISSPACE(char) or char in (0x22, 0x27, 0x2D, 0x60))):
                at += 1
                if at == n or PyUnicode_READ_CHAR(text, at) < 0x300:     # no mark joins it
                    out[n_out] = char + 32 if 65 <= char <= 90 else char
                    starts.data.as_uints[used + n_out] = <uint32_t>start
                    n_out += 1
                    continue
                at = start
            if Py_UNICODE_ISSPACE(char):
                while at < n and Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at)):
                    at += 1
                piece = " "
            elif char in MARKS:
                piece = MARKS[char]
                at += 1
                while piece == "-" and at < n and MARKS.get(PyUnicode_READ_CHAR(text, at)) == "-":
                    at += 1
            else:
                at = cluster_end(text, at, n)
                piece = unicodedata.normalize("NFC", text[start:at]).lower()
            if len(piece) > at - start:             # longer than its original: make room
                pieces.append(PyUnicode_FromKindAndData(4, out, n_out))
                used += n_out
                n_out = 0
                pieces.append(piece)
                array.resize(starts, len(starts) + len(piece))
                for k in range(len(piece)):
                    starts.data.as_uints[used + k] = <uint32_t>start
                used += len(piece)
                continue
            for k in range(len(piece)):
                out[n_out] = PyUnicode_READ_CHAR(piece, k)
                starts.data.as_uints[used + n_out] = <uint32_t>start
                n_out += 1
        pieces.append(PyUnicode_FromKindAndData(4, out, n_out))
        used += n_out
        starts.data.as_uints[used] = <uint32_t>n
        array.resize(starts, used + 1)
        return "".join(pieces), starts
    finally:
        free(out)


cdef inline bint c_isalnum(uint32_t char) noexcept:
    return 97 <= char <= 122 or 65 <= char <= 90 or 48 <= char <= 57


cdef Py_ssize_t cluster_end(str text, Py_ssize_t at, Py_ssize_t n):
    """The end of a character and the marks (and Hangul parts) that canonical composition could join to it."""
    cdef uint32_t char
    at += 1
    while at < n:
        char = PyUnicode_READ_CHAR(text, at)
        if char < 0x300 or not (unicodedata.category(chr(char))[0] == "M" or 0x1160 <= char <= 0x11FF):
            break
        at += 1
    return at
