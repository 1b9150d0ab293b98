# Matches numbered by the values that they have in common.
#
# One column after the other: the group of a match so far and the bits of its value make its next group, by an open hash
# of pairs. Columns are read under the lock of the index's columns, which the caller holds.
from cpython cimport array
import array

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from narsilpy._columns cimport NUMBERS, VALUES, Column

cdef enum:
    NO_NUMBER = 0xFFFFFFFF

cdef array.array NO_NUMBERS = array.array("I")


def group_numbers(const uint32_t[::1] docs, list columns) -> tuple:
    """Matches numbered by the values that they have in common: `(array of group by match, array of the first match of
    each group)`."""
    cdef array.array groups = array.clone(NO_NUMBERS, docs.shape[0], True)
    cdef uint32_t* group = <uint32_t*>groups.data.as_voidptr
    cdef uint32_t n = <uint32_t>docs.shape[0], n_groups = 1 if n else 0, i
    cdef array.array firsts
    cdef Pairs pairs
    cdef Column column
    for column in columns:
        pairs = Pairs()
        with nogil:
            for i in range(n):
                group[i] = pairs.number_of(group[i], value_bits(column, docs[i]))
                if group[i] == <uint32_t>NO_NUMBER:
                    break
        if pairs.failed:
            raise MemoryError()
        n_groups = pairs.used
    firsts = array.clone(NO_NUMBERS, n_groups, False)
    for i in range(n):
        firsts.data.as_uints[group[n - 1 - i]] = n - 1 - i
    return groups, firsts


cdef uint64_t value_bits(Column column, uint32_t doc) noexcept nogil:
    """Equal for equal values of a scalar column, 0 for none."""
    cdef double number
    cdef uint64_t bits
    if column.is_array or doc >= column.n:
        return 0
    if column.kind == VALUES:
        return column.item_ordinals[doc]
    number = column.numbers[doc]
    if column.kind != NUMBERS or number != number:
        return 0
    number += 0.0               # -0.0 is 0.0
    memcpy(&bits, &number, 8)
    return bits + 1             # no number is NaN, so that this is never 0 again


cdef class Pairs:
    """Numbers for pairs of a number and 64 bits, in the order in which they come: an open hash, at most half full."""

    cdef uint64_t* bits
    cdef uint32_t* before
    cdef uint32_t* numbers      # + 1; 0 where nothing stands
    cdef size_t size
    cdef uint32_t used
    cdef bint failed

    def __cinit__(self):
        self.allocate(1024)
        if self.failed:
            raise MemoryError()

    def __dealloc__(self):
        free(self.bits)
        free(self.before)
        free(self.numbers)

    cdef void allocate(self, size_t size) noexcept nogil:
        self.size = size
        self.bits = <uint64_t*>malloc(8 * size)
        self.before = <uint32_t*>malloc(4 * size)
        self.numbers = <uint32_t*>calloc(size, 4)
        self.failed = self.bits == NULL or self.before == NULL or self.numbers == NULL

    cdef size_t slot(self, uint32_t before, uint64_t bits) noexcept nogil:
        cdef size_t at = <size_t>(((bits ^ (<uint64_t>before << 24)) * <uint64_t>0x9E3779B97F4A7C15) >> 32) & (self.size - 1)
        while self.numbers[at] and not (self.bits[at] == bits and self.before[at] == before):
            at = (at + 1) & (self.size - 1)
        return at

    cdef uint32_t number_of(self, uint32_t before, uint64_t bits) noexcept nogil:
        cdef size_t at = self.slot(before, bits)
        if self.numbers[at] == 0:
            if 2 * (<size_t>self.used + 1) > self.size:
                self.grow()
                if self.failed:
                    return NO_NUMBER
                at = self.slot(before, bits)
            self.bits[at] = bits
            self.before[at] = before
            self.used += 1
            self.numbers[at] = self.used
        return self.numbers[at] - 1

    cdef void grow(self) noexcept nogil:
        cdef uint64_t* bits = self.bits
        cdef uint32_t* before = self.before
        cdef uint32_t* numbers = self.numbers
        cdef size_t i, at, size = self.size
        self.allocate(2 * size)
        if not self.failed:
            for i in range(size):
                if numbers[i]:
                    at = self.slot(before[i], bits[i])
                    self.bits[at] = bits[i]
                    self.before[at] = before[i]
                    self.numbers[at] = numbers[i]
        free(bits)
        free(before)
        free(numbers)
