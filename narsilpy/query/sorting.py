"""The `sort=` option: matches by the stored values of fields.

`{"price": "asc", "title": "desc"}`, or the same as a list of `{"field": ..., "direction": ...}` or names. Numbers come
by size, strings by their full case folding and then as they are, False before True; what is missing (and infinite
numbers) comes last in both directions, and document ids, ascending, decide between equals.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from narsilpy.columns import Columns
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.schema import Field, Schema

MAX_FIELDS = 8      # the original's limit
DIRECTIONS = ("asc", "desc")

OrderKey = tuple[Any, Any, bool]      # as `_order.Order` takes them


class SortKey(NamedTuple):
    """One field of a sort."""

    field: Field
    descending: bool

    def order_key(self, columns: Columns) -> OrderKey:
        """What `_order.Order` reads. The lock of the columns is held, and the field has its column."""
        column = columns.column(self.field, ())
        return column, None if self.field.base == "number" else columns.ranks(self.field).by_ordinal, self.descending

    def place(self, columns: Columns, value: Any) -> float:
        """The key of a value, as `Order` compares it: of a document that may be gone by now."""
        sign = -1.0 if self.descending else 1.0
        if self.field.base == "number":
            return sign * float(value) if isinstance(value, (int, float)) and math.isfinite(value) else math.inf
        return math.inf if value is None else sign * columns.ranks(self.field).place(value)


def parse_sort(option: Any, schema: Schema) -> tuple[SortKey, ...]:
    """The checked form of a `sort` option; () where there is none.

    Raises `InvalidQuery`: SEARCH_INVALID_FIELD for a field that no sort can order by, SEARCH_INVALID_OPTION otherwise.
    """
    if option is None:
        return ()
    if isinstance(option, Mapping):
        pairs = list(option.items())
    elif isinstance(option, (list, tuple)):
        pairs = [_pair(item) for item in option]
    else:
        raise _refused(f'`sort` is a mapping such as {{"price": "asc"}}, not {type(option).__name__}')
    if len(pairs) > MAX_FIELDS:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD,
                           f"`sort` takes at most {MAX_FIELDS} fields, not {len(pairs)}",
                           {"count": len(pairs), "limit": MAX_FIELDS})
    return tuple(_key(name, direction, schema) for name, direction in pairs)


def _pair(item: Any) -> tuple[Any, Any]:
    if isinstance(item, str):
        return item, "asc"
    if not isinstance(item, Mapping) or "field" not in item:
        raise _refused(f'`sort`: an item is a mapping such as {{"field": "price", "direction": "asc"}}, not {item!r}')
    return item["field"], item.get("direction", "asc")


def _key(name: Any, direction: Any, schema: Schema) -> SortKey:
    if direction not in DIRECTIONS:
        raise _refused(f'`sort`: the direction of {name!r} is "asc" or "desc", not {direction!r}')
    field = schema.field(name) if isinstance(name, str) else None
    if field is None or not field.is_sortable:
        sortable = ", ".join(field.path for field in schema.fields if field.is_sortable) or "none"
        why = "is not a field of this index" if field is None else (
            f'is of type {field.type}; a text that a sort orders by is declared "string:sortable"'
            if field.type == "string" else f"is of type {field.type}, which has no order")
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD,
                           f"`sort`: {str(name)[:80]!r} {why}; fields to sort by: {sortable}",
                           {"field": str(name)[:80]})
    return SortKey(field, direction == "desc")


def _refused(message: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, message, {"option": "sort"})
