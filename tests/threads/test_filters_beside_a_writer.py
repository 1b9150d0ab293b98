"""Filters beside a writer: no number is lost from a column, and no reader stumbles over a change half-way.

Readers used to sort a column's new numbers in while the writer added to them, which dropped what came between for good;
and a filter remembered for one list of segments could meet another list, which native code then read past.
"""
from __future__ import annotations

import sys
import threading

import pytest

from narsilpy import Narsil
from narsilpy._query import Query

N_BATCHES, BATCH = 24, 60


def test_no_document_is_lost_from_a_column() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    narsil = Narsil()
    narsil.create_index("docs", schema={"t": "string", "n": "number", "e": "enum"})
    narsil.insert("docs", {"id": "x", "t": "red", "n": -1, "e": "a"})
    core = narsil._core("docs")
    done = threading.Event()
    faults: list[str] = []

    def write() -> None:
        for batch in range(N_BATCHES):
            start = batch * BATCH
            narsil.insert_batch("docs", [{"id": str(number), "t": "red", "n": number % 7, "e": "ab"[number % 2]}
                                         for number in range(start, start + BATCH)])
            with core._lock:
                core.segments.retire()
        done.set()

    def read(name: str) -> None:
        turn = 0
        try:
            while not done.is_set():
                turn += 1
                field = {"n": {"between": [1, 2 + turn % 4]}} if name == "n" else {"e": {"eq": "a"}}
                narsil.query("docs", "red", filters={"fields": field})
        except Exception as error:  # noqa: BLE001  # whatever a thread raises must reach the test
            faults.append(repr(error))

    threads = [threading.Thread(target=read, args=(name,)) for name in ("n", "e", "n")]
    writer = threading.Thread(target=write)
    try:
        for thread in (*threads, writer):
            thread.start()
        for thread in (*threads, writer):
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not faults, faults[0]
    total = N_BATCHES * BATCH + 1
    assert narsil.query("docs", "red", filters={"fields": {"n": {"gte": -5}}}).count == total
    assert narsil.query("docs", "red", filters={"fields": {"e": {"in": ["a", "b"]}}}).count == total


def test_a_query_needs_a_set_for_each_segment() -> None:
    with pytest.raises(ValueError, match="as many sets"):
        Query([], [None], 0, 1.2, 0.75, [])
