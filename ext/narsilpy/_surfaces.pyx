# The spellings behind the terms: how often each folded, unstemmed word stands in live documents, and its term.
#
# Spellings are numbered by a Lexicon of their own; `counts` and `terms` are arrays by spelling. Adding and removing a
# document goes through its tokens once, so the counts are those of a fresh index of the live documents, whatever came
# and went. Those of documents sealed on disk are loaded when they are first asked for: before that a count is what was added
# since, less what was taken out, and may be below zero. What was stored is kept beside the counts, so that storing again
# writes what changed.
# Used by one writer; completions read under the GIL.
from cpython cimport array
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memcpy, memset
import array

from narsilpy._blocks cimport read_varint, write_varint
from narsilpy._lexicon cimport Lexicon
from narsilpy._text cimport TokenBuffer

cdef array.array NO_NUMBERS = array.array("I")


cdef int by_number(const void* a, const void* b) noexcept nogil:
    cdef uint32_t x = (<const uint32_t*>a)[0], y = (<const uint32_t*>b)[0]
    return (x > y) - (x < y)


cdef class Surfaces:
    """Live counts of spellings: `Surfaces(lexicon)`, over the lexicon that numbers them."""

    cdef readonly Lexicon lexicon
    cdef int64_t* counts
    cdef int64_t* stored        # by spelling below `n_stored`, as of the last `load` or `is_stored`; 0 for others
    cdef uint32_t* terms
    cdef uint32_t size
    cdef uint32_t n_stored

    def __cinit__(self, Lexicon lexicon):
        self.lexicon = lexicon

    def __dealloc__(self):
        free(self.counts)
        free(self.stored)
        free(self.terms)

    cdef int reserve(self) except -1:
        cdef uint32_t size
        cdef void* block
        if self.lexicon.n_terms <= self.size:
            return 0
        size = max(self.lexicon.n_terms, self.size * 2, 1024)
        block = realloc(self.counts, <size_t>size * sizeof(int64_t))
        if block == NULL:
            raise MemoryError()
        self.counts = <int64_t*>block
        block = realloc(self.terms, <size_t>size * sizeof(uint32_t))
        if block == NULL:
            raise MemoryError()
        self.terms = <uint32_t*>block
        memset(self.terms + self.size, 0xFF, <size_t>(size - self.size) * sizeof(uint32_t))
        memset(self.counts + self.size, 0, <size_t>(size - self.size) * sizeof(int64_t))
        self.size = size
        return 0

    def add(self, list buffers):
        """Count the words of a document."""
        cdef TokenBuffer buffer
        cdef Py_ssize_t i
        self.reserve()
        for item in buffers:
            if item is not None:
                buffer = item
                for i in range(buffer.n):
                    self.counts[buffer.tokens[i].surface] += 1
                    self.terms[buffer.tokens[i].surface] = buffer.tokens[i].term

    def spellings(self, list buffers) -> array.array:
        """The spelling number of every token of a document, for a later `remove`."""
        cdef TokenBuffer buffer
        cdef Py_ssize_t i, n = 0
        cdef array.array found
        for item in buffers:
            if item is not None:
                buffer = item
                n += buffer.n
        found = array.clone(NO_NUMBERS, n, False)
        n = 0
        self.reserve()
        for item in buffers:
            if item is not None:
                buffer = item
                for i in range(buffer.n):
                    found.data.as_uints[n] = buffer.tokens[i].surface
                    self.terms[buffer.tokens[i].surface] = buffer.tokens[i].term    # it may not be loaded
                    n += 1
        return found

    def remove(self, array.array spellings):
        """Take the words of a document out again."""
        cdef uint32_t number
        cdef Py_ssize_t i
        if spellings.typecode != "I":
            raise TypeError("spellings are an array of type I")
        self.reserve()
        for i in range(len(spellings)):
            number = spellings.data.as_uints[i]
            if number < self.size:
                self.counts[number] -= 1

    cdef int reserve_stored(self) except -1:
        cdef void* block
        self.reserve()
        if self.size <= self.n_stored:
            return 0
        block = realloc(self.stored, <size_t>self.size * sizeof(int64_t))
        if block == NULL:
            raise MemoryError()
        self.stored = <int64_t*>block
        memset(self.stored + self.n_stored, 0, <size_t>(self.size - self.n_stored) * sizeof(int64_t))
        self.n_stored = self.size
        return 0

    def changes(self, Lexicon terms, bint everything=False):
        """What became of the counts since they were last loaded or stored, or ever, for `load` to add up.

        By spelling its length, itself, its term's length, the term, and the difference, whose sign is its lowest bit; lengths
        and numbers are varints.
        """
        cdef uint32_t number
        cdef Py_ssize_t n
        cdef int64_t change
        cdef const char* utf8
        cdef uint8_t[30] head
        cdef uint8_t* end
        cdef bytearray out = bytearray()
        for number in range(min(self.size, self.lexicon.n_terms)):
            change = self.counts[number] - (self.stored[number] if number < self.n_stored and not everything else 0)
            if change == 0:
                continue
            if self.terms[number] >= terms.n_terms:
                raise ValueError("a spelling without a term")
            utf8 = self.lexicon.utf8(number, &n)
            end = write_varint(head, n)
            out += head[:end - head]
            out += utf8[:n]
            utf8 = terms.utf8(self.terms[number], &n)
            end = write_varint(head, n)
            out += head[:end - head]
            out += utf8[:n]
            end = write_varint(head, <uint64_t>change << 1 if change > 0 else <uint64_t>-change << 1 | 1)
            out += head[:end - head]
        return bytes(out)

    def is_stored(self):
        """The counts are stored as they are now."""
        self.reserve_stored()
        if self.size:
            memcpy(self.stored, self.counts, <size_t>self.size * sizeof(int64_t))

    def load(self, const uint8_t[::1] data, Lexicon terms, bint signed=True):
        """Add what `changes` gave. Raises ValueError for other bytes. `signed=False`: counts are without a sign."""
        cdef const uint8_t* at
        cdef const uint8_t* end
        cdef const uint8_t* words[2]
        cdef uint64_t[2] sizes
        cdef uint64_t count
        cdef int64_t change
        cdef uint32_t number, term
        cdef int i
        if data.shape[0] == 0:
            return
        at = &data[0]
        end = at + data.shape[0]
        while at < end:
            for i in range(2):
                at = read_varint(at, end, &sizes[i])
                if at == NULL or sizes[i] > <uint64_t>(end - at):
                    raise ValueError("the stored spellings are corrupt")
                words[i] = at
                at += sizes[i]
            at = read_varint(at, end, &count)
            if at == NULL or count >> 62:
                raise ValueError("the stored spellings are corrupt")
            change = <int64_t>count
            if signed:
                change = -<int64_t>(count >> 1) if count & 1 else <int64_t>(count >> 1)
            number = self.lexicon.intern_utf8(<const char*>words[0], <Py_ssize_t>sizes[0])
            term = terms.intern_utf8(<const char*>words[1], <Py_ssize_t>sizes[1])
            self.reserve_stored()
            self.counts[number] += change
            self.stored[number] += change
            self.terms[number] = term

    def completed_terms(self, str prefix) -> array.array:
        """The numbers of the terms behind the live spellings that start with `prefix`, each once."""
        cdef uint32_t number
        cdef Py_ssize_t i, n = 0, kept = 0
        cdef list spellings = self.lexicon.prefix_range(prefix)
        cdef array.array terms = array.clone(NO_NUMBERS, len(spellings), False)
        cdef uint32_t* out = terms.data.as_uints
        for number in spellings:
            if number < self.size and self.counts[number] > 0:
                out[n] = self.terms[number]
                n += 1
        qsort(out, n, sizeof(uint32_t), by_number)
        for i in range(n):
            if kept == 0 or out[kept - 1] != out[i]:
                out[kept] = out[i]
                kept += 1
        array.resize(terms, kept)
        return terms

    def completions(self, str prefix):
        """`(spelling, term number, occurrences)` of the live spellings that start with `prefix`, in code point order."""
        cdef uint32_t number
        return [(self.lexicon.term(number), self.terms[number], self.counts[number])
                for number in self.lexicon.prefix_range(prefix) if number < self.size and self.counts[number] > 0]

    @property
    def nbytes(self):
        return (self.lexicon.nbytes + <size_t>self.size * (sizeof(int64_t) + sizeof(uint32_t))
                + <size_t>self.n_stored * sizeof(int64_t))
