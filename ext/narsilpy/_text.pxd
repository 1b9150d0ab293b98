# Code points in, tokens out. See _text.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from narsilpy._lexicon cimport Lexicon

cdef struct Token:
    uint32_t term       # id in the index's Lexicon
    uint32_t surface    # id of the folded, unstemmed word in the index's lexicon of surfaces
    uint32_t position   # ordinal of the part in the text, stop words and dropped parts included
    uint32_t start      # code points into the raw text (+ the base the caller gave)
    uint32_t end

cdef class TokenBuffer:
    cdef Token* tokens
    cdef readonly Py_ssize_t n
    cdef Py_ssize_t capacity
    cdef int reserve(self, Py_ssize_t extra) except -1

cdef struct Memo:               # one remembered surface: 32 bytes, two to a cache line
    uint64_t key[2]             # short Latin-1 words themselves, padded with zeros; else hash, and offset in Scanner.keys
    uint32_t n                  # code points; 0 = free
    uint32_t is_packed
    uint32_t term               # NO_TERM: nothing is indexed
    uint32_t surface

cdef class Scanner:
    cdef readonly Lexicon lexicon
    cdef readonly Lexicon surfaces
    cdef readonly object policy
    cdef frozenset dropped
    cdef object stem
    cdef bint stems_bytes
    cdef readonly uint32_t inner    # classes that words may hold beside letters, marks and numbers
    cdef uint64_t seed
    cdef Memo* memo
    cdef uint32_t n_memo
    cdef uint32_t n_slots
    cdef uint32_t* keys
    cdef size_t n_keys
    cdef size_t keys_size
    # Append the tokens of `text`; every position and offset is shifted by its base. Returns the position that
    # follows the last part. Terms are interned in the lexicon.
    cdef Py_ssize_t scan(self, str text, TokenBuffer out, uint32_t base_position, uint32_t base_offset) except -1
    cdef uint8_t in_word[256]       # by Latin-1 character
    cdef int miss(self, object text, Py_ssize_t start, Py_ssize_t end, bint ngram, const uint64_t* key, bint packed,
                  uint32_t* term, uint32_t* surface) except -1
    cdef int take_plain(self, const char* folded, Py_ssize_t n, uint32_t* term, uint32_t* surface) except -1
    cdef int forget(self) except -1

cdef class CallableScanner(Scanner):
    cdef object tokenizer
