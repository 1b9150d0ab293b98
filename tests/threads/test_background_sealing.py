"""Sealing and merging in the background: nobody sees it, removals meanwhile are kept, it ends when it is told to."""
from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narsilpy import Narsil, background, segments
from narsilpy._seal import Stop, Stopped, merge
from narsilpy._segment import SealedSegment
from narsilpy.background import Job

WORDS = ["fox", "river", "hound", "stone", "violin"]
QUERIES = ["fox", "river hound", "stone violin fox", "hound"]


def create(path: Path | None = None) -> Narsil:
    narsil = Narsil(path)
    narsil.create_index("docs", schema={"body": "string"})
    return narsil


def document(number: int, version: int = 0) -> dict[str, Any]:
    body = " ".join(WORDS[(number * 7 + version * 3 + at * at) % 5] for at in range(1 + (number + version) % 6))
    return {"id": f"d{number}", "body": body}


def answers(narsil: Narsil) -> list[Any]:
    return [[(hit.id, hit.score, tuple(map(tuple, hit.highlights["body"].positions)))
             for hit in narsil.query("docs", query, limit=50, highlight={"fields": ["body"]})] for query in QUERIES]


def fresh_answers(kept: dict[int, dict[str, Any]]) -> list[Any]:
    narsil = create()
    narsil.insert_batch("docs", list(kept.values()))
    return answers(narsil)


class Gate:
    """Holds jobs after it has read its sources, until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()


def is_merge(job: Job) -> bool:
    return isinstance(job.parts[0], SealedSegment)


@contextmanager
def gated(holds: Callable[[Job], bool] = lambda job: True) -> Iterator[Gate]:
    gate = Gate()
    compute: Callable[[Job], None] = Job.compute

    def held(job: Job) -> None:
        compute(job)
        if threading.current_thread().name == "narsilpy-merge" and holds(job):
            gate.reached.set()
            assert gate.opened.wait(30)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Job, "compute", held)
        try:
            yield gate
        finally:
            gate.opened.set()


def retire(narsil: Narsil) -> None:
    core = narsil._core("docs")
    with core.locked():
        core.segments.retire()


def settle(narsil: Narsil) -> None:
    narsil._core("docs").settle()


def test_what_is_written_while_a_segment_is_sealed_is_seen_before_and_after() -> None:
    narsil = create()
    kept = {number: document(number) for number in range(40)}
    narsil.insert_batch("docs", list(kept.values()))
    with gated() as gate:
        retire(narsil)
        assert gate.reached.wait(30)
        core = narsil._core("docs")
        assert len(core.segments.waiting) == 1
        for number in range(0, 40, 3):
            narsil.remove("docs", f"d{number}")
            del kept[number]
        for number in range(1, 40, 4):
            if number in kept:
                kept[number] = document(number, 1)
                narsil.upsert("docs", kept[number])
        expected = fresh_answers(kept)
        assert answers(narsil) == expected
        gate.opened.set()
        settle(narsil)
        assert not core.segments.waiting
        assert answers(narsil) == expected
        assert narsil.get_stats("docs").n_docs == len(kept)


STEPS = st.sampled_from(["put", "put", "put", "remove", "retire", "settle", "seal"])


@given(st.lists(st.tuples(STEPS, st.integers(0, 20)), max_size=60))
@settings(deadline=None)
def test_any_order_of_writes_and_seals_answers_as_a_fresh_index(steps: list[tuple[str, int]]) -> None:
    narsil = create()
    kept: dict[int, dict[str, Any]] = {}
    core = narsil._core("docs")
    for version, (kind, number) in enumerate(steps):
        if kind == "put":
            kept[number] = document(number, version)
            narsil.upsert("docs", kept[number])
        elif kind == "remove" and number in kept:
            narsil.remove("docs", f"d{number}")
            del kept[number]
        elif kind in ("retire", "settle", "seal"):
            with core.locked():
                getattr(core.segments, kind)()
    assert answers(narsil) == fresh_answers(kept)
    narsil.close()


def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that never gets on leaves the writer to seal by itself."""
    monkeypatch.setattr(segments, "SEAL_DOCS", 4)
    monkeypatch.setattr(background._worker, "submit", lambda job: True)     # queued, never begun
    monkeypatch.setattr(background._worker, "withdraw", lambda job: True)
    narsil = create()
    core = narsil._core("docs")
    for number in range(200):
        narsil.insert("docs", document(number))
        assert len(core.segments.waiting) <= segments.MAX_WAITING
        assert len(core.segments.sealed) <= segments.MAX_UNMERGED + segments.FANOUT
    assert answers(narsil) == fresh_answers({number: document(number) for number in range(200)})


def test_a_long_merge_does_not_hold_up_sealing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEAL_DOCS", 4)
    narsil = create()
    core = narsil._core("docs")
    kept = {number: document(number) for number in range(40)}
    with gated(is_merge) as gate:
        for number in range(16):
            narsil.insert("docs", kept[number])
            if number % 4 == 3 and number < 15:
                settle(narsil)
        for _ in range(3000):                       # four sealed segments are due to be merged
            with core.locked():
                core.segments.tend()
            if gate.reached.wait(0.01):
                break
        assert gate.reached.is_set()
        for number in range(16, 40):
            narsil.insert("docs", kept[number])     # would wait for ever if the merge at hand had to end first
            assert len(core.segments.waiting) <= segments.MAX_WAITING
        assert len(core.segments.sealed) > segments.FANOUT
        for number in range(0, 40, 3):
            narsil.remove("docs", f"d{number}")
            del kept[number]
        assert answers(narsil) == fresh_answers(kept)
        gate.opened.set()
    settle(narsil)
    assert len(core.segments.sealed) <= segments.FANOUT
    assert answers(narsil) == fresh_answers(kept)


def test_a_job_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    narsil = create()
    kept = {number: document(number) for number in range(30)}
    narsil.insert_batch("docs", list(kept.values()))
    core = narsil._core("docs")

    def fail(job: Job) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Job, "compute", fail)
        retire(narsil)
        with pytest.raises(MemoryError):
            settle(narsil)
        assert answers(narsil) == fresh_answers(kept)
    settle(narsil)
    assert len(core.segments.sealed) == 1
    assert answers(narsil) == fresh_answers(kept)


@pytest.mark.parametrize("end", ["close", "clear", "drop"])
def test_an_index_that_ends_takes_its_job_along(end: str, tmp_path: Path) -> None:
    narsil = create(tmp_path / "engine")
    narsil.insert_batch("docs", [document(number) for number in range(40)])
    core = narsil._core("docs")
    with gated() as gate:
        retire(narsil)
        assert gate.reached.wait(30)
        job = core.segments._job
        assert job is not None
        threading.Timer(0.05, gate.opened.set).start()
        if end == "close":
            narsil.close()
        elif end == "clear":
            narsil.clear("docs")
            assert answers(narsil) == [[], [], [], []]
        else:
            narsil.drop_index("docs")
        assert job.done
    narsil.close()


def test_a_merge_ends_early_when_it_is_stopped() -> None:
    narsil = create()
    narsil.insert_batch("docs", [document(number) for number in range(40)])
    memory = narsil._core("docs").segments.memory
    stop = Stop()
    assert merge([memory], [None], stop) != b""
    stop.set()
    with pytest.raises(Stopped):
        merge([memory], [None], stop)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_goes_on_without_the_thread() -> None:
    narsil = create()
    kept = {number: document(number) for number in range(40)}
    narsil.insert_batch("docs", list(kept.values()))
    expected = answers(narsil)
    with gated() as gate:
        retire(narsil)
        assert gate.reached.wait(30)
        child = os.fork()
        if child == 0:      # no assertion may leave the child: it reports by its status
            status = 1
            try:
                gate.opened.set()
                good = answers(narsil) == expected
                settle(narsil)
                good &= len(narsil._core("docs").segments.sealed) == 1 and answers(narsil) == expected
                narsil.close()
                status = 0 if good else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
    settle(narsil)
    assert answers(narsil) == expected
