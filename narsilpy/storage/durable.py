"""Between an index and its store: what is written before memory changes, what is sealed, what is loaded on open.

An `IndexCore` talks to one of two: `Volatile` (memory alone: nothing to do) or `DurableIndex`. The order of every
write is validate, store, memory. The store is the log: what no sealed segment holds is scanned again on open, by the
same scanner, under the same numbers.

A checkpoint seals what is in memory, stores segments that are not stored yet, and what changed in the vocabulary (live
spellings, terms and counts), and tells the store what they cover. The changes are added up when the vocabulary is
loaded; once they outgrow what was stored first, all of it is stored anew. A checkpoint happens when `CHECKPOINT_BYTES`
of documents or `CHECKPOINT_DOCS` have come since the last, on `optimize()`, and on `close()`. One that fails loses
nothing: the log still has it all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec
from pyroaring import BitMap

from narsilpy._bits import Bits
from narsilpy._documents import has_dates
from narsilpy._segment import SealedSegment
from narsilpy.errors import ErrorCode, IndexCorrupted, NarsilError, StorageFailed
from narsilpy.ids import utf8_id
from narsilpy.schema import freeze, thaw
from narsilpy.storage.blocks import BlockFile
from narsilpy.storage.containers import StoredDocuments, StoredIds, StoredNumbers
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.maintenance import compact_index
from narsilpy.storage.manifest import SegmentEntry
from narsilpy.storage.msgpack import DECODE_FAULTS, pack, pack_trusted, unpack
from narsilpy.storage.store import Store
from narsilpy.storage.transaction import Transaction
from narsilpy.storage.volatile import Volatile

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

CHECKPOINT_BYTES: Final = 32 << 20
CHECKPOINT_DOCS: Final = 1 << 16
# Documents of a stream that are one transaction. A batch given as a list is one, whatever its size.
STREAM_DOCS: Final = 1_000
# A clean close leaves no more than this to be scanned on open.
CLOSE_BYTES: Final = 1 << 16

# Files of changes to the vocabulary: with more, it is stored anew.
MOST_CHANGES: Final = 16

VOCABULARY: Final = "vocabulary"  # of format 1: one file, counts without a sign
CHANGES: Final = "vocabulary changes"


class DurableIndex(Volatile):
    """An index in a store."""

    def __init__(self, store: Store, index: IndexStore) -> None:
        self.index = index
        self._store = store
        self._transaction: Transaction | None = None
        self._names: dict[int, tuple[str, Any]] = {}  # by id() of a stored segment's buffer: its file, and the buffer
        self._vocabulary: list[tuple[BlockFile, bool]] = []  # not loaded yet; whether its counts have signs
        self._half_applied = False
        self._documents = StoredDocuments(index)
        self._ids = StoredIds(index)
        self._numbers = StoredNumbers(index)

    def containers(self) -> tuple[Any, Any, Any]:
        self._documents = StoredDocuments(self.index)
        self._ids = StoredIds(self.index)
        self._numbers = StoredNumbers(self.index)
        return self._documents, self._ids, self._numbers

    # --- writing -------------------------------------------------------------------------------------------------

    def put(self, number: int, key: str, stored: Any, replaces: int | None) -> None:
        """Store a document before memory takes it; durable on return, unless a transaction is open."""
        data = pack(thaw(stored)) if has_dates(stored) else pack_trusted(thaw(stored))
        if self._transaction is not None:
            self._put(self._transaction, number, key, data, replaces)
        else:
            with self.index.transaction() as transaction:
                self._put(transaction, number, key, data, replaces)
        self._half_applied = True

    @staticmethod
    def _put(transaction: Transaction, number: int, key: str, data: bytes, replaces: int | None) -> None:
        if replaces is not None:
            transaction.remove(replaces, key)
        transaction.put(number, key, data)

    def remove(self, number: int, key: str) -> None:
        if self._transaction is not None:
            self._transaction.remove(number, key)
        else:
            with self.index.transaction() as transaction:
                transaction.remove(number, key)
        self._half_applied = True

    def applied(self, core: IndexCore) -> None:
        """Memory has taken over what was stored."""
        self._half_applied = False
        if self._transaction is None:
            self._numbers.stored()
            if self._is_due():
                self.checkpoint(core)

    def document(self, core: IndexCore, number: int) -> dict[str, Any]:
        return self._documents.document(number)

    def chunks(self, items: Iterable[Any]) -> Iterable[Iterable[Any]]:
        """What is one transaction each. A stream is read outside of them: it may do as it likes, and wait."""
        if isinstance(items, Sequence):
            yield items
            return
        stream = iter(items)
        while True:
            chunk: list[Any] = []
            try:
                chunk.extend(islice(stream, STREAM_DOCS))
            finally:
                if chunk:  # also when the stream raises: what it gave before is written
                    yield chunk
            if len(chunk) < STREAM_DOCS:
                return

    @contextmanager
    def transaction(self, core: IndexCore) -> Iterator[None]:
        """Everything inside is one transaction. If it cannot be stored, memory goes back to what the disk has."""
        with core.locked():
            if self._transaction is not None:  # a batch inside a batch, from `on_progress`
                yield
                return
            failed: BaseException | None = None
            try:
                with self.index.transaction() as self._transaction:
                    try:
                        yield
                    except BaseException as error:  # noqa: BLE001  # documents before it are whole: they are kept
                        failed = error
            except BaseException:
                self._transaction = None
                core.reload()
                raise
            finally:
                self._transaction = None
            if self._half_applied:
                self._half_applied = False
                core.reload()
            self._numbers.stored()
            if failed is not None:
                try:
                    raise failed
                finally:
                    failed = None  # its traceback holds this frame
            if self._is_due():
                self.checkpoint(core)

    # --- checkpoints ---------------------------------------------------------------------------------------------

    def _is_due(self) -> bool:
        return len(self.index.recent) >= CHECKPOINT_DOCS or self.index.recent_bytes >= CHECKPOINT_BYTES

    def checkpoint(self, core: IndexCore, *, strict: bool = False, whole: bool = False) -> None:
        """Seal and store everything, with `whole` also the vocabulary anew. A failure is only raised if `strict`: the
        log has it all, the next one may succeed.
        """
        written: list[str] = []
        try:
            with core.locked():
                core.seal_all()
                self._store_segments(core, written, whole)
        except NarsilError:
            for name in written:
                self.index.discard_segment(name)
            if strict:
                raise

    def _store_vocabulary(self, core: IndexCore, written: list[str], whole: bool) -> list[SegmentEntry]:
        """Store what changed in the vocabulary, or all of it; the files that hold it then."""
        stored = [entry for entry in self.index.manifest.segments if _is_vocabulary(entry)]
        sizes = [entry.info.get("bytes", 0) for entry in stored]
        anew = bool(stored) and (whole or len(stored) > MOST_CHANGES or sum(sizes[1:]) > sizes[0])
        if anew:
            self.load_vocabulary(core)
            stored = []
        changes = core.vocabulary_changes(everything=anew)
        if changes:
            written.append(name := self.index.write_segment([changes]))
            stored.append(SegmentEntry(name, 0, 0, {"kind": CHANGES, "bytes": len(changes)}))
        return stored

    def _store_segments(self, core: IndexCore, written: list[str], whole: bool) -> None:
        index, segments = self.index, core.segments
        if segments.next_doc - 1 == index.manifest.sealed and not index.unsettled and all(
            id(segment.buffer) in self._names for segment in segments.sealed
        ):
            return
        entries: list[SegmentEntry] = []
        names: dict[int, tuple[str, Any]] = {}
        stored: dict[int, SealedSegment] = {}
        for at, segment in enumerate(segments.sealed):
            named = self._names.get(id(segment.buffer))
            if named is None:
                name = index.write_segment([segment.buffer])
                written.append(name)
                file = index.open_segment(name)
                stored[at] = copy = SealedSegment(file.body, segment.first_doc, file.guard)
                copy.correct(segment.corrections())
                named = (name, copy.buffer)
                segment = copy
            names[id(segment.buffer)] = named
            last = segment.first_doc + segment.n_docs - 1
            corrections = msgspec.msgpack.encode(segment.corrections())
            entries.append(SegmentEntry(named[0], segment.first_doc, last, {"removed": corrections}))
        entries += self._store_vocabulary(core, written, whole)
        info = {"n_docs": segments.n_docs, "lengths": list(segments.total_lengths)}
        index.checkpoint(segments.next_doc - 1, entries, info=info)
        written.clear()
        core.vocabulary_is_stored()
        self._names = names
        with core.changing():
            segments.exchange(stored)
        self._documents.sealed()
        self._ids.sealed()

    def optimized(self, core: IndexCore) -> None:
        """After a merge of everything: store it, and give the space of removed documents back."""
        self.checkpoint(core, strict=True, whole=True)
        if not core.is_being_read():  # a running query may still want a document that was removed
            compact_index(self.index)

    def clear(self, core: IndexCore) -> None:
        self.index = self._store.clear_index(self.index.name)

    def is_broken(self, error: NarsilError) -> bool:
        """Whether an error is the disk's, and not the document's: then a batch ends, and none of it was stored."""
        return isinstance(error, StorageFailed | IndexCorrupted)

    def disk_bytes(self) -> int:
        return int(self.index.disk_bytes())

    def close(self, core: IndexCore) -> None:
        if self.index.is_writable and self.index.recent_bytes > CLOSE_BYTES:
            self.checkpoint(core)

    # --- loading -------------------------------------------------------------------------------------------------

    def load(self, core: IndexCore) -> None:
        """Bring `core`, which is empty, to what the store holds. Raises `IndexCorrupted`."""
        index = self.index
        unsettled = BitMap(index.unsettled)
        removed = BitMap(index.removed) - unsettled
        self._names, self._vocabulary = {}, []
        sealed: list[SealedSegment] = []
        live: list[Bits | None] = []
        expected = 0
        for entry in index.manifest.segments:
            file = index.open_segment(entry.name)
            if _is_vocabulary(entry):
                self._vocabulary.append((file, entry.info["kind"] == CHANGES))
                continue
            segment = self._open(entry, file, core)
            if (segment.first_doc, segment.first_doc + segment.n_docs - 1) != (expected, entry.last):
                raise _contradiction(index, f"{entry.name} does not follow the segment before it")
            expected = entry.last + 1
            self._names[id(segment.buffer)] = (entry.name, segment.buffer)
            sealed.append(segment)
            gone = removed & BitMap(range(entry.first, entry.last + 1))
            live.append(
                Bits(segment.n_docs, True).without([number - entry.first for number in gone]) if gone else None
            )
        if expected != index.manifest.sealed + 1:
            raise _contradiction(index, f"segments end at {expected - 1}, not at {index.manifest.sealed}")
        info = index.manifest.info
        lengths = list(info.get("lengths") or [0] * len(core.field_names))
        if len(lengths) != len(core.field_names):
            raise _contradiction(index, "the lengths of its fields do not fit its schema")
        core.segments.adopt(sealed, live, info.get("n_docs", 0), lengths)
        for number in index.unsettled:
            core.take_out_stored(number, freeze(unpack(index.read(number))))
        self.replay(core)

    def replay(self, core: IndexCore) -> None:
        """Scan the documents that came after what `core` holds."""
        for number in sorted(number for number in self.index.recent if number >= core.segments.next_doc):
            self._skip_to(core, number)
            key = self._ids[number]
            core.replay(utf8_id(key), unpack(self.index.read(number)))
        self._skip_to(core, self.index.next_doc_no)

    @staticmethod
    def _skip_to(core: IndexCore, number: int) -> None:
        while core.segments.next_doc < number:
            core.segments.skip()
            core.seal_if_due()

    def _open(self, entry: SegmentEntry, file: BlockFile, core: IndexCore) -> SealedSegment:
        try:
            segment = SealedSegment(file.body, entry.first, file.guard)
            segment.correct(unpack(entry.info["removed"]))
            if segment.n_fields != len(core.field_names):
                raise ValueError("it has another number of fields than the schema")
        except (*DECODE_FAULTS, KeyError) as error:
            if isinstance(error, NarsilError):
                raise
            raise _contradiction(self.index, f"{entry.name} is no segment: {error}") from error
        return segment

    def load_vocabulary(self, core: IndexCore) -> None:
        """Bring in the spellings and terms of sealed documents, which only prefixes, misspellings and suggestions
        need.
        """
        if self._vocabulary:
            with core.locked():
                self._take_vocabulary(core)

    def _take_vocabulary(self, core: IndexCore) -> None:
        files = self._vocabulary  # none where another thread was faster
        for file, _ in files:
            file.check(0, len(file.body))  # all of them before any is taken
        for file, signed in files:
            try:
                core.take_vocabulary(file.body, signed)
            except ValueError as error:
                raise _contradiction(self.index, f"{file.path.name}: {error}") from error
        self._vocabulary = []

    # --- readers -------------------------------------------------------------------------------------------------

    def refresh(self, core: IndexCore) -> bool:
        """Take over what the writing process made durable since; True if anything changed."""
        seen = core.segments.next_doc
        fresh = self.index.refresh()
        if fresh.reset:
            core.reload()
            return True
        if not fresh.added and not fresh.removed and self.index.next_doc_no == seen:
            return False
        with core.locked(), core.changing():
            for number in fresh.removed:
                if number < seen:
                    core.take_out_stored(number, freeze(unpack(self.index.read(number))))
            self.replay(core)
            self._numbers.stored()
        return True


def _is_vocabulary(entry: SegmentEntry) -> bool:
    return entry.info.get("kind") in (VOCABULARY, CHANGES)


def _contradiction(index: IndexStore, what: str) -> IndexCorrupted:
    details = {"index": index.name, "path": str(index.directory)}
    return IndexCorrupted(ErrorCode.PERSISTENCE_LOAD_FAILED, f"{index.directory}: {what}", details)
