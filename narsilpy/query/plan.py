"""From options to a native query over one snapshot.

A `Plan` is made once per query: its terms are analysed, looked up in every segment and given their statistics; then it
can be run for the top k, for all matches, for their number, and for the spans of any of its documents.
"""
from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from narsilpy._bits import Bits
from narsilpy._query import Query
from narsilpy.columns import Columns
from narsilpy.errors import ErrorCode, InvalidConfig, InvalidQuery
from narsilpy.query.compile import Compiler, analyse
from narsilpy.query.expand import add_completions, add_fuzzy
from narsilpy.query.filters import Filter, Scope, compile_filter
from narsilpy.query.objects import Fuzzy, Node, Prefix, Term
from narsilpy.query.options import QueryOptions, flag_option, needed_terms, number_option, refuse, whole_option
from narsilpy.query.terms import Match, Part, distinct_parts, query_parts, utf8
from narsilpy.schema import Field
from narsilpy.settings import bm25_of, rules_of

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

ALL_SCORES = -math.inf
CACHED_FILTERS = 64         # filters whose documents are remembered, of at most
CACHED_CHARS = 1_000        # characters each


class Plan:
    """One query, ready to run.

    Attributes:
        query: the native query; None where nothing can match.
        min_score: what a match must reach; -inf where nothing was asked.
        columns: the columns of the state that the query sees.
        everything: the query matches whatever it accepts (filters without a term): there is nothing to score.
        pins: document numbers by pinned id, of those that the index holds.
        positions: where each word of a plain query stands in it.
    """

    __slots__ = ("columns", "everything", "min_score", "pins", "positions", "query")

    def __init__(self, query: Query | None, positions: list[int], min_score: float, columns: Columns,
                 everything: bool = False, pins: Mapping[str, int] | None = None) -> None:
        self.query = query
        self.positions = positions
        self.min_score = min_score
        self.columns = columns
        self.everything = everything
        self.pins = {} if pins is None else pins

    def count(self) -> int:
        if self.query is None:
            return 0
        return self.query.n_accepted() if self.everything else self.query.count(self.min_score)

    def matches(self, scored: bool) -> tuple[array[int], array[float] | None]:
        """The document numbers of every match, ascending, and their scores where they are wanted."""
        if self.query is None:
            return array("I"), array("d")
        if self.everything:
            return self.query.accepted(), None
        return self.query.all(self.min_score, scored or self.min_score > ALL_SCORES)


def make_plan(core: IndexCore, term: Any, options: QueryOptions, fields_read: Iterable[Field] = (),
              pinned: Iterable[str] = (), browse: bool = False, only: str | None = None) -> Plan:
    """The plan of a query against the present state of the index.

    `fields_read` are fields whose columns the caller reads; `browse` lets a query without a term match every document;
    `only` is the id of the one document that may match, and becomes a pin.
    """
    if term is not None and not isinstance(term, (str, Node)):
        raise refuse("term", term, "a str or a query object")
    min_score = ALL_SCORES
    if options.min_score is not None:
        wanted = number_option("min_score", options.min_score)
        min_score = wanted if wanted > 0 else ALL_SCORES    # 0 and below ask for nothing, as in the original
    fields = searched_fields(core, options)
    boosts = field_boosts(core, options)
    k1, b = core.settings.k1, core.settings.b
    if options.bm25 is not None:
        k1, b = bm25_option(options.bm25, k1, b)
    condition = None if options.filters is None else compile_filter(options.filters, core.schema)
    everything = term is None and (condition is not None or browse)
    tree = None
    words: list[list[Part]] = []
    nothing = not everything and (not term or fields == ())
    need = 1
    if isinstance(term, str) and not nothing:
        term = synonymous(core, term, options)
    if isinstance(term, Node) and not nothing:
        tree = analyse(core, term)
        nothing = tree is None
    elif isinstance(term, str) and not nothing:
        typed = query_parts(core, term, fields)
        words = distinct_parts(typed)
        need = needed_terms(options.term_match, len(words))
        nothing = not words or need > len(words)

    def build() -> Plan:
        generation = core.generation
        segments, live = core.segments.views()
        columns = core.columns
        make_columns(core, columns, fields_read)
        pins = {doc_id: number for doc_id in (*pinned, *((only,) if isinstance(only, str) else ()))
                if (number := core.numbers.get(doc_id)) is not None}
        if nothing:
            return Plan(None, [], min_score, columns, pins=pins)
        accepts = live if condition is None else narrowed(core, generation, segments, live, condition, options.filters)
        if only is not None:
            accepts = [_alone(segment, bits, pins.get(only)) for segment, bits in zip(segments, accepts, strict=True)]
        query = Query(segments, accepts, core.segments.n_docs, k1, b, field_params(core, fields, boosts))
        if tree is not None:
            Compiler(core, query).compile(tree)
        elif not everything:
            query.need = need
            add_words(core, query, words, typed[-1][0].word.term, options)
        return Plan(query, [parts[0].word.position for parts in words], min_score, columns, everything, pins)

    return core.consistent(build)


def synonymous(core: IndexCore, text: str, options: QueryOptions) -> str | Node:
    """A plain query, or what stands in for it where a rule of synonyms applies to its words."""
    rules = core.settings.synonyms
    if options.synonyms is False:
        return text
    if options.synonyms is not None:
        rules = rules_of(options.synonyms, core.settings.analyzer)
    if rules is None:
        return text
    from narsilpy.query.synonyms import synonym_query

    prefix, tolerance = flag_option("prefix", options.prefix), whole_option("tolerance", options.tolerance)

    def plain(words: str) -> Node:
        if prefix and not options.exact and text.rstrip().endswith(words.rstrip()):
            return Prefix(words)
        if tolerance and not options.exact:
            return Fuzzy(words, tolerance, whole_option("prefix_length", options.prefix_length))
        return Term(words)

    found = synonym_query(text, rules, options.term_match, plain)
    return text if found is None else found


def add_words(core: IndexCore, query: Query, words: list[list[Part]], last: str, options: QueryOptions) -> None:
    """A leaf for each word of a plain query, expanded as `prefix` (the `last` term alone) and `tolerance` say."""
    if options.exact or (not options.prefix and not options.tolerance):
        for parts in words:
            query.add_leaf()
            for word, fields, _ in parts:
                query.add_term(utf8(word.term), Match(word.term, word.surface, word.kind), fields=fields)
        return
    prefix = flag_option("prefix", options.prefix)
    tolerance = whole_option("tolerance", options.tolerance)
    prefix_length = whole_option("prefix_length", options.prefix_length)
    for parts in words:
        query.add_leaf(best_only=True)
        for word, fields, analysis in parts:
            if prefix and parts[0].word.term == last:
                add_completions(core, query, word.folded, word, analysis, fields=fields)
            else:
                add_fuzzy(core, query, word, tolerance, prefix_length, fields=fields)


def bm25_option(option: Any, k1: float, b: float) -> tuple[float, float]:
    """The parameters of one query; those that it does not name are the index's."""
    try:
        return bm25_of({"k1": k1, "b": b, **option} if isinstance(option, Mapping) else option)
    except InvalidConfig as error:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, error.message, {"option": "bm25"}) from None


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


def stored_documents(core: IndexCore) -> Iterator[tuple[int, Any]]:
    """`(number, stored document)` of every live document, ascending."""
    segments, live = core.segments.views()
    for segment, bits in zip(segments, live, strict=True):
        for number in _within(Bits(segment.n_docs, True), bits).documents(segment.first_doc):
            try:
                stored = core.documents[number]
            except IndexError:      # just being added: the writer adds it to the columns itself
                continue
            if stored is not None:
                yield number, stored


def make_columns(core: IndexCore, columns: Columns, fields: Iterable[Field]) -> None:
    """Make the columns of some fields, where they are not there yet."""
    for field in fields:
        with columns.lock:
            columns.column(field, stored_documents(core))


def narrowed(core: IndexCore, generation: int, segments: list[Any], live: list[Bits | None], condition: Filter,
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
        n = segments[-1].first_doc + segments[-1].n_docs if segments else 0
        columns = core.columns
        with columns.lock:
            found = condition.evaluate(Scope(n, lambda field: columns.column(field, stored_documents(core))))
        accepts = [_within(found.slice(segment.first_doc, segment.n_docs), alive)
                   for segment, alive in zip(segments, live, strict=True)]
        if len(known) < CACHED_FILTERS and len(key) <= CACHED_CHARS and core.generation == generation:
            core.filtered = (generation, {**known, key: accepts})
    return list(accepts)


def _within(found: Bits, alive: Bits | None) -> Bits:
    if alive is None:
        return found
    return found.intersection(alive if alive.n == found.n else alive.resized(found.n))


def _alone(segment: Any, bits: Bits | None, number: int | None) -> Bits:
    """The one document of a segment that may match, where it may."""
    here = number is not None and segment.first_doc <= number < segment.first_doc + segment.n_docs
    if number is None or not here:
        return Bits(segment.n_docs)
    return (Bits(segment.n_docs, True) if bits is None else bits).only(number - segment.first_doc)
