"""Verification, backup and compaction of a store."""
from __future__ import annotations

from pathlib import Path

import pytest

from narsilpy.errors import EngineReadOnly, NarsilError, StorageFailed
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.maintenance import backup, compact, verify
from narsilpy.storage.manifest import SegmentEntry
from narsilpy.storage.store import LOCK, Store
from tests.durability.disks import QuickDisk

Docs = list[tuple[int, str, bytes]]


def fill(store: Store, name: str = "a", n: int = 40) -> Docs:
    index = store.create_index(name, {})
    docs = [(i, f"id{i}", b"%d" % i * 30) for i in range(n)]
    for i in range(0, n, 10):
        with index.transaction() as txn:
            for doc in docs[i : i + 10]:
                txn.put(*doc)
    with index.transaction() as txn:
        txn.remove(5, "id5")
    index.checkpoint(25, [SegmentEntry(index.write_segment([b"segment"]), 0, 25)])
    with index.transaction() as txn:
        txn.remove(6, "id6")
        txn.remove(35, "id35")
    return [doc for doc in docs if doc[0] not in (5, 6, 35)]


def contents(index: IndexStore) -> Docs:
    docs = list(index.documents())
    assert len(index) == len(docs)
    assert all(index.find(doc_id) == doc_no for doc_no, doc_id, _ in docs)
    return docs


def test_a_sound_store_has_no_problems(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        fill(store)
        fill(store, "b")
    report = verify(tmp_path)
    assert report.problems == []
    assert (report.n_indexes, report.n_documents, report.n_files) == (2, 74, 11)
    assert report.n_bytes == sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file() and p.name != LOCK)


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    with Store.open(tmp_path, disk=QuickDisk()) as store:
        fill(store, n=36)
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file() and p.name != LOCK):
        whole = path.read_bytes()
        for at in range(0, len(whole), 1 if len(whole) < 1000 else 7):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << at % 8
            path.write_bytes(damaged)
            assert verify(tmp_path).problems, (path, at)
        path.write_bytes(whole)
    assert verify(tmp_path).problems == []


def test_a_missing_file_and_a_missing_engine_are_problems(tmp_path: Path) -> None:
    with Store.open(tmp_path / "e") as store:
        fill(store)
    for path in [p for p in (tmp_path / "e").rglob("*") if p.is_file() and p.name != LOCK]:
        whole = path.read_bytes()
        path.unlink()
        assert verify(tmp_path / "e").problems
        path.write_bytes(whole)
    assert verify(tmp_path / "nowhere").problems


def test_a_backup_of_an_engine_in_use_opens_as_it_was(tmp_path: Path) -> None:
    with Store.open(tmp_path / "e") as store:
        docs = fill(store)
        fill(store, "b", 30)
        copy = backup(store, tmp_path / "copies" / "one")
        with store.indexes["a"].transaction() as txn:
            txn.put(100, "later", b"")
        with pytest.raises(StorageFailed, match="new or an empty"):
            backup(store, copy)
        with Store.open(tmp_path / "e", read_only=True) as reader:
            backup(reader, tmp_path / "two")
    assert verify(copy).problems == []
    with Store.open(copy) as store:
        assert contents(store.indexes["a"]) == docs
        with store.indexes["a"].transaction() as txn:
            txn.put(50, "new", b"x")
        assert len(store.indexes["a"]) == len(docs) + 1
    assert verify(tmp_path / "two").problems == []


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "e") as store:
        fill(store)

        def refuse(old: Path, new: Path) -> None:
            raise StorageFailed("PERSISTENCE_SAVE_FAILED", "no")

        monkeypatch.setattr(store.disk, "rename", refuse)
        with pytest.raises(StorageFailed):
            backup(store, tmp_path / "copy")
        assert [p.name for p in tmp_path.iterdir()] == ["e"]


def test_no_file_goes_away_while_a_backup_copies_it(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        fill(store)
        index = store.indexes["a"]
        old = index.manifest.segments[0].name
        with index.pinned() as (manifest, _):
            index.checkpoint(30, [SegmentEntry(index.write_segment([b"new"]), 0, 30)])
            assert old == manifest.segments[0].name
            assert (index.directory / old).exists()
        assert not (index.directory / old).exists()


def test_compaction_gives_space_back_and_keeps_everything(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        docs = fill(store, n=400)
        index = store.indexes["a"]
        doomed = [doc for doc in docs if doc[0] % 8]
        with index.transaction() as txn:
            for doc_no, doc_id, _ in doomed:
                txn.remove(doc_no, doc_id)
        kept = [doc for doc in docs if not doc[0] % 8]
        with Store.open(tmp_path, read_only=True) as reader:
            freed = compact(store)
            assert freed > 30_000
            assert contents(index) == kept
            assert contents(reader.indexes["a"]) == kept  # its files are gone, its descriptors are not
            with index.transaction() as txn:
                txn.put(index.next_doc_no, "after", b"!")
            reader.indexes["a"].refresh()
            assert contents(reader.indexes["a"]) == [*kept, (400, "after", b"!")]
        assert verify(tmp_path).problems == []
    with Store.open(tmp_path) as store:
        assert contents(store.indexes["a"]) == [*kept, (400, "after", b"!")]
        compact(store)
        compact(store)
        assert contents(store.indexes["a"]) == [*kept, (400, "after", b"!")]
    with Store.open(tmp_path, read_only=True) as reader:
        assert contents(reader.indexes["a"]) == [*kept, (400, "after", b"!")]
        with pytest.raises(EngineReadOnly):
            compact(reader)


def test_compaction_refuses_to_copy_damage(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        docs = fill(store)
        index = store.indexes["a"]
        log = index.directory / "log-00000001"
        whole = log.read_bytes()
        log.write_bytes(whole.replace(docs[0][2], docs[0][2].replace(b"0", b"9")))
        with pytest.raises(NarsilError, match="checksum"):
            compact(store)
        log.write_bytes(whole)
        assert contents(index) == docs
        compact(store)
        assert contents(index) == docs


def test_bytes_of_a_removed_document_are_kept_until_a_checkpoint_settles_it(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        docs = fill(store)
        index = store.indexes["a"]
        assert index.unsettled == [6]  # 5 went before the checkpoint, 35 is not sealed
        compact(store)
        assert (index.unsettled, index.get(6), index.read(6)) == ([6], None, b"6" * 30)
    with Store.open(tmp_path) as store:
        index = store.indexes["a"]
        assert (index.unsettled, index.read(6)) == ([6], b"6" * 30)
        index.checkpoint(25, index.manifest.segments)
        assert index.unsettled == []
        compact(store)
        assert contents(index) == docs
    with Store.open(tmp_path) as store:
        assert store.indexes["a"].unsettled == []
        assert contents(store.indexes["a"]) == docs
    assert verify(tmp_path).problems == []
