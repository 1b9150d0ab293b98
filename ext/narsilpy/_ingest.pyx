# From the texts of a document to token buffers: one scanner and one buffer a text field, reused for every document.
#
# An array field is one text to the index: its elements lie one after the other, each starting one code point after the
# end of the one before, and POSITION_GAP positions apart so that no phrase reaches from one element into the next.
from cpython cimport array
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport qsort
import array

from narsilpy._blocks cimport fetch_ahead
from narsilpy._lexicon cimport Lexicon
from narsilpy._postings cimport MemorySegment
from narsilpy._segment cimport SealedSegment, hash_term
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


cdef int by_number(const void* a, const void* b) noexcept nogil:
    cdef uint32_t x = (<const uint32_t*>a)[0], y = (<const uint32_t*>b)[0]
    return (x > y) - (x < y)


def distinct_terms(list buffers) -> array.array:
    """The numbers of the distinct terms of a document, as an array("I"), ascending."""
    cdef TokenBuffer buffer
    cdef Py_ssize_t i, n = 0, kept = 0
    cdef array.array terms
    cdef uint32_t* out
    for item in buffers:
        if item is not None:
            buffer = item
            n += buffer.n
    terms = array.clone(NO_TERMS, n, False)
    out = terms.data.as_uints
    n = 0
    for item in buffers:
        if item is not None:
            buffer = item
            for i in range(buffer.n):
                out[n] = buffer.tokens[i].term
                n += 1
    qsort(out, n, sizeof(uint32_t), by_number)
    for i in range(n):
        if kept == 0 or out[kept - 1] != out[i]:
            out[kept] = out[i]
            kept += 1
    array.resize(terms, kept)
    return terms


cdef array.array NO_TERMS = array.array("I")


def forget(segment, Lexicon lexicon, array.array terms):
    """Count one document, whose distinct terms these are, out of the document frequencies of its segment."""
    cdef Py_ssize_t i, n = len(terms)
    cdef const uint32_t* numbers = terms.data.as_uints
    cdef MemorySegment memory
    if terms.typecode != "I":
        raise TypeError("terms are an array of type I")
    for i in range(n):
        if numbers[i] >= lexicon.n_terms:
            raise ValueError("a term is not in the lexicon")
    if isinstance(segment, MemorySegment):
        memory = segment
        if memory.lexicon is not lexicon:
            raise ValueError("the terms of another lexicon")
        for i in range(n):
            if numbers[i] < memory.terms_size and memory.terms[numbers[i]].df > 0:
                memory.terms[numbers[i]].df -= 1
        return
    forget_sealed(segment, lexicon, numbers, n)


cdef int forget_sealed(SealedSegment segment, Lexicon lexicon, const uint32_t* numbers, Py_ssize_t n) except -1:
    cdef Py_ssize_t i, size
    cdef int64_t place
    cdef const char* utf8
    cdef const uint32_t* slots = <const uint32_t*>(segment.base + segment.header.hash)
    cdef uint32_t mask = segment.header.hash_slots - 1
    cdef dict removed = segment.removed
    for i in range(n):              # the hash table of a large segment does not fit any cache
        utf8 = lexicon.utf8(numbers[i], &size)
        fetch_ahead(slots + (<uint32_t>hash_term(utf8, size, segment.header.hash_seed) & mask))
    for i in range(n):
        utf8 = lexicon.utf8(numbers[i], &size)
        place = segment.find_term(utf8, size)
        if place >= 0:
            removed[place] = removed.get(place, 0) + 1
    return 0
