# Documents on their way in and out.
#
# Reading: one walk over the caller's dict, by exact type. It fills `values` (one slot a schema field, None where the
# document has nothing) and `texts` (one slot a searchable field); lists are copied, so nothing of the caller's is kept.
# Whatever the walk does not take as it stands (a wrong type, a subclass, NaN, too deep, a reserved key, an extra field of
# a strict schema) makes `read` answer None: the Python twin in schema.py then reads the document again and either
# converts it or says what is wrong. Native code has no messages.
#
# Stored form: an object is the tuple (keys, value, value, ...), keys being one tuple shared by every document of that
# shape; a list is the tuple (None, item, item, ...). Strings are shared with the caller, containers never are, so a
# stored document is immutable all the way down. `thaw` makes a fresh dict each time.
cimport cython
from cpython.dict cimport PyDict_GetItem, PyDict_Next
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_Compare

from datetime import date, datetime

DEF MAX_DEPTH = 32
DEF MAX_SHAPES = 4096

cdef enum:
    KIND_OBJECT = 0
    KIND_STRING = 1
    KIND_NUMBER = 2
    KIND_BOOLEAN = 3
    KIND_GEOPOINT = 4
    KIND_STRINGS = 5
    KIND_NUMBERS = 6
    KIND_BOOLEANS = 7
    KIND_RESERVED = 8

cdef object _datetime = datetime
cdef object _date = date
cdef object _INT_MIN = -(1 << 63)
cdef object _INT_MAX = (1 << 64) - 1


cdef extern from *:
    """
    static int narsil_small_int(PyObject *value) {
        int overflow;
        long long v = PyLong_AsLongLongAndOverflow(value, &overflow);
        (void)v;
        return overflow == 0;
    }
    """
    int narsil_small_int(object value)


cdef inline bint _fits(object value):
    """A whole number that 64 bits hold, signed or unsigned."""
    return narsil_small_int(value) or _INT_MIN <= value <= _INT_MAX


@cython.final
cdef class Node:
    def __init__(self, int kind, Py_ssize_t slot, Py_ssize_t text, dict children):
        self.kind = kind
        self.slot = slot
        self.text = text
        self.children = children


@cython.final
cdef class Reader:
    """Reads documents of one schema; see the top of this file."""

    def __init__(self, dict root, object reserved, Py_ssize_t n_values, Py_ssize_t n_texts, tuple required, bint strict):
        cdef Node refused = Node(KIND_RESERVED, -1, -1, None)
        self.elsewhere = {key: refused for key in reserved}
        self.root = self._guarded(root)
        self.n_values = n_values
        self.n_texts = n_texts
        self.required = required
        self.strict = strict

    def _guarded(self, dict nodes):
        cdef Node node
        for node in nodes.values():
            if node.children is not None:
                node.children = self._guarded(node.children)
        return {**self.elsewhere, **nodes}

    cpdef tuple read(self, object document):
        """(texts, values), or None when the document needs the careful reader."""
        cdef list texts, values
        if type(document) is not dict:
            return None
        texts = [None] * self.n_texts
        values = [None] * self.n_values
        if self.walk(<dict>document, self.root, texts, values, 1) == 0:
            return None
        for slot in self.required:
            if values[slot] is None:
                return None
        return texts, values

    # The walkers answer 1 for "taken" and 0 for "needs the careful reader".
    cdef int walk(self, dict document, dict nodes, list texts, list values, int depth) except -1:
        cdef PyObject* key
        cdef PyObject* value
        cdef PyObject* found
        cdef Py_ssize_t at = 0
        cdef bint inside = nodes is not self.elsewhere
        if depth > MAX_DEPTH:
            return 0
        while PyDict_Next(document, &at, &key, &value):
            if type(<object>key) is not str:
                return 0
            found = PyDict_GetItem(nodes, <object>key)
            if found is NULL:
                if inside and self.strict and not (depth == 1 and <object>key == "id"):
                    return 0
                if self.check(<object>value, depth) == 0:
                    return 0
            elif self.take(<Node>found, <object>value, texts, values, depth) == 0:
                return 0
        return 1

    cdef int check(self, object value, int depth) except -1:
        """A value that no field describes: may it be stored?"""
        cdef Py_ssize_t i
        kind = type(value)
        if value is None or kind is str or kind is float or kind is bool or kind is bytes:
            return 1
        if kind is int:
            return _fits(value)
        if kind is dict:
            return self.walk(<dict>value, self.elsewhere, None, None, depth + 1)
        if kind is list:
            if depth + 1 > MAX_DEPTH:
                return 0
            for i in range(PyList_GET_SIZE(value)):
                if self.check(<object>PyList_GET_ITEM(value, i), depth + 1) == 0:
                    return 0
            return 1
        return kind is _datetime or kind is _date or kind is bytearray

    cdef int take(self, Node node, object value, list texts, list values, int depth) except -1:
        cdef int kind = node.kind
        cdef list items
        if value is None:
            return kind != KIND_RESERVED
        if kind == KIND_STRING:
            if type(value) is not str:
                return 0
            if node.text >= 0:
                texts[node.text] = value
        elif kind == KIND_NUMBER:
            if not _is_number(value):
                return 0
        elif kind == KIND_BOOLEAN:
            if value is not True and value is not False:
                return 0
        elif kind == KIND_OBJECT:
            if type(value) is not dict:
                return 0
            return self.walk(<dict>value, node.children, texts, values, depth + 1)
        elif kind == KIND_GEOPOINT:
            value = _geopoint(value)
            if value is None:
                return 0
        elif kind == KIND_RESERVED or type(value) is not list:
            return 0
        else:
            items = list(<list>value)
            if not _are(items, kind):
                return 0
            if node.text >= 0:
                texts[node.text] = items
            value = items
        values[node.slot] = value
        return 1


cdef inline bint _is_number(object value):
    cdef double number
    if type(value) is float:
        number = value
        return number == number
    return type(value) is int and _fits(value)


cdef bint _are(list items, int kind):
    for item in items:
        if kind == KIND_STRINGS:
            if type(item) is not str:
                return False
        elif kind == KIND_NUMBERS:
            if not _is_number(item):
                return False
        elif item is not True and item is not False:
            return False
    return True


cdef object _geopoint(object value):
    """(lat, lon) of a plain {"lat", "lon"} in range; None for anything else."""
    cdef double lat, lon
    if type(value) is not dict or len(<dict>value) != 2:
        return None
    north = (<dict>value).get("lat")
    east = (<dict>value).get("lon")
    if not _is_number(north) or not _is_number(east):
        return None
    lat = north
    lon = east
    if -90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0:
        return lat, lon
    return None


# -- the stored form ---------------------------------------------------------------------------------------------------

cdef dict _shapes = {}


cdef tuple _shape(dict document):
    """The shared tuple of a document's keys. The table is bounded: past it, a document keeps its own."""
    cdef tuple keys = tuple([key if type(key) is str else str.__str__(key) for key in document])
    shared = _shapes.get(keys)
    if shared is not None:
        return <tuple>shared
    if len(_shapes) < MAX_SHAPES and len(keys) <= 256:
        _shapes[keys] = keys
    return keys


cpdef object freeze(object value):
    """The immutable form of a validated document, or of any value inside one."""
    cdef PyObject* key
    cdef PyObject* item
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t i = 1
    cdef tuple frozen
    kind = type(value)
    if kind is str or value is None or kind is int or kind is float or kind is bool or kind is bytes:
        return value
    if isinstance(value, dict):
        plain = value if kind is dict else dict(value)
        frozen = PyTuple_New(1 + len(<dict>plain))
        keys = _shape(<dict>plain)
        Py_INCREF(keys)
        PyTuple_SET_ITEM(frozen, 0, keys)
        while PyDict_Next(<dict>plain, &at, &key, &item):
            child = freeze(<object>item)
            Py_INCREF(child)
            PyTuple_SET_ITEM(frozen, i, child)
            i += 1
        return frozen
    if isinstance(value, (list, tuple)):
        return (None, *[freeze(child) for child in value])
    if kind is _datetime or kind is _date:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"cannot store a {kind.__name__}")


cpdef bint has_dates(object stored):
    """Whether a stored document or value holds dates, which MessagePack has no type for."""
    if type(stored) is not tuple:
        return type(stored) is _datetime or type(stored) is _date
    for i in range(1, PyTuple_GET_SIZE(stored)):
        if has_dates(<object>PyTuple_GET_ITEM(stored, i)):
            return True
    return False


cpdef object thaw(object stored):
    """A fresh, plain copy of a stored document or value."""
    cdef Py_ssize_t i, n
    cdef dict out
    if type(stored) is not tuple:
        return stored
    n = PyTuple_GET_SIZE(stored)
    keys = <object>PyTuple_GET_ITEM(stored, 0)
    if keys is None:
        return [thaw(<object>PyTuple_GET_ITEM(stored, i)) for i in range(1, n)]
    out = {}
    for i in range(1, n):
        value = <object>PyTuple_GET_ITEM(stored, i)
        if type(value) is tuple:
            value = thaw(value)
        out[<object>PyTuple_GET_ITEM(keys, i - 1)] = value
    return out


cdef inline Py_ssize_t _place(object keys, object key):
    """Where `key` stands in a stored object (1-based), 0 when it does not."""
    cdef Py_ssize_t i, n
    if keys is None:
        return 0
    n = PyTuple_GET_SIZE(keys)
    for i in range(n):
        if PyTuple_GET_ITEM(keys, i) == <PyObject*>key:
            return i + 1
    for i in range(n):
        if PyUnicode_Compare(<object>PyTuple_GET_ITEM(keys, i), key) == 0:
            return i + 1
    return 0


cpdef object reach(object stored, tuple parts):
    """The frozen value at a path of a stored document, None when the path leads nowhere."""
    cdef Py_ssize_t at
    for part in parts:
        if type(stored) is not tuple:
            return None
        at = _place(<object>PyTuple_GET_ITEM(stored, 0), part)
        if at == 0:
            return None
        stored = <object>PyTuple_GET_ITEM(stored, at)
    return stored


cpdef object text_of(object stored, tuple parts):
    """The string, or list of strings, at a path; None for anything else."""
    cdef object value = reach(stored, parts)
    cdef Py_ssize_t i
    if type(value) is str:
        return value
    if type(value) is not tuple or <object>PyTuple_GET_ITEM(value, 0) is not None:
        return None
    for i in range(1, PyTuple_GET_SIZE(value)):
        if type(<object>PyTuple_GET_ITEM(value, i)) is not str:
            return None
    return list((<tuple>value)[1:])


cpdef object pick(object stored, dict keep, dict drop):
    """A thawed copy of a stored object with only the paths to keep, less those to drop. A tree maps a key to
    True (the whole value) or to the tree below it; None keeps everything, or drops nothing."""
    cdef Py_ssize_t i
    cdef dict out = {}
    keys = <object>PyTuple_GET_ITEM(stored, 0)
    for i in range(1, PyTuple_GET_SIZE(stored)):
        key = <object>PyTuple_GET_ITEM(keys, i - 1)
        wanted = True if keep is None else keep.get(key)
        if wanted is None:
            continue
        barred = None if drop is None else drop.get(key)
        if barred is True:
            continue
        value = <object>PyTuple_GET_ITEM(stored, i)
        if type(value) is tuple and <object>PyTuple_GET_ITEM(value, 0) is not None:
            value = pick(value, None if wanted is True else wanted, barred)
            if not value and wanted is not True:
                continue
        elif wanted is not True:
            continue
        else:
            value = thaw(value)
        out[key] = value
    return out
