"""How things are timed here, and what a process holds in memory.

Machines are shared: a latency is the best of several passes over the same queries, percentiles are over the queries,
and what counts is the ratio between engines of one run. The collector is off while a pass is timed.
"""
from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

__all__ = ["Latency", "latency", "paired", "peak_bytes", "quiet", "reset_peak", "resident_bytes", "tree_bytes"]

T = TypeVar("T")


@contextmanager
def quiet() -> Iterator[None]:
    """Everything alive now is old, and nothing is collected while the block runs."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


@dataclass(frozen=True, slots=True)
class Latency:
    """Microseconds."""

    p50: float
    p90: float
    p99: float
    n: int

    @classmethod
    def of(cls, microseconds: Sequence[float]) -> Latency:
        ranked = sorted(microseconds)

        def at(share: float) -> float:
            return ranked[min(len(ranked) - 1, int(share * len(ranked)))]

        return cls(at(0.50), at(0.90), at(0.99), len(ranked))


def latency(
    function: Callable[[T], object], arguments: Sequence[T], *, seconds: float = 1.0, passes: int = 5
) -> Latency:
    """Time `function` on each argument: after a warm-up, the best of up to `passes` passes that fit into `seconds`."""
    clock = time.perf_counter_ns
    end = time.perf_counter() + seconds
    for argument in arguments[:20]:
        function(argument)
        if time.perf_counter() > end - seconds / 2:
            break
    best: list[float] = []
    with quiet():
        for number in range(passes):
            started = time.perf_counter()
            for index, argument in enumerate(arguments[: len(best)] if number else arguments):
                before = clock()
                function(argument)
                took = (clock() - before) / 1000
                if number:
                    best[index] = min(best[index], took)
                else:
                    best.append(took)
                    if time.perf_counter() > end and len(best) >= 5:
                        break
            if time.perf_counter() * 2 - started > end:
                break
    return Latency.of(best)


def paired(first: Callable[[], object], second: Callable[[], object], passes: int = 7) -> tuple[float, float]:
    """Microseconds of two functions, called in turns so that both meet the same machine: the best of each."""
    clock = time.perf_counter_ns
    best = [float("inf"), float("inf")]
    for number in range(passes + 1):
        for place, function in enumerate((first, second)):
            before = clock()
            function()
            if number:          # the first is a warm-up
                best[place] = min(best[place], (clock() - before) / 1000)
    return best[0], best[1]


def _status(key: str) -> int:
    """A line of /proc/self/status in bytes; 0 where the system has none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(key)), 0)


def resident_bytes() -> int:
    return _status("VmRSS")


def peak_bytes() -> int:
    """The most that was resident since `reset_peak` (Linux) or the start of the process (elsewhere)."""
    if peak := _status("VmHWM"):
        return peak
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def reset_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:  # not Linux, or not allowed: the peak is then of the whole process
        pass


def tree_bytes(folder: str) -> int:
    return sum((Path(root) / name).stat().st_size for root, _, names in os.walk(folder) for name in names)
