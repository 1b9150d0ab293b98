# Positions and spans of one posting; phrases over them. See _occurrences.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from narsilpy._cursor cimport Cursor
from narsilpy._postings cimport Occurrence

cdef struct Place:
    uint32_t position
    uint32_t start
    uint32_t end
    uint32_t match              # which expansion found it

cdef struct Places:             # growable; whoever declares it frees `items`
    Place* items
    size_t n
    size_t size
    bint complete               # of a field: no place was left out
    uint32_t horizon            # where one was: none starts before this

cdef enum:
    ALL_PLACES = 0xFFFFFFFF

# appends at most `limit` places: the first ones, which also start first
cdef int read_places(const Cursor* c, Occurrence** memory, uint32_t match, uint32_t limit, Places* out) noexcept nogil
cdef void sort_places(Places* places) noexcept nogil
cdef bint match_phrase(Places* words, const uint32_t* offsets, uint32_t n_words, uint32_t slop, uint8_t** marks) noexcept nogil
cdef int push_place(Places* places, const Place* place) noexcept nogil
