"""`kill -9` of a process that writes through `Narsil`: every acknowledged document is there, and the index answers as a
fresh one of the survivors does.

HYPOTHESIS_PROFILE=nightly kills a thousand times, anything else thirty-two times.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from narsilpy import Narsil

ROUNDS = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 32
SCHEMA = {"title": "string", "body": "string", "n": "number"}

# Step by step the same for writer and checker: step i is a batch, and acknowledges itself by printing its number.
STEPS = '''
def word(i):
    return "abcdefghij"[i % 10] * 2 + "klmnopqrst"[i // 10 % 10]

def document(i, version):
    return {"id": f"d{i}", "title": word(i), "body": " ".join(word(i * k + version) for k in range(1, 15)), "n": i}

def step(number):
    """(verb, argument) of one step: mostly batches of new documents, some updates, removals and merges."""
    first = number * 7
    if number % 5 == 3:
        return "update", [(f"d{i}", document(i, number)) for i in range(first - 21, first - 14)]
    if number % 5 == 4:
        return "remove", [f"d{i}" for i in range(first - 28, first - 26)]
    if number % 23 == 22:
        return "optimize", None
    return "insert", [document(i, 0) for i in range(first, first + 7)]

def play(narsil, number):
    verb, argument = step(number)
    if verb == "insert":
        narsil.insert_batch("a", argument)
    elif verb == "update":
        narsil.update_batch("a", [pair for pair in argument if narsil.has("a", pair[0])])
    elif verb == "remove":
        narsil.remove_batch("a", argument)
    else:
        narsil.optimize("a")
'''
WRITER = STEPS + '''
import sys
import narsilpy.storage.durable as durable
import narsilpy.segments as segments
from narsilpy import Narsil

durable.CHECKPOINT_BYTES = 20_000
segments.SEAL_AFTER_BATCH = 64
narsil = Narsil(sys.argv[1], durability=sys.argv[2], timeout=10)
if "a" not in narsil.list_indexes():
    narsil.create_index("a", schema={"title": "string", "body": "string", "n": "number"})
print("open", flush=True)
for number in range(int(sys.argv[3]), 10**9):
    play(narsil, number)
    print(number, flush=True)
'''
play: Any = None
exec(STEPS)  # the steps are text, so that writer and checker run the very same


def answers(narsil: Narsil) -> list[Any]:
    queries = ["aak bbl", "ccm ddn eeo", "hh"]
    found: list[Any] = [
        [(hit.id, hit.score, hit.document) for hit in narsil.query("a", query, limit=30)] for query in queries[:2]
    ]
    found.append([(hit.id, hit.score) for hit in narsil.query("a", queries[2], prefix=True, limit=30)])
    return [*found, narsil.count_documents("a"), sorted(narsil.index("a"))]


def states_after(narsil: Narsil, done: int, number: int) -> int:
    """Play steps `done` to `number` on the model; returns the next step."""
    for i in range(done, number + 1):
        play(narsil, i)
    return max(done, number + 1)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("durability", ["sync", "async"])
def test_killed_engines_lose_nothing_they_acknowledged(tmp_path: Path, durability: str) -> None:
    path = tmp_path / "engine"
    model = Narsil()
    model.create_index("a", schema=SCHEMA)
    done = 0  # steps that are in the model
    for number in range(ROUNDS // 2):
        arguments = [sys.executable, "-c", WRITER, str(path), durability, str(done)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            try:
                assert writer.stdout.readline() == "open\n"
                first = writer.stdout.readline() if number % 2 else ""  # a slow machine gets something done as well
                time.sleep(random.uniform(0, 0.1))
            finally:
                writer.send_signal(signal.SIGKILL)
            lines = [first, *writer.stdout.read().splitlines(keepends=True)]
        acknowledged = max([done - 1, *(int(line) for line in lines if line.endswith("\n"))])
        with Narsil(path) as narsil:
            found = answers(narsil)
            done = states_after(model, done, acknowledged)
            if found != answers(model):  # the step at work when the process died may be whole as well
                done = states_after(model, done, done)
                assert found == answers(model)
            assert narsil.verify("a").problems == []
    assert done >= ROUNDS // 4
