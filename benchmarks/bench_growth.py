"""What do ten times the documents cost? Guards: at most 3x the p50 of common and OR queries for 10x the documents."""
from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import corpus, queries, timing
from benchmarks.conftest import SIZE, Figures
from benchmarks.engines.narsil_engine import Narsilpy


@pytest.mark.parametrize("kind", ["common", "or2", "or4"])
def bench_growth(benchmark: BenchmarkFixture, figure: Figures, filled: Narsilpy, kind: str) -> None:
    size = SIZE // 10
    small = Narsilpy()
    small.build(corpus.load("short", size), "", 1)
    few, many = queries.load("short", size)[kind], queries.load("short", SIZE)[kind]
    p50_few = timing.latency(small.search, few, seconds=0.5).p50
    p50_many = timing.latency(filled.search, many, seconds=0.5).p50
    benchmark.pedantic(lambda: [filled.search(query) for query in many], rounds=3, warmup_rounds=1)
    figure(f"growth, {kind}: p50 at {SIZE:,} over p50 at {size:,}", p50_many / p50_few, "3")
    small.close()
