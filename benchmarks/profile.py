"""Where do the microseconds of a query go? `python -m benchmarks.profile [SIZE]`: the parts, timed one by one.

    options   the options record and the projection        plan      terms looked up, cursors opened
    search    the native top ten, without the lock         documents ten stored documents made into dicts
    hits      ten hit records and the result               whole     the public call, for comparison
"""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from benchmarks import corpus, queries, tables, timing
from benchmarks.engines.narsil_engine import INDEX, Narsilpy
from narsilpy.engine import query_options
from narsilpy.query.plan import make_plan
from narsilpy.results import Hit, QueryResult
from narsilpy.schema import compile_projection

KINDS = ("rare", "common", "or2", "or4", "and2")
PARTS = ("options", "plan", "search", "documents", "hits", "whole")


def parts_of(engine: Narsilpy, kind: str, asked: list[queries.Query]) -> dict[str, float]:
    """p50 of each part in µs, over the queries of a kind."""
    core = engine.engine._core(INDEX)
    prepared = [engine.options(query) for query in asked]
    plans = [make_plan(core, term, query_options(options)) for term, options in prepared]
    found = [plan.query.top(10, plan.min_score) if plan.query else ([], []) for plan in plans]
    stored = [[core.documents[number] for number in numbers] for numbers, _ in found]
    project = compile_projection(True).apply
    everything: list[int] = list(range(len(asked)))

    def search(at: int) -> object:
        plan = plans[at]
        return plan.query and plan.query.top(10, plan.min_score)

    def hits(at: int) -> object:
        made = [Hit("id", score, {}, {}) for score in found[at][1]]
        return QueryResult(tuple(made), 0, 0.0)

    steps: dict[str, Callable[[int], Any]] = {
        "options": lambda at: (query_options(prepared[at][1]), compile_projection(True)),
        "plan": lambda at: make_plan(core, prepared[at][0], query_options(prepared[at][1])),
        "search": search,
        "documents": lambda at: [project(document) for document in stored[at]],
        "hits": hits,
        "whole": lambda at: engine.engine.query(INDEX, prepared[at][0], **prepared[at][1]),
    }
    return {name: timing.latency(step, everything, seconds=0.3).p50 for name, step in steps.items()}


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    engine = Narsilpy()
    engine.build(corpus.load("short", size), "", 1)
    drawn = queries.load("short", size)
    rows: list[list[tables.Cell]] = []
    for kind in KINDS:
        figures = parts_of(engine, kind, drawn[kind])
        rows.append([kind, *(figures[part] for part in PARTS)])
    print(tables.markdown([f"{size:,} documents, p50 µs", *PARTS], rows))


if __name__ == "__main__":
    main()
