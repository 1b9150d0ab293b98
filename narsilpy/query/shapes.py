"""Option records: for those who would rather have their editor check an option than write a dict of the same shape."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """An option record. Fields that are None are left out of the option."""

    def to_dict(self) -> dict[str, Any]:
        """The option as a dict.

        >>> Filters(fields={"price": {"gte": 10}}, not_={"fields": {"kind": {"eq": "bags"}}}).to_dict()
        {'fields': {'price': {'gte': 10}}, 'not': {'fields': {'kind': {'eq': 'bags'}}}}
        """
        found = {name: plain(getattr(self, name)) for name in self.__struct_fields__}
        return {_NAMES.get(name, name): value for name, value in found.items() if value is not None}


class Filters(Shape, frozen=True, kw_only=True):
    """The `filters` option: operators by field, filters that must all hold, filters of which one must, one that must
    not."""

    fields: Mapping[str, Mapping[str, Any]] | None = None
    and_: Sequence[Filters | Mapping[str, Any]] | None = None
    or_: Sequence[Filters | Mapping[str, Any]] | None = None
    not_: Filters | Mapping[str, Any] | None = None


class SortBy(Shape, frozen=True, kw_only=True):
    """One field of the `sort` option, which takes a list of these."""

    field: str
    direction: Literal["asc", "desc"] = "asc"


class FacetRange(Shape, frozen=True, kw_only=True):
    """Numbers from `start` up to but without `end`; None for no bound."""

    start: float | None = None
    end: float | None = None
    label: str | None = None


class FacetOptions(Shape, frozen=True, kw_only=True):
    """What to count of one field: the value of a field in the `facets` option."""

    limit: int | None = None
    sort: Literal["asc", "desc"] = "desc"
    ranges: Sequence[FacetRange | Mapping[str, Any]] | None = None


class GroupOptions(Shape, frozen=True, kw_only=True):
    """The `group` option."""

    fields: Sequence[str]
    max_per_group: int | None = None
    reduce: Callable[[tuple[Any, ...]], Any] | None = None


class Pinned(Shape, frozen=True, kw_only=True):
    """One document of the `pinned` option, which takes a list of these."""

    doc_id: str
    position: int


class BoostBy(Shape, frozen=True, kw_only=True):
    """The `boost_by` option."""

    field: str
    function: Literal["linear", "log1p", "sqrt", "reciprocal"] = "linear"
    weight: float = 1.0


class BM25(Shape, frozen=True, kw_only=True):
    """The `bm25` option of a query and of `create_index`."""

    k1: float = 1.2
    b: float = 0.75


class DocumentParts(Shape, frozen=True, kw_only=True):
    """The `document` option: dotted paths to keep, then to leave out."""

    include: Sequence[str] | None = None
    exclude: Sequence[str] | None = None


_NAMES = {"start": "from", "end": "to", "and_": "and", "or_": "or", "not_": "not"}


def plain(option: Any) -> Any:
    """An option with its records as dicts, also within lists and mappings; anything else as it is.

    >>> plain({"kind": FacetOptions(limit=3)}), plain([SortBy(field="price")])
    ({'kind': {'limit': 3, 'sort': 'desc'}}, [{'field': 'price', 'direction': 'asc'}])
    """
    if isinstance(option, Shape):
        return option.to_dict()
    if isinstance(option, list | tuple):
        return [plain(item) for item in option] if any(isinstance(item, Shape) for item in option) else option
    if isinstance(option, dict):
        return {key: plain(item) for key, item in option.items()} if option else option
    return option
