"""The verbs of an engine that concern its storage: `Narsil` and the handle `Index` inherit them.

What only an engine on disk needs is imported where one is opened: it is a third of the package's import time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from narsilpy.errors import ErrorCode, InvalidConfig, NarsilError
from narsilpy.index import IndexCore
from narsilpy.results import BatchResult
from narsilpy.schema import thaw

if TYPE_CHECKING:
    from narsilpy.engine import Narsil
    from narsilpy.plugins.hooks import HookedWriter
    from narsilpy.settings import IndexSettings
    from narsilpy.storage.maintenance import StorageReport
    from narsilpy.storage.store import Durability, Store


class StorageVerbs:
    """What `Narsil` can do with what it keeps on disk."""

    _indexes: dict[str, IndexCore]
    _lock: threading.Lock
    _store: Store | None

    def _check_open(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def _core(self, name: str) -> IndexCore:
        raise NotImplementedError

    def _writer(self, name: str) -> IndexCore | HookedWriter:
        raise NotImplementedError

    def _open_store(
        self, path: str | os.PathLike[str] | None, durability: Durability, read_only: bool, timeout: float
    ) -> None:
        self._store = None
        if path is None:
            if read_only:
                raise InvalidConfig(ErrorCode.CONFIG_INVALID, "an engine in memory cannot be read_only", {})
            return
        from narsilpy.storage.store import Store

        self._store = store = Store.open(path, durability=durability, read_only=read_only, timeout=timeout)
        try:
            for name in store.indexes:
                self._indexes[name] = self._open_core(name)
        except BaseException:
            self._indexes.clear()
            store.close()
            raise

    def _rebuild_stale(self, read_only: bool) -> None:
        """Rebuild every index whose terms another analyzer made. If one cannot be, nothing stays open."""
        try:
            if read_only:
                raise InvalidConfig(ErrorCode.CONFIG_INVALID, "a read_only engine cannot rebuild_stale", {})
            for name in [name for name, core in self._indexes.items() if core.analysis_stale]:
                self.rebuild_analysis(name)
        except BaseException:
            self.close()
            raise

    def _open_core(self, name: str) -> IndexCore:
        from narsilpy.storage.config import is_stale, settings_of
        from narsilpy.storage.durable import DurableIndex

        store = self._store
        assert store is not None, "only an engine on disk has stored indexes"
        config = store.config(name)
        core = IndexCore(name, settings_of(name, config), DurableIndex(store, store.indexes[name]))
        core.analysis_stale = is_stale(core.settings, config)
        return core

    def _new_core(self, name: str, settings: IndexSettings) -> IndexCore:
        """A core for a new index; on disk it is durable on return. Engine lock held."""
        if self._store is None:
            return IndexCore(name, settings)
        from narsilpy.storage.config import config_of
        from narsilpy.storage.durable import DurableIndex

        return IndexCore(name, settings, DurableIndex(self._store, self._store.create_index(name, config_of(settings))))

    def _close_store(self) -> None:
        store = self._store
        for core in self._indexes.values():
            core.close()
        if store is None:
            return
        try:
            for core in self._indexes.values():
                core.storage.close(core)
        finally:
            store.close()

    @contextmanager
    def _replacing(self, name: str, settings: IndexSettings) -> Iterator[IndexCore]:
        """A core to be filled; when the block ends it takes the place of the index `name`, in one step. Engine lock
        held.
        """
        old = self._indexes.get(name)
        if self._store is None:
            fresh = IndexCore(name, settings)
            with fresh.locked():
                yield fresh
        else:
            fresh = yield from self._replacing_stored(self._store, name, settings)
        self._indexes[name] = fresh
        if old is not None:
            old.close()

    def _replacing_stored(
        self, store: Store, name: str, settings: IndexSettings
    ) -> Generator[IndexCore, None, IndexCore]:
        from narsilpy.storage.config import config_of
        from narsilpy.storage.durable import DurableIndex

        entry, index = store.stage(config_of(settings))
        try:
            fresh = IndexCore(name, settings, DurableIndex(store, index))
            with fresh.locked():
                yield fresh
                if index.recent_bytes:
                    fresh.storage.checkpoint(fresh)
            store.publish(name, entry, index)
        except BaseException:
            store.abandon(index)
            raise
        return fresh

    # --- durability ----------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Return once every acknowledged write is on the device. Only `durability="async"` leaves anything to do."""
        self._check_open()
        if self._store is not None:
            self._store.flush()

    def refresh(self) -> bool:
        """For an engine opened with `read_only=True`: take over what the writing process stored since.

        Returns whether anything changed. Until the next call every query sees that one state.
        """
        self._check_open()
        store = self._store
        if store is None or not store.read_only:
            return False
        with self._lock:
            changed = store.refresh_indexes()
            if changed:
                kept = {core.storage.index: core for core in self._indexes.values()}
                self._indexes = {
                    name: kept[index] if index in kept and kept[index].name == name else self._open_core(name)
                    for name, index in store.indexes.items()
                }
            for core in self._indexes.values():
                changed |= core.storage.refresh(core)
        return changed

    def verify(self, index: str) -> StorageReport:
        """Check every checksum and every reference of an index on disk. Changes nothing; damage is in `problems`.

        >>> from narsilpy import Narsil
        >>> with Narsil() as narsil:
        ...     narsil.create_index("rules", schema={"body": "string"})
        ...     narsil.verify("rules").problems
        []
        """
        from narsilpy.storage.maintenance import StorageReport, verify_index

        core = self._core(index)
        with core.locked():
            if self._store is None:
                return StorageReport(n_indexes=1, n_documents=len(core.numbers))
            return verify_index(self._store, index)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the engine to the new directory `path` while it is in use; `Narsil(path)` opens the copy.

        Raises:
            InvalidConfig: the engine is in memory.
            StorageFailed: the directory is not empty, or the operating system refuses.
        """
        self._check_open()
        if self._store is None:
            raise InvalidConfig(
                ErrorCode.CONFIG_INVALID, "an engine in memory has no files; use snapshot() or export_jsonl()", {}
            )
        from narsilpy.storage.maintenance import backup

        backup(self._store, path)

    # --- moving documents ----------------------------------------------------------------------------------------

    def export_jsonl(self, index: str, path: str | os.PathLike[str]) -> int:
        """Write the documents of an index to a file, one JSON object a line; returns how many.

        The file is gzip if its name ends in ".gz", and appears once it is complete. `import_jsonl` reads it back
        without loss (see `narsilpy.storage.jsonl`).
        """
        from narsilpy.storage.jsonl import write_jsonl

        core = self._core(index)
        with core.reading_stored() as documents:
            return write_jsonl(path, ((doc_id, thaw(stored)) for doc_id, stored in documents))

    def import_jsonl(
        self, index: str, path: str | os.PathLike[str], *, on_progress: Callable[[int], object] | None = None
    ) -> BatchResult:
        """Insert the documents of a file of JSON lines, as `insert_batch` does. A line that is no document is
        reported.
        """
        from narsilpy.storage.jsonl import scan_jsonl

        writer = self._writer(index)

        def insert(line: Any) -> str:
            doc_id, document = line
            if isinstance(document, NarsilError):
                raise document
            return writer.insert(document, doc_id)

        def name(line: Any) -> Any:
            doc_id, document = line
            return document.get("id") if doc_id is None and isinstance(document, dict) else doc_id

        return writer.batch(scan_jsonl(path), insert, name, on_progress)

    def snapshot(self, index: str) -> bytes:
        """The whole index as bytes that `restore` takes, here and in Narsil, the original."""
        from narsilpy.storage.snapshots import make_snapshot  # with the codecs behind it: 8 ms that few programs need

        return make_snapshot(self._core(index))

    def restore(self, index: str, data: bytes) -> list[str]:
        """Make the index what a snapshot holds: settings and documents; what was there before is gone.

        Returns notes on what the snapshot holds and this library does not (vectors, ...). If anything is wrong with the
        bytes, an error is raised and the index stays as it was.

        >>> from narsilpy import Narsil
        >>> with Narsil() as narsil:
        ...     narsil.create_index("rules", schema={"body": "string"})
        ...     narsil.insert("rules", {"id": "1", "body": "a violin"})
        ...     narsil.restore("copy", narsil.snapshot("rules"))
        ...     narsil.get("copy", "1")
        '1'
        []
        {'id': '1', 'body': 'a violin'}
        """
        from narsilpy.storage.snapshots import documents_of, read_settings

        self._check_open()
        settings, snapshot = read_settings(index, data)
        with self._lock, self._replacing(index, settings) as core:
            self._fill(core, documents_of(snapshot, settings))
        return snapshot.notes

    def rebuild_analysis(self, index: str) -> None:
        """Make the terms of an index anew from its documents, with the analyzer as it is now.

        Queries go on meanwhile, on the old terms; writes wait. Needed when `get_stats(index).analysis_stale` says that
        another version of the analyzer made them.
        """
        old = self._core(index)
        with self._lock, old.locked(), self._replacing(index, old.settings) as core, old.reading_stored() as documents:
            self._fill(core, ((doc_id, thaw(stored)) for doc_id, stored in documents))

    @staticmethod
    def _fill(core: IndexCore, documents: Iterator[tuple[str, dict[str, Any]]]) -> None:
        for chunk in core.storage.chunks(documents):
            with core.storage.transaction(core):
                for doc_id, document in chunk:
                    core.insert_as(doc_id, document)


class IndexStorageVerbs:
    """What an `Index` handle can do with what is on disk: the engine's verbs without the name."""

    narsil: Narsil
    name: str

    def verify(self) -> StorageReport:
        return self.narsil.verify(self.name)

    def export_jsonl(self, path: str | os.PathLike[str]) -> int:
        return self.narsil.export_jsonl(self.name, path)

    def import_jsonl(
        self, path: str | os.PathLike[str], *, on_progress: Callable[[int], object] | None = None
    ) -> BatchResult:
        return self.narsil.import_jsonl(self.name, path, on_progress=on_progress)

    def snapshot(self) -> bytes:
        return self.narsil.snapshot(self.name)

    def restore(self, data: bytes) -> list[str]:
        return self.narsil.restore(self.name, data)

    def rebuild_analysis(self) -> None:
        self.narsil.rebuild_analysis(self.name)
