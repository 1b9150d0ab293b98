# Documents: read against a schema, frozen for storage, thawed for the caller. See _documents.pyx.

cdef class Node:
    cdef readonly int kind              # one of the KIND_ numbers of _documents.pyx
    cdef readonly Py_ssize_t slot       # index into the values of a document, -1 for objects
    cdef readonly Py_ssize_t text       # index into its texts, -1 when the field is not searchable
    cdef readonly dict children         # key -> Node, for objects

cdef class Reader:
    cdef dict root
    cdef dict elsewhere                 # the keys that mean something outside the schema: the reserved ones
    cdef Py_ssize_t n_values
    cdef Py_ssize_t n_texts
    cdef tuple required                 # slots that must not be None
    cdef bint strict
    cdef int walk(self, dict document, dict nodes, list texts, list values, int depth) except -1
    cdef int take(self, Node node, object value, list texts, list values, int depth) except -1
    cdef int check(self, object value, int depth) except -1
    cpdef tuple read(self, object document)
