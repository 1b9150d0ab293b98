"""What does a search cost, class by class, with ten stored documents returned? Guards: half of tantivy's p50 or less.

`python -m benchmarks.peers` has the peers of the same run beside it; this file is for watching our own.
"""
from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import timing
from benchmarks.conftest import SIZE, Figures
from benchmarks.engines.narsil_engine import INDEX, Narsilpy
from benchmarks.queries import KINDS, Query


@pytest.mark.parametrize("kind", KINDS)
def bench_query(
    benchmark: BenchmarkFixture, figure: Figures, filled: Narsilpy, asked: dict[str, list[Query]], kind: str
) -> None:
    queries = asked[kind]

    def run() -> None:
        for query in queries:
            filled.search(query)

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    figure(f"query, {kind}, {SIZE:,} documents: p50 µs", timing.latency(filled.search, queries, seconds=0.5).p50, "")


@pytest.mark.parametrize("document", [True, False])
def bench_query_without_documents(
    benchmark: BenchmarkFixture, filled: Narsilpy, asked: dict[str, list[Query]], document: bool
) -> None:
    """What of a query is the search, and what is handing over ten documents."""
    words = [query.text for query in asked["common"]]

    def run() -> None:
        for word in words:
            filled.engine.query(INDEX, word, document=document)

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)
