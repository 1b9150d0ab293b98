"""What does a change cost until it is visible? Guards: 50 µs to replace one document in memory, in any index."""
from __future__ import annotations

import itertools

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import timing
from benchmarks.conftest import Figures
from benchmarks.corpus import Document
from benchmarks.engines.narsil_engine import INDEX, Narsilpy


def bench_replace(benchmark: BenchmarkFixture, figure: Figures, documents: list[Document]) -> None:
    engine = Narsilpy()
    engine.build(documents, "", 1)
    numbers = itertools.count()

    def replace(_: object = None) -> None:
        number = next(numbers)
        old = documents[number * 7919 % len(documents)]
        engine.replace(old._replace(body=f"qzx{number}qu {old.body}"))
        assert engine.engine.query(INDEX, f"qzx{number}qu", document=False).count == 1

    benchmark(replace)
    figure("replace one document until visible: p50 µs", timing.latency(replace, range(300), passes=1).p50, "50")
    engine.close()


def bench_insert_and_remove(benchmark: BenchmarkFixture, documents: list[Document]) -> None:
    engine = Narsilpy()
    engine.build(documents, "", 1)

    def change() -> None:
        engine.engine.insert(INDEX, {"body": documents[0].body}, "new")
        engine.engine.remove(INDEX, "new")

    benchmark(change)
    engine.close()
