"""What keeps a store healthy: checking every byte, copying it while it is in use, giving space back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from narsilpy._record import pack_record
from narsilpy.errors import ErrorCode, NarsilError, StorageFailed
from narsilpy.storage.blocks import KIND_SEGMENT, BlockFile
from narsilpy.storage.disk import Disk, typed
from narsilpy.storage.index_reader import Recent
from narsilpy.storage.index_store import MERGED_TABLE_DOCS, IndexStore
from narsilpy.storage.journal import Journal, Position, log_path
from narsilpy.storage.log import FILE_HEADER_BYTES, FRAME_HEADER_BYTES, REMOVE, Location, frame_header
from narsilpy.storage.manifest import EngineManifest, IndexManifest, read_manifest, write_manifest
from narsilpy.storage.marker import Marker, write_marker
from narsilpy.storage.store import MANIFEST, Store
from narsilpy.storage.table import DocumentTable

_COPY_BYTES: Final = 1 << 20
_FRAME_BYTES: Final = 4 << 20


@dataclass(slots=True)
class StorageReport:
    """What `verify` found. `problems` is empty when every byte is as it was written."""

    problems: list[NarsilError] = field(default_factory=list)
    n_indexes: int = 0
    n_documents: int = 0
    n_files: int = 0
    n_bytes: int = 0


# --- verify ------------------------------------------------------------------------------------------------------


def verify(path: str | os.PathLike[str], *, disk: Disk | None = None) -> StorageReport:
    """Read every file that counts and check every checksum and reference; changes nothing, needs no lock.

    The directory should not be written to meanwhile. Never raises for damage: it is in `problems`.
    """
    disk = disk or Disk()
    root = Path(path)
    report = StorageReport()
    try:
        manifest = read_manifest(disk, root / MANIFEST, EngineManifest)
    except NarsilError as error:
        report.problems.append(error)
        return report
    _count(report, root / MANIFEST)
    for entry in manifest.indexes:
        report.n_indexes += 1
        for problem in _verify_index(
            disk, root / f"index-{entry.number}", entry.name, entry.number, manifest.secret, report
        ):
            if str(problem) not in {str(known) for known in report.problems}:
                report.problems.append(problem)
    return report


def verify_index(store: Store, name: str) -> StorageReport:
    """`verify` for one index of an open store, as its writer has it; call with its writers held off."""
    index = store.indexes[name]
    index.flush()
    report = StorageReport(n_indexes=1)
    for problem in _verify_index(store.disk, index.directory, name, index.number, store.manifest.secret, report):
        if str(problem) not in {str(known) for known in report.problems}:
            report.problems.append(problem)
    return report


def _count(report: StorageReport, path: Path) -> None:
    report.n_files += 1
    report.n_bytes += path.stat().st_size


def _verify_index(
    disk: Disk, directory: Path, name: str, number: int, secret: bytes, report: StorageReport
) -> Iterator[NarsilError]:
    try:
        manifest = read_manifest(disk, directory / "manifest", IndexManifest)
    except NarsilError as error:
        yield error
        return
    for file_name, check in _checks(directory, manifest):
        try:
            with typed(directory / file_name, saving=False):
                _count(report, directory / file_name)
                check()
        except NarsilError as error:
            yield error
    try:
        index = IndexStore(disk, directory, name, number, secret, writable=False, sync=True)
    except NarsilError as error:
        yield error
        return
    try:
        yield from index.journal.verify(index.manifest.logs)
        yield from _verify_marker(index.journal)
        yield from _verify_documents(index, report)
    finally:
        index.abandon()


def _checks(directory: Path, manifest: IndexManifest) -> Iterator[tuple[str, Any]]:
    for name in manifest.tables:
        yield name, lambda name=name: DocumentTable(directory / name).verify()
    for segment in manifest.segments:
        yield segment.name, lambda segment=segment: BlockFile(directory / segment.name, KIND_SEGMENT).verify()
    for name in ("manifest", "marker", *(log_path(directory, number).name for number in manifest.logs)):
        yield name, lambda: None


def _verify_marker(journal: Journal) -> Iterator[NarsilError]:
    if not journal.marker_is_sure:
        yield StorageFailed(
            ErrorCode.PERSISTENCE_CRC_MISMATCH, f"{journal.marker_path}: half of the commit marker is damaged"
        )


def _verify_documents(index: IndexStore, report: StorageReport) -> Iterator[NarsilError]:
    found = 0
    for doc_no in index.numbers():
        found += 1
        try:
            _, doc_id, _ = index._document(doc_no)
            if index.find(doc_id) != doc_no or index.doc_id(doc_no) != doc_id:
                yield StorageFailed(
                    ErrorCode.PERSISTENCE_LOAD_FAILED,
                    f"{index.directory}: the id {doc_id!r} does not lead to its document",
                )
        except NarsilError as error:
            yield error
    if found != len(index):
        yield StorageFailed(
            ErrorCode.PERSISTENCE_LOAD_FAILED,
            f"{index.directory}: {found} documents are there, {len(index)} are counted",
        )
    report.n_documents += found


# --- backup ------------------------------------------------------------------------------------------------------


def backup(store: Store, target: str | os.PathLike[str]) -> Path:
    """Copy `store` to the new directory `target` while it is in use; each index as it is at one moment.

    Writers go on meanwhile. The copy appears under its name only when it is complete and on the device.
    """
    store.check_open()
    goal = Path(target).absolute()
    with typed(goal, saving=True):
        if goal.exists() and (not goal.is_dir() or any(goal.iterdir())):
            raise StorageFailed(
                ErrorCode.PERSISTENCE_SAVE_FAILED,
                f"{goal}: a backup needs a new or an empty directory",
                {"path": str(goal)},
            )
    disk = store.disk
    partial = goal.with_name(goal.name + ".partial")
    with typed(partial, saving=True):
        shutil.rmtree(partial, ignore_errors=True)
    disk.make_directory(partial)
    try:
        manifest = store.manifest
        for index in [
            index for index in store.indexes.values() if index.number in {e.number for e in manifest.indexes}
        ]:
            _backup_index(disk, index, partial / index.directory.name)
        write_manifest(disk, partial / MANIFEST, manifest)
        with typed(goal, saving=True):
            if goal.exists():
                goal.rmdir()
        disk.rename(partial, goal)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return goal


def _backup_index(disk: Disk, index: IndexStore, target: Path) -> None:
    disk.make_directory(target)
    with index.pinned() as (manifest, end):
        for name in (*manifest.tables, *(segment.name for segment in manifest.segments)):
            _copy(disk, index.directory / name, target / name, None)
        for number in manifest.logs:
            limit = end.offset if number == end.file else None
            _copy(disk, log_path(index.directory, number), log_path(target, number), limit)
    path = target / "marker"
    fd = disk.open_write(path, create=True)
    try:
        for write_number in (0, 1):
            write_marker(disk, fd, Marker(write_number, end.file, end.offset, end.sequence), path)
        disk.sync(fd, path)
    finally:
        disk.close(fd)
    write_manifest(disk, target / "manifest", manifest)


def _copy(disk: Disk, source: Path, target: Path, limit: int | None) -> None:
    read_fd = disk.open_read(source)
    try:
        write_fd = disk.open_write(target, create=True)
        try:
            at, end = 0, disk.size(read_fd) if limit is None else limit
            while at < end:
                data = disk.read_at(read_fd, min(_COPY_BYTES, end - at), at, source)
                if not data:
                    raise StorageFailed(ErrorCode.PERSISTENCE_LOAD_FAILED, f"{source}: the file ends at byte {at}")
                disk.write_at(write_fd, data, at, target)
                at += len(data)
            disk.sync(write_fd, target)
        finally:
            disk.close(write_fd)
    finally:
        disk.close(read_fd)


# --- compact -----------------------------------------------------------------------------------------------------


def compact(store: Store) -> int:
    """Write the live documents of every index anew and delete the old logs; returns the bytes given back.

    Numbers, segments and what readers see stay as they are. Needs room for the live documents while it runs.
    """
    store.check_writable()
    before = store.disk_bytes()
    for index in list(store.indexes.values()):
        compact_index(index)
    return before - store.disk_bytes()


def compact_index(index: IndexStore) -> None:
    """`compact` for one index; its writers wait meanwhile."""
    with index.journal.lock:
        index.guard()
        index.flush()
        rewriter = _Rewriter(index)
        rewriter.run()


class _Rewriter:
    """Copies live records into a new log file, frame by frame, and the tables with them."""

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._disk = index.disk
        self._number = index.manifest.logs[-1] + 1
        self._path = log_path(index.directory, self._number)
        self._at = FILE_HEADER_BYTES
        self._sequence = index.journal.end.sequence
        self._payload = bytearray()
        self._n_records = 0
        self._fd = -1

    def run(self) -> None:
        index = self._index
        index.journal.prepare_file(self._number)
        self._fd = self._disk.open_write(self._path)
        try:
            tables = self._rewrite_tables()
            self._write_frame()
            position = Position(self._number, self._at, self._sequence)
            for doc_no in index.unsettled:
                self._add_record(pack_record(REMOVE, doc_no, b"", b""))
            self._write_frame()
            frames: list[tuple[int, Position]] = []
            recent: dict[int, Recent] = {}
            for doc_no, old in sorted(index.recent.items()):
                recent[doc_no] = (*self._add(old[:3]), old[3])
                if self._n_records == 1:  # the first record of a frame
                    frames.append((doc_no, Position(self._number, self._at, self._sequence)))
            self._write_frame()
            self._disk.sync(self._fd, self._path)
        finally:
            self._disk.close(self._fd)
        end = Position(self._number, self._at, self._sequence)
        index.take_over_log(position, end, tables, recent, frames)

    def _rewrite_tables(self) -> list[str]:
        index = self._index
        unsettled = set(index.unsettled)  # removed, but their owner may still ask for their bytes
        names: list[str] = []
        entries: list[tuple[int, bytes, Location]] = []
        for table in index.tables:
            for doc_no in table.numbers():
                location = table.location(doc_no)
                if location is None or (doc_no in index.removed and doc_no not in unsettled):
                    continue
                entries.append((doc_no, table.raw_id(doc_no), self._add(location)))
                if len(entries) == MERGED_TABLE_DOCS:
                    names.append(index.write_table(entries))
                    entries = []
        if entries:
            names.append(index.write_table(entries))
        return names

    def _add(self, location: Location) -> Location:
        return self._add_record(self._index.journal.read_raw(location))

    def _add_record(self, record: bytes) -> Location:
        if len(self._payload) + len(record) > _FRAME_BYTES:
            self._write_frame()
        moved = (self._number, self._at + FRAME_HEADER_BYTES + len(self._payload), len(record))
        self._payload += record
        self._n_records += 1
        return moved

    def _write_frame(self) -> None:
        if not self._n_records:
            return
        header = frame_header(len(self._payload), self._n_records, self._sequence, more=False)
        self._disk.write_at(self._fd, header + self._payload, self._at, self._path)
        self._at += len(header) + len(self._payload)
        self._sequence += 1
        self._payload.clear()
        self._n_records = 0
