"""Do two reader threads search nearly twice as much as one, and does a long query hold up an asyncio loop?

Guards: 1.8x with two threads on two cores; a loop's ticks are not delayed while another thread searches.
"""
from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.conftest import Figures
from benchmarks.engines.narsil_engine import INDEX, Narsilpy
from benchmarks.queries import Query

SECONDS = 1.0


def searches(search: Callable[[int], object], n_threads: int, seconds: float) -> float:
    """Searches a second by `n_threads` threads together."""
    counts = [0] * n_threads
    start = threading.Barrier(n_threads + 1)
    stop = threading.Event()

    def work(me: int) -> None:
        start.wait()
        number = me * 17
        while not stop.is_set():
            search(number)
            counts[me] += 1
            number += 1

    threads = [threading.Thread(target=work, args=(me,)) for me in range(n_threads)]
    for thread in threads:
        thread.start()
    start.wait()
    started = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - started)


@pytest.mark.parametrize("kind", ["or4", "common"])
def bench_two_readers(
    benchmark: BenchmarkFixture, figure: Figures, filled: Narsilpy, asked: dict[str, list[Query]], kind: str
) -> None:
    """`document=False`: the search itself, which leaves the interpreter lock; what makes Python objects cannot."""
    words = [query.text for query in asked[kind]]
    seconds = SECONDS if benchmark.enabled else 0.05

    def search(number: int) -> None:
        filled.engine.query(INDEX, words[number % len(words)], document=False)

    rates: list[tuple[float, float]] = []
    benchmark.pedantic(
        lambda: rates.append((searches(search, 1, seconds), searches(search, 2, seconds))), rounds=3
    )
    one, two = max(one for one, _ in rates), max(two for _, two in rates)
    figure(f"threads, {kind}: searches/s by one thread", one, "")
    figure(f"threads, {kind}: two threads to one", two / one, "1.8")


def bench_asyncio_beside_searches(
    benchmark: BenchmarkFixture, figure: Figures, filled: Narsilpy, asked: dict[str, list[Query]]
) -> None:
    """How late a 1 ms timer fires at worst while another thread searches without pause."""
    text = " ".join(query.text for query in asked["or4"][:50])
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            filled.engine.query(INDEX, text, document=False, limit=1000)

    async def ticks(n_ticks: int) -> float:
        late = 0.0
        for _ in range(n_ticks):
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            late = max(late, time.perf_counter() - before - 0.001)
        return late

    thread = threading.Thread(target=search)
    thread.start()
    latest: list[float] = []
    try:
        benchmark.pedantic(lambda: latest.append(asyncio.run(ticks(300 if benchmark.enabled else 5))), rounds=1)
    finally:
        stop.set()
        thread.join()
    figure("asyncio timer beside a searching thread: worst delay, ms", max(latest) * 1000, "5 (switch interval)")
