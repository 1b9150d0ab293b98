"""From options to a native query over one snapshot.

A `Plan` is made once per query: its terms are analysed, looked up in every segment and given their statistics; then it
can be run for the top k, for all matches, for their number, and for the spans of any of its documents.
"""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from narsilpy._bits import Bits
from narsilpy._query import Query
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.query.compile import Compiler, analyse
from narsilpy.query.expand import add_completions, add_fuzzy
from narsilpy.query.filters import Filter, Scope, compile_filter
from narsilpy.query.objects import Node
from narsilpy.query.options import QueryOptions, flag_option, needed_terms, number_option, refuse, whole_option
from narsilpy.query.terms import Match, QueryTerm, distinct, query_terms, utf8

if TYPE_CHECKING:
    from pyroaring import BitMap

    from narsilpy.index import IndexCore

ALL_SCORES = -math.inf
CACHED_FILTERS = 64         # filters whose documents are remembered, of at most
CACHED_CHARS = 1_000        # characters each


class Plan:
    """One query, ready to run. `query` is None where nothing can match."""

    __slots__ = ("min_score", "n_terms", "query")

    def __init__(self, query: Query | None, n_terms: int, min_score: float) -> None:
        self.query = query
        self.n_terms = n_terms
        self.min_score = min_score

    def count(self) -> int:
        return 0 if self.query is None else self.query.count(self.min_score)


def make_plan(core: IndexCore, term: Any, options: QueryOptions) -> Plan:
    """The plan of a query against the present state of the index."""
    if term is not None and not isinstance(term, (str, Node)):
        raise refuse("term", term, "a str or a query object")
    min_score = ALL_SCORES
    if options.min_score is not None:
        wanted = number_option("min_score", options.min_score)
        min_score = wanted if wanted > 0 else ALL_SCORES    # 0 and below ask for nothing, as in the original
    fields = searched_fields(core, options)
    boosts = field_boosts(core, options)
    condition = None if options.filters is None else compile_filter(options.filters, core.schema)
    if not term or fields == ():
        return Plan(None, 0, min_score)
    tree = None
    words: list[QueryTerm] = []
    if isinstance(term, Node):
        tree = analyse(core, term)
        if tree is None:
            return Plan(None, 0, min_score)
    else:
        typed = query_terms(core, term)
        words = distinct(typed)
        need = needed_terms(options.term_match, len(words))
        if not words or need > len(words):
            return Plan(None, len(words), min_score)

    def build() -> Query:
        generation = core.generation
        segments, live = core.segments.views()
        accepts = live if condition is None else narrowed(core, generation, segments, condition, options.filters)
        query = Query(segments, accepts, core.segments.n_docs, core.settings.k1, core.settings.b,
                      field_params(core, fields, boosts))
        if tree is not None:
            Compiler(core, query).compile(tree)
        else:
            query.need = need
            add_words(core, query, words, typed[-1].term, options)
        return query

    return Plan(core.consistent(build), len(words), min_score)


def add_words(core: IndexCore, query: Query, words: list[QueryTerm], last: str, options: QueryOptions) -> None:
    """A leaf for each word of a plain query, expanded as `prefix` (the `last` term alone) and `tolerance` say."""
    if options.exact or (not options.prefix and not options.tolerance):
        for word in words:
            query.add_leaf()
            query.add_term(utf8(word.term), Match(word.term, word.surface, word.kind))
        return
    prefix = flag_option("prefix", options.prefix)
    tolerance = whole_option("tolerance", options.tolerance)
    prefix_length = whole_option("prefix_length", options.prefix_length)
    for word in words:
        query.add_leaf(best_only=True)
        if prefix and word.term == last:
            add_completions(core, query, word.folded, word)
        else:
            add_fuzzy(core, query, word, tolerance, prefix_length)


def searched_fields(core: IndexCore, options: QueryOptions) -> tuple[int, ...] | None:
    """Numbers of the text fields to search; None = all."""
    names = options.fields
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, (list, tuple, set, frozenset)):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD,
                           f"`fields` is a list of field names, not {type(names).__name__}", {"fields": str(names)})
    numbers = []
    for name in names:
        number = core.field_numbers.get(name) if isinstance(name, str) else None
        if number is None:
            known = ", ".join(core.field_names) or "none"
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD,
                               f"`fields`: {name!r} is not a text field of this index; its text fields are: {known}",
                               {"field": name if isinstance(name, str) else repr(name)})
        numbers.append(number)
    return tuple(numbers)


def field_boosts(core: IndexCore, options: QueryOptions) -> dict[int, float] | None:
    """Boosts by text field number. Fields that are not searched may be named: their boost has no effect."""
    if options.boost is None:
        return None
    if not isinstance(options.boost, Mapping):
        raise refuse("boost", options.boost, "a mapping of field name to number")
    boosts = {}
    for name, value in options.boost.items():
        factor = number_option(f"boost[{name!r}]", value)
        if name in core.field_numbers:
            boosts[core.field_numbers[name]] = factor
    return boosts


def field_params(core: IndexCore, fields: tuple[int, ...] | None,
                 boosts: dict[int, float] | None) -> list[tuple[float, float, bool]]:
    """`(average length, boost, searched)` by text field."""
    params = core.field_params()
    if fields is None and boosts is None:
        return params
    return [(average, 1.0 if boosts is None else boosts.get(number, 1.0), fields is None or number in fields)
            for number, (average, _, _) in enumerate(params)]


def passing(core: IndexCore, condition: Filter) -> BitMap:
    """The live documents that satisfy a filter."""
    def documents() -> Iterator[tuple[int, Any]]:
        for number in core.segments.live_documents():
            try:
                stored = core.documents[number]
            except IndexError:      # just being added: the writer adds it to the columns itself
                continue
            if stored is not None:
                yield number, stored

    with core.columns.lock:
        return condition.evaluate(Scope(core.columns, documents, core.segments.live_documents()))


def narrowed(core: IndexCore, generation: int, segments: list[Any], condition: Filter,
             expression: Any) -> list[Bits | None]:
    """Live documents that pass a filter, by segment. The last filters of one state of the index are remembered.

    `generation` is that of the index before its segments were read: what was made of them is remembered for it alone,
    and only where nothing changed meanwhile.
    """
    remembered = core.filtered      # read once: another reader may replace it
    known = remembered[1] if remembered[0] == generation else {}
    key = repr(expression)
    accepts = known.get(key)
    if accepts is None:
        portable = passing(core, condition).serialize()
        accepts = [Bits.from_roaring(portable, segment.first_doc, segment.n_docs) for segment in segments]
        if len(known) < CACHED_FILTERS and len(key) <= CACHED_CHARS and core.generation == generation:
            core.filtered = (generation, {**known, key: accepts})
    return list(accepts)
