"""Do readers notice a writer? Guards: p99 of searches during a steady ingest at most 3x the idle p99."""
from __future__ import annotations

import itertools
import threading
import time

from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.conftest import Figures
from benchmarks.corpus import Document
from benchmarks.engines.narsil_engine import INDEX, Narsilpy, as_dicts
from benchmarks.queries import Query
from benchmarks.timing import Latency

PER_SECOND, BATCH = 10_000, 100


def searched(engine: Narsilpy, queries: list[Query], seconds: float) -> Latency:
    took, end = [], time.perf_counter() + seconds
    for query in itertools.cycle(queries):
        started = time.perf_counter_ns()
        engine.search(query)
        took.append((time.perf_counter_ns() - started) / 1000)
        if time.perf_counter() > end:
            return Latency.of(took)
    raise AssertionError("no queries")


def bench_tail_while_writing(
    benchmark: BenchmarkFixture, figure: Figures, documents: list[Document], asked: dict[str, list[Query]]
) -> None:
    engine = Narsilpy()
    engine.build(documents, "", 1)
    seconds = 2.0 if benchmark.enabled else 0.1
    idle = searched(engine, asked["or2"], seconds)
    stop, written = threading.Event(), itertools.count()
    n_written = 0

    def write() -> None:
        nonlocal n_written
        due = time.perf_counter()
        while not stop.is_set():
            batch = [documents[next(written) % len(documents)] for _ in range(BATCH)]
            fresh = [{**document, "id": f"new{n_written + at}"} for at, document in enumerate(as_dicts(batch))]
            engine.engine.insert_batch(INDEX, fresh)
            n_written += BATCH
            due += BATCH / PER_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))

    writer = threading.Thread(target=write)
    writer.start()
    busy: list[Latency] = []
    started = time.perf_counter()
    try:
        benchmark.pedantic(lambda: busy.append(searched(engine, asked["or2"], seconds)), rounds=1)
    finally:
        stop.set()
        writer.join()
    figure("tail: documents/s written meanwhile", n_written / (time.perf_counter() - started), f"{PER_SECOND:,}")
    figure("tail: p99 while writing, µs", busy[0].p99, f"3x {idle.p99:.0f}")
    figure("tail: p99 while writing over idle", busy[0].p99 / idle.p99, "3")
    engine.close()
