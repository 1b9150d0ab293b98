"""The settings of one index: what `create_index` was told, checked and complete."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from narsilpy.analysis import Analyzer
from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.query.shapes import BM25, plain
from narsilpy.schema import Schema

# Robertson's usual values, which the original and Lucene take as well.
DEFAULT_K1 = 1.2
DEFAULT_B = 0.75

StopWords = None | str | Iterable[str] | Callable[[frozenset[str]], Iterable[str]]
Tokenizer = Callable[[str], Iterable[tuple[str, int, int]]]


class IndexSettings(msgspec.Struct, frozen=True):
    """Everything that decides what an index does with a document and a query."""

    schema: Schema
    definition: dict[str, Any]
    language: str
    k1: float
    b: float
    analyzer: Analyzer
    analyzers: list[Analyzer]       # by text field
    track_positions: bool
    surface_forms: bool
    required: tuple[str, ...]
    strict: bool


def make_settings(
    schema: Mapping[str, Any],
    *,
    language: str = "english",
    required: Iterable[str] = (),
    strict: bool = False,
    bm25: Mapping[str, float] | BM25 | None = None,
    stop_words: StopWords = None,
    tokenizer: Tokenizer | None = None,
    track_positions: bool = True,
    surface_forms: bool = True,
    **analysis: Any,
) -> IndexSettings:
    """Check the arguments of `create_index` and make the settings they stand for."""
    for name, value in (("strict", strict), ("track_positions", track_positions), ("surface_forms", surface_forms)):
        if not isinstance(value, bool):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`{name}` must be True or False, not {value!r}",
                                {"option": name})
    if isinstance(required, str) or not isinstance(required, Iterable):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, "`required` is a list of field names", {"option": "required"})
    compiled = Schema.compile(schema, required=tuple(required), strict=strict)
    k1, b = bm25_of(plain(bm25))
    analyzer = Analyzer(language=language, stop_words=stop_words, tokenizer=tokenizer, **analysis)
    return IndexSettings(
        schema=compiled, definition=dict(schema), language=language, k1=k1, b=b, analyzer=analyzer,
        analyzers=[analyzer for _ in compiled.text_fields], track_positions=track_positions,
        surface_forms=surface_forms, required=tuple(required), strict=strict)


def bm25_of(bm25: Mapping[str, float] | None) -> tuple[float, float]:
    """`(k1, b)`, checked. Raises `InvalidConfig`."""
    if bm25 is None:
        return DEFAULT_K1, DEFAULT_B
    if not isinstance(bm25, Mapping):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, '`bm25` is a mapping such as {"k1": 1.2, "b": 0.75}',
                            {"option": "bm25"})
    unknown = set(bm25) - {"k1", "b"}
    if unknown:
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`bm25` knows k1 and b, not {sorted(map(str, unknown))}",
                            {"option": "bm25"})
    k1, b = bm25.get("k1", DEFAULT_K1), bm25.get("b", DEFAULT_B)
    if not _is_number(k1) or not 0 <= k1 < math.inf:
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"bm25.k1 must be a finite number of at least 0, not {k1!r}",
                            {"k1": k1})
    if not _is_number(b) or not 0 <= b <= 1:
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"bm25.b must be a number from 0 to 1, not {b!r}", {"b": b})
    return float(k1), float(b)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
