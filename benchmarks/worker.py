"""One engine in one process: build, query, highlight, update, as asked; prints one line of JSON.

    python -m benchmarks.worker ENGINE '{"corpus": "short", "size": 50000, "phases": [...], "folder": "..."}'

Every engine gets the same documents and queries, one process to itself, and one thread unless the task says otherwise.
"""
from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from typing import Any

from benchmarks import corpus, engines, queries, timing
from benchmarks.corpus import Document
from benchmarks.queries import Query

__all__ = ["Task"]

KEPT_ANSWERS = 40
N_UPDATES = 30


class Task:
    def __init__(self, engine: str, options: dict[str, Any]) -> None:
        self.engine = engines.load(engine)
        self.options = options
        self.documents = corpus.load(options["corpus"], options["size"])
        self.queries = queries.load(options["corpus"], options["size"])
        self.seconds: float = options.get("seconds", 1.0)

    def run(self) -> dict[str, Any]:
        """The figures of all phases; a phase that fails is told under its name and ends the run."""
        figures: dict[str, Any] = {"version": self.engine.version()}
        for phase in ["build", *(phase for phase in self.options["phases"] if phase != "build")]:
            figures[phase] = getattr(self, phase)()
        self.engine.close()
        return figures

    def build(self) -> dict[str, Any]:
        folder, documents = self.options["folder"], self.documents
        timing.reset_peak()
        before = timing.resident_bytes()
        with timing.quiet():
            started, cpu = time.perf_counter(), time.process_time()
            self.engine.build(documents, folder, self.options.get("threads", 1))
            # until the documents can be searched: what an engine puts off to the first query is part of its build
            self.engine.search(self.queries["common"][0])
            seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        n_bytes = sum(len(document.body.encode()) for document in documents)
        return {
            "seconds": seconds, "cpu_seconds": cpu, "documents_per_second": len(documents) / seconds,
            "megabytes_per_second": n_bytes / seconds / 1e6, "peak_bytes": timing.peak_bytes() - before,
            "memory_bytes": timing.resident_bytes() - before, "body_bytes": n_bytes,
            "disk_bytes": timing.tree_bytes(folder) if self.engine.persists else 0,
        }

    def query(self) -> dict[str, Any]:
        figures: dict[str, Any] = {"latency": {}, "answers": {}}
        for kind in self.options["kinds"]:
            if kind in self.engine.kinds:
                asked = self.queries[kind]
                figures["latency"][kind] = asdict(timing.latency(self.engine.search, asked, seconds=self.seconds))
                found = [self.engine.search(query) for query in asked[:KEPT_ANSWERS]]
                figures["answers"][kind] = [[hit.id for hit in hits] for hits in found]
        return figures

    def highlight(self) -> dict[str, Any]:
        """What a marked snippet costs, a hit: the marking alone, or where it cannot be had alone, query by query the
        difference between searches with and without it, one right after the other."""
        if not self.engine.highlights:
            return {}
        figures = {}
        for kind in ("common", "or2"):
            with timing.quiet():
                costs = sorted(filter(None, (self.marking(query) for query in self.queries[kind][:50])))
            figures[kind] = {
                "per_hit_us": costs[len(costs) // 2] if costs else None,
                "measured": "directly" if self.engine.marker(self.queries[kind][0]) else "as a difference",
            }
        return figures

    def marking(self, query: Query) -> float | None:
        """Microseconds a hit for one query, the best of several passes; None without hits."""
        alone = self.engine.marker(query)
        if alone is None:
            n_hits = len(self.engine.search(query))
            plain, marked = timing.paired(lambda: self.engine.search(query), lambda: self.engine.highlight(query))
            return (marked - plain) / n_hits if n_hits else None
        mark, n_hits = alone
        return timing.paired(mark, mark)[0] / n_hits if n_hits else None

    def update(self) -> dict[str, Any]:
        """Replace one document and search for its new word until it is found."""
        took = []
        for number in range(N_UPDATES):
            old = self.documents[(number * 7919 + 13) % len(self.documents)]
            word = "qzx" + "".join("abcdefghij"[int(digit)] for digit in f"{number:03d}") + "qu"
            new = Document(old.id, old.title, f"{word} {old.body}", old.tag, old.num)
            started = time.perf_counter_ns()
            try:
                self.engine.replace(new)
            except NotImplementedError:
                return {}
            found = self.engine.search(Query("rare", (word,)))
            took.append((time.perf_counter_ns() - started) / 1000)
            if [hit.id for hit in found] != [old.id]:
                return {"error": f"the replaced document {old.id} was not found: {found[:2]}"}
            if sum(took) > self.seconds * 5e6:
                break
        return asdict(timing.Latency.of(took))


def main() -> None:
    task = Task(sys.argv[1], json.loads(sys.argv[2]))
    sys.stdout.write("\n" + json.dumps(task.run()) + "\n")
    sys.stdout.flush()
    os._exit(0)  # some engines keep threads or take seconds to tear down


if __name__ == "__main__":
    main()
