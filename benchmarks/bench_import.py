"""How long does `import narsilpy` take in a fresh interpreter, and how long until there is an engine? Guards: 50 ms.

The package imports its parts when a name is first asked for. msgspec alone, which every part uses, stands beside it:
its import is most of what is left.
"""
from __future__ import annotations

import os
import statistics
import subprocess
import sys

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.conftest import Figures

QUESTIONS = {
    "import narsilpy": ("import narsilpy", "50"),
    "import narsilpy, make an engine in memory": ("import narsilpy; narsilpy.Narsil()", ""),
    "import msgspec": ("import msgspec", ""),
}


def bench_import(benchmark: BenchmarkFixture, figure: Figures) -> None:
    took: dict[str, list[float]] = {name: [] for name in QUESTIONS}
    # compiled modules are cached for whoever installs the package; the warm-up writes them here
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        for name, (statements, _) in QUESTIONS.items():
            script = f"import time; t = time.perf_counter(); {statements}; print((time.perf_counter() - t) * 1000)"
            done = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
            )
            took[name].append(float(done.stdout))

    benchmark.pedantic(run, rounds=10, warmup_rounds=1)
    for name, (_, goal) in QUESTIONS.items():
        figure(f"{name}: ms, median", statistics.median(took[name]), goal)
