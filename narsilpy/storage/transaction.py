"""One transaction on one index: all of it is stored, or nothing."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from narsilpy._record import pack_record
from narsilpy.storage.index_reader import Recent
from narsilpy.storage.journal import Position
from narsilpy.storage.log import PUT, REMOVE, encode_id

if TYPE_CHECKING:
    from narsilpy.storage.index_store import IndexStore

_FRAME_BYTES: Final = 4 << 20

# what a transaction did, for the index to take over: (kind, document number, where the record stands and its id)
Operation = tuple[int, int, Recent]


class Transaction:
    """Made by `IndexStore.transaction()`; use it as a context manager.

    Leaving the block commits: in sync mode the block ends when the data is on the device, in async mode when the
    operating system has it. An exception inside the block takes everything back. A failed commit raises
    `StorageFailed` and takes everything back too.

    Records leave memory in frames of a few megabytes, so a transaction may be larger than memory.
    """

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._journal = index.journal
        self._journal.lock.acquire()
        try:
            self._journal.check_sound()
            self._start = self._journal.end
            self._payload = bytearray()
            self._n_records = 0
            # (kind, document number, id, offset into the payload, length)
            self._waiting: list[tuple[int, int, str, int, int]] = []
            self.operations: list[Operation] = []
            self.first_frame = Position(self._start.file, self._start.offset, self._start.sequence)
            self._next_doc_no = index.next_doc_no
        except BaseException:
            self._journal.lock.release()
            raise

    def put(self, doc_no: int, doc_id: str, data: bytes) -> None:
        """Store the packed document under `doc_no`, which must be higher than every number used before."""
        if not self._next_doc_no <= doc_no <= 0xFFFF_FFFE:
            raise ValueError(f"document number {doc_no} follows {self._next_doc_no - 1}")
        self._next_doc_no = doc_no + 1
        self._add(PUT, doc_no, doc_id, data)

    def remove(self, doc_no: int, doc_id: str) -> None:
        """Take the document of this number away (a replaced document is removed and put under a new number)."""
        self._add(REMOVE, doc_no, doc_id, b"")

    def _add(self, kind: int, doc_no: int, doc_id: str, data: bytes) -> None:
        record = pack_record(kind, doc_no, encode_id(doc_id), data)
        self._waiting.append((kind, doc_no, doc_id, len(self._payload), len(record)))
        self._payload += record
        self._n_records += 1
        if len(self._payload) >= _FRAME_BYTES:
            self._write(more=True)

    def _write(self, *, more: bool) -> None:
        at = self._journal.append(self._payload, self._n_records, more=more)
        file, start = at.file, at.offset
        self.operations += [
            (kind, doc_no, (file, start + offset, length, doc_id))
            for kind, doc_no, doc_id, offset, length in self._waiting
        ]
        self._waiting.clear()
        self._payload = bytearray()
        self._n_records = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is not None:
                self._roll_back()
            elif self._waiting or self.operations:
                try:
                    self._write(more=False)
                    self._index.committed(self, self._start)
                except BaseException:
                    self._roll_back()
                    raise
        finally:
            self._journal.lock.release()

    def _roll_back(self) -> None:
        if self._journal.end.offset != self._start.offset:
            self._journal.cut_back(self._start)
