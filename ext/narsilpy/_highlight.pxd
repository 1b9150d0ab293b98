# What to show of one field of one hit. See _highlight.pyx.
from narsilpy._spans cimport SpanArray

cdef class Highlight:
    cdef readonly str snippet
    cdef object shown           # the positions as given, or None: records [first, stop) of `spans`
    cdef object stretches       # the passages as given, or None: the one of [start, end)
    cdef object every           # the matches as given, or None: all of `spans`, or what `source` reads
    cdef object source          # () -> SpanArray of every match, where `spans` holds the first ones alone
    cdef list parts             # of several passages (start, end, first record, stop record, score), else None
    cdef SpanArray spans
    cdef str text
    cdef Py_ssize_t start
    cdef Py_ssize_t end
    cdef Py_ssize_t first
    cdef Py_ssize_t stop

    cdef object passage(self, Py_ssize_t start, Py_ssize_t end, positions, double score)
