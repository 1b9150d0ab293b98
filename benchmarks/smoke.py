"""Do all benchmarks still run? Small corpora, nothing timed, under a minute: `python -m benchmarks.smoke`."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="narsilpy-smoke-") as folder:
        environment = {**os.environ, "NARSILPY_BENCH_CACHE": folder, "BENCH_SIZE": "1000", "PYTHONPATH": str(ROOT)}
        commands = [
            ["pytest", "-q", "benchmarks", "--benchmark-disable", "-p", "no:cacheprovider"],
            ["benchmarks.peers", "--size", "500", "--seconds", "0.02", "--results", folder],
        ]
        statuses = [
            subprocess.run(
                [sys.executable, "-m", *command], env=environment, cwd=ROOT, stdin=subprocess.DEVNULL, check=False
            ).returncode
            for command in commands
        ]
    return int(any(statuses))


if __name__ == "__main__":
    sys.exit(main())
