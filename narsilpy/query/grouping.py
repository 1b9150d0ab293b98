"""The `group=` option: every match, gathered by the values of fields.

`{"fields": ["category"], "max_per_group": 3, "reduce": len}`. Groups come in the order of their first hits; documents
without a value of a field share a group, in which the field is left out.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.query.options import count_option
from narsilpy.schema import Field, Schema

KEYS = ("fields", "max_per_group", "reduce")
EVERY = 2**32 - 1       # hits of a group where `max_per_group` is not given


class Grouping(NamedTuple):
    """The checked form of a `group` option."""

    fields: tuple[Field, ...]
    max_per_group: int
    reduce: Callable[[tuple[Any, ...]], Any] | None


def parse_group(option: Any, schema: Schema) -> Grouping | None:
    """The checked form of a `group` option. Raises `InvalidQuery`."""
    if option is None:
        return None
    if not isinstance(option, Mapping) or "fields" not in option:
        raise _refused('`group` is a mapping such as {"fields": ["category"]}')
    unknown = [key for key in option if key not in KEYS]
    if unknown:
        raise _refused(f"`group` knows {', '.join(KEYS)}, not {unknown[0]!r}")
    names = option["fields"]
    if not isinstance(names, (list, tuple)):
        raise _refused(f"the fields of `group` are a list, not {type(names).__name__}")
    reduce = option.get("reduce")
    if reduce is not None and not callable(reduce):
        raise _refused("the `reduce` of `group` is a function of a group's hits")
    most = option.get("max_per_group")
    return Grouping(tuple(_field(name, schema) for name in names),
                    EVERY if most is None else max(1, count_option("group.max_per_group", most, 1)), reduce)


def _field(name: Any, schema: Schema) -> Field:
    field = schema.field(name) if isinstance(name, str) else None
    if field is None or field.is_array or field.base == "geopoint":
        why = "is not a field of this index" if field is None else f"is of type {field.type}, not a single value"
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD, f"`group`: {str(name)[:80]!r} {why}",
                           {"field": str(name)[:80]})
    return field


def _refused(message: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, message, {"option": "group"})
