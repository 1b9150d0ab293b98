"""What the bench files share: filled engines, queries, and a table of figures beside their goals at the end of a run.

    pytest benchmarks                               everything, small sizes
    pytest benchmarks/bench_query.py                one question
    BENCH_SIZE=100000 pytest benchmarks             more documents (default 20,000)
    pytest benchmarks --benchmark-disable           each once, nothing timed: do they still run?
"""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from benchmarks import corpus, queries, tables
from benchmarks.corpus import Document
from benchmarks.engines.narsil_engine import Narsilpy
from benchmarks.queries import Query

collect_ignore_glob = ["engines/*"]     # each needs a package that may not be here
SIZE = int(os.environ.get("BENCH_SIZE", "20000"))

Figures = Callable[[str, float, str], None]
_told: list[tuple[str, float, str]] = []


@pytest.fixture
def figure() -> Figures:
    """`figure(what, value, goal)`: a line of the table that ends the run."""

    def tell(what: str, value: float, goal: str) -> None:
        _told.append((what, value, goal))

    return tell


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _told:
        terminalreporter.section("figures")
        terminalreporter.write_line(tables.markdown(["what", "measured", "goal"], _told))


@pytest.fixture(scope="session")
def documents() -> list[Document]:
    return corpus.load("short", SIZE)


@pytest.fixture(scope="session")
def filled(documents: list[Document]) -> Iterator[Narsilpy]:
    """An engine with the short corpus in it; a bench that writes makes its own."""
    engine = Narsilpy()
    engine.build(documents, "", 1)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def asked() -> dict[str, list[Query]]:
    return queries.load("short", SIZE)
