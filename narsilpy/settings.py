"""The settings of one index: what `create_index` was told, checked and complete."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from narsilpy.analysis import Analyzer
from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.query.shapes import BM25, plain
from narsilpy.schema import Schema

if TYPE_CHECKING:
    from narsilpy.analysis.synonyms import Synonyms

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
    synonyms: Synonyms | None
    track_positions: bool
    surface_forms: bool
    required: tuple[str, ...]
    strict: bool

    @property
    def own_analyzers(self) -> dict[str, Analyzer]:
        """The analyzers of text fields that have one of their own, by path."""
        return {field.path: analyzer for field, analyzer in zip(self.schema.text_fields, self.analyzers, strict=True)
                if analyzer is not self.analyzer}

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What the terms of the index depend on."""
        own = {path: analyzer.fingerprint for path, analyzer in self.own_analyzers.items()}
        return {**self.analyzer.fingerprint, "fields": own} if own else self.analyzer.fingerprint


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
    analyzers: Mapping[str, Any] | None = None,
    field_analyzers: Mapping[str, Any] | None = None,
    synonyms: Any = None,
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
    by_field = analyzers_of(compiled, analyzer, analyzers, field_analyzers)
    return IndexSettings(
        schema=compiled, definition=dict(schema), language=language, k1=k1, b=b, analyzer=analyzer,
        analyzers=by_field, synonyms=rules_of(synonyms, analyzer), track_positions=track_positions,
        surface_forms=surface_forms, required=tuple(required), strict=strict)


def analyzers_of(schema: Schema, default: Analyzer, named: Any, by_field: Any) -> list[Analyzer]:
    """The analyzer of each text field. Equal definitions make one analyzer."""
    for option, value in (("analyzers", named), ("field_analyzers", by_field)):
        if value is not None and not isinstance(value, Mapping):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                                f"`{option}` is a mapping from names to analyzers, not {type(value).__name__}",
                                {"option": option})
    made: dict[str, Analyzer] = {}

    def make(definition: Any, option: str) -> Analyzer:
        if isinstance(definition, Analyzer):
            return definition
        if isinstance(definition, str):
            definition = {"language": definition}
        if not isinstance(definition, Mapping) or not all(isinstance(key, str) for key in definition):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`{option}`: an analyzer is a language, the arguments of "
                                f"`Analyzer` as a mapping, or an `Analyzer`, not {definition!r}", {"option": option})
        key = repr(sorted(definition.items(), key=lambda item: item[0]))
        if key not in made:
            try:
                made[key] = Analyzer(**definition)
            except TypeError as error:
                raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`{option}`: {error}", {"option": option}) from None
        return made[key]

    known = {name: make(definition, f"analyzers[{name!r}]") for name, definition in (named or {}).items()}
    numbers = {field.path: number for number, field in enumerate(schema.text_fields)}
    found = [default for _ in schema.text_fields]
    for path, definition in (by_field or {}).items():
        if path not in numbers:
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`field_analyzers`: {path!r} is not a text field of the "
                                f"schema; its text fields are: {', '.join(numbers) or 'none'}",
                                {"option": "field_analyzers"})
        is_name = isinstance(definition, str) and definition in known
        found[numbers[path]] = known[definition] if is_name else make(definition, f"field_analyzers[{path!r}]")
    return found


def rules_of(synonyms: Any, analyzer: Analyzer) -> Synonyms | None:
    """Rules of synonyms as `create_index` and queries take them: groups, `{"groups": ..., "one_way": ...}`, or made."""
    if synonyms is None:
        return None
    from narsilpy.analysis.synonyms import Synonyms

    if isinstance(synonyms, Synonyms):
        return synonyms
    if isinstance(synonyms, Mapping):
        unknown = set(synonyms) - {"groups", "one_way"}
        if unknown or not isinstance(synonyms.get("one_way", {}), Mapping):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, '`synonyms` is a list of groups, or a mapping such as '
                                '{"groups": [["NY", "New York"]], "one_way": {"dog": ["poodle"]}}',
                                {"option": "synonyms"})
        return Synonyms(synonyms.get("groups") or (), one_way=synonyms.get("one_way", {}), analyzer=analyzer)
    if isinstance(synonyms, str) or not isinstance(synonyms, Iterable):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`synonyms` is a list of groups of words, not {synonyms!r}",
                            {"option": "synonyms"})
    return Synonyms(synonyms, analyzer=analyzer)


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
