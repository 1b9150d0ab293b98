# From the texts of a document to token buffers: one scanner and one buffer a text field, reused for every document.
#
# An array field is one text to the index: its elements lie one after the other, each starting one code point after the
# end of the one before, and POSITION_GAP positions apart so that no phrase reaches from one element into the next.
from libc.stdint cimport uint32_t

from narsilpy._lexicon cimport Lexicon
from narsilpy._text cimport Scanner, TokenBuffer

cdef enum:
    POSITION_GAP = 100          # wider than any slop that a phrase query is allowed


cdef class Intake:
    """Scans documents: `Intake(scanners)`, one scanner a text field."""

    cdef list scanners
    cdef list buffers

    def __cinit__(self, list scanners):
        self.scanners = scanners
        self.buffers = [TokenBuffer() for _ in scanners]

    def scan(self, list texts) -> list:
        """Tokens of each field, in buffers that the next call overwrites; None where a field is absent.

        `texts` holds a str, a list of str, or None for each text field.
        """
        cdef Py_ssize_t i, n = len(self.scanners)
        cdef list result = [None] * n
        cdef TokenBuffer buffer
        cdef Scanner scanner
        cdef object text, item
        cdef Py_ssize_t position, offset
        if len(texts) != n:
            raise ValueError("one text for each text field is needed")
        for i in range(n):
            text = texts[i]
            if text is None:
                continue
            buffer = self.buffers[i]
            scanner = self.scanners[i]
            buffer.n = 0
            if isinstance(text, str):
                scanner.scan(<str>text, buffer, 0, 0)
            else:
                position = offset = 0
                for item in text:
                    if offset + len(<str>item) >= 0x7FFFFFFF or position >= 0x7FFFFFFF:
                        raise OverflowError("an array field holds at most 2**31 code points")
                    position = scanner.scan(<str>item, buffer, <uint32_t>position, <uint32_t>offset) + POSITION_GAP
                    offset += len(<str>item) + 1
            result[i] = buffer
        return result


def item_starts(texts: list) -> list:
    """Where the text of each element of an array field starts in the numbering of the index."""
    starts = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text) + 1
    return starts


def distinct_terms(Lexicon lexicon, list buffers) -> list:
    """The distinct terms of a document, as UTF-8."""
    cdef TokenBuffer buffer
    cdef Py_ssize_t i, size
    cdef set seen = set()
    cdef const char* utf8
    cdef list terms = []
    for item in buffers:
        if item is None:
            continue
        buffer = item
        for i in range(buffer.n):
            seen.add(buffer.tokens[i].term)
    for term in seen:
        utf8 = lexicon.utf8(term, &size)
        terms.append(utf8[:size])
    return terms
