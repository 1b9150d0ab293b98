# The values of one field by document number. See _columns.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from narsilpy._bits cimport Bits

cdef enum:                      # kinds of columns
    NUMBERS = 0                 # doubles
    VALUES = 1                  # ordinals: strings and booleans, numbered as they come
    POINTS = 2                  # latitude and longitude

cdef enum:                      # states of a document
    MISSING = 0
    FILLED = 1
    EMPTY = 2                   # "" or []
    OTHER = 3                   # a value of a type that the field does not have (restored documents)

cdef class Column:
    cdef readonly int kind
    cdef readonly bint is_array
    cdef readonly uint32_t n    # documents [0, n) have a row
    cdef readonly list values   # by ordinal; the first stands for none
    cdef readonly dict ordinals # value to ordinal
    cdef uint8_t* states        # [n]
    cdef size_t room
    cdef uint64_t* starts       # [n + 1], arrays: where the items of a document start
    cdef size_t n_items
    cdef size_t items_room
    cdef double* numbers        # [n_items]; latitudes
    cdef double* longitudes
    cdef uint32_t* item_ordinals

    cdef int open_row(self, uint32_t doc, uint8_t state) except -1
    cdef int push(self, double number, uint32_t ordinal, double longitude) except -1
    cdef void scan_numbers(self, Bits found, double low, double high, bint with_low, bint with_high) noexcept nogil
    cdef void scan_ordinals(self, Bits found, const uint8_t* marks) noexcept nogil
    cdef uint32_t ordinal_of(self, object value) except 0
    cdef inline size_t first_item(self, uint32_t doc) noexcept nogil:
        return self.starts[doc] if self.is_array else doc
    cdef inline size_t end_item(self, uint32_t doc) noexcept nogil:
        return self.starts[doc + 1] if self.is_array else doc + 1
