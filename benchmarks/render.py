"""The chart of the README out of a results file, by the standard library alone.

    python -m benchmarks.render benchmarks/results/short-50000.json README.svg --engines narsilpy,tantivy,fts5
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks import queries, tables

__all__ = ["chart"]


def chart(name: str, size: int, results: dict[str, Any]) -> str:
    """Query p50 by kind and engine as an SVG; empty where nothing was asked."""
    groups = {
        kind: {engine: figures["query"]["latency"].get(kind, {}).get("p50") for engine, figures in results.items()
               if "query" in figures}
        for kind in queries.KINDS
    }
    return tables.bars(f"Query p50, {size:,} {name} documents, ten stored documents returned", groups, "µs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="what benchmarks.peers wrote: CORPUS-SIZE.json")
    parser.add_argument("picture", type=Path)
    parser.add_argument("--engines", default="", help="only these, in this order")
    arguments = parser.parse_args()
    results: dict[str, Any] = json.loads(arguments.results.read_text(encoding="utf-8"))
    if arguments.engines:
        results = {engine: results[engine] for engine in arguments.engines.split(",") if engine in results}
    name, _, size = arguments.results.stem.rpartition("-")
    arguments.picture.write_text(chart(name, int(size), results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
