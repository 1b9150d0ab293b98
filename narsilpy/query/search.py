"""Running a query: plan, top k, documents, highlights."""
from __future__ import annotations

import heapq
from time import perf_counter
from typing import TYPE_CHECKING, Any

from narsilpy.highlight.options import parse_highlight
from narsilpy.ids import utf8_id
from narsilpy.query.filters import compile_filter
from narsilpy.query.highlights import highlight_hit
from narsilpy.query.options import QueryOptions, window
from narsilpy.query.plan import make_plan, passing
from narsilpy.results import Hit, Preflight, QueryResult
from narsilpy.schema import compile_projection

if TYPE_CHECKING:
    from narsilpy.index import IndexCore


def search(core: IndexCore, term: Any, options: QueryOptions) -> QueryResult:
    """The answer to one query."""
    started = perf_counter()
    limit, offset = window(options)
    project = compile_projection(options.document).apply
    highlight = None if options.highlight is None else parse_highlight(options.highlight)
    with core.reading:
        plan = make_plan(core, term, options)
        query = plan.query
        if query is None:
            if options.filters is not None and term is None:
                return filtered(core, options, limit, offset, started)
            return QueryResult((), 0, perf_counter() - started)
        numbers, scores = query.top(offset + limit, plan.min_score)
        if offset:
            numbers, scores = numbers[offset:], scores[offset:]
        documents, ids = core.documents, core.doc_ids
        hits = []
        for number, score in zip(numbers, scores, strict=True):
            stored = documents[number]
            highlights = {} if highlight is None else highlight_hit(core, query, number, stored, highlight)
            hits.append(Hit(ids[number], score, project(stored), highlights, (core, query, number, stored)))
    return QueryResult(tuple(hits), plan.count, perf_counter() - started)


def filtered(core: IndexCore, options: QueryOptions, limit: int, offset: int, started: float) -> QueryResult:
    """Every document that passes the filters, in code point order of the ids; there is nothing to score."""
    condition = compile_filter(options.filters, core.schema)
    project = compile_projection(options.document).apply
    numbers = core.consistent(lambda: list(passing(core, condition)))
    named = heapq.nsmallest(offset + limit, ((utf8_id(core.doc_ids[number]), number) for number in numbers))
    hits = [Hit(core.doc_ids[number], 0.0, project(core.documents[number]), {}) for _, number in named[offset:]]
    return QueryResult(tuple(hits), len(numbers), perf_counter() - started)


def preflight(core: IndexCore, term: Any, options: QueryOptions) -> Preflight:
    """How many documents a query would match."""
    started = perf_counter()
    with core.reading:
        count = make_plan(core, term, options).count()
    return Preflight(count, perf_counter() - started)

