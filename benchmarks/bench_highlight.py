"""What does a highlight cost on top of its query? Guards: 2 µs a hit at 60 words, and the same at 100,000 words.

By length of the body (60, 5,000 and 100,000 words), by the number of matches in it, for ten passages of a long body.
Documents are not returned (`document=False`): a copy of a 100,000-word body costs more than its highlight.
"""
from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import corpus, timing
from benchmarks.conftest import Figures
from benchmarks.engines.narsil_engine import INDEX, Narsilpy
from narsilpy import Narsil

LENGTHS = {"short": 5_000, "long": 60, "huge": 4}
MATCHES = (1, 10, 100, 1_000, 10_000)


@pytest.fixture(scope="module", params=LENGTHS)
def by_length(request: pytest.FixtureRequest) -> tuple[str, Narsilpy]:
    engine = Narsilpy()
    engine.build(corpus.load(request.param, LENGTHS[request.param]), "", 1)
    return request.param, engine


def bench_highlight_by_length(benchmark: BenchmarkFixture, figure: Figures, by_length: tuple[str, Narsilpy]) -> None:
    name, engine = by_length
    words = ["ship", "pilot", "trip", "bars", "seats"]      # among the most frequent content words of the vocabulary
    options = {"fields": ["body"], "max_snippet_length": 200}

    def plain(word: str) -> int:
        return len(engine.engine.query(INDEX, word, document=False).hits)

    def marked(word: str) -> int:
        hits = engine.engine.query(INDEX, word, document=False, highlight=options).hits
        return sum(len(hit.highlights["body"].snippet) for hit in hits)

    benchmark.pedantic(lambda: [marked(word) for word in words], rounds=20, warmup_rounds=1)
    per_hit = [
        (timing.latency(marked, [word] * 50, seconds=0.3).p50 - timing.latency(plain, [word] * 50, seconds=0.3).p50)
        / max(1, plain(word))
        for word in words
    ]
    figure(f"highlight, {name} bodies: µs a hit above the query", sorted(per_hit)[len(words) // 2], "2, flat")


@pytest.mark.parametrize("n_matches", MATCHES)
def bench_highlight_by_matches(benchmark: BenchmarkFixture, n_matches: int) -> None:
    """One body in which the word stands `n_matches` times, one match in ten words."""
    with Narsil() as engine:
        engine.create_index("one", schema={"body": "string"})
        filler = " alpha beta gamma delta epsilon zeta eta theta iota "
        engine.insert("one", {"body": filler.join(["needle"] * n_matches)}, "a")
        (hit,) = engine.query("one", "needle", highlight={"fields": ["body"]}).hits
        assert len(hit.highlights["body"].matches) == n_matches
        options = {"fields": ["body"]}
        benchmark(lambda: engine.query("one", "needle", document=False, highlight=options).hits[0].highlights["body"])


def bench_ten_passages(benchmark: BenchmarkFixture, figure: Figures) -> None:
    (document,) = corpus.load("huge", 1)
    options = {"fields": ["body"], "passages": 10, "max_snippet_length": 200}
    with Narsil() as engine:
        engine.create_index("one", schema={"body": "string"})
        engine.insert("one", {"body": document.body}, "a")

        def run(word: str) -> int:
            (hit,) = engine.query("one", word, document=False, highlight=options).hits
            return len(hit.highlights["body"].passages)

        assert run("ship") == 10
        benchmark(run, "ship")
        figure("ten passages of 100,000 words: µs a query", timing.latency(run, ["ship"] * 50, seconds=0.3).p50, "100")
