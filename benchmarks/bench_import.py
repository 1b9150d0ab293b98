"""How long does `import narsilpy` take in a fresh interpreter? Guards: 50 ms."""
from __future__ import annotations

import os
import subprocess
import sys

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.conftest import Figures

SCRIPT = "import time; t = time.perf_counter(); import narsilpy; print((time.perf_counter() - t) * 1000)"


def bench_import(benchmark: BenchmarkFixture, figure: Figures) -> None:
    took: list[float] = []
    # compiled modules are cached for whoever installs the package; the warm-up writes them here
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment
        )
        took.append(float(done.stdout))

    benchmark.pedantic(run, rounds=10, warmup_rounds=1)
    figure("import narsilpy: ms", min(took), "50")
