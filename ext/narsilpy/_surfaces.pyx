# The spellings behind the terms: how often each folded, unstemmed word stands in live documents, and its term.
#
# Spellings are numbered by a Lexicon of their own; `counts` and `terms` are arrays by spelling. Adding and removing a
# document goes through its tokens once, so the counts are those of a fresh index of the live documents, whatever came
# and went. Used by one writer; completions read under the GIL.
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from narsilpy._lexicon cimport Lexicon
from narsilpy._text cimport TokenBuffer


cdef class Surfaces:
    """Live counts of spellings: `Surfaces(lexicon)`, over the lexicon that numbers them."""

    cdef readonly Lexicon lexicon
    cdef uint32_t* counts
    cdef uint32_t* terms
    cdef uint32_t size

    def __cinit__(self, Lexicon lexicon):
        self.lexicon = lexicon

    def __dealloc__(self):
        free(self.counts)
        free(self.terms)

    cdef int reserve(self) except -1:
        cdef uint32_t size
        cdef void* block
        if self.lexicon.n_terms <= self.size:
            return 0
        size = max(self.lexicon.n_terms, self.size * 2, 1024)
        block = realloc(self.counts, <size_t>size * sizeof(uint32_t))
        if block == NULL:
            raise MemoryError()
        self.counts = <uint32_t*>block
        block = realloc(self.terms, <size_t>size * sizeof(uint32_t))
        if block == NULL:
            raise MemoryError()
        self.terms = <uint32_t*>block
        memset(self.counts + self.size, 0, <size_t>(size - self.size) * sizeof(uint32_t))
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

    def counted(self, list buffers):
        """`{spelling number: occurrences}` of a document, for a later `remove`."""
        cdef TokenBuffer buffer
        cdef Py_ssize_t i
        cdef dict found = {}
        for item in buffers:
            if item is not None:
                buffer = item
                for i in range(buffer.n):
                    found[buffer.tokens[i].surface] = found.get(buffer.tokens[i].surface, 0) + 1
        return found

    def remove(self, dict counted):
        """Take the words of a document out again."""
        cdef uint32_t number, n
        for number, n in counted.items():
            if number < self.size:
                self.counts[number] -= min(n, self.counts[number])

    def completions(self, str prefix):
        """`(spelling, term number, occurrences)` of the live spellings that start with `prefix`, in code point order."""
        cdef uint32_t number
        return [(self.lexicon.term(number), self.terms[number], self.counts[number])
                for number in self.lexicon.prefix_range(prefix) if number < self.size and self.counts[number] > 0]

    @property
    def nbytes(self):
        return self.lexicon.nbytes + 2 * <size_t>self.size * sizeof(uint32_t)
