"""Whatever call fails, and wherever the process or the power goes: what was acknowledged is there, nothing half-done
is.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy.errors import StorageFailed
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.maintenance import compact_index
from narsilpy.storage.manifest import SegmentEntry
from narsilpy.storage.store import Store
from tests.durability.disks import FAULTS, Crash, FaultyDisk, QuickDisk

State = dict[str, bytes]

operations = st.one_of(
    st.tuples(st.just("write"), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 300)), min_size=1, max_size=6)),
    st.tuples(st.just("remove"), st.lists(st.integers(0, 9), min_size=1, max_size=4)),
    st.tuples(st.just("checkpoint"), st.floats(0, 1)),
    st.tuples(st.just("clear"), st.none()),
    st.tuples(st.just("flush"), st.none()),
    st.tuples(st.just("compact"), st.none()),
)


def state_of(index: IndexStore) -> State:
    found = {doc_id: data for _, doc_id, data in index.documents()}
    assert len(index) == len(found)
    for doc_no, doc_id, data in index.documents():
        assert (index.find(doc_id), index.get(doc_no)) == (doc_no, data)
    for doc_no in index.unsettled:
        assert doc_no <= index.manifest.sealed and doc_no in index.removed
        assert index.read(doc_no).endswith(b"%d" % doc_no)
    return found


def apply(store: Store, state: State, kind: str, value: Any) -> State:
    """Carry the operation out; returns what the index should hold afterwards."""
    index = store.indexes["a"]
    after = dict(state)
    if kind == "write":
        with index.transaction() as txn:
            doc_no = index.next_doc_no
            numbers = {doc_id: index.find(doc_id) for doc_id in state}
            for key, size in value:
                doc_id, data = f"id{key}", bytes([key]) * size + b"%d" % doc_no
                old = numbers.get(doc_id)
                if old is not None:
                    txn.remove(old, doc_id)
                txn.put(doc_no, doc_id, data)
                numbers[doc_id], after[doc_id] = doc_no, data
                doc_no += 1
    elif kind == "remove":
        with index.transaction() as txn:
            for doc_id in dict.fromkeys(f"id{key}" for key in value):
                doc_no = index.find(doc_id)
                if doc_no is not None:
                    txn.remove(doc_no, doc_id)
                    del after[doc_id]
    elif kind == "checkpoint":
        sealed = max(index.manifest.sealed, round((index.next_doc_no - 1) * value) if index.next_doc_no else -1)
        name = index.write_segment([b"%d" % sealed])
        index.checkpoint(sealed, [SegmentEntry(name, 0, sealed)])
    elif kind == "clear":
        store.clear_index("a")
        after = {}
    elif kind == "compact":
        compact_index(index)
    else:
        store.flush()
    return after


def after_operation(kind: str, value: Any, before: State, next_doc_no: int) -> State:
    """What the operation leads to when nothing fails, computed without a store."""
    after = dict(before)
    if kind == "write":
        for i, (key, size) in enumerate(value):
            after[f"id{key}"] = bytes([key]) * size + b"%d" % (next_doc_no + i)
    elif kind == "remove":
        for key in value:
            after.pop(f"id{key}", None)
    elif kind == "clear":
        after = {}
    return after


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path


@given(
    history=st.lists(operations, min_size=1, max_size=12),
    last=operations,
    at=st.integers(0, 25),
    fault=st.sampled_from(FAULTS),
    durability=st.sampled_from(["sync", "async"]),
    power=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_what_was_acknowledged_survives_any_single_fault(
    history: list[tuple[str, Any]],
    last: tuple[str, Any],
    at: int,
    fault: str,
    durability: Any,
    power: bool,
    seed: int,
) -> None:
    path = Path(tempfile.mkdtemp())
    disk = FaultyDisk()
    try:
        store = Store.open(path, disk=disk, durability=durability)
        index = store.create_index("a", {})
        state: State = {}
        for kind, value in history:
            state = apply(store, state, kind, value)
        store.flush()
        index = store.indexes["a"]
        if store._committer is not None:
            store._committer.close()  # no thread may take the fault that is meant for us
        possible = after_operation(*last, state, index.next_doc_no)
        disk.arm(at, fault)
        outcome = "done"
        try:
            possible = apply(store, state, *last)
        except StorageFailed:
            outcome = "failed"
        except Crash:
            outcome = "crashed"
        if outcome == "failed":
            # the index that is open shows the state before; so does the directory, unless taking it back failed too
            assert state_of(store.indexes["a"]) in ([state] if last[0] != "clear" else [state, {}])
        if outcome == "done" and not disk.fired:
            assert state_of(store.indexes["a"]) == possible
        kill(store)
        if power and (durability == "sync" or outcome != "done"):
            disk.lose_power(random.Random(seed))
        with Store.open(path, disk=QuickDisk()) as again:
            found = state_of(again.indexes["a"])
            if outcome == "done":
                assert found == possible
            elif outcome == "failed" and last[0] != "clear":
                assert found == state
            else:
                assert found in (state, possible)
            state = apply(again, found, "write", [(3, 5), (12, 7)])
        with Store.open(path, disk=QuickDisk(), read_only=True) as reader:
            assert state_of(reader.indexes["a"]) == state
    finally:
        shutil.rmtree(path, ignore_errors=True)


def kill(store: Store) -> None:
    """Let go of everything as a dying process does: descriptors and the lock, nothing else."""
    if store._committer is not None:
        store._committer.close()
    for index in store.indexes.values():
        index.abandon()
    store._release()
    store._closed = True


def test_after_a_failed_sync_the_store_reads_on_and_says_why_it_does_not_write(directory: Path) -> None:
    disk = FaultyDisk()
    store = Store.open(directory, disk=disk)
    index = store.create_index("a", {})
    state = apply(store, {}, "write", [(1, 10)])
    disk.arm(1, "error")  # the write goes through, the sync does not
    with pytest.raises(StorageFailed, match="disk is full"):
        apply(store, state, "write", [(2, 10)])
    assert disk.fired
    assert state_of(index) == state
    with pytest.raises(StorageFailed, match="an earlier write failed"):
        apply(store, state, "write", [(2, 10)])
    with pytest.raises(StorageFailed, match="an earlier write failed"):
        store.close()
    with Store.open(directory) as again:
        assert state_of(again.indexes["a"]) == state


def test_a_full_disk_refuses_the_batch_and_takes_the_next_once_there_is_space(directory: Path) -> None:
    disk = FaultyDisk()
    with Store.open(directory, disk=disk) as store:
        store.create_index("a", {})
        state = apply(store, {}, "write", [(1, 10)])
        disk.arm(0, "short write, then error")
        with pytest.raises(StorageFailed) as caught:
            apply(store, state, "write", [(2, 1000)])
        assert caught.value.errno == 28 and "full" in caught.value.message
        state = apply(store, state, "write", [(2, 1000)])
        assert state_of(store.indexes["a"]) == state
    with Store.open(directory) as again:
        assert state_of(again.indexes["a"]) == state


def test_a_background_sync_that_fails_is_told_at_the_next_write(directory: Path) -> None:
    disk = FaultyDisk()
    store = Store.open(directory, disk=disk, durability="async")
    index = store.create_index("a", {})
    disk.arm(1, "error")
    state = apply(store, {}, "write", [(1, 10)])
    for _ in range(2000):
        if index.journal._broken is not None:
            break
        time.sleep(0.005)
    assert state_of(index) == state
    with pytest.raises(StorageFailed, match="an earlier write failed"):
        apply(store, state, "write", [(2, 10)])
    with pytest.raises(StorageFailed, match="an earlier write failed"):
        store.flush()
    kill(store)
