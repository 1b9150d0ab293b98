"""`kill -9` of a writing process at random moments: every acknowledged document is there, and no half transaction.

HYPOTHESIS_PROFILE=nightly kills a thousand times, anything else twenty.
"""
from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from narsilpy.errors import NarsilError
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.maintenance import verify
from narsilpy.storage.store import Store

ROUNDS = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 20
BATCH = 5

WRITER = """
import sys
from narsilpy.storage.maintenance import compact_index
from narsilpy.storage.manifest import SegmentEntry
from narsilpy.storage.store import Store

store = Store.open(sys.argv[1], durability=sys.argv[2], timeout=10)
index = store.indexes["a"] if "a" in store.indexes else store.create_index("a", {})
batch = int(sys.argv[3])
print("open", flush=True)
while True:
    with index.transaction() as txn:
        first = index.next_doc_no
        for doc_no in range(first, first + batch):
            txn.put(doc_no, f"doc-{doc_no}", b"%d " % doc_no * 50)
        # every third batch takes the middle document of an earlier batch away
        if first // batch % 3 == 2:
            gone = first - 2 * batch + batch // 2
            txn.remove(gone, f"doc-{gone}")
    print(first, flush=True)
    if first // batch % 7 == 6:
        name = index.write_segment([b"%d" % first])
        index.checkpoint(first, [SegmentEntry(name, 0, first)])
    if first // batch % 40 == 39:
        compact_index(index)
"""


def check(index: IndexStore, acknowledged: int) -> int:
    """Whole batches, at least up to `acknowledged`, each document right; returns the first number of the last batch."""
    n = index.next_doc_no
    assert n % BATCH == 0
    assert n >= acknowledged + BATCH
    gone = {first - 2 * BATCH + BATCH // 2 for first in range(0, n, BATCH) if first // BATCH % 3 == 2}
    expected = [(i, f"doc-{i}", b"%d " % i * 50) for i in range(n) if i not in gone]
    assert list(index.documents()) == expected
    assert len(index) == len(expected)
    for doc_no, doc_id, data in random.sample(expected, min(20, len(expected))):
        assert (index.find(doc_id), index.get(doc_no)) == (doc_no, data)
    for entry in index.manifest.segments:
        with index.open_segment(entry.name).read(0, 1):
            pass
    return n - BATCH


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("durability", ["sync", "async"])
def test_killed_writers_lose_nothing_they_acknowledged(tmp_path: Path, durability: str) -> None:
    path = tmp_path / "engine"
    acknowledged = -BATCH
    for round_no in range(ROUNDS // 2):
        arguments = [sys.executable, "-c", WRITER, str(path), durability, str(BATCH)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            try:
                assert writer.stdout.readline() == "open\n"
                time.sleep(random.uniform(0, 0.08))
            finally:
                writer.send_signal(signal.SIGKILL)
            lines = writer.stdout.read().splitlines(keepends=True)
        acknowledged = max([acknowledged, *(int(line) for line in lines if line.endswith("\n"))])
        if durability == "sync":
            with Store.open(path, read_only=True) as reader:
                check(reader.indexes["a"], acknowledged)
        with Store.open(path) as store:
            acknowledged = check(store.indexes["a"], acknowledged)
        if round_no % 10 == 9:
            assert verify(path).problems == []
        if acknowledged > 20_000:
            break


READER = """
import sys, time
from narsilpy.errors import NarsilError
from narsilpy.storage.store import Store

BATCH = int(sys.argv[2])
end = time.monotonic() + float(sys.argv[3])
seen = n_refreshes = 0
with Store.open(sys.argv[1], read_only=True) as store:
    index = store.indexes["a"]
    print("open", flush=True)
    while time.monotonic() < end:
        refreshed = index.refresh()
        n_refreshes += bool(refreshed.added or refreshed.reset)
        documents = list(index.documents())
        n = index.next_doc_no
        gone = {first - 2 * BATCH + BATCH // 2 for first in range(0, n, BATCH) if first // BATCH % 3 == 2}
        assert n % BATCH == 0 and n >= seen, (n, seen)
        assert [d[0] for d in documents] == [i for i in range(n) if i not in gone], n
        assert len(documents) == len(index)
        seen = n
print(seen, n_refreshes)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_readers_in_other_processes_see_whole_batches_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "engine"
    with Store.open(path) as store:
        store.create_index("a", {})
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), "sync", str(BATCH)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    arguments = [sys.executable, "-c", READER, str(path), str(BATCH), "1.5"]
    readers = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        drained = 0
        while any(reader.poll() is None for reader in readers):
            drained += len(writer.stdout.readline())
    finally:
        writer.kill()
        writer.communicate()
    for reader in readers:
        out, _ = reader.communicate()
        assert reader.returncode == 0
        seen, n_refreshes = map(int, out.split()[1:])
        assert seen > 0 and n_refreshes > 1
    with pytest.raises(NarsilError):
        Store.open(path / "nowhere", read_only=True)
