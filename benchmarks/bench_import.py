"""How long does `import narsilpy` take in a fresh interpreter? Guards: 50 ms."""
from __future__ import annotations

import subprocess
import sys

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.conftest import Figures

SCRIPT = "import time; t = time.perf_counter(); import narsilpy; print((time.perf_counter() - t) * 1000)"


def bench_import(benchmark: BenchmarkFixture, figure: Figures) -> None:
    took: list[float] = []

    def run() -> None:
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
        took.append(float(done.stdout))

    benchmark.pedantic(run, rounds=10, warmup_rounds=1)
    figure("import narsilpy: ms", min(took), "50")
