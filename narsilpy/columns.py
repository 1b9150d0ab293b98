"""The non-text side of an index: the values of its fields by document number.

A column is made when the first filter, facet, sort or group asks for its field, from the stored documents, and kept up
by every write after that: whoever never asks pays nothing. Columns only grow. Document numbers are never given twice,
and every answer is intersected with the live documents, so what was removed never shows, and an index answers as a
fresh one would.
"""
from __future__ import annotations

import threading
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import Any

from narsilpy._columns import Column
from narsilpy._order import transform
from narsilpy.schema import Field, Schema, reach, thaw

SORTED_CHARS = 512      # code points of a folded string that an order looks at, before it looks at the string itself
INSERTED = 256          # new values that are put into the order one by one; with more the order is sorted anew

SortKey = tuple[int, str, str]


class Ranks:
    """The place of each value of a column in the order of sorts, by ordinal.

    Strings are compared by full case folding, code point by code point over their first 512, then as they are; booleans
    False before True.
    """

    def __init__(self) -> None:
        self._keys: list[SortKey] = [(0, "", "")]      # by ordinal
        self._order: list[int] = []         # ordinals in order
        self.by_ordinal = array("d", [0.0])

    def update(self, column: Column) -> array[float]:
        """The ranks by ordinal, values that came since included."""
        keys, order = self._keys, self._order
        first, last = len(keys), len(column.values)
        if first == last:
            return self.by_ordinal
        keys.extend(sort_key(value) for value in column.values[first:last])
        if last - first <= INSERTED:
            for ordinal in range(first, last):
                insort(order, ordinal, key=keys.__getitem__)
        else:
            order.extend(range(first, last))
            order.sort(key=keys.__getitem__)
        ranks = array("d", bytes(8 * last))
        for rank, ordinal in enumerate(order):
            ranks[ordinal] = rank
        self.by_ordinal = ranks
        return ranks

    def place(self, value: Any) -> float:
        """Where a value stands or would stand: its rank, or half a step before the rank of what follows it."""
        key = sort_key(value)
        place = bisect_left(self._order, key, key=self._keys.__getitem__)
        if place < len(self._order) and self._keys[self._order[place]] == key:
            return float(place)
        return place - 0.5


def sort_key(value: Any) -> SortKey:
    """What an order compares of a string or boolean: strings come first (a restored document may hold either)."""
    return (0, value.casefold()[:SORTED_CHARS], value) if isinstance(value, str) else (1, "", "01"[value])


class Columns:
    """The columns of one index, by field.

    Readers make columns, the writer adds to them: `lock` is held by whoever does either, or reads one. A document is
    added after it can be read from the index, and a column is made from what can be read under the lock, so a document
    that comes meanwhile is in one or in both (the second is passed over), never in neither. Whoever holds the lock does
    not wait for the index's own: a writer takes them in the other order.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.lock = threading.RLock()
        self._columns: dict[str, Column] = {}
        self._fields: list[tuple[Field, Column]] = []
        self._ranks: dict[str, Ranks] = {}
        self._transformed: dict[tuple[str, str], array[float]] = {}
        self._making = 0

    def add(self, doc: int, stored: Any) -> None:
        """Keep the columns that exist up to date with a new document."""
        if self._fields or self._making:
            with self.lock:
                for field, column in self._fields:
                    column.add(doc, _value(stored, field))

    def column(self, field: Field, documents: Iterable[tuple[int, Any]]) -> Column:
        """The column of a field, made from `documents` where nobody asked for it before. The lock is held."""
        column = self._columns.get(field.path)
        if column is None:
            column = Column(_KINDS[field.base], field.is_array)
            self._making += 1
            try:
                for doc, stored in documents:
                    column.add(doc, _value(stored, field))
                self._fields.append((field, column))
                self._columns[field.path] = column
            finally:
                self._making -= 1
        return column

    def ranks(self, field: Field) -> Ranks:
        """The order of the values of a field that has a column. The lock is held."""
        ranks = self._ranks.setdefault(field.path, Ranks())
        ranks.update(self._columns[field.path])
        return ranks

    def transformed(self, field: Field, function: str) -> array[float]:
        """f(value) by document, for a number field that has a column. The lock is held."""
        known = self._transformed.get((field.path, function), _NO_VALUES)
        values = transform(self._columns[field.path], function, known)
        self._transformed[field.path, function] = values
        return values

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for _, column in self._fields)


_NO_VALUES = array("d")
_KINDS = {"number": "number", "geopoint": "point", "string": "value", "enum": "value", "boolean": "value"}


def _value(stored: Any, field: Field) -> Any:
    """The value of a field in a stored document; None where it is missing."""
    value = reach(stored, field.parts)
    return thaw(value) if isinstance(value, tuple) else value
