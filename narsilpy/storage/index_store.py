"""One index on disk, for its writer: transactions, sealed segments, checkpoints. Layout and reading:
`index_reader.py`.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pyroaring import BitMap, FrozenBitMap

from narsilpy.errors import StorageFailed
from narsilpy.storage.blocks import KIND_SEGMENT, write_blocks
from narsilpy.storage.disk import Buffer, Disk
from narsilpy.storage.index_reader import IndexReader, Recent
from narsilpy.storage.journal import Journal, Position
from narsilpy.storage.log import FILE_HEADER_BYTES, PUT, Location, encode_id
from narsilpy.storage.manifest import IndexManifest, SegmentEntry, write_manifest
from narsilpy.storage.table import DocumentTable, write_table
from narsilpy.storage.transaction import Transaction

ROTATE_BYTES: Final = 256 << 20
MERGED_TABLE_DOCS: Final = 1 << 18


class IndexStore(IndexReader):
    """Made by `Store`, for writers and readers alike; in a reader every method here raises `EngineReadOnly`."""

    def __init__(
        self, disk: Disk, directory: Path, name: str, number: int, secret: bytes, *, writable: bool, sync: bool
    ) -> None:
        super().__init__(disk, directory, name, number, secret, writable=writable, sync=sync)
        if writable:
            self._sweep()

    @staticmethod
    def create(disk: Disk, directory: Path, number: int) -> None:
        """An empty index, durable on return."""
        disk.make_directory(directory)
        Journal.create(disk, directory, number)
        write_manifest(disk, directory / "manifest", IndexManifest(number))
        disk.sync_directory(directory.parent)

    # --- writing -------------------------------------------------------------------------------------------------

    def transaction(self) -> Transaction:
        """A transaction; see there. One at a time: a second thread waits."""
        self.guard()
        return Transaction(self)

    def committed(self, transaction: Transaction, start: Position) -> None:
        """Called by a transaction once its frames are written: make them durable, then known."""
        self.journal.commit(start, sync=self._sync)
        removes = any(operation[0] != PUT for operation in transaction.operations)
        removed = BitMap(self.removed) if removes else BitMap()
        for kind, doc_no, place in transaction.operations:
            self._note(kind, doc_no, place, transaction.first_frame, removed)
        if removes:
            self.removed = FrozenBitMap(removed)
        self.on_commit()

    def flush(self) -> None:
        """Return once everything acknowledged is on the device."""
        if self._writable:
            self.journal.check_sound()
            self.journal.sync()

    # --- segments and checkpoints --------------------------------------------------------------------------------

    def write_segment(self, chunks: Iterable[Buffer]) -> str:
        """Store the bytes of a sealed segment, durable on return; it counts once a checkpoint names it."""
        with self.journal.lock:
            self.guard()
            name = self._new_name("segment")
            self._unnamed.add(name)
            write_blocks(self._disk, self.directory / name, KIND_SEGMENT, chunks)
            return name

    def discard_segment(self, name: str) -> None:
        """Give up a segment that no checkpoint will name."""
        self._unnamed.discard(name)
        self._disk.remove(self.directory / name)

    def checkpoint(self, sealed: int, segments: list[SegmentEntry], *, info: Mapping[str, Any] | None = None) -> None:
        """From now on `segments` hold every live document up to number `sealed`; what follows stays in the journal.

        Durable on return; a crash before that leaves the state before. Files no longer named are deleted.
        """
        with self.journal.lock:
            self.guard()
            self.flush()
            manifest = self.manifest
            if not manifest.sealed <= sealed < self.next_doc_no:
                raise ValueError(f"sealed must be from {manifest.sealed} to {self.next_doc_no - 1}, not {sealed}")
            fresh = [
                (doc_no, encode_id(place[3]), place[:3])
                for doc_no, place in sorted(self.recent.items())
                if doc_no <= sealed
            ]
            entries, tables = self._merge_small(fresh, list(manifest.tables))
            if entries:
                tables.append(self.write_table(entries))
            position = self._position_after(sealed)
            self._replace_manifest(
                position,
                tables=tables,
                sealed=sealed,
                sealed_live=self._sealed_live + len(fresh),
                segments=segments,
                info=dict(info if info is not None else manifest.info),
            )
            self.unsettled = []

    def write_table(self, entries: list[tuple[int, bytes, Location]]) -> str:
        """Store a document table, which counts once a manifest names it; call with the journal's lock held."""
        name = self._new_name("table")
        write_table(self._disk, self.directory / name, self._hashed, entries)
        return name

    def _merge_small(
        self, entries: list[tuple[int, bytes, Location]], names: list[str]
    ) -> tuple[list[tuple[int, bytes, Location]], list[str]]:
        """Take tables in while they are no larger than what follows them: the number of tables grows with the
        logarithm.
        """
        tables = list(self.tables)
        while tables and tables[-1].n_docs <= len(entries) and tables[-1].n_docs + len(entries) <= MERGED_TABLE_DOCS:
            table = tables.pop()
            names = names[:-1]
            live = []
            for doc_no in table.numbers():
                location = table.location(doc_no)
                if doc_no not in self.removed and location is not None:
                    live.append((doc_no, table.raw_id(doc_no), location))
            entries = live + entries
        return entries, names

    def _position_after(self, sealed: int) -> Position:
        """Where the journal has to be read from once everything up to `sealed` is in segments."""
        first_left = min((doc_no for doc_no in self.recent if doc_no > sealed), default=None)
        if first_left is None:
            return self.journal.committed
        i = bisect.bisect_right([first for first, _ in self._frames], first_left) - 1
        return self._frames[i][1]

    def _replace_manifest(self, position: Position, **changes: Any) -> None:
        logs = list(self.manifest.logs)
        full = self.journal.end.offset > ROTATE_BYTES
        if full:
            logs.append(logs[-1] + 1)
            self.journal.prepare_file(logs[-1])
        manifest = self._write_manifest(position, logs=logs, **changes)
        if full:
            self.journal.switch(Position(logs[-1], FILE_HEADER_BYTES, self.journal.end.sequence))
        self._adopt(manifest)
        self._sweep()

    def _write_manifest(self, position: Position, **changes: Any) -> IndexManifest:
        old = self.manifest
        values = {field: getattr(old, field) for field in old.__struct_fields__}
        values |= {
            "version": old.version + 1,
            "next_doc_no": self.next_doc_no,
            "log_file": position.file,
            "log_offset": position.offset,
            "log_sequence": position.sequence,
            "removed": self.removed.serialize(),
            **changes,
        }
        manifest = IndexManifest(**values)
        write_manifest(self._disk, self.directory / "manifest", manifest)
        self.manifest = manifest
        return manifest

    def take_over_log(
        self,
        position: Position,
        end: Position,
        tables: list[str],
        recent: dict[int, Recent],
        frames: list[tuple[int, Position]],
    ) -> None:
        """Go on in a log file that holds everything live: sealed documents up to `position`, `recent` ones up to
        `end`.
        """
        settled = BitMap(self.removed)
        for doc_no in self.unsettled:  # the new log takes them away again
            settled.discard(doc_no)
        manifest = self._write_manifest(
            position,
            logs=[end.file],
            tables=tables,
            removed=settled.serialize(),
            sealed_live=self._sealed_live + len(self.unsettled),
        )
        self.journal.switch(end)
        self.recent = recent
        self._frames = frames
        self._adopt(manifest)
        self._sweep()

    @contextmanager
    def pinned(self) -> Iterator[tuple[IndexManifest, Position]]:
        """The manifest and the durable end of the log as they are now; no file they name is deleted meanwhile."""
        with self.journal.lock:
            self.flush()
            self._pins += 1
            manifest, end = self.manifest, self.journal.committed
        try:
            yield manifest, end
        finally:
            with self.journal.lock:
                self._pins -= 1
                if self._writable:
                    self._sweep()

    def _adopt(self, manifest: IndexManifest) -> None:
        """Make memory agree with a new manifest. Tables that are no longer named stay open for whoever reads them."""
        known = {table.path.name: table for table in self.tables}
        self.tables = [known.get(name) or DocumentTable(self.directory / name) for name in manifest.tables]
        self._table_starts = [table.first for table in self.tables]
        recent = {doc_no: kept for doc_no, kept in self.recent.items() if doc_no > manifest.sealed}
        self._recent_ids = {kept[3]: doc_no for doc_no, kept in recent.items()}
        self._sealed_live += len(self.recent) - len(recent)
        self.recent = recent
        self._gone_before, self._gone = self._gone, {}  # a query that began before the last one may still ask
        self._unnamed -= {segment.name for segment in manifest.segments}
        start = (manifest.log_file, manifest.log_offset)
        self._frames = [(first, at) for first, at in self._frames if (at.file, at.offset) >= start]

    def _new_name(self, kind: str) -> str:
        self.manifest.next_file += 1
        return f"{kind}-{self.manifest.next_file:08d}"

    # --- files -----------------------------------------------------------------------------------------------------

    def _sweep(self) -> None:
        """Delete what no manifest names: left by a crash, or replaced. A backup in progress delays it."""
        if self._pins:
            return
        named = self.named_files()
        doomed = [path for path in self.directory.iterdir() if path.name not in named]
        for path in doomed:
            if path.name.startswith("log-"):
                self.journal.forget(int(path.name[4:]))
            try:
                self._disk.remove(path)
            except StorageFailed:
                pass  # in use by a reader on a system that forbids deleting open files: the next sweep tries again

    def close(self, *, flush: bool = True) -> None:
        """Close every file; with `flush`, what was acknowledged is on the device first."""
        if not flush:  # in a forked child, where a lock may be held by a thread that is not there
            self.abandon()
            return
        with self.journal.lock:
            try:
                self.flush()
            finally:
                self.abandon()
