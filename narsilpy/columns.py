"""The non-text side of an index: which documents hold which value, by field.

A column is made when the first filter asks for its field, from the stored documents, and kept up by every write after
that: whoever never filters pays nothing. Columns only grow. Document numbers are never given twice, and every answer is
intersected with the live documents, so what was removed never shows, and an index answers as a fresh one would.
"""
from __future__ import annotations

import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from pyroaring import BitMap

from narsilpy.schema import Field, Schema, reach, thaw

NEW_NUMBERS = 4_096     # numbers that are looked through one by one before they are sorted in


class Column:
    """One field: documents by value, and what else filters ask for.

    Attributes:
        by_value: value (or element of an array) to documents; not for numbers and points.
        present: documents that have a value; `empty`: those whose value is "" or [].
        sizes: length of an array to documents.
        points: document to (lat, lon).
    """

    def __init__(self, field: Field) -> None:
        self.field = field
        self.by_value: dict[Any, BitMap] = {}
        self.present = BitMap()
        self.empty = BitMap()
        self.sizes: dict[int, BitMap] = {}
        self.points: dict[int, tuple[float, float]] = {}
        self._new_numbers: list[tuple[float, int]] = []
        self._numbers: array[float] = array("d")       # ascending, with their documents beside them
        self._number_docs: array[int] = array("I")

    def add(self, doc: int, value: Any) -> None:
        """Take the value of a document's field, as it is stored. Restored documents may hold values of another type:
        those are present, and no comparison finds them."""
        if value is None:
            return
        self.present.add(doc)
        base = self.field.base
        if base == "geopoint":
            if isinstance(value, dict) and {"lat", "lon"} <= value.keys():
                self.points[doc] = (float(value["lat"]), float(value["lon"]))
            return
        if isinstance(value, list) != self.field.is_array:
            return
        elements: Iterable[Any] = (value,)
        if self.field.is_array:
            elements = value
            self.sizes.setdefault(len(value), BitMap()).add(doc)
            if not value:
                self.empty.add(doc)
        elif value == "":
            self.empty.add(doc)
        for element in elements:
            if base == "number":
                if isinstance(element, (int, float)):
                    self._new_numbers.append((float(element), doc))
            elif isinstance(element, (str, bool)):
                self.by_value.setdefault(element, BitMap()).add(doc)

    @property
    def empty_arrays(self) -> BitMap:
        """Documents whose value is an array without elements: no element of it is unequal to anything."""
        return self.empty if self.field.is_array else BitMap()

    def range(self, low: float, high: float, with_low: bool, with_high: bool) -> BitMap:
        """Documents with a number between the bounds."""
        if len(self._new_numbers) > max(NEW_NUMBERS, len(self._numbers) // 16):
            self._merge()
        numbers = self._numbers
        first = bisect_left(numbers, low) if with_low else bisect_right(numbers, low)
        last = bisect_right(numbers, high) if with_high else bisect_left(numbers, high)
        found = BitMap(self._number_docs[first:last]) if first < last else BitMap()
        found.update(doc for number, doc in self._new_numbers
                     if (number >= low if with_low else number > low)
                     and (number <= high if with_high else number < high))
        return found

    def _merge(self) -> None:
        """Sort the numbers that came since the last merge in."""
        pairs = sorted([*zip(self._numbers, self._number_docs, strict=True), *self._new_numbers])
        self._number_docs = array("I", [doc for _, doc in pairs])
        self._numbers = array("d", [number for number, _ in pairs])
        self._new_numbers = []


class Columns:
    """The columns of one index, by field.

    Readers make columns and sort numbers in, the writer adds to them: `lock` is held by whoever does. A document is
    added after it can be read from the index, and a column is made from what can be read under the lock, so a document
    that comes meanwhile is in one or in both (twice does no harm), never in neither.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.lock = threading.Lock()
        self._columns: dict[str, Column] = {}

    def add(self, doc: int, stored: Any) -> None:
        """Keep the columns that exist up to date with a new document."""
        if self._columns or self.lock.locked():
            with self.lock:
                for column in self._columns.values():
                    column.add(doc, _value(stored, column.field))

    def column(self, field: Field, documents: Iterator[tuple[int, Any]]) -> Column:
        """The column of a field, made from `documents` where no filter asked for it before."""
        column = self._columns.get(field.path)
        if column is None:
            column = Column(field)
            for doc, stored in documents:
                column.add(doc, _value(stored, field))
            self._columns[field.path] = column
        return column


def _value(stored: Any, field: Field) -> Any:
    """The value of a field in a stored document; None where it is missing."""
    value = reach(stored, field.parts)
    return thaw(value) if isinstance(value, tuple) else value
