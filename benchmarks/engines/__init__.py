"""The engines that are measured, one module each. An engine whose package is missing is left out, never an error."""
from __future__ import annotations

import importlib
import os
import subprocess
import sys
from dataclasses import dataclass

from benchmarks.engines.base import Engine

__all__ = ["ENGINES", "Engine", "interpreter_for", "load"]


@dataclass(frozen=True, slots=True)
class Entry:
    module: str
    class_name: str
    requires: str                # what must be importable
    max_documents: int = 2_000_000


ENGINES = {
    "narsilpy": Entry("narsil_engine", "Narsilpy", "narsilpy"),
    "tantivy": Entry("tantivy_engine", "Tantivy", "tantivy"),
    "fts5": Entry("fts5_engine", "Fts5", "sqlite3"),
    "xapian": Entry("xapian_engine", "Xapian", "xapian"),
    "bm25s": Entry("bm25s_engine", "Bm25s", "bm25s"),
    "duckdb": Entry("duckdb_engine", "DuckDb", "duckdb_extensions"),
    "whoosh": Entry("whoosh_engine", "Whoosh", "whoosh", max_documents=60_000),
}


def load(name: str) -> Engine:
    entry = ENGINES[name]
    engine: Engine = getattr(importlib.import_module(f"benchmarks.engines.{entry.module}"), entry.class_name)()
    return engine


def interpreter_for(name: str) -> str | None:
    """A Python that can import the engine's package: this one, or the system's (Xapian comes as a system package)."""
    for python in (sys.executable, "/usr/bin/python3"):
        if not os.path.exists(python):  # noqa: PTH110  # a bare check
            continue
        check = f"import importlib.util as u, sys; sys.exit(u.find_spec({ENGINES[name].requires!r}) is None)"
        if subprocess.run([python, "-c", check], capture_output=True, check=False).returncode == 0:
            return python
    return None
