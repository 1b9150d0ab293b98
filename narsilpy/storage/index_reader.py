"""One index on disk: its journal, its document tables, its sealed segments, and the manifest that names them.

    index-<number>/
        manifest          which of the files below count (`manifest.py`)
        marker            how far the journal is durable (`marker.py`)
        log-<n>           what was acknowledged (`log.py`); documents are read in place
        table-<n>         where sealed documents stand, and their ids (`table.py`)
        segment-<n>       sealed segments: bytes of their owner, checksummed (`blocks.py`)

Document numbers ascend and are never used twice. `sealed` is the highest number that the segments hold; documents above
it are `recent`: they live in the journal alone, and whoever opens the index scans them again (`recent_documents()`).
`removed` holds every number that was taken away, sealed or not; it is a frozen bitmap that is replaced, never edited.

`unsettled` are the sealed documents removed since the last checkpoint, in order: the segments do not know of them.
Their bytes are kept until a checkpoint, which says that the segments it names do.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pyroaring import BitMap, FrozenBitMap

from narsilpy._table import KeyedHash
from narsilpy.errors import ErrorCode, IndexCorrupted, StorageFailed
from narsilpy.storage.blocks import KIND_SEGMENT, BlockFile
from narsilpy.storage.disk import Disk
from narsilpy.storage.journal import Journal, Position, log_path
from narsilpy.storage.log import FILE_HEADER_BYTES, PUT, Frame, Location, corrupted, decode_id, encode_id
from narsilpy.storage.manifest import IndexManifest, read_manifest
from narsilpy.storage.table import DocumentTable

_TRIES: Final = 20


# A document that no segment holds yet: log file, offset and length of its record, its id. Plain, like `Location`.
Recent = tuple[int, int, int, str]


class Refreshed(NamedTuple):
    """What a reader finds new: with `reset`, the list of segments changed and everything has to be looked at again."""

    reset: bool
    added: list[int]
    removed: FrozenBitMap


class IndexReader:
    """An index opened for reading; `IndexStore` adds the writing. Every method raises `IndexCorrupted` where it
    meets damage, and `StorageFailed` where the operating system refuses."""

    def __init__(
        self, disk: Disk, directory: Path, name: str, number: int, secret: bytes, *, writable: bool, sync: bool
    ) -> None:
        self.name = name
        self.number = number
        self.directory = directory
        self._disk = disk
        self._secret = secret
        self._hashed = KeyedHash(secret)  # so that nobody can choose ids that collide
        self._writable = writable
        self._sync = sync
        self._unnamed: set[str] = set()  # segments written, not yet named by a checkpoint
        self._pins = 0
        self.on_commit = _nothing
        self.guard = _nothing  # raises where writing is not allowed
        self._open_retrying()

    @property
    def disk(self) -> Disk:
        return self._disk

    @property
    def is_writable(self) -> bool:
        return self._writable

    @property
    def recent_bytes(self) -> int:
        """Bytes of the journal that have to be read when the index is opened."""
        start, end = self.manifest.log_offset or FILE_HEADER_BYTES, self.journal.end.offset
        return end - start if self.manifest.log_file == self.journal.end.file else end

    def _open_retrying(self) -> None:
        for attempt in range(_TRIES):
            try:
                self._open()
            except (StorageFailed, IndexCorrupted) as error:
                # a writer may replace what the manifest just named, or write the marker we were reading: look again
                vanished = isinstance(error, StorageFailed) and error.__cause__.__class__ is FileNotFoundError
                if self._writable or attempt == _TRIES - 1 or not (vanished or self._manifest_moved()):
                    raise
                continue
            break

    def _open(self) -> None:
        self.manifest = read_manifest(self._disk, self.directory / "manifest", IndexManifest)
        if self.manifest.number != self.number:
            raise corrupted(self.directory / "manifest", 0, f"the manifest is of index {self.manifest.number}")
        self.removed = _bitmap(self.manifest.removed, self.directory / "manifest")
        self.next_doc_no = self.manifest.next_doc_no
        self._sealed_live = self.manifest.sealed_live
        self.recent: dict[int, Recent] = {}
        self._recent_ids: dict[str, int] = {}
        self._gone: dict[int, Location] = {}  # recent documents that were removed since the last checkpoint
        self._gone_before: dict[int, Location] = {}  # ... and since the one before
        self.unsettled: list[int] = []
        self._frames: list[tuple[int, Position]] = []
        self.tables = [DocumentTable(self.directory / name) for name in self.manifest.tables]
        self._table_starts = [table.first for table in self.tables]
        self.journal = Journal(self._disk, self.directory, self.number)
        start = Position(
            self.manifest.log_file, self.manifest.log_offset or FILE_HEADER_BYTES, self.manifest.log_sequence
        )
        try:
            removed = BitMap(self.removed)
            for frame in self.journal.recover(start, self.manifest.logs, write=self._writable):
                self._replay(frame, removed)
            self.removed = FrozenBitMap(removed)
        except BaseException:
            self.journal.close()
            raise

    def _manifest_moved(self) -> bool:
        try:
            return (
                read_manifest(self._disk, self.directory / "manifest", IndexManifest).version != self.manifest.version
            )
        except (StorageFailed, IndexCorrupted, AttributeError):
            return False

    def _replay(self, frame: Frame, removed: BitMap) -> None:
        position = Position(self.journal.end.file, frame.offset, frame.sequence)
        for record in frame.records:
            place = (position.file, record.offset, record.length, record.doc_id)
            self._note(record.kind, record.doc_no, place, position, removed)

    def _note(self, kind: int, doc_no: int, place: Recent, frame: Position, removed: BitMap) -> None:
        if kind == PUT:
            if doc_no <= self.manifest.sealed:
                return
            if not self._frames or self._frames[-1][1].sequence != frame.sequence:
                self._frames.append((doc_no, frame))
            self.next_doc_no = max(self.next_doc_no, doc_no + 1)
            self.recent[doc_no] = place
            self._recent_ids[place[3]] = doc_no
        else:
            if doc_no <= self.manifest.sealed and doc_no not in removed:
                self._sealed_live -= 1
                self.unsettled.append(doc_no)
            removed.add(doc_no)
            recent = self.recent.pop(doc_no, None)
            if recent is not None:
                self._gone[doc_no] = recent[:3]
            if self._recent_ids.get(place[3]) == doc_no:
                del self._recent_ids[place[3]]

    # --- reading -------------------------------------------------------------------------------------------------

    def get(self, doc_no: int) -> bytes | None:
        """The packed document, or None if the number is not in use."""
        if doc_no in self.removed:
            return None
        location = self._locate(doc_no)
        return None if location is None else self.journal.document(location, doc_no)

    def read(self, doc_no: int) -> bytes:
        """The packed document of this number, also if it was removed and nobody has compacted the journal since."""
        location: tuple[int, int, int] | None = None
        if doc_no not in self.recent:
            table = self._table(doc_no)
            location = None if table is None else table.location(doc_no)
        return self.journal.document(location or self._locate_any(doc_no), doc_no)

    def read_id(self, doc_no: int) -> str:
        """The id of the document of this number, removed or not."""
        recent = self.recent.get(doc_no)
        if recent is not None:
            return recent[3]
        table = self._table(doc_no)
        if table is not None and table.location(doc_no) is not None:
            return decode_id(table.raw_id(doc_no))
        return self.journal.read(self._locate_any(doc_no)).doc_id

    def doc_id(self, doc_no: int) -> str | None:
        """The id of a live document."""
        recent = self.recent.get(doc_no)
        if recent is not None:
            return recent[3]
        table = self._table(doc_no)
        if table is None or doc_no in self.removed or table.location(doc_no) is None:
            return None
        return decode_id(table.raw_id(doc_no))

    def find(self, doc_id: str) -> int | None:
        """The number of the live document with this id."""
        doc_no = self._recent_ids.get(doc_id)
        if doc_no is None and self.tables:
            raw_id = encode_id(doc_id)
            hashed = self._hashed(raw_id)
            removed = self.removed
            for table in reversed(self.tables):
                doc_no = table.find(raw_id, hashed)
                if doc_no is not None and not (removed and doc_no in removed):
                    return doc_no
            return None
        return doc_no

    def __len__(self) -> int:
        """How many documents are live."""
        return self._sealed_live + len(self.recent)

    def numbers(self) -> Iterator[int]:
        """Numbers of the live documents, ascending."""
        removed = self.removed
        for table in list(self.tables):
            for doc_no in table.numbers():
                if doc_no not in removed:
                    yield doc_no
        yield from sorted(self.recent)

    def documents(self) -> Iterator[tuple[int, str, bytes]]:
        """`(number, id, packed document)` of every live document, numbers ascending."""
        for doc_no in self.numbers():
            yield self._document(doc_no)

    def recent_documents(self) -> Iterator[tuple[int, str, bytes]]:
        """`(number, id, packed document)` of the live documents that no segment holds, numbers ascending."""
        for doc_no in sorted(self.recent):
            yield self._document(doc_no)

    def open_segment(self, name: str) -> BlockFile:
        """A stored segment, mapped; its bytes are checked when touched through `check`, `read` or `verify`."""
        return BlockFile(self.directory / name, KIND_SEGMENT)

    def _document(self, doc_no: int) -> tuple[int, str, bytes]:
        location = self._locate_any(doc_no)
        record = self.journal.read(location)
        if record.doc_no != doc_no or record.kind != PUT:
            raise corrupted(log_path(self.directory, location[0]), location[1], "here stands another document")
        return doc_no, record.doc_id, record.data

    def _table(self, doc_no: int) -> DocumentTable | None:
        i = bisect.bisect_right(self._table_starts, doc_no) - 1
        return self.tables[i] if i >= 0 else None

    def _locate(self, doc_no: int) -> Location | None:
        recent = self.recent.get(doc_no)
        if recent is not None:
            return recent[:3]
        table = self._table(doc_no)
        return None if table is None else table.location(doc_no)

    def _locate_any(self, doc_no: int) -> Location:
        """Where a document stands, removed or not."""
        location = self._locate(doc_no) or self._gone.get(doc_no) or self._gone_before.get(doc_no)
        if location is None:
            raise corrupted(self.directory / "manifest", 0, f"the document number {doc_no} is in no table")
        return location

    # --- other processes -----------------------------------------------------------------------------------------

    def refresh(self) -> Refreshed:
        """For a reader: take over what the writer made durable since. All of it or, if an error is raised, nothing."""
        if self._writable:
            return Refreshed(False, [], FrozenBitMap())
        if self._manifest_moved():
            return self._reopen()
        n_frames = len(self._frames)
        removed = BitMap(self.removed)
        before = set(self.recent)
        try:
            for frame in self.journal.follow(self.manifest.logs):
                self._replay(frame, removed)
        except IndexCorrupted:
            if not self._manifest_moved():
                raise
            return self._reopen()
        fresh = FrozenBitMap(removed - self.removed)
        self.removed = FrozenBitMap(removed)
        added = sorted(self.recent.keys() - before) if len(self._frames) != n_frames else []
        return Refreshed(False, added, fresh)

    def _reopen(self) -> Refreshed:
        fresh = type(self)(
            self._disk, self.directory, self.name, self.number, self._secret, writable=False, sync=self._sync
        )
        fresh.guard = self.guard
        self.__dict__ = fresh.__dict__  # all at once: another thread reads the old state or the new one
        return Refreshed(True, sorted(self.recent), self.removed)

    # --- files ---------------------------------------------------------------------------------------------------

    def named_files(self) -> set[str]:
        """File names that count, the manifest's own included."""
        manifest = self.manifest
        names = {"manifest", "marker", *manifest.tables, *(segment.name for segment in manifest.segments)}
        return names | {log_path(self.directory, number).name for number in manifest.logs} | self._unnamed

    def disk_bytes(self) -> int:
        total = 0
        for path in self.directory.iterdir():
            try:
                total += path.stat().st_size
            except FileNotFoundError:
                continue
        return total

    def abandon(self) -> None:
        """Close every file as it is."""
        self.journal.close()
        for table in self.tables:
            table.close()


def _nothing() -> None:
    return None


def _bitmap(data: bytes, path: Path) -> FrozenBitMap:
    try:
        return FrozenBitMap(BitMap.deserialize(data) if data else BitMap())
    except (ValueError, IndexError) as error:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_CRC_MISMATCH, f"{path}: the set of removed documents is damaged"
        ) from error
