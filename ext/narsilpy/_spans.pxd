# Spans of one field value of one document, flat. See _spans.pyx.
from libc.stdint cimport int32_t, int64_t, uint32_t

cdef struct SpanRecord:
    uint32_t start      # code points into the stored string (of the array element `value`, for array fields)
    uint32_t end
    uint32_t match      # index into SpanArray.matches
    int32_t value       # element of an array field, -1 for a plain string

cdef class SpanArray:
    cdef SpanRecord* records
    cdef readonly Py_ssize_t n
    cdef readonly uint32_t horizon  # every match of the field that starts before it is here; ALL: there are no others
    cdef Py_ssize_t capacity
    cdef readonly tuple matches     # (term, query_term, kind) by SpanRecord.match
    cdef int reserve(self, Py_ssize_t extra) except -1
    cdef int push(self, uint32_t start, uint32_t end, uint32_t match, int32_t value) except -1
    cdef object span(self, Py_ssize_t i)

cpdef int64_t densest(SpanArray array, Py_ssize_t first, Py_ssize_t stop, uint32_t length, uint32_t size) except? -2
cdef void snap(str text, Py_ssize_t* start, Py_ssize_t* end, Py_ssize_t match_start, Py_ssize_t match_end) noexcept
