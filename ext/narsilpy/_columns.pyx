# The values of one field by document number, for filters, facets, sorts and groups.
#
# A scalar field is one flat array with an entry a document, an array field a flat array of items with a start a
# document. Numbers are doubles (NaN where there is none), strings and booleans ordinals (0 where there is none) into
# `values`, in the order in which they were first seen. `states` says of each document whether it has a value at all.
#
# A column only grows: documents come in ascending order, a document that comes twice is kept as it came first, and a
# document's value never changes. Removed documents keep their rows; whoever asks intersects with the live ones.
# The arrays move as they grow, so whoever reads or adds holds the lock of the index's columns (see columns.py).
#
# A filter is a scan: 0.3 ns a document and no other structure to keep. What it finds is a Bits over document numbers.
from cpython cimport array
import array

from libc.math cimport NAN
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from narsilpy._bits cimport Bits
from narsilpy._geo cimport Circle, circle_of, in_circle, in_polygon
from narsilpy._tally cimport Tally

cdef enum:
    NOGIL_ROWS = 65536          # shorter scans keep the GIL: handing it over takes longer

cdef array.array NO_NUMBERS = array.array("I")


cdef class Column:
    """Values by document number. `kind` is "number", "value" or "point"; an array holds several a document."""

    def __cinit__(self, str kind, bint is_array=False):
        self.kind = {"number": NUMBERS, "value": VALUES, "point": POINTS}[kind]
        self.is_array = is_array
        self.values = [None]
        self.ordinals = {}

    def __dealloc__(self):
        free(self.states)
        free(self.starts)
        free(self.numbers)
        free(self.longitudes)
        free(self.item_ordinals)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays; the values themselves are apart."""
        cdef size_t a_row = 9 if self.is_array else 1
        cdef size_t an_item = 8 if self.kind == NUMBERS else 4 if self.kind == VALUES else 16
        return self.room * a_row + self.items_room * an_item

    # ------------------------------------------------------------------ adding
    def add(self, uint32_t doc, object value) -> None:
        """The value of a document, as it is stored; None for none. A value of another type than the field's is there,
        and no comparison finds it."""
        if doc < self.n:
            return
        if value is None or isinstance(value, (list, tuple)) != self.is_array:
            self.open_row(doc, MISSING if value is None else OTHER)
        elif self.is_array:
            self.open_row(doc, FILLED if len(value) else EMPTY)
            for item in value:
                if self.kind == NUMBERS:
                    if isinstance(item, (int, float)):
                        self.push(<double>item, 0, 0)
                elif isinstance(item, (str, bool)):
                    self.push(0, self.ordinal_of(item), 0)
            self.starts[doc + 1] = self.n_items
        else:
            self.open_row(doc, EMPTY if isinstance(value, str) and not value else FILLED)
            if self.kind == NUMBERS:
                if isinstance(value, (int, float)):
                    self.numbers[doc] = <double>value
            elif self.kind == VALUES:
                if isinstance(value, (str, bool)):
                    self.item_ordinals[doc] = self.ordinal_of(value)
            elif isinstance(value, dict) and "lat" in value and "lon" in value:
                self.numbers[doc] = <double>value["lat"]
                self.longitudes[doc] = <double>value["lon"]

    cdef int open_row(self, uint32_t doc, uint8_t state) except -1:
        """Rows for the documents up to `doc`; those between have nothing."""
        cdef size_t room
        cdef void* block
        if <size_t>doc + 1 > self.room:
            room = max(<size_t>256, max(2 * self.room, <size_t>doc + 1))
            block = realloc(self.states, room)
            if block == NULL:
                raise MemoryError()
            self.states = <uint8_t*>block
            if self.is_array:
                block = realloc(self.starts, 8 * (room + 1))
                if block == NULL:
                    raise MemoryError()
                self.starts = <uint64_t*>block
                if self.room == 0:
                    self.starts[0] = 0
            self.room = room
        while self.n <= doc:
            self.states[self.n] = MISSING
            if self.is_array:
                self.starts[self.n + 1] = self.n_items
            else:
                self.push(NAN, 0, NAN)
            self.n += 1
        self.states[doc] = state
        return 0

    cdef int push(self, double number, uint32_t ordinal, double longitude) except -1:
        cdef size_t room = self.items_room
        cdef void* block
        if self.n_items == room:
            room = max(<size_t>256, 2 * room)
            if self.kind != VALUES:
                block = realloc(self.numbers, 8 * room)
                if block == NULL:
                    raise MemoryError()
                self.numbers = <double*>block
            if self.kind == POINTS:
                block = realloc(self.longitudes, 8 * room)
                if block == NULL:
                    raise MemoryError()
                self.longitudes = <double*>block
            if self.kind == VALUES:
                block = realloc(self.item_ordinals, 4 * room)
                if block == NULL:
                    raise MemoryError()
                self.item_ordinals = <uint32_t*>block
            self.items_room = room
        if self.kind == VALUES:
            self.item_ordinals[self.n_items] = ordinal
        else:
            self.numbers[self.n_items] = number
            if self.kind == POINTS:
                self.longitudes[self.n_items] = longitude
        self.n_items += 1
        return 0

    cdef uint32_t ordinal_of(self, object value) except 0:
        cdef object known = self.ordinals.get(value)
        if known is not None:
            return known
        if len(self.values) >= 0xFFFFFFFF:
            raise OverflowError("too many different values")
        self.ordinals[value] = len(self.values)
        self.values.append(value)
        return <uint32_t>len(self.values) - 1

    def value(self, uint32_t doc):
        """The number or value of a document in a scalar column; None where it has none, or one of another type."""
        if self.is_array or doc >= self.n:
            return None
        if self.kind == VALUES:
            return self.values[self.item_ordinals[doc]]
        return None if self.numbers[doc] != self.numbers[doc] else self.numbers[doc]

    # ----------------------------------------------------------------- filters
    def present(self, uint32_t n, bint with_empty=True) -> Bits:
        """Documents below `n` that have a value; without those of "" and [] where `with_empty` is False."""
        cdef Bits found = Bits(n)
        cdef uint32_t doc
        for doc in range(min(n, self.n)):
            if self.states[doc] != MISSING and (with_empty or self.states[doc] != EMPTY):
                found.words[doc >> 6] |= <uint64_t>1 << (doc & 63)
        found.recount()
        return found

    def between(self, uint32_t n, double low, double high, bint with_low=True, bint with_high=True) -> Bits:
        """Documents below `n` with a number between the bounds."""
        cdef Bits found = Bits(n)
        if self.kind == NUMBERS:
            if self.n < NOGIL_ROWS:
                self.scan_numbers(found, low, high, with_low, with_high)
            else:
                with nogil:
                    self.scan_numbers(found, low, high, with_low, with_high)
        found.recount()
        return found

    cdef void scan_numbers(self, Bits found, double low, double high, bint with_low, bint with_high) noexcept nogil:
        cdef uint32_t doc = 0, n = min(found.n, self.n), end
        cdef const double* numbers = self.numbers
        cdef double number
        cdef size_t i
        cdef uint64_t word, eight
        cdef uint8_t flags[64]
        if self.is_array:
            for doc in range(n):
                for i in range(self.starts[doc], self.starts[doc + 1]):
                    number = numbers[i]
                    if (number >= low if with_low else number > low) and (number <= high if with_high else number < high):
                        found.words[doc >> 6] |= <uint64_t>1 << (doc & 63)
                        break
            return
        while doc < n:
            word = 0
            end = min(n, doc + 64)
            if with_low and with_high and end - doc == 64:
                for i in range(64):             # a byte each, which the compiler does several at a time
                    flags[i] = (numbers[doc + i] >= low) & (numbers[doc + i] <= high)
                for i in range(8):              # the lowest bits of 8 bytes side by side
                    memcpy(&eight, flags + 8 * i, 8)
                    word |= ((eight * <uint64_t>0x0102040810204080) >> 56) << (8 * i)
            else:
                for i in range(doc, end):
                    number = numbers[i]
                    word |= <uint64_t>((number >= low if with_low else number > low)
                                       & (number <= high if with_high else number < high)) << (i & 63)
            found.words[doc >> 6] = word
            doc = end

    def holding(self, uint32_t n, wanted) -> Bits:
        """Documents below `n` with one of the ordinals `wanted` (for arrays: as an item)."""
        cdef Bits found = Bits(n)
        cdef uint8_t* marks
        cdef uint32_t ordinal
        cdef size_t n_marks = len(self.values)
        if self.kind == VALUES and wanted:
            marks = <uint8_t*>calloc(n_marks, 1)
            if marks == NULL:
                raise MemoryError()
            try:
                for ordinal in wanted:
                    if 0 < ordinal < n_marks:
                        marks[ordinal] = 1
                with nogil:
                    self.scan_ordinals(found, marks)
            finally:
                free(marks)
        found.recount()
        return found

    cdef void scan_ordinals(self, Bits found, const uint8_t* marks) noexcept nogil:
        cdef uint32_t doc = 0, n = min(found.n, self.n), end
        cdef size_t i
        cdef uint64_t word
        if self.is_array:
            for doc in range(n):
                for i in range(self.starts[doc], self.starts[doc + 1]):
                    if marks[self.item_ordinals[i]]:
                        found.words[doc >> 6] |= <uint64_t>1 << (doc & 63)
                        break
            return
        while doc < n:
            word = 0
            end = min(n, doc + 64)
            for i in range(doc, end):
                word |= <uint64_t>marks[self.item_ordinals[i]] << (i & 63)
            found.words[doc >> 6] = word
            doc = end

    def sized(self, uint32_t n, double low, double high, bint with_low=True, bint with_high=True) -> Bits:
        """Documents below `n` whose array has a number of items between the bounds."""
        cdef Bits found = Bits(n)
        cdef uint32_t doc
        cdef double size
        if self.is_array:
            for doc in range(min(n, self.n)):
                size = <double>(self.starts[doc + 1] - self.starts[doc])
                if (self.states[doc] == FILLED or self.states[doc] == EMPTY) and (size >= low if with_low else size > low) and (
                        size <= high if with_high else size < high):
                    found.words[doc >> 6] |= <uint64_t>1 << (doc & 63)
        found.recount()
        return found

    def around(self, uint32_t n, double lat, double lon, double metres, bint inside=True, bint exact=False) -> Bits:
        """Documents below `n` with a point within `metres` of a place (or, not `inside`, with one beyond); `exact` for
        the ellipsoid."""
        cdef Bits found = Bits(n)
        cdef Circle circle = circle_of(lat, lon, metres, exact)
        cdef uint32_t doc
        if self.kind == POINTS:
            with nogil:
                for doc in range(min(n, self.n)):
                    if self.numbers[doc] == self.numbers[doc] and in_circle(
                            &circle, self.numbers[doc], self.longitudes[doc]) == inside:
                        found.words[doc >> 6] |= <uint64_t>1 << (doc & 63)
        found.recount()
        return found

    def within(self, uint32_t n, list corners, bint inside=True) -> Bits:
        """Documents below `n` with a point in a polygon of `(lat, lon)` corners (or, not `inside`, with one outside)."""
        cdef Bits found = Bits(n)
        cdef uint32_t doc, i, n_corners = <uint32_t>len(corners)
        cdef double* flat = <double*>malloc(16 * <size_t>max(n_corners, 1))
        if flat == NULL:
            raise MemoryError()
        try:
            for i in range(n_corners):
                flat[2 * i], flat[2 * i + 1] = corners[i]
            if self.kind == POINTS:
                with nogil:
                    for doc in range(min(n, self.n)):
                        if self.numbers[doc] == self.numbers[doc] and in_polygon(
                                flat, n_corners, self.numbers[doc], self.longitudes[doc]) == inside:
                            found.words[doc >> 6] |= <uint64_t>1 << (doc & 63)
        finally:
            free(flat)
        found.recount()
        return found

    # ------------------------------------------------------------------ facets
    def count_values(self, const uint32_t[::1] docs, bint every=False) -> array.array:
        """How many of `docs` (ascending) hold each ordinal; with `every` each item of an array counts, not each
        document."""
        cdef size_t n_values = len(self.values), i, j
        cdef array.array counts = array.clone(NO_NUMBERS, n_values, True)
        cdef uint32_t* count = <uint32_t*>counts.data.as_voidptr
        cdef uint32_t* seen = NULL      # by ordinal: the document that was last counted, + 1
        cdef uint32_t doc, ordinal
        cdef size_t n_docs = docs.shape[0]
        if self.kind != VALUES:
            raise ValueError("numbers are counted by count_numbers")
        if self.is_array:
            seen = <uint32_t*>calloc(n_values, 4)
            if seen == NULL:
                raise MemoryError()
        with nogil:
            for i in range(n_docs):
                doc = docs[i]
                if doc >= self.n:
                    continue
                if not self.is_array:
                    count[self.item_ordinals[doc]] += 1
                    continue
                for j in range(self.starts[doc], self.starts[doc + 1]):
                    ordinal = self.item_ordinals[j]
                    if every or seen[ordinal] != doc + 1:
                        seen[ordinal] = doc + 1
                        count[ordinal] += 1
        free(seen)
        count[0] = 0
        return counts

    def count_numbers(self, const uint32_t[::1] docs) -> dict:
        """How many of `docs` hold each number, each document once."""
        cdef Tally tally = Tally()
        cdef size_t i, j, k, first, end, n_docs = docs.shape[0]
        cdef uint32_t doc
        cdef int failed = 0
        if self.kind != NUMBERS:
            raise ValueError("ordinals are counted by count_values")
        with nogil:
            for i in range(n_docs):
                doc = docs[i]
                if doc >= self.n:
                    continue
                first = self.first_item(doc)
                end = self.end_item(doc)
                for j in range(first, end):
                    if self.numbers[j] != self.numbers[j]:
                        continue
                    for k in range(first, j):
                        if self.numbers[k] == self.numbers[j]:
                            break
                    else:
                        if tally.count_number(self.numbers[j]) < 0:
                            failed = 1
                            break
                if failed:
                    break
        if failed:
            raise MemoryError()
        return tally.counted()

    def count_ranges(self, const uint32_t[::1] docs, list ranges) -> list:
        """How many of `docs` hold a number from `low` up to but without `high`, for each pair of `ranges`."""
        cdef size_t i, j, r, n_ranges = len(ranges), n_docs = docs.shape[0]
        cdef double* bounds = <double*>malloc(16 * max(n_ranges, 1))
        cdef uint64_t* counts = <uint64_t*>calloc(max(n_ranges, 1), 8)
        cdef uint32_t doc
        cdef double number
        try:
            if bounds == NULL or counts == NULL:
                raise MemoryError()
            for r in range(n_ranges):
                bounds[2 * r], bounds[2 * r + 1] = ranges[r]
            if self.kind == NUMBERS:
                with nogil:
                    for i in range(n_docs):
                        doc = docs[i]
                        if doc >= self.n:
                            continue
                        if not self.is_array:
                            number = self.numbers[doc]
                            for r in range(n_ranges):
                                counts[r] += (number >= bounds[2 * r]) & (number < bounds[2 * r + 1])
                            continue
                        for r in range(n_ranges):
                            for j in range(self.starts[doc], self.starts[doc + 1]):
                                if bounds[2 * r] <= self.numbers[j] < bounds[2 * r + 1]:
                                    counts[r] += 1
                                    break
            return [counts[r] for r in range(n_ranges)]
        finally:
            free(bounds)
            free(counts)
