"""What does a document hold in memory, index and stored text together? Guards: bytes a document, peak of a build.

Measured in a process of its own, from the resident set before and after; the corpus is streamed from its file.
"""
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import corpus
from benchmarks.conftest import SIZE, Figures

SIZES = {"short": SIZE * 2, "medium": SIZE // 2, "long": SIZE // 100}
SCRIPT = """
import gc, json, sys
from benchmarks import corpus, timing
from benchmarks.engines.narsil_engine import INDEX, SCHEMA, as_dicts
from narsilpy import Narsil
name, size = sys.argv[1], int(sys.argv[2])
with Narsil() as engine:
    engine.create_index("warm", schema={"body": "string"})
    engine.insert("warm", {"body": "a word"})
    engine.drop_index("warm")
    gc.collect(); timing.reset_peak(); before = timing.resident_bytes()
    engine.create_index(INDEX, schema=SCHEMA, language="english")
    engine.insert_batch(INDEX, as_dicts(corpus.iterate(name, size)))
    gc.collect()
    print(json.dumps({"held": timing.resident_bytes() - before, "peak": timing.peak_bytes() - before}))
"""


@pytest.mark.parametrize("name", SIZES)
def bench_memory(benchmark: BenchmarkFixture, figure: Figures, name: str) -> None:
    size = SIZES[name]
    n_bytes = sum(len(document.body.encode()) for document in corpus.iterate(name, size))
    found: dict[str, int] = {}

    def run() -> None:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, name, str(size)], capture_output=True, text=True, check=True,
            cwd=Path(__file__).resolve().parents[1],
        )
        found.update(json.loads(done.stdout))

    benchmark.pedantic(run, rounds=1)
    figure(f"memory, {name}: bytes a document ({n_bytes / size:,.0f} of body)", found["held"] / size, "")
    figure(f"memory, {name}: peak of the build, bytes a document", found["peak"] / size, "")
