"""Running a query: plan, top k, documents, highlights.

What few queries need (sorts, cursors, components) is imported when one does: importing the package is a cost, too.
"""
from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from narsilpy.highlight.options import parse_highlight
from narsilpy.ids import utf8_id
from narsilpy.query.highlights import Highlighter
from narsilpy.query.options import QueryOptions, flag_option, needs_arranging, window
from narsilpy.query.plan import Plan, make_plan
from narsilpy.results import Hit, Preflight, QueryResult
from narsilpy.schema import compile_projection

if TYPE_CHECKING:
    from narsilpy._query import Query
    from narsilpy.index import IndexCore


class HitMaker:
    """Makes hits of document numbers, as the options of a query want them."""

    __slots__ = ("_highlighter", "components", "core", "highlight", "project", "query")

    def __init__(self, core: IndexCore, options: QueryOptions) -> None:
        self.core = core
        self.project = compile_projection(options.document).apply
        self.highlight = None if options.highlight is None else parse_highlight(options.highlight)
        self.components = flag_option("include_score_components", options.include_score_components)
        self.query: Query | None = None
        self._highlighter: Highlighter | None = None

    def use(self, query: Query | None) -> None:
        """Make hits of this query."""
        self.query = query
        if query is not None and self.highlight is not None:
            self._highlighter = Highlighter(self.core, query, self.highlight)

    def hit(self, number: int, score: float) -> Hit:
        core, query = self.core, self.query
        stored = core.documents[number]
        highlights = {} if self._highlighter is None else self._highlighter.of(number, stored)
        components = None
        if self.components and query is not None:
            from narsilpy.query.answer import score_components

            components = score_components(core, query, number)
        return Hit(core.doc_ids[number], score, self.project(stored), highlights, (core, query, number, stored),
                   components)


class Sequel:
    """What a result computes when it is first read: from the snapshot of its query, so that it stays true."""

    __slots__ = ("last", "name", "options", "plan", "position", "term")

    def __init__(self, name: str, plan: Plan, term: Any, options: QueryOptions, position: int,
                 last: tuple[float, str]) -> None:
        self.name = name
        self.plan = plan
        self.term = term
        self.options = options
        self.position = position
        self.last = last

    def best_coverage(self) -> float:
        from narsilpy.query.answer import best_coverage

        return best_coverage(self.plan)

    def cursor(self) -> str | None:
        """The cursor of a page of the best, None where nothing follows."""
        score, doc_id = self.last
        query = self.plan.query
        if query is None or not query.top(1, self.plan.min_score, (score, utf8_id(doc_id)))[0]:
            return None
        from narsilpy.query.cursors import Cursor, encode_cursor

        return encode_cursor(Cursor(self.position, 0, doc_id, score, []), question(self.name, self.term, self.options))


def question(name: str, term: Any, options: QueryOptions) -> bytes:
    """What binds a cursor to a query: everything that decides which documents match, and in what order."""
    from narsilpy.query.cursors import fingerprint

    return fingerprint("query", name, repr(term), options.fields, options.filters, options.boost, options.term_match,
                       options.min_score, options.tolerance, options.prefix_length, options.prefix, options.exact,
                       options.sort, options.boost_by, options.proximity, options.bm25, options.synonyms,
                       options.pinned)


def search(core: IndexCore, term: Any, options: QueryOptions) -> QueryResult:
    """The answer to one query."""
    started = perf_counter()
    limit, offset = window(options)
    maker = HitMaker(core, options)
    if needs_arranging(term, options):
        from narsilpy.query.arrange import Arrangement

        arrangement = Arrangement(core, term, options, question(core.name, term, options))
        with core.reading:
            return arrangement.answer(maker, limit, offset, started)
    with core.reading:
        plan = make_plan(core, term, options)
        query = plan.query
        if query is None:
            return QueryResult((), 0, perf_counter() - started)
        numbers, scores = query.top(offset + limit, plan.min_score)
        if offset:
            numbers, scores = numbers[offset:], scores[offset:]
        maker.use(query)
        make = maker.hit
        hits = tuple([make(number, score) for number, score in zip(numbers, scores, strict=True)])
    last = (hits[-1].score, hits[-1].id) if hits else (0.0, "")
    sequel = Sequel(core.name, plan, term, options, offset + len(hits), last)
    return QueryResult(hits, plan.count, perf_counter() - started, sequel.cursor if hits else None,
                       best_coverage=sequel.best_coverage)


def preflight(core: IndexCore, term: Any, options: QueryOptions) -> Preflight:
    """How many documents a query would match."""
    started = perf_counter()
    with core.reading:
        count = make_plan(core, term, options).count()
    return Preflight(count, perf_counter() - started)
