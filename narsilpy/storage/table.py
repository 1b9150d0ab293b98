"""A document table: for a run of document numbers, where each document stands in the log, and its id.

A body of `blocks.py`, little-endian, sections one after the other, each aligned to 8 bytes:

    header      magic "NRPT", format u32, first document number u32, slots u32, documents u32, bytes of ids u64, hash
    slots u32 locations   per slot: offset u64, log file u32, record bytes u32 (0 = no document of this number)
    id ends     per slot: u32, where its id ends in `ids` (it begins where the one before ends)
    ids         UTF-8, in order of the numbers
    order       per document: slot u32, sorted by the bytes of the ids (which is code point order)
    hash        open addressing, power of two: slot + 1 or 0, at BLAKE2b(id) keyed with the engine's secret

A slot is `document number - first`. Nothing here is decoded when a table opens; a lookup touches a few blocks, each
checked once. What a lookup finds is believed only after the record in the log confirms number and id.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from narsilpy._table import KeyedHash, TableIndex, table_sections
from narsilpy.errors import IndexCorrupted
from narsilpy.storage.blocks import HEADER_BYTES, KIND_TABLE, BlockFile, write_blocks
from narsilpy.storage.disk import Disk
from narsilpy.storage.log import Location, corrupted

FORMAT: Final = 1
_HEADER: Final = struct.Struct("<4sIIIIQI")
_LOCATION: Final = struct.Struct("<QII")


def write_table(disk: Disk, path: Path, hashed: KeyedHash, entries: list[tuple[int, bytes, Location]]) -> None:
    """Write a table of `(document number, id bytes, location)`, numbers ascending and not empty."""
    first, n_slots, id_bytes, n_hash, sections = table_sections(entries, hashed)
    header = _HEADER.pack(b"NRPT", FORMAT, first, n_slots, len(entries), id_bytes, n_hash)
    write_blocks(disk, path, KIND_TABLE, (header, *sections))


class DocumentTable:
    """A table opened for reading. Raises `IndexCorrupted` from any call that meets a damaged block."""

    def __init__(self, path: Path) -> None:
        self._file = BlockFile(path, KIND_TABLE)
        self.path = path
        if len(self._file.body) < _HEADER.size:
            raise corrupted(path, HEADER_BYTES, "the table has no header")
        head = _HEADER.unpack(self._file.read(0, _HEADER.size))
        magic, version = head[:2]
        self.first: int = head[2]
        self.n_slots: int = head[3]
        self.n_docs: int = head[4]
        self._id_bytes: int = head[5]
        self._n_hash: int = head[6]
        at = _HEADER.size
        self._starts = []
        for size in (
            _LOCATION.size * self.n_slots,
            4 * self.n_slots,
            self._id_bytes,
            4 * self.n_docs,
            4 * self._n_hash,
        ):
            self._starts.append(at)
            at += size + -size % 8
        power_of_two = self._n_hash & (self._n_hash - 1) == 0 and self._n_hash > self.n_docs
        if magic != b"NRPT" or version != FORMAT or at != len(self._file.body) or not power_of_two:
            raise corrupted(path, HEADER_BYTES, "the header of the table does not fit its size")
        self._index = self._make_index()

    def _make_index(self) -> TableIndex:
        starts = self._starts
        return TableIndex(
            self._file.guard, starts[0], starts[1], starts[2], starts[4], self.n_slots, self._id_bytes, self._n_hash
        )

    @property
    def last(self) -> int:
        return self.first + self.n_slots - 1

    @property
    def size(self) -> int:
        return self._file.size

    def location(self, doc_no: int) -> Location | None:
        """Where the document stands in the log, or None if no document ever had this number."""
        try:
            return self._index.location(doc_no - self.first)
        except ValueError as error:
            raise self._damaged(error) from None

    def raw_id(self, doc_no: int) -> bytes:
        """The id of the document, as UTF-8; empty if no document has this number."""
        try:
            return self._index.raw_id(doc_no - self.first)
        except ValueError as error:
            raise self._damaged(error) from None

    def find(self, raw_id: bytes, hashed: int) -> int | None:
        """The number of the document with this id; `hashed` is its hash, keyed with the engine's secret."""
        try:
            slot = self._index.find(raw_id, hashed)
        except ValueError as error:
            raise self._damaged(error) from None
        return None if slot < 0 else self.first + slot

    def _damaged(self, error: ValueError) -> IndexCorrupted:
        start, size = error.args
        return self._file.damaged(start, start + size)

    def numbers(self) -> Iterator[int]:
        """Document numbers, ascending."""
        for doc_no in range(self.first, self.first + self.n_slots):
            if self.location(doc_no) is not None:
                yield doc_no

    def in_id_order(self, after: bytes | None = None) -> Iterator[tuple[bytes, int]]:
        """`(id, document number)` by id in code point order, those behind `after` only."""
        low, high = 0, self.n_docs
        while after is not None and low < high:
            middle = (low + high) // 2
            if self._ordered(middle)[0] <= after:
                low = middle + 1
            else:
                high = middle
        for i in range(low, self.n_docs):
            yield self._ordered(i)

    def verify(self) -> None:
        """Check every block, and that the sections agree with one another. Raises `IndexCorrupted`."""
        self._file.verify()
        self._index = self._make_index()
        numbers = list(self.numbers())
        by_order = [doc_no for _, doc_no in self.in_id_order()]
        ids = [raw_id for raw_id, _ in self.in_id_order()]
        if len(numbers) != self.n_docs or sorted(by_order) != numbers or sorted(ids) != ids:
            raise corrupted(self.path, HEADER_BYTES, "the sections of the table contradict each other")

    def close(self) -> None:
        del self._index
        self._file.close()

    def _ordered(self, i: int) -> tuple[bytes, int]:
        at = self._starts[3] + 4 * i
        slot = int.from_bytes(self._file.read(at, at + 4), "little")
        if slot >= self.n_slots:
            raise corrupted(self.path, HEADER_BYTES + at, "the order of ids leads nowhere")
        return self.raw_id(self.first + slot), self.first + slot
