"""How many documents a second does `insert_batch` take? Guards: twice tantivy's, one thread, at 60 and 200 words."""
from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import corpus, engines
from benchmarks.conftest import SIZE, Figures

SIZES = {"short": SIZE, "medium": SIZE // 4}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("engine", ["narsilpy", "tantivy"])
def bench_index(benchmark: BenchmarkFixture, figure: Figures, tmp_path: Path, name: str, engine: str) -> None:
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")
    documents = corpus.load(name, SIZES[name])
    took: list[float] = []

    def build() -> None:
        folder = tmp_path / str(len(took))
        folder.mkdir()
        target = engines.load(engine)
        started = time.perf_counter()
        target.build(documents, str(folder), 1)
        took.append(time.perf_counter() - started)
        target.close()

    benchmark.pedantic(build, rounds=3)
    goal = "2x tantivy" if engine == "narsilpy" else ""
    figure(f"build, {name}, {engine}: documents/s", len(documents) / min(took), goal)
