"""Slow twins of narsilpy._documents: the same answers by the shortest way."""
from __future__ import annotations

import copy
from typing import Any


def value_at(document: Any, parts: tuple[str, ...]) -> Any:
    for part in parts:
        if not isinstance(document, dict) or part not in document:
            return None
        document = document[part]
    return copy.deepcopy(document)


def projected(document: dict[str, Any], include: list[str] | None, exclude: list[str] | None) -> dict[str, Any]:
    """A projection, one leaf at a time."""
    leaves = list(_leaves(document, ()))
    if include:
        leaves = [leaf for leaf in leaves if any(_under(leaf[0], path) for path in include)]
    if exclude:
        leaves = [leaf for leaf in leaves if not any(_under(leaf[0], path) for path in exclude)]
    out: dict[str, Any] = {}
    for parts, value in leaves:
        node = out
        for part in parts[:-1]:
            node = node.setdefault(part, {})
        node[parts[-1]] = copy.deepcopy(value)
    return out


def _leaves(document: dict[str, Any], above: tuple[str, ...]) -> Any:
    for key, value in document.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _under(parts: tuple[str, ...], path: str) -> bool:
    wanted = tuple(path.split("."))
    return parts[: len(wanted)] == wanted
