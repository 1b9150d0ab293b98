"""narsilpy beside its peers, in one run: the same corpora, the same queries, one process an engine at a time.

    python -m benchmarks.peers                          # short texts, 50,000 documents, every engine that is installed
    python -m benchmarks.peers --size 100000 --engines narsilpy,tantivy,fts5 --phases build,query
    python -m benchmarks.peers --corpus long --size 500 --phases build,highlight

Only `body` is indexed (English), title and body are stored, tag and num can be filtered. A search returns the ten best
with their stored bodies in Python, parsing included. Answers are graded by a brute-force BM25: 1.000 says that the ten
documents score as much as any ten could; engines with other stop words or another formula may differ a little.
Results go to benchmarks/results: a JSON file, a Markdown page and an SVG chart for each corpus and size.
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import corpus, engines, queries, tables
from benchmarks.render import chart

__all__ = ["measure", "report"]

RESULTS = Path(__file__).parent / "results"
PHASES = ("build", "query", "highlight", "update")
ROOT = Path(__file__).resolve().parents[1]


def measure(name: str, options: dict[str, Any], timeout: float) -> dict[str, Any]:
    """Run one engine in a process of its own; `{"error": ...}` when it fails."""
    python = engines.interpreter_for(name)
    if python is None:
        return {"error": "not installed"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory(prefix="narsilpy-bench-") as folder:
        task = json.dumps({**options, "folder": folder})
        try:
            done = subprocess.run(
                [python, "-m", "benchmarks.worker", name, task], capture_output=True, text=True, timeout=timeout,
                env=environment, cwd=ROOT, check=False,
            )
        except subprocess.TimeoutExpired:
            return {"error": f"no answer in {timeout:.0f} s"}
    if done.returncode:
        return {"error": done.stderr[-2000:] or f"exit status {done.returncode}"}
    figures: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
    return figures


def grade(name: str, size: int, results: dict[str, Any]) -> None:
    """Put the quality of every engine's answers beside its latencies."""
    answered = {engine: figures["query"].pop("answers") for engine, figures in results.items() if "query" in figures}
    kinds = [kind for kind in queries.Reference.GRADED if any(kind in answers for answers in answered.values())]
    asked = {kind: queries.load(name, size)[kind][:40] for kind in kinds}
    reference = queries.Reference(corpus.load(name, size), [query for kind in kinds for query in asked[kind]])
    for engine, answers in answered.items():
        results[engine]["query"]["quality"] = {
            kind: statistics.mean(map(reference.grade, asked[kind], answers[kind])) for kind in kinds if kind in answers
        }


def report(name: str, size: int, results: dict[str, Any]) -> str:
    """The Markdown page."""
    good = {engine: figures for engine, figures in results.items() if "error" not in figures}
    parts = [
        f"# {name}, {size:,} documents",
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}. "
        + ", ".join(f"{engine} {figures['version']}" for engine, figures in good.items()) + ".",
        "## Build, one thread",
        tables.markdown(
            ["", "documents/s", "MB/s", "seconds", "memory added, MB", "on disk, MB"],
            [
                [engine, row["documents_per_second"], row["megabytes_per_second"], row["seconds"],
                 row["memory_bytes"] / 1e6, row["disk_bytes"] / 1e6 or None]
                for engine, row in ((engine, figures["build"]) for engine, figures in good.items())
            ],
        ),
    ]
    asked = {engine: figures["query"] for engine, figures in good.items() if "query" in figures}
    for share in ("p50", "p99") if asked else ():
        rows = [
            [engine, *(row["latency"].get(kind, {}).get(share) for kind in queries.KINDS)]
            for engine, row in asked.items()
        ]
        parts += [f"## Query {share}, µs", tables.markdown(["", *queries.KINDS], rows, best="low")]
    if asked:
        graded = queries.Reference.GRADED
        rows = [[engine, *(_share(row["quality"].get(kind)) for kind in graded)] for engine, row in asked.items()]
        parts += ["## Answers: score of the ten returned over the best possible", tables.markdown(["", *graded], rows)]
    marked = {engine: figures["highlight"] for engine, figures in good.items() if figures.get("highlight")}
    if marked:
        rows = [
            [engine, *(row[kind]["per_hit_us"] for kind in ("common", "or2")), row["or2"]["measured"]]
            for engine, row in marked.items()
        ]
        parts += [
            "## Highlight, µs a hit beside the search",
            tables.markdown(["", "common", "or2", "measured"], rows, best="low"),
        ]
    updated = {engine: figures["update"] for engine, figures in good.items() if figures.get("update")}
    if updated:
        rows = [[engine, row.get("p50"), row.get("p99")] for engine, row in updated.items()]
        parts += ["## Replace one document, until visible, µs", tables.markdown(["", "p50", "p99"], rows, best="low")]
    parts += [f"{engine} was left out: {row['error'][-300:]}" for engine, row in results.items() if "error" in row]
    return "\n\n".join(parts) + "\n"


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="short", choices=corpus.CORPORA)
    parser.add_argument("--size", type=int, default=50_000)
    parser.add_argument("--engines", default=",".join(engines.ENGINES))
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--kinds", default=",".join(queries.KINDS), help="classes of queries (default: all)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for a class of queries (default: 1)")
    parser.add_argument("--threads", type=int, default=1, help="0: the engine's default, where it can be set")
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    corpus.path_of(arguments.corpus, arguments.size)
    queries.load(arguments.corpus, arguments.size)
    options = {
        "corpus": arguments.corpus, "size": arguments.size, "phases": arguments.phases.split(","),
        "kinds": arguments.kinds.split(","),
        "seconds": arguments.seconds, "threads": arguments.threads,
    }
    results: dict[str, Any] = {}
    for engine in arguments.engines.split(","):
        if arguments.size > engines.ENGINES[engine].max_documents:
            continue
        results[engine] = measure(engine, options, arguments.timeout)
        print(f"{engine}: {results[engine].get('error', 'measured')}", file=sys.stderr, flush=True)
    if any("query" in figures for figures in results.values()):
        grade(arguments.corpus, arguments.size, results)
    page = report(arguments.corpus, arguments.size, results)
    arguments.results.mkdir(parents=True, exist_ok=True)
    base = arguments.results / f"{arguments.corpus}-{arguments.size}"
    base.with_suffix(".json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    base.with_suffix(".md").write_text(page, encoding="utf-8")
    if picture := chart(arguments.corpus, arguments.size, results):
        base.with_suffix(".svg").write_text(picture, encoding="utf-8")
    print(page)
    return int(any(figures.get("error", "not installed") != "not installed" for figures in results.values()))


if __name__ == "__main__":
    sys.exit(main())
