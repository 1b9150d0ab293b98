"""An engine whose disk fails: the call says so, memory and disk agree, and everything before is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narsilpy import Narsil, StorageFailed
from narsilpy.storage import durable
from tests.durability.disks import FaultyDisk
from tests.stateful.test_storage_engine import SCHEMA, check

OLD = {f"id{i}": {"body": f"fox {i}", "title": "hound"} for i in range(5)}
NEW = [{"id": f"new{i}", "body": "foxes running"} for i in range(4)]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> FaultyDisk:
    faulty = FaultyDisk()
    monkeypatch.setattr("narsilpy.storage.store.Disk", lambda: faulty)
    return faulty


def verbs(narsil: Narsil) -> dict[str, Any]:
    return {
        "insert": lambda: narsil.insert("a", NEW[0]),
        "batch": lambda: narsil.insert_batch("a", NEW),
        "stream": lambda: narsil.insert_batch("a", iter(NEW)),
        "update": lambda: narsil.update("a", "id1", {"body": "other"}),
        "remove": lambda: narsil.remove("a", "id2"),
        "clear": lambda: narsil.clear("a"),
        "create": lambda: narsil.create_index("b", schema=SCHEMA),
        "drop": lambda: narsil.drop_index("a"),
        "optimize": lambda: narsil.optimize("a"),
        "restore": lambda: narsil.restore("a", narsil.snapshot("a")),
        "rebuild": lambda: narsil.rebuild_analysis("a"),
        "backup": lambda: narsil.backup(narsil._store.path.with_name("copy")),  # type: ignore[union-attr]  # on disk
    }


@pytest.mark.parametrize("fault", ["error", "short write, then error"])
@pytest.mark.parametrize("verb", sorted(verbs(Narsil())))
def test_any_failing_call_is_typed_and_changes_nothing(
    tmp_path: Path, disk: FaultyDisk, verb: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "CLOSE_BYTES", 1 << 30)
    for at in range(120):
        path = tmp_path / str(at) / "engine"
        disk.arm(-1, fault)
        narsil = Narsil(path)
        narsil.create_index("a", schema=SCHEMA)
        for key, document in OLD.items():
            narsil.insert("a", document, key)
        disk.arm(at, fault)
        try:
            verbs(narsil)[verb]()
            failed = False
        except StorageFailed:
            failed = True
        fired = disk.fired
        disk.arm(-1, fault)
        if failed:
            assert narsil.list_indexes() == ["a"]
            check(narsil, OLD)
        assert narsil._store is not None
        try:
            narsil.close()
        except StorageFailed as error:  # a journal that could not be synced says so again
            assert "an earlier write failed" in error.message
        with Narsil(path) as again:
            if failed:
                check(again, OLD)
                again.insert("a", NEW[0])
                check(again, {**OLD, "new0": NEW[0]})
        if not fired:
            return
    raise AssertionError("the call never came to its end")
