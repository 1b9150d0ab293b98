"""The durable store of an engine: a directory of indexes, each an append-only journal with checksummed tables and
segments.

    Store.open(path, read_only=False, durability="sync", timeout=0)     one writer, any number of readers
    store.create_index(name, config) -> IndexStore                      store.indexes: name -> IndexStore
    with index.transaction() as txn:                                    one batch is one transaction
        txn.put(doc_no, doc_id, packed_document)
        txn.remove(doc_no, doc_id)
    index.get(doc_no), index.find(doc_id), index.recent_documents()
    index.write_segment(chunks), index.checkpoint(sealed, segments)     what a segment holds is not replayed on open

Files of the directory: `narsilpy.manifest` (which indexes there are, `manifest.py`), `narsilpy.lock` (the writer,
`lock.py`), `index-<number>/` (`index_store.py`).

Why files of our own and not an embedded database: every byte here carries a checksum that is looked at before the
byte is believed, and documents are read with plain reads, so a flipped bit or a cut file ends in `IndexCorrupted`. A
memory-mapped B-tree without page checksums (LMDB was measured: 1,500 single bit flips, three of them killed the
reading process) cannot promise that.

Durability. "sync": a transaction's block ends when the data is on the device (one write and one sync). "async": it ends
when the operating system has the data, which survives the death of the process; a thread syncs in groups, and a
power cut may lose the last moments, always whole transactions from the end. `flush()` waits.

Forks. A child may go on reading what its parent opened; writing in the child raises `EngineLocked`, since the lock
is the parent's. Open a store of its own in the child.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Self

import msgspec

from narsilpy.errors import (
    EngineClosed,
    EngineLocked,
    EngineReadOnly,
    ErrorCode,
    IndexAlreadyExists,
    IndexCorrupted,
    IndexNotFound,
    InvalidConfig,
    NarsilError,
    StorageFailed,
)
from narsilpy.storage.committer import Committer
from narsilpy.storage.disk import Disk, typed
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.lock import WriterLock
from narsilpy.storage.manifest import EngineManifest, IndexEntry, read_manifest, write_manifest
from narsilpy.storage.msgpack import UnsupportedValue, pack, unpack

Durability = Literal["sync", "async"]
MANIFEST: Final = "narsilpy.manifest"
LOCK: Final = "narsilpy.lock"


class Store:
    """Use `Store.open`. Context manager; `close` is idempotent."""

    def __init__(self, path: Path, disk: Disk, lock: WriterLock | None, durability: Durability) -> None:
        self.path = path
        self.indexes: dict[str, IndexStore] = {}
        self._disk = disk
        self._lock = lock
        self._durability = durability
        self._pid = os.getpid()
        self._closed = False
        self._configs: dict[str, dict[str, Any]] = {}
        self._committer = Committer() if durability == "async" and lock is not None else None
        self._manifest = EngineManifest(b"")

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        durability: Durability = "sync",
        timeout: float = 0.0,
        disk: Disk | None = None,
    ) -> Self:
        """Open the directory `path`, making it if need be (not with `read_only`).

        Raises:
            EngineLocked: another process writes here and did not stop within `timeout` seconds.
            StorageFailed: the operating system refuses (permissions, read-only media, a file in the way, ...), or
            there is
                nothing to read.
            InvalidConfig: the directory holds something else.
            IndexCorrupted, IncompatibleIndex: the files are damaged, or of a newer format.
        """
        if durability not in ("sync", "async"):
            raise InvalidConfig(
                ErrorCode.CONFIG_INVALID,
                f'durability is "sync" or "async", not {durability!r}',
                {"durability": durability},
            )
        disk = disk or Disk()
        root = Path(path).absolute()
        lock = None if read_only else cls._prepare(disk, root, timeout)
        store = cls(root, disk, lock, durability)
        try:
            store._load()
        except BaseException:
            store._release()
            raise
        return store

    @staticmethod
    def _prepare(disk: Disk, root: Path, timeout: float) -> WriterLock:
        disk.make_directory(root)
        with typed(root, saving=True):
            strangers = sorted(
                entry.name for entry in root.iterdir() if not entry.name.startswith(("narsilpy.", "index-"))
            )
            fresh = not (root / MANIFEST).exists()
        if strangers and fresh:
            raise InvalidConfig(
                ErrorCode.CONFIG_INVALID,
                f"{root}: the directory holds files that are not narsilpy's ({strangers[0]}); give an empty one",
                {"path": str(root), "file": strangers[0]},
            )
        if fresh and any(root.glob("index-*")):  # the manifest is written before any index: it was lost since
            raise IndexCorrupted(
                ErrorCode.PERSISTENCE_LOAD_FAILED,
                f"{root}: there are indexes but no {MANIFEST}; restore it from a backup",
                {"path": str(root)},
            )
        lock = WriterLock(root / LOCK, timeout=timeout)
        try:
            if not (root / MANIFEST).exists():  # looked at again: another process may have made it meanwhile
                write_manifest(disk, root / MANIFEST, EngineManifest(os.urandom(16)))
                disk.sync_directory(root.parent)
        except BaseException:
            lock.release()
            raise
        return lock

    def _load(self) -> None:
        with typed(self.path, saving=False):
            exists = (self.path / MANIFEST).exists()
        if self._lock is None and not exists:
            what = (
                "there is no narsilpy engine in this directory" if self.path.is_dir() else "there is no such directory"
            )
            raise StorageFailed(ErrorCode.PERSISTENCE_LOAD_FAILED, f"{self.path}: {what}", {"path": str(self.path)})
        self._manifest = read_manifest(self._disk, self.path / MANIFEST, EngineManifest)
        for entry in self._manifest.indexes:
            self._configs[entry.name] = unpack(entry.config)
            self.indexes[entry.name] = self._open_index(entry)
        if self._lock is not None:
            self._sweep()

    def _open_index(self, entry: IndexEntry) -> IndexStore:
        directory = self.path / f"index-{entry.number}"
        index = IndexStore(
            self._disk,
            directory,
            entry.name,
            entry.number,
            self._manifest.secret,
            writable=self._lock is not None,
            sync=self._committer is None,
        )
        # neither leads back to the index: in a cycle, mapped files would wait for the collector to be let go
        guarding = weakref.WeakMethod(self.check_writable)
        index.guard = lambda: _call(guarding)
        if self._committer is not None:
            committer, journal = self._committer, index.journal
            index.on_commit = lambda: committer.wake(journal)
        return index

    def _sweep(self) -> None:
        """Delete directories that no manifest names: an index that was dropped, or not made to the end."""
        named = {f"index-{entry.number}" for entry in self._manifest.indexes}
        for path in self.path.glob("index-*"):
            if path.name not in named:
                shutil.rmtree(path, ignore_errors=True)

    # --- state ---------------------------------------------------------------------------------------------------

    @property
    def disk(self) -> Disk:
        return self._disk

    @property
    def manifest(self) -> EngineManifest:
        """What this store last read or wrote; replaced, never edited."""
        return self._manifest

    @property
    def read_only(self) -> bool:
        return self._lock is None

    def check_open(self) -> None:
        if self._closed:
            raise EngineClosed(ErrorCode.ENGINE_CLOSED, "the engine is closed")

    def check_writable(self) -> None:
        """Raise unless a write may go ahead now, in this process."""
        self.check_open()
        if self._lock is None:
            raise EngineReadOnly(
                ErrorCode.ENGINE_READ_ONLY,
                "the engine was opened with read_only=True; open it for writing to change it",
            )
        if self._pid != os.getpid():
            raise EngineLocked(
                ErrorCode.ENGINE_LOCKED,
                f"the engine belongs to process {self._pid}, this is a forked child; open an engine of its own here",
                {"pid": self._pid},
            )

    def config(self, name: str) -> dict[str, Any]:
        """The configuration that `create_index` or `set_config` stored."""
        self._index(name)
        return self._configs[name]

    def _index(self, name: str) -> IndexStore:
        try:
            return self.indexes[name]
        except KeyError:
            raise IndexNotFound(ErrorCode.INDEX_NOT_FOUND, f"there is no index {name!r}", {"index": name}) from None

    # --- indexes -------------------------------------------------------------------------------------------------

    def create_index(self, name: str, config: Mapping[str, Any]) -> IndexStore:
        """A new, empty index, durable on return. `config` is anything a document may hold."""
        self.check_writable()
        if name in self.indexes:
            raise IndexAlreadyExists(ErrorCode.INDEX_ALREADY_EXISTS, f"the index {name!r} exists", {"index": name})
        entry = IndexEntry(name, self._manifest.next_number, _packed(config))
        IndexStore.create(self._disk, self.path / f"index-{entry.number}", entry.number)
        self._write([*self._manifest.indexes, entry], next_number=entry.number + 1)
        return self._adopt(entry, config)

    def stage(self, config: Mapping[str, Any]) -> tuple[IndexEntry, IndexStore]:
        """An empty index that nobody sees until `publish` gives it a name; `abandon` deletes it, and so does a
        crash.
        """
        self.check_writable()
        entry = IndexEntry("", self._manifest.next_number, _packed(config))
        self._manifest = msgspec.structs.replace(self._manifest, next_number=entry.number + 1)
        IndexStore.create(self._disk, self.path / f"index-{entry.number}", entry.number)
        return entry, self._open_index(entry)

    def publish(self, name: str, entry: IndexEntry, index: IndexStore) -> None:
        """Put a staged index in the place of the index `name`, or beside the others, in one step."""
        self.check_writable()
        index.flush()
        named = msgspec.structs.replace(entry, name=name)
        others = [other for other in self._manifest.indexes if other.name != name]
        self._write([*others, named])
        old = self.indexes.get(name)
        index.name = name
        self.indexes[name] = index
        self._configs[name] = unpack(entry.config)
        if old is not None:
            self._discard(old)

    def abandon(self, index: IndexStore) -> None:
        """Delete a staged index."""
        self._discard(index)

    def set_config(self, name: str, config: Mapping[str, Any]) -> None:
        """Replace the configuration of an index."""
        self.check_writable()
        number = self._index(name).number
        entry = IndexEntry(name, number, _packed(config))
        self._write([entry if other.name == name else other for other in self._manifest.indexes])
        self._configs[name] = dict(config)

    def drop_index(self, name: str) -> None:
        """Remove an index and its files."""
        self.check_writable()
        index = self._index(name)
        self._write([entry for entry in self._manifest.indexes if entry.name != name])
        del self.indexes[name], self._configs[name]
        self._discard(index)

    def clear_index(self, name: str) -> IndexStore:
        """Replace an index by an empty one of the same name and configuration, in one step."""
        self.check_writable()
        old = self._index(name)
        config = self._configs[name]
        entry = IndexEntry(name, self._manifest.next_number, _packed(config))
        IndexStore.create(self._disk, self.path / f"index-{entry.number}", entry.number)
        entries = [entry if other.name == name else other for other in self._manifest.indexes]
        self._write(entries, next_number=entry.number + 1)
        self._discard(old)
        return self._adopt(entry, config)

    def _write(self, entries: list[IndexEntry], *, next_number: int | None = None) -> None:
        manifest = EngineManifest(self._manifest.secret, next_number or self._manifest.next_number, indexes=entries)
        write_manifest(self._disk, self.path / MANIFEST, manifest)
        self._manifest = manifest

    def _adopt(self, entry: IndexEntry, config: Mapping[str, Any]) -> IndexStore:
        index = self._open_index(entry)
        self._configs[entry.name] = dict(config)
        self.indexes[entry.name] = index
        return index

    def _discard(self, index: IndexStore) -> None:
        if self._committer is not None:
            self._committer.forget(index.journal)
        # its descriptors stay open as long as a query reads from them, and close with the last reference
        shutil.rmtree(index.directory, ignore_errors=True)

    # --- the whole -----------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Return once every acknowledged write is on the device."""
        self.check_open()
        for index in list(self.indexes.values()):
            index.flush()

    def refresh_indexes(self) -> bool:
        """For a reader: take over indexes that were made, dropped or reconfigured since; True if any was.

        What happened inside an index is taken over by its own `refresh`.
        """
        self.check_open()
        if self._lock is not None:
            return False
        manifest = read_manifest(self._disk, self.path / MANIFEST, EngineManifest)
        if manifest == self._manifest:
            return False
        self._manifest = manifest
        known = {index.number: index for index in self.indexes.values()}
        self.indexes = {
            entry.name: known[entry.number] if entry.number in known else self._open_index(entry)
            for entry in manifest.indexes
        }
        self._configs = {entry.name: unpack(entry.config) for entry in manifest.indexes}
        return True

    def disk_bytes(self) -> int:
        """Bytes of all files."""
        return sum(index.disk_bytes() for index in self.indexes.values()) + (self.path / MANIFEST).stat().st_size

    def close(self) -> None:
        """Flush and let go of the directory. A second call does nothing; in a forked child nothing is flushed."""
        if self._closed:
            return
        self._closed = True
        errors: list[NarsilError] = []
        if self._committer is not None and self._pid == os.getpid():
            self._committer.close()
        for index in self.indexes.values():
            try:
                index.close(flush=self._pid == os.getpid())
            except NarsilError as error:
                errors.append(error)
        self._release()
        if errors:
            raise errors[0]

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _call(guarding: weakref.WeakMethod[Callable[[], None]]) -> None:
    check = guarding()
    if check is None:
        raise EngineClosed(ErrorCode.ENGINE_CLOSED, "the engine is closed")
    check()


def _packed(config: Mapping[str, Any]) -> bytes:
    try:
        return pack(dict(config))
    except UnsupportedValue as error:
        where = ".".join(map(str, error.path)) or "the configuration"
        raise InvalidConfig(
            ErrorCode.CONFIG_INVALID, f"{where}: {error.reason}; give a registered name instead", {"setting": where}
        ) from error
