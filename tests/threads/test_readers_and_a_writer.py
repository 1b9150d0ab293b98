"""Readers beside a writer: every answer is that of one state the index was in, and states never go back."""
from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from narsilpy import Narsil, Phrase

N_STATES = 60
N_READERS = 3
QUERIES: list[Any] = ["fox river", "hound", Phrase("fox river"), "state"]


@pytest.fixture
def hasty_switches() -> Iterator[None]:
    """Threads change places after microseconds, so that every gap in a write is found."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def create() -> Narsil:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string"})
    return narsil


def write(narsil: Narsil, state: int) -> None:
    """One step: every document that it touches changes at once."""
    doc_id = f"d{state % 12}"
    text = f"state {state} " + ("fox river " * (state % 4)) + ("hound " * (state % 3))
    if state % 7 == 6 and narsil.has("docs", doc_id):
        narsil.remove("docs", doc_id)
    else:
        narsil.upsert("docs", {"id": doc_id, "body": text})
    if state % 10 == 9:
        core = narsil._core("docs")
        with core._lock:
            core.segments.retire()


def answer(narsil: Narsil, query: Any) -> Any:
    result = narsil.query("docs", query, limit=20, highlight={"fields": ["body"]})
    return tuple((hit.id, hit.score, hit.document["body"], tuple(map(tuple, hit.highlights["body"].positions)))
                 for hit in result)


def expected_answers() -> list[dict[Any, Any]]:
    """The answers of each state, from an engine that nobody else uses."""
    narsil = create()
    states = [{query: answer(narsil, query) for query in QUERIES}]
    for state in range(N_STATES):
        write(narsil, state)
        states.append({query: answer(narsil, query) for query in QUERIES})
    return states


def test_every_answer_is_that_of_one_state(hasty_switches: None) -> None:
    states = expected_answers()
    narsil = create()
    done = threading.Event()
    faults: list[str] = []
    n_answers = [0] * N_READERS

    def read(number: int) -> None:
        oldest = 0      # states before this one are past
        try:
            while not done.is_set() or n_answers[number] < 20:
                query = QUERIES[n_answers[number] % len(QUERIES)]
                found = answer(narsil, query)
                n_answers[number] += 1
                matching = [at for at in range(oldest, len(states)) if states[at][query] == found]
                if not matching:
                    faults.append(f"{query!r} answered with {found!r}, which is no state from {oldest} on")
                    return
                oldest = matching[0]
        except Exception as error:  # noqa: BLE001  # whatever a thread raises must reach the test
            faults.append(repr(error))

    readers = [threading.Thread(target=read, args=(number,)) for number in range(N_READERS)]
    for reader in readers:
        reader.start()
    for state in range(N_STATES):
        write(narsil, state)
    done.set()
    for reader in readers:
        reader.join()
    assert not faults, faults[0]
    assert min(n_answers) >= 20


def test_writers_in_several_threads_lose_nothing(hasty_switches: None) -> None:
    narsil = create()

    def insert(thread: int) -> None:
        for number in range(50):
            narsil.insert("docs", {"id": f"{thread}-{number}", "body": f"fox {thread} {number}"})

    threads = [threading.Thread(target=insert, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert narsil.count_documents("docs") == 200
    assert narsil.query("docs", "fox", limit=200).count == 200
    assert len(narsil.query("docs", "fox", limit=1000)) == 200


def test_a_result_outlives_what_it_was_made_from() -> None:
    narsil = create()
    narsil.insert("docs", {"id": "a", "body": "a fox by the river"})
    result = narsil.query("docs", "fox", highlight={"fields": ["body"]})
    narsil.clear("docs")
    narsil.drop_index("docs")
    narsil.close()
    assert result.count == 1
    assert [(span.start, span.end) for span in result[0].highlights["body"].positions] == [(2, 5)]
