"""The slow, obvious twin of sorts, facets, groups, pins and boosts: lists, sorted and counted in Python."""
from __future__ import annotations

import math
from collections import Counter
from typing import Any

Model = dict[str, dict[str, Any]]


def key_of(value: Any, descending: bool) -> tuple[Any, ...]:
    """The place of one value; what is missing comes last either way."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return (1,)
    if isinstance(value, str):
        points = [*map(ord, value.casefold()[:512]), -1, *map(ord, value)]
        return (0, [-point for point in points] + [1] if descending else points)
    return (0, -value if descending else value)


def in_order(ids: list[str], model: Model, sort: dict[str, str]) -> list[str]:
    ordered = sorted(ids)
    for name, direction in reversed(sort.items()):
        ordered.sort(key=lambda doc_id: key_of(model[doc_id].get(name), direction == "desc"))
    return ordered


def facet(ids: list[str], model: Model, name: str, kind: str) -> dict[Any, int]:
    counts: Counter[Any] = Counter()
    for doc_id in ids:
        value = model[doc_id].get(name)
        values = [] if value is None else value if isinstance(value, list) else [value]
        counts.update(values if kind == "string[]" else set(values))
    return dict(counts)


def grouped(ordered: list[str], model: Model, names: list[str], most: int) -> list[tuple[dict[str, Any], list[str]]]:
    groups: dict[tuple[Any, ...], list[str]] = {}
    for doc_id in ordered:
        groups.setdefault(tuple(model[doc_id].get(name) for name in names), []).append(doc_id)
    return [({name: value for name, value in zip(names, key, strict=True) if value is not None}, ids[:most])
            for key, ids in groups.items()]


def with_pins(ordered: list[str], pins: list[tuple[str, int]], model: Model) -> list[str]:
    """The whole list with the pinned documents at their places."""
    known = sorted(((position, doc_id) for doc_id, position in pins if doc_id in model), key=lambda pin: pin[0])
    rest = [doc_id for doc_id in ordered if doc_id not in {doc_id for _, doc_id in known}]
    place = -1
    for position, doc_id in known:
        place = max(position, place + 1)
        rest.insert(place, doc_id)
    return rest
