"""The `facets=` option: how often each value of a field stands in the documents that match.

`{"category": {}}`, `{"price": {"ranges": [{"from": 0, "to": 50}]}}`, or a list of fields. Counts are exact and cover
every match, whatever `limit` and `offset` say. A document counts once for each value of an array; in `string[]` fields
each element counts, as in the original.
"""
from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from typing import Any, NamedTuple

from narsilpy._tally import leading
from narsilpy.columns import Columns
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.query.options import count_option
from narsilpy.results import Facet
from narsilpy.schema import Field, Schema

KEYS = ("limit", "sort", "ranges")


class Range(NamedTuple):
    """Numbers from `low` up to but without `high`."""

    label: str
    low: float
    high: float


class FacetRequest(NamedTuple):
    """One field to count."""

    field: Field
    limit: int | None
    ascending: bool
    ranges: tuple[Range, ...] | None

    def facet(self, columns: Columns, docs: array[int]) -> Facet:
        """The counts over documents (ascending). The lock of the columns is held."""
        column = columns.column(self.field, ())
        counts: list[tuple[Any, int]]
        if self.ranges is not None:
            numbers = column.count_ranges(docs, [(item.low, item.high) for item in self.ranges])
            counts = [(item.label, number) for item, number in zip(self.ranges, numbers, strict=True)]
        elif self.field.base == "number":
            counts = [(_plain(value), number) for value, number in column.count_numbers(docs).items()]
        else:
            by_ordinal = column.count_values(docs, self.field.type == "string[]")
            wanted = len(by_ordinal) if self.limit is None else self.limit
            counts = [(column.values[ordinal], by_ordinal[ordinal])
                      for ordinal in leading(by_ordinal, wanted, self.ascending)]
        sign = 1 if self.ascending else -1
        counts.sort(key=lambda pair: (sign * pair[1], pair[0]))
        if self.limit is not None:
            del counts[self.limit:]
        return Facet(dict(counts), len(counts), 0)


def parse_facets(option: Any, schema: Schema) -> dict[str, FacetRequest]:
    """The checked form of a `facets` option, by field; {} where there is none. Raises `InvalidQuery`."""
    if option is None:
        return {}
    if isinstance(option, (list, tuple)) and all(isinstance(name, str) for name in option):
        option = {name: {} for name in option}
    if not isinstance(option, Mapping):
        raise _refused(f'`facets` is a mapping such as {{"category": {{}}}}, not {type(option).__name__}')
    return {name: _request(name, wanted, schema) for name, wanted in option.items()}


def _request(name: Any, wanted: Any, schema: Schema) -> FacetRequest:
    field = schema.field(name) if isinstance(name, str) else None
    if field is None or field.base == "geopoint":
        why = "is not a field of this index" if field is None else "is a geopoint, whose values are not counted"
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD, f"`facets`: {str(name)[:80]!r} {why}",
                           {"field": str(name)[:80]})
    if not isinstance(wanted, Mapping):
        raise _refused(f"`facets`: {name!r} takes a mapping such as {{}}, not {type(wanted).__name__}")
    unknown = [key for key in wanted if key not in KEYS]
    if unknown:
        raise _refused(f"`facets`: {name!r} knows {', '.join(KEYS)}, not {unknown[0]!r}")
    order = wanted.get("sort", "desc")
    if order not in ("asc", "desc"):
        raise _refused(f'`facets`: the sort of {name!r} is "asc" or "desc" (by count), not {order!r}')
    ranges = wanted.get("ranges")
    if ranges is not None and field.base != "number":
        raise _refused(f"`facets`: ranges are of numbers, and {name!r} is of type {field.type}")
    limit = None if wanted.get("limit") is None else count_option(f"facets[{name!r}].limit", wanted["limit"], 0)
    return FacetRequest(field, limit, order == "asc", None if ranges is None else _ranges(name, ranges))


def _ranges(name: str, ranges: Any) -> tuple[Range, ...]:
    if not isinstance(ranges, (list, tuple)):
        raise _refused(f"`facets`: the ranges of {name!r} are a list")
    found = []
    for item in ranges:
        if not isinstance(item, Mapping) or not item.keys() <= {"from", "to", "label"}:
            raise _refused(f'`facets`: a range of {name!r} is a mapping such as {{"from": 0, "to": 50}}, not {item!r}')
        low, high = item.get("from"), item.get("to")
        if any(bound is not None and (isinstance(bound, bool) or not isinstance(bound, (int, float)) or bound != bound)
               for bound in (low, high)):
            raise _refused(f"`facets`: a range of {name!r} goes from a number to a number, not {item!r}")
        label = item.get("label", f"{'*' if low is None else _plain(low)}-{'*' if high is None else _plain(high)}")
        if not isinstance(label, str):
            raise _refused(f"`facets`: the label of a range is a str, not {label!r}")
        found.append(Range(label, -math.inf if low is None else float(low), math.inf if high is None else float(high)))
    if len({item.label for item in found}) < len(found):
        raise _refused(f"`facets`: two ranges of {name!r} have the same label")
    return tuple(found)


def _plain(number: float) -> int | float:
    """A whole number without its fraction: what the document most likely held, and equal to it either way."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _refused(message: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, message, {"option": "facets"})
