# Finding a quote in a text whatever its white space, quote marks, dashes, ellipses, case and canonical form.
#
# Two texts are the same where their foldings are. What is folded: runs of white space to one space, quote marks to one,
# dashes (and runs of them) to one, the ellipsis to three dots, case, and the canonical form of a character with its marks.
# Nothing else: a changed word stays a changed word. A *cluster* is what is folded at once: a run of blanks or dashes, a
# mark of punctuation, or a character with the combining marks behind it. A place consists of whole clusters.
#
# `folded_places` does not fold the text. It looks for the rarest character of the quote that occurs in a text in one way
# only (small or capital), and compares forwards and backwards from there, cluster by cluster. Where there is no such
# character, or comparing took eight times the text's length, it folds the whole (`fold_quote`) and searches that, which
# is linear whatever the text. Nothing is kept between calls but what single characters fold to, in tables of fixed size
# that are filled under the GIL as characters come.
from cpython.unicode cimport PyUnicode_FromKindAndData
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from cpython cimport array
import array
import unicodedata

cdef extern from "Python.h":
    int Py_UNICODE_ISSPACE(uint32_t char)
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t at)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_ssize_t PyUnicode_FindChar(object text, uint32_t char, Py_ssize_t start, Py_ssize_t end, int direction) except -2

cdef enum:
    BMP = 0x10000
    NOT_ONE = 0xFFFFFFFF

cdef uint32_t SINGLE[BMP]           # what a character alone folds to; 0: not asked yet; NOT_ONE: to none, several or a mark
cdef unsigned char JOINS[BMP]       # 0: not asked yet; 1: starts a cluster; 2: joins the one before
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
    cdef uint32_t char, fold
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
            fold = single(char)
            if fold != <uint32_t>NOT_ONE and (at + 1 == n or not joins(PyUnicode_READ_CHAR(text, at + 1))):
                at += 1
                out[n_out] = fold
                starts.data.as_uints[used + n_out] = <uint32_t>start
                n_out += 1
                continue
            if Py_UNICODE_ISSPACE(char):
                at += 1
                while at < n and Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at)):
                    at += 1
                out[n_out] = 32
                starts.data.as_uints[used + n_out] = <uint32_t>start
                n_out += 1
                continue
            else:
                piece = cluster(text, at, n, &at)
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


cdef inline bint joins(uint32_t char):
    """Whether canonical composition could join a character to the one before it."""
    if char < 0x300:
        return False
    if char < BMP and JOINS[char]:
        return JOINS[char] == 2
    return learn_join(char)


cdef bint learn_join(uint32_t char):
    cdef bint found = unicodedata.category(chr(char))[0] == "M" or 0x1160 <= char <= 0x11FF
    if char < BMP:
        JOINS[char] = 2 if found else 1
    return found


cdef inline uint32_t single(uint32_t char):
    """What a character that nothing joins folds to, where that is one character and no mark; else NOT_ONE."""
    if char < BMP and SINGLE[char]:
        return SINGLE[char]
    return learn_single(char)


cdef uint32_t learn_single(uint32_t char):
    cdef uint32_t found = NOT_ONE
    cdef str piece
    if char and not Py_UNICODE_ISSPACE(char) and char not in MARKS:
        piece = unicodedata.normalize("NFC", chr(char)).lower()
        if len(piece) == 1:
            found = ord(piece)
    if char < BMP:
        SINGLE[char] = found
    return found


cdef str cluster(str text, Py_ssize_t at, Py_ssize_t n, Py_ssize_t* end):
    """The folding of the cluster that starts at `at`, and where it ends."""
    cdef uint32_t char = PyUnicode_READ_CHAR(text, at)
    cdef Py_ssize_t start = at
    cdef str piece
    at += 1
    if Py_UNICODE_ISSPACE(char):
        while at < n and Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at)):
            at += 1
        end[0] = at
        return " "
    piece = MARKS.get(char)
    if piece is not None:
        while piece == "-" and at < n and MARKS.get(PyUnicode_READ_CHAR(text, at)) == "-":
            at += 1
        end[0] = at
        return piece
    while at < n and joins(PyUnicode_READ_CHAR(text, at)):
        at += 1
    end[0] = at
    return unicodedata.normalize("NFC", text[start:at]).lower()


cdef Py_ssize_t cluster_start(str text, Py_ssize_t at):
    """Where the cluster starts that ends at `at`."""
    cdef uint32_t char
    at -= 1
    char = PyUnicode_READ_CHAR(text, at)
    if Py_UNICODE_ISSPACE(char):
        while at > 0 and Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, at - 1)):
            at -= 1
        return at
    if MARKS.get(char) == "-":
        while at > 0 and MARKS.get(PyUnicode_READ_CHAR(text, at - 1)) == "-":
            at -= 1
        return at
    while at > 0 and joins(PyUnicode_READ_CHAR(text, at)):
        char = PyUnicode_READ_CHAR(text, at - 1)
        if Py_UNICODE_ISSPACE(char) or char in MARKS:       # marks behind those are a cluster of their own
            break
        at -= 1
    return at


cdef Py_ssize_t forwards(str text, Py_ssize_t at, Py_ssize_t n, str wanted, Py_ssize_t w, Py_ssize_t m, Py_ssize_t* work):
    """Where the rest of the quote, from `w` on, ends in the text; -1 where it does not stand there."""
    cdef uint32_t char, fold
    cdef Py_ssize_t k, end = at
    cdef str piece
    while w < m:
        if at >= n:
            return -1
        work[0] += 1
        char = PyUnicode_READ_CHAR(text, at)
        fold = single(char)
        if fold != <uint32_t>NOT_ONE and (at + 1 == n or not joins(PyUnicode_READ_CHAR(text, at + 1))):
            if fold != PyUnicode_READ_CHAR(wanted, w):
                return -1
            at += 1
            w += 1
            continue
        piece = cluster(text, at, n, &end)
        if w + len(piece) > m:
            return -1
        for k in range(len(piece)):
            if PyUnicode_READ_CHAR(piece, k) != PyUnicode_READ_CHAR(wanted, w + k):
                return -1
        work[0] += end - at
        at = end
        w += len(piece)
    return at


cdef Py_ssize_t backwards(str text, Py_ssize_t at, Py_ssize_t n, str wanted, Py_ssize_t w, Py_ssize_t* work):
    """Where the beginning of the quote, up to `w`, starts in the text before `at`; -1 where it does not stand there."""
    cdef uint32_t char, fold
    cdef Py_ssize_t k, start, end = at
    cdef str piece
    while w > 0:
        if at <= 0:
            return -1
        work[0] += 1
        char = PyUnicode_READ_CHAR(text, at - 1)
        fold = single(char)
        if fold != <uint32_t>NOT_ONE and not joins(char):   # what is behind it starts a cluster
            if fold != PyUnicode_READ_CHAR(wanted, w - 1):
                return -1
            at -= 1
            w -= 1
            continue
        start = cluster_start(text, at)
        piece = cluster(text, start, n, &end)
        if end != at or w < len(piece):
            return -1
        w -= len(piece)
        for k in range(len(piece)):
            if PyUnicode_READ_CHAR(piece, k) != PyUnicode_READ_CHAR(wanted, w + k):
                return -1
        work[0] += at - start
        at = start
    return at


# Rare first, where the sample says nothing. Not "k": the Kelvin sign is one, too.
cdef str RARE = "zqjx7984563201vbpygwfmcudlhrsnioate"


cdef Py_ssize_t anchor_of(str wanted, str text):
    """The index of the character of a folded quote to look for; -1 where there is none that is written in one way only."""
    cdef Py_ssize_t at, best = -1, rank, best_rank = 1 << 40, m = len(wanted), middle = len(text) // 2
    cdef uint32_t char
    cdef str sample = text[max(0, middle - 2048):middle + 2048], letter
    cdef set seen = set()
    for at in range(m):
        char = PyUnicode_READ_CHAR(wanted, at)
        letter = chr(char)
        if letter in seen or (at + 1 < m and joins(PyUnicode_READ_CHAR(wanted, at + 1))):
            continue
        rank = RARE.find(letter)
        # letters of scripts in which no other character has one of them as its canonical form
        if rank < 0 and not ((0x400 <= char <= 0x52F or 0x5D0 <= char <= 0x5EA or 0x620 <= char <= 0x64A
                              or 0x904 <= char <= 0xE30 or 0x3041 <= char <= 0x30FA)
                             and letter.isalpha() and unicodedata.normalize("NFD", letter) == letter):
            continue
        seen.add(letter)
        rank += 100 * (sample.count(letter) + sample.count(letter.upper()))
        if rank < best_rank:
            best, best_rank = at, rank
        if best_rank < 100 or len(seen) > 32:
            break
    return best


def folded_places(str text not None, str wanted not None):
    """The places `(start, end)`, in order, where the text folds to `wanted`: folded, no white space about it.

    >>> list(folded_places("It\u2019s  FREE, it's\nfree", 'it"s free'))
    [(0, 10), (12, 21)]
    """
    cdef Py_ssize_t n = len(text), m = len(wanted), anchor, at = 0, small, capital, start, end, work = 0
    cdef uint32_t char, other
    if m == 0:
        return
    anchor = anchor_of(wanted, text)
    if anchor < 0:
        for place in searched(text, wanted, 0, 0):
            yield place
        return
    char = PyUnicode_READ_CHAR(wanted, anchor)
    upper = chr(char).upper()
    other = ord(upper) if len(upper) == 1 else char
    small = PyUnicode_FindChar(text, char, 0, n, 1)
    capital = PyUnicode_FindChar(text, other, 0, n, 1) if other != char else -1
    while small >= 0 or capital >= 0:
        if capital < 0 or 0 <= small < capital:
            at = small
            small = PyUnicode_FindChar(text, char, at + 1, n, 1)
        else:
            at = capital
            capital = PyUnicode_FindChar(text, other, at + 1, n, 1)
        start = backwards(text, at, n, wanted, anchor, &work)
        end = -1 if start < 0 else forwards(text, at, n, wanted, anchor, m, &work)
        if end >= 0:
            yield start, end
        if work > 8 * n + 1000:         # a text made to be slow
            for place in searched(text, wanted, anchor, at + 1):
                yield place
            return


def searched(str text not None, str wanted not None, Py_ssize_t anchor, Py_ssize_t since):
    """The same by folding the whole text: places in which what folds to `wanted[anchor]` starts at `since` or later."""
    cdef Py_ssize_t at, end
    folded, starts = fold_quote(text)
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        # no cluster's folding is cut
        if (at == 0 or starts[at - 1] != starts[at]) and starts[end] != starts[end - 1]:
            if starts[at + anchor] >= since:
                yield starts[at], starts[end]
        at = folded.find(wanted, at + 1)
