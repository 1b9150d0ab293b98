"""The `pinned=` option: documents that an editor gives a place of their own in the result.

`[{"doc_id": "CB-12", "position": 0}]`. A pinned document leaves its own place, needs no match and no filter, and has a
score of 0.0. Positions count from 0 over the whole result, not the page, so that paging shows each pinned hit once;
beyond the end they come last. Unknown ids are passed over. `count` counts matches alone.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from narsilpy.errors import ErrorCode, InvalidQuery

MAX_PINS = 1_000


class Pin(NamedTuple):
    """A document and its place."""

    doc_id: str
    position: int


class Found(NamedTuple):
    """One hit to be: its document number, its score, and whether it was pinned."""

    number: int
    score: float
    pinned: bool = False


def parse_pinned(option: Any) -> tuple[Pin, ...]:
    """The checked form of a `pinned` option, by position; () where there is none. Raises `InvalidQuery`."""
    if option is None:
        return ()
    if not isinstance(option, (list, tuple)) or len(option) > MAX_PINS:
        raise _refused(f'`pinned` is a list of at most {MAX_PINS} mappings such as {{"doc_id": "a", "position": 0}}')
    pins: dict[str, Pin] = {}
    for item in option:
        if not isinstance(item, Mapping) or item.keys() != {"doc_id", "position"}:
            raise _refused(f'`pinned`: an item is a mapping such as {{"doc_id": "a", "position": 0}}, not {item!r}')
        doc_id, position = item["doc_id"], item["position"]
        if not isinstance(doc_id, str):
            raise _refused(f"`pinned`: a doc_id is a str, not {type(doc_id).__name__}")
        if isinstance(position, bool) or not isinstance(position, int) or position < 0:
            raise _refused(f"`pinned`: a position is a whole number from 0, not {position!r}")
        pins.setdefault(doc_id, Pin(doc_id, position))
    return tuple(sorted(pins.values(), key=lambda pin: pin.position))


def with_pins(matches: list[Found], pins: list[tuple[int, int]], n_pinned: int, start: int,
              size: int) -> tuple[list[Found], bool]:
    """`size` hits of the result from its place `start` on, and whether more follow.

    `matches` are what is shown from there on, without the pinned documents; `pins` are `(position, document number)` of
    all of them, by position, of which the first `n_pinned` were shown before.
    """
    waiting: list[tuple[int, int]] = []
    place = -1
    for position, number in pins:
        place = max(position, place + 1)        # two of the same position follow each other
        waiting.append((place, number))
    del waiting[:n_pinned]
    shown: list[Found] = []
    at = 0
    while len(shown) < size and (waiting or at < len(matches)):
        if waiting and (waiting[0][0] <= start + len(shown) or at == len(matches)):
            shown.append(Found(waiting.pop(0)[1], 0.0, True))
        else:
            shown.append(matches[at])
            at += 1
    return shown, bool(waiting) or at < len(matches)


def _refused(message: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, message, {"option": "pinned"})
