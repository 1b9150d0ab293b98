"""How fast is text cut into terms? Guards: 100 MB/s of English on one core, and mixed scripts within a third of that.

The scanner runs as the index runs it: stop words dropped, every distinct word folded and stemmed once and remembered
(`first`: none remembered yet; what a text costs then depends on how many of its words are new, which is one in 80 bytes
of the first 2 MB and one in 250 of the first 40). The pure Python analysis of the same words stands beside it.
"""
from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import corpus
from benchmarks.conftest import Figures
from narsilpy._ingest import Intake
from narsilpy._lexicon import Lexicon
from narsilpy.analysis import Analyzer

GOALS = {"short": "100", "mixed": "a third of English"}


@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("memo", ["first", "warm"])
def bench_scan(benchmark: BenchmarkFixture, figure: Figures, name: str, memo: str) -> None:
    texts = [document.body for document in corpus.load(name, 50_000 if benchmark.enabled else 50)]
    n_bytes = sum(len(text.encode()) for text in texts)
    took: list[float] = []

    def fresh() -> Intake:
        return Intake([Analyzer(language="english").scanner(Lexicon(), Lexicon())])

    remembered = fresh()

    def run() -> None:
        scan = (fresh() if memo == "first" else remembered).scan
        started = time.perf_counter()
        for text in texts:
            scan([text])
        took.append(time.perf_counter() - started)

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    figure(f"scan, {name} texts, {memo} pass: MB/s", n_bytes / min(took) / 1e6, GOALS[name])


def bench_analyze_in_python(benchmark: BenchmarkFixture) -> None:
    texts = [document.body for document in corpus.load("short", 500 if benchmark.enabled else 5)]
    analyze = Analyzer(language="english").analyze
    benchmark.pedantic(lambda: [analyze(text) for text in texts], rounds=3, warmup_rounds=1)
