"""The durable store: what is acknowledged stays, also across opening again, checkpoints and other processes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pyroaring import BitMap

from narsilpy.errors import (
    EngineClosed,
    EngineLocked,
    EngineReadOnly,
    ErrorCode,
    IncompatibleIndex,
    IndexAlreadyExists,
    IndexCorrupted,
    IndexNotFound,
    InvalidConfig,
    NarsilError,
    StorageFailed,
)
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.manifest import SegmentEntry
from narsilpy.storage.store import LOCK, MANIFEST, Store
from tests.durability.disks import QuickDisk

DOCS = [(i, f"doc-{i}", b"text %d " % i * (i + 1)) for i in range(50)]


def put(index: IndexStore, *docs: tuple[int, str, bytes]) -> None:
    with index.transaction() as txn:
        for doc in docs:
            txn.put(*doc)


def remove(index: IndexStore, *docs: tuple[int, str, bytes]) -> None:
    with index.transaction() as txn:
        for doc_no, doc_id, _ in docs:
            txn.remove(doc_no, doc_id)


def contents(index: IndexStore) -> list[tuple[int, str, bytes]]:
    documents = list(index.documents())
    assert len(index) == len(documents)
    assert list(index.numbers()) == [doc_no for doc_no, _, _ in documents]
    for doc_no, doc_id, data in documents:
        assert (index.find(doc_id), index.doc_id(doc_no), index.get(doc_no)) == (doc_no, doc_id, data)
    return documents


def test_a_new_directory_is_made_and_what_was_stored_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "engine"
    with Store.open(path) as store:
        index = store.create_index("rules", {"language": "english", "bm25": {"k1": 1.5}})
        put(index, *DOCS[:3])
        put(index, *DOCS[3:])
        remove(index, DOCS[7])
    with Store.open(path) as store:
        assert list(store.indexes) == ["rules"]
        assert store.config("rules") == {"language": "english", "bm25": {"k1": 1.5}}
        index = store.indexes["rules"]
        assert contents(index) == DOCS[:7] + DOCS[8:]
        assert index.find("doc-7") is None and index.get(7) is None and index.doc_id(7) is None
        assert index.removed == BitMap([7])
        assert index.next_doc_no == 50


def test_an_exception_inside_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, *DOCS[:2])
        with pytest.raises(ZeroDivisionError), index.transaction() as txn:
            txn.put(*DOCS[2])
            txn.put(3, "big", bytes(9 << 20))  # leaves memory before the end
            1 / 0  # noqa: B018
        assert contents(index) == DOCS[:2]
        put(index, *DOCS[2:4])
    with Store.open(tmp_path) as store:
        assert contents(store.indexes["a"]) == DOCS[:4]


def test_a_transaction_larger_than_a_frame_is_one_transaction(tmp_path: Path) -> None:
    big = [(i, f"b{i}", bytes([i]) * (1 << 20)) for i in range(12)]
    with Store.open(tmp_path) as store:
        put(store.create_index("a", {}), *big)
        assert contents(store.indexes["a"]) == big
    with Store.open(tmp_path) as store:
        assert contents(store.indexes["a"]) == big


def test_an_empty_transaction_writes_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        before = index.disk_bytes()
        with index.transaction():
            pass
        assert index.disk_bytes() == before


def test_numbers_ascend(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, (5, "five", b""))
        with pytest.raises(ValueError, match="follows 5"), index.transaction() as txn:
            txn.put(5, "again", b"")
        put(index, (9, "nine", b""))
        assert [doc_no for doc_no, _, _ in contents(index)] == [5, 9]


@pytest.mark.parametrize("doc_id", ["x" * 60_000, "ü", "\ud800", "a/b\n", "日本"])
def test_ids_of_every_kind(tmp_path: Path, doc_id: str) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, (0, doc_id, b"x"))
        index.checkpoint(0, [])
        put(index, (1, doc_id + "2", b"y"))
    with Store.open(tmp_path) as store:
        assert contents(store.indexes["a"]) == [(0, doc_id, b"x"), (1, doc_id + "2", b"y")]


# --- checkpoints --------------------------------------------------------------------------------------------------


def test_sealed_documents_are_found_and_only_the_rest_is_recent(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, *DOCS[:20])
        remove(index, DOCS[3])
        name = index.write_segment([b"sealed", bytes(100_000), b"bytes"])
        put(index, *DOCS[20:30])
        segment = SegmentEntry(name, 0, 19, {"terms": 7})
        index.checkpoint(19, [segment], info={"owner": "x"})
        remove(index, DOCS[5], DOCS[25])
        expected = [doc for doc in DOCS[:30] if doc[0] not in (3, 5, 25)]
        assert contents(index) == expected
    with Store.open(tmp_path) as store:
        index = store.indexes["a"]
        assert index.manifest.segments == [segment]
        assert index.manifest.info == {"owner": "x"}
        assert [doc_no for doc_no, _, _ in index.recent_documents()] == [20, 21, 22, 23, 24, 26, 27, 28, 29]
        assert contents(index) == expected
        with index.open_segment(name).read(0, 100_011) as view:
            assert bytes(view) == b"sealed" + bytes(100_000) + b"bytes"


def test_many_checkpoints_keep_few_tables_and_every_document(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        live = {}
        for i in range(200):
            put(index, (i, f"id{i % 60}", b"%d" % i))
            live[f"id{i % 60}"] = i
            if i >= 60:
                remove(index, (i - 60, f"id{i % 60}", b""))
            if i % 3 == 0:
                index.checkpoint(i, [])
        assert len(index.tables) <= 8
        assert {doc_id: doc_no for doc_no, doc_id, _ in contents(index)} == live
    with Store.open(tmp_path) as store:
        assert {doc_id: doc_no for doc_no, doc_id, _ in contents(store.indexes["a"])} == live


def test_a_checkpoint_deletes_what_it_no_longer_names(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, *DOCS[:4])
        first = index.write_segment([b"one"])
        index.checkpoint(3, [SegmentEntry(first, 0, 3)])
        second = index.write_segment([b"two"])
        assert (index.directory / first).exists()
        index.checkpoint(3, [SegmentEntry(second, 0, 3)])
        assert not (index.directory / first).exists()
        third = index.write_segment([b"three"])
        index.checkpoint(3, [SegmentEntry(second, 0, 3)])  # a segment not yet named stays
        assert (index.directory / third).exists()
        index.discard_segment(third)
        stray = index.directory / "segment-99999999"
        stray.write_bytes(b"left by a crash")
    with Store.open(tmp_path):
        assert not stray.exists()


def test_the_log_rotates_and_old_files_are_read_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("narsilpy.storage.index_store.ROTATE_BYTES", 1000)
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        for doc in DOCS:
            put(index, doc)
            if doc[0] % 10 == 9:
                index.checkpoint(doc[0] - 3, [])
        assert len(index.manifest.logs) > 3
        assert contents(index) == DOCS
    with Store.open(tmp_path) as store:
        assert contents(store.indexes["a"]) == DOCS
        put(store.indexes["a"], (50, "more", b""))
        assert len(contents(store.indexes["a"])) == 51


# --- indexes ------------------------------------------------------------------------------------------------------


def test_indexes_are_made_dropped_cleared_and_reconfigured(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        put(store.create_index("a", {"x": 1}), *DOCS[:3])
        put(store.create_index("b", {"when": None}), *DOCS[3:5])
        with pytest.raises(IndexAlreadyExists):
            store.create_index("a", {})
        store.clear_index("a")
        assert contents(store.indexes["a"]) == []
        put(store.indexes["a"], *DOCS[:1])
        store.set_config("a", {"x": 2})
        store.create_index("c", {})
        store.drop_index("b")
        with pytest.raises(IndexNotFound):
            store.drop_index("b")
    with Store.open(tmp_path) as store:
        assert sorted(store.indexes) == ["a", "c"]
        assert store.config("a") == {"x": 2}
        assert contents(store.indexes["a"]) == DOCS[:1]
        assert len(list(tmp_path.glob("index-*"))) == 2


def test_a_configuration_that_cannot_be_stored_is_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        with pytest.raises(InvalidConfig, match="tokenizer: function"):
            store.create_index("a", {"tokenizer": lambda text: []})
        assert not store.indexes


# --- who may open -------------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_by_name_of_the_first(tmp_path: Path) -> None:
    with Store.open(tmp_path):
        with pytest.raises(EngineLocked, match=str(os.getpid())):
            Store.open(tmp_path)
        code = (
            "import sys\nfrom narsilpy.storage.store import Store\nfrom narsilpy.errors import EngineLocked\n"
            "try:\n    Store.open(sys.argv[1])\nexcept EngineLocked as error:\n    print(error.details['pid'])\n"
        )
        found = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
        assert found.stdout.strip() == str(os.getpid())
    Store.open(tmp_path).close()


def test_a_writer_waits_for_the_first_to_stop(tmp_path: Path) -> None:
    first = Store.open(tmp_path)
    timer = threading.Timer(0.1, first.close)
    timer.start()
    Store.open(tmp_path, timeout=30).close()
    timer.join()


def test_use_after_close_and_writes_of_a_reader_are_typed(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    index = store.create_index("a", {})
    put(index, DOCS[0])
    store.close()
    store.close()
    for use in (store.flush, index.transaction, lambda: store.create_index("b", {}), store.refresh_indexes):
        with pytest.raises(EngineClosed):
            use()
    with Store.open(tmp_path, read_only=True) as reader:
        assert contents(reader.indexes["a"]) == DOCS[:1]
        for use in (
            reader.indexes["a"].transaction,
            lambda: reader.create_index("b", {}),
            lambda: reader.drop_index("a"),
            lambda: reader.indexes["a"].checkpoint(0, []),
            lambda: reader.indexes["a"].write_segment([b""]),
        ):
            with pytest.raises(EngineReadOnly):
                use()


@pytest.mark.parametrize("read_only", [False, True])
def test_places_that_are_no_engine(tmp_path: Path, read_only: bool) -> None:
    file = tmp_path / "file"
    file.write_text("not a directory")
    for path in (file, file / "below"):
        with pytest.raises(StorageFailed):
            Store.open(path, read_only=read_only)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("precious")
    with pytest.raises(StorageFailed if read_only else InvalidConfig):
        Store.open(foreign, read_only=read_only)
    assert [entry.name for entry in foreign.iterdir()] == ["thesis.tex"]
    if read_only:
        with pytest.raises(StorageFailed, match="no such directory"):
            Store.open(tmp_path / "nowhere", read_only=True)
        assert not (tmp_path / "nowhere").exists()


def test_a_bad_durability_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig):
        Store.open(tmp_path, durability="maybe")  # type: ignore[arg-type]  # the point of the test


# --- readers ------------------------------------------------------------------------------------------------------


def test_a_reader_keeps_its_snapshot_until_it_refreshes(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, *DOCS[:10])
        with Store.open(tmp_path, read_only=True) as reader:
            seen = reader.indexes["a"]
            put(index, *DOCS[10:12])
            remove(index, DOCS[0], DOCS[11])
            assert contents(seen) == DOCS[:10]
            fresh = seen.refresh()
            assert (fresh.reset, fresh.added, list(fresh.removed)) == (False, [10], [0, 11])
            assert contents(seen) == DOCS[1:11]
            assert seen.refresh() == (False, [], BitMap())
            segment = SegmentEntry(index.write_segment([b"s"]), 0, 10)
            index.checkpoint(10, [segment])
            put(index, DOCS[12])
            assert contents(seen) == DOCS[1:11]
            fresh = seen.refresh()
            assert (fresh.reset, fresh.added) == (True, [12])
            assert seen.manifest.segments == [segment]
            assert contents(seen) == [*DOCS[1:11], DOCS[12]]
            assert not reader.refresh_indexes()
            store.clear_index("a")
            store.create_index("b", {"n": 1})
            assert reader.refresh_indexes()
            assert contents(reader.indexes["a"]) == [] and reader.config("b") == {"n": 1}
            assert contents(seen) == [*DOCS[1:11], DOCS[12]]  # who still holds the old one reads on


def test_a_reader_does_not_see_what_is_not_durable(tmp_path: Path) -> None:
    with Store.open(tmp_path, durability="async") as store:
        index = store.create_index("a", {})
        store.flush()
        index.on_commit = lambda: None  # the thread never hears of it
        put(index, *DOCS[:2])
        assert contents(index) == DOCS[:2]
        with Store.open(tmp_path, read_only=True) as reader:
            assert contents(reader.indexes["a"]) == []
            store.flush()
            assert reader.indexes["a"].refresh().added == [0, 1]


def test_async_writes_become_durable_by_themselves(tmp_path: Path) -> None:
    with Store.open(tmp_path, durability="async") as store:
        index = store.create_index("a", {})
        for doc in DOCS:
            put(index, doc)
        for _ in range(1000):
            if index.journal.is_durable():
                break
            threading.Event().wait(0.01)
        assert index.journal.is_durable()


# --- forks --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_reads_but_does_not_write(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, *DOCS[:5])
        child = os.fork()
        if child == 0:
            failed = 1
            try:
                assert contents(index) == DOCS[:5]
                for use in (index.transaction, lambda: store.create_index("b", {})):
                    with pytest.raises(EngineLocked, match="forked child"):
                        use()
                with pytest.raises(EngineLocked):
                    Store.open(tmp_path)
                with Store.open(tmp_path, read_only=True) as reader:
                    assert contents(reader.indexes["a"]) == DOCS[:5]
                store.close()
                failed = 0
            finally:
                os._exit(failed)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        put(index, DOCS[5])  # the child's close took nothing from the parent
        with pytest.raises(EngineLocked):
            Store.open(tmp_path)
        assert contents(index) == DOCS[:6]


# --- formats ------------------------------------------------------------------------------------------------------


def test_a_newer_format_is_refused_by_version(tmp_path: Path) -> None:
    import struct
    import zlib

    with Store.open(tmp_path) as store:
        index = store.create_index("a", {})
        put(index, DOCS[0])
        index.checkpoint(0, [])
        table = index.directory / index.manifest.tables[0]

    def bump(path: Path, at: int, crc_at: int) -> bytes:
        old = path.read_bytes()
        head = bytearray(old[:crc_at])
        head[at] = 9
        path.write_bytes(bytes(head) + struct.pack("<I", zlib.crc32(head)) + old[crc_at + 4 :])
        return old

    for path, at, crc_at in (
        (tmp_path / MANIFEST, 4, 20),
        (tmp_path / "index-1" / "manifest", 4, 20),
        (tmp_path / "index-1" / "log-00000001", 4, 28),
        (table, 4, 60),
        (tmp_path / "index-1" / "marker", 4, 60),
    ):
        old = bump(path, at, crc_at)
        for read_only in (True, False):
            with pytest.raises(IncompatibleIndex) as caught:
                Store.open(tmp_path, read_only=read_only)
            assert caught.value.code is ErrorCode.ENVELOPE_VERSION_MISMATCH
        path.write_bytes(old)
    with Store.open(tmp_path) as store:
        assert contents(store.indexes["a"]) == DOCS[:1]


def test_the_lock_file_may_hold_anything(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    (tmp_path / LOCK).write_bytes(b"\xff garbage")
    Store.open(tmp_path).close()


# --- damage -------------------------------------------------------------------------------------------------------


def build(path: Path) -> list[tuple[int, str, bytes]]:
    with Store.open(path, disk=QuickDisk()) as store:
        index = store.create_index("a", {"k": "v"})
        put(index, *DOCS[:6])
        remove(index, DOCS[2])
        index.checkpoint(5, [SegmentEntry(index.write_segment([b"segment bytes"]), 0, 5)])
        put(index, *DOCS[6:9])
        remove(index, DOCS[4], DOCS[7])
        return contents(index)


def read_all(path: Path, *, read_only: bool) -> list[tuple[int, str, bytes]]:
    with Store.open(path, read_only=read_only, disk=QuickDisk()) as store:
        assert store.config("a") == {"k": "v"}
        index = store.indexes["a"]
        for entry in index.manifest.segments:
            segment = index.open_segment(entry.name)
            segment.verify()
            assert bytes(segment.body) == b"segment bytes"
        return contents(index)


@pytest.mark.parametrize("read_only", [True, False])
def test_every_flipped_bit_is_an_error_or_changes_nothing(tmp_path: Path, read_only: bool) -> None:
    expected = build(tmp_path)
    harmless: dict[str, int] = {}
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file() and p.name != LOCK):
        whole = path.read_bytes()
        for at in range(len(whole)):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << at % 8
            path.write_bytes(damaged)
            try:
                assert read_all(tmp_path, read_only=read_only) == expected, (path, at)
                harmless[path.name] = harmless.get(path.name, 0) + 1
            except (IndexCorrupted, IncompatibleIndex):
                pass
            path.write_bytes(whole)
            if not read_only:  # opening for writing may have written a fresh marker
                (tmp_path / "index-1" / "marker").write_bytes(
                    whole if path.name == "marker" else (tmp_path / "index-1" / "marker").read_bytes()
                )
    # one half of the marker may be damaged, and frame headers of sealed documents are read by verify alone
    assert set(harmless) <= {"marker", "log-00000001"}


@pytest.mark.parametrize("read_only", [True, False])
def test_every_cut_is_an_error_or_changes_nothing(tmp_path: Path, read_only: bool) -> None:
    expected = build(tmp_path)
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file() and p.name != LOCK):
        whole = path.read_bytes()
        for n in range(len(whole)):
            path.write_bytes(whole[:n])
            with pytest.raises(NarsilError) as caught:
                assert read_all(tmp_path, read_only=read_only) == expected
                raise IndexCorrupted(ErrorCode.PERSISTENCE_CRC_MISMATCH, "nothing changed")
            assert isinstance(caught.value, IndexCorrupted | StorageFailed), (path, n)
            path.write_bytes(whole)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_missing_file_is_an_error(tmp_path: Path, read_only: bool) -> None:
    build(tmp_path)
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file() and p.name != LOCK):
        whole = path.read_bytes()
        path.unlink()
        with pytest.raises(NarsilError):
            read_all(tmp_path, read_only=read_only)
        path.write_bytes(whole)
