"""The original's write-ahead log, read only.

A log file is "NRSW", version (u8), three zero bytes, then records: length (u32), MessagePack entry, CRC-32 of the entry
(u32), all big-endian. A commit marker is two 36-byte slots, the newer valid one counts: write number, number of the
active file, bytes of it that are durable, highest durable sequence number (4 x u64), CRC-32 of those 32 bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from narsilpy.storage.msgpack import DECODE_FAULTS, MalformedData, pack_trusted, unpack

MAGIC: Final = b"NRSW"
VERSION: Final = 1
HEADER_BYTES: Final = 8
MAX_RECORD_BYTES: Final = 1 << 28
_SLOT: Final = struct.Struct(">4QI")


@dataclass(frozen=True, slots=True)
class CommitMarker:
    """How much of a partition's log was durable when the marker was written."""

    write_number: int
    active_file: int
    durable_bytes: int
    highest_sequence: int


class LogEntry(msgspec.Struct, rename="camel", kw_only=True):
    """One logged operation; `document` is the packed document, or None for a removal."""

    seq_no: int
    primary_term: int
    operation: str
    partition_id: int
    index_name: str
    document_id: str
    document: bytes | None = None
    checksum: int

    def is_sound(self) -> bool:
        """Whether the entry carries its own checksum, which covers its values in this order."""
        values = [self.seq_no, self.primary_term, self.operation, self.partition_id]
        return zlib.crc32(pack_trusted([*values, self.index_name, self.document_id, self.document])) == self.checksum


def read_marker(data: bytes) -> CommitMarker | None:
    """The newer valid slot, or None if no slot is valid."""
    best: CommitMarker | None = None
    for at in range(0, len(data) - _SLOT.size + 1, _SLOT.size):
        *values, crc = _SLOT.unpack_from(data, at)
        if zlib.crc32(data[at : at + _SLOT.size - 4]) == crc:
            marker = CommitMarker(*values)
            if best is None or marker.write_number > best.write_number:
                best = marker
    return best


def read_log(data: bytes, durable_bytes: int | None = None) -> list[LogEntry]:
    """The entries of one log file.

    Everything before `durable_bytes` (None: the whole file) must be sound, else `MalformedData`. Behind it stands
    what a crash may have torn: sound entries count, the first unsound one ends the log.
    """
    if data[:4] != MAGIC or len(data) < HEADER_BYTES:
        raise MalformedData("the log does not begin with NRSW")
    if data[4] > VERSION:
        raise MalformedData(f"the log has format {data[4]}; formats up to {VERSION} are read here")
    durable = len(data) if durable_bytes is None else durable_bytes
    if not HEADER_BYTES <= durable <= len(data):
        raise MalformedData(f"the commit marker promises {durable} bytes of a log of {len(data)}")
    entries: list[LogEntry] = []
    at = HEADER_BYTES
    while at < len(data):
        try:
            entry, end = _record(data, at, durable if at < durable else len(data))
            if entries and entry.seq_no <= entries[-1].seq_no:
                raise MalformedData("sequence numbers do not rise")
        except MalformedData as error:
            if at < durable:
                raise MalformedData(f"the log is damaged at byte {at}: {error}") from error
            break
        entries.append(entry)
        at = end
    return entries


def _record(data: bytes, at: int, limit: int) -> tuple[LogEntry, int]:
    if at + 8 > limit:
        raise MalformedData("it ends inside a record")
    (length,) = struct.unpack_from(">I", data, at)
    end = at + 8 + length
    if not 0 < length <= MAX_RECORD_BYTES or end > limit:
        raise MalformedData("it ends inside a record")
    raw = data[at + 4 : end - 4]
    if zlib.crc32(raw) != struct.unpack_from(">I", data, end - 4)[0]:
        raise MalformedData("a record does not match its checksum")
    try:
        entry = msgspec.convert(unpack(raw), LogEntry)
    except DECODE_FAULTS as error:
        raise MalformedData(f"a record cannot be read: {error}") from error
    if entry.operation not in ("INDEX", "DELETE") or not entry.is_sound():
        raise MalformedData("an entry does not match its checksum")
    return entry, end


def documents_of(entries: list[LogEntry]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """`(doc_id, fields)` of each entry, None for a removal."""
    for entry in entries:
        if entry.operation == "DELETE" or entry.document is None:
            yield entry.document_id, None
            continue
        fields = unpack(entry.document)
        if not isinstance(fields, dict):
            raise MalformedData(f"entry {entry.seq_no} holds no document")
        yield entry.document_id, fields
