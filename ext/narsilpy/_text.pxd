# Code points in, tokens out. See _text.pyx.
from libc.stdint cimport uint32_t

from narsilpy._lexicon cimport Lexicon

cdef struct Token:
    uint32_t term       # id in the index's Lexicon
    uint32_t position   # ordinal of the part in the text, stop words and dropped parts included
    uint32_t start      # code points into the raw text (+ the base the caller gave)
    uint32_t end

cdef class TokenBuffer:
    cdef Token* tokens
    cdef readonly Py_ssize_t n
    cdef Py_ssize_t capacity
    cdef int reserve(self, Py_ssize_t extra) except -1

cdef class Scanner:
    cdef readonly Lexicon lexicon
    # Append the tokens of `text`; every position and offset is shifted by its base. Returns the position that
    # follows the last part. Terms are interned in the lexicon.
    cdef Py_ssize_t scan(self, str text, TokenBuffer out, uint32_t base_position, uint32_t base_offset) except -1
