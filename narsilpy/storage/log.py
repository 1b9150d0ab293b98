"""The log of one index: what was acknowledged, in order, and where every document's bytes live.

A log is a series of files `log-<number>`. Each begins with 32 bytes (magic "NRPL", format u16, zero u16, index u32,
file number u32, zero, CRC-32) and goes on with frames. A frame is a header (magic "NRPF", flags u8, records u32,
payload bytes u64, sequence u64, CRC-32 of the header) and records. A record is a header (kind u8, document number
u32, id bytes u16, data bytes u32, CRC-32 of everything else in the record), the id in UTF-8 (lone surrogates let
through) and the data. All little-endian.

A transaction is a run of frames, all but the last flagged MORE; what does not end is not there. Sequence numbers count
frames without a gap. Documents are read in place, by (file, offset, length), long after newer checkpoints: a record
therefore carries its own checksum, its number and its id.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from narsilpy.errors import ErrorCode, IncompatibleIndex, IndexCorrupted

FORMAT: Final = 1
FILE_HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 29
RECORD_HEADER_BYTES: Final = 15

PUT: Final = 1
REMOVE: Final = 2
MORE: Final = 1

_FILE: Final = struct.Struct("<4sHHII16x")
_FRAME: Final = struct.Struct("<4sBIQQ")
_RECORD: Final = struct.Struct("<BIHI")
_WHOLE: Final = struct.Struct("<BIHII")
_CRC: Final = struct.Struct("<I")
_MAX_ID_BYTES: Final = 0xFFFF


# Where a record stands: log file, byte offset, length of the whole record. A plain tuple of numbers, which the garbage
# collector soon looks at no more: there are as many as documents since the last checkpoint.
Location = tuple[int, int, int]


class Record(NamedTuple):
    """One operation of a transaction: a document stored under a number, or a number taken away."""

    kind: int
    doc_no: int
    doc_id: str
    data: bytes
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A sound frame and where it ends."""

    sequence: int
    more: bool
    offset: int
    end: int
    records: list[Record]


class Unsound(Exception):
    """The bytes here are no frame or record; only the callers know whether that is damage or a torn end."""


def corrupted(path: object, offset: int, what: str) -> IndexCorrupted:
    return IndexCorrupted(
        ErrorCode.PERSISTENCE_CRC_MISMATCH,
        f"{path}: {what} at byte {offset}; restore the file from a backup, or salvage the rest with export_jsonl",
        {"path": str(path), "offset": offset},
    )


def encode_id(doc_id: str) -> bytes:
    raw = doc_id.encode("utf-8", "surrogatepass")
    if len(raw) > _MAX_ID_BYTES:
        raise ValueError(f"a document id of {len(raw)} bytes is longer than {_MAX_ID_BYTES}")
    return raw


def decode_id(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


# --- file header -------------------------------------------------------------------------------------------------


def file_header(index_no: int, number: int) -> bytes:
    head = _FILE.pack(b"NRPL", FORMAT, 0, index_no, number)[: FILE_HEADER_BYTES - 4]
    return head + _CRC.pack(zlib.crc32(head))


def check_file_header(data: bytes, index_no: int, number: int, path: object) -> None:
    """Raise `IndexCorrupted` or `IncompatibleIndex` unless `data` begins the given log file."""
    head = data[: FILE_HEADER_BYTES - 4]
    if len(data) < FILE_HEADER_BYTES or head[:4] != b"NRPL" or _CRC.pack(zlib.crc32(head)) != data[28:32]:
        raise corrupted(path, 0, "the header of the log is damaged")
    _, version, _, index, file = _FILE.unpack(data[:FILE_HEADER_BYTES])
    if version > FORMAT:
        raise IncompatibleIndex(
            ErrorCode.ENVELOPE_VERSION_MISMATCH,
            f"{path}: the log has format {version}; this version of narsilpy reads formats up to {FORMAT}",
            {"path": str(path), "version": version},
        )
    if (index, file) != (index_no, number):
        raise corrupted(path, 0, f"the log says it is file {file} of index {index}")


# --- frames ------------------------------------------------------------------------------------------------------


def frame_header(payload_bytes: int, records: int, sequence: int, *, more: bool) -> bytes:
    head = _FRAME.pack(b"NRPF", MORE if more else 0, records, payload_bytes, sequence)
    return head + _CRC.pack(zlib.crc32(head))


def read_record(data: bytes | memoryview, at: int, limit: int) -> Record:
    """The record at `at`, which must end by `limit`. Raises `Unsound`."""
    body = at + RECORD_HEADER_BYTES
    if body > limit:
        raise Unsound("a record is cut off")
    kind, doc_no, id_bytes, data_bytes = _RECORD.unpack_from(data, at)
    (crc,) = _CRC.unpack_from(data, at + _RECORD.size)
    end = body + id_bytes + data_bytes
    if end > limit:
        raise Unsound("a record is cut off")
    content = memoryview(data)[body:end]
    if zlib.crc32(content, zlib.crc32(memoryview(data)[at : at + _RECORD.size])) != crc or kind not in (PUT, REMOVE):
        raise Unsound("a record does not match its checksum")
    doc_id = decode_id(bytes(content[:id_bytes]))
    return Record(kind, doc_no, doc_id, bytes(content[id_bytes:]), at, end - at)


def document_of(data: bytes, doc_no: int) -> bytes:
    """The data of the one record in `data`, which must be the document of this number. Raises `Unsound`."""
    if len(data) < RECORD_HEADER_BYTES:
        raise Unsound("a record is cut off")
    kind, found, id_bytes, data_bytes, crc = _WHOLE.unpack_from(data)
    start = RECORD_HEADER_BYTES + id_bytes
    if start + data_bytes != len(data):
        raise Unsound("the record has another length than its table says")
    if zlib.crc32(memoryview(data)[RECORD_HEADER_BYTES:], zlib.crc32(data[: _RECORD.size])) != crc:
        raise Unsound("a record does not match its checksum")
    if found != doc_no or kind != PUT:
        raise Unsound(f"document number {doc_no} was expected here")
    return data[start:]


def parse_header(data: bytes | memoryview, at: int) -> tuple[bool, int, int, int]:
    """`(more, records, payload bytes, sequence)` of the frame header at `at`. Raises `Unsound`."""
    head = bytes(data[at : at + FRAME_HEADER_BYTES])
    if len(head) < FRAME_HEADER_BYTES:
        raise Unsound("a frame is cut off")
    magic, flags, records, payload_bytes, sequence = _FRAME.unpack_from(head)
    if magic != b"NRPF" or _CRC.pack(zlib.crc32(head[: _FRAME.size])) != head[_FRAME.size :]:
        raise Unsound("a frame header does not match its checksum")
    return bool(flags & MORE), records, payload_bytes, sequence


def parse_frame(data: bytes | memoryview, base: int) -> Frame:
    """The frame at the start of `data`, whose first byte stands at `base` of the file. Raises `Unsound`."""
    more, n_records, payload_bytes, sequence = parse_header(data, 0)
    end = FRAME_HEADER_BYTES + payload_bytes
    if end > len(data):
        raise Unsound("a frame is cut off")
    records = []
    at = FRAME_HEADER_BYTES
    for _ in range(n_records):
        record = read_record(data, at, end)
        at += record.length
        records.append(record._replace(offset=record.offset + base))
    if at != end:
        raise Unsound("a frame holds more than its records")
    return Frame(sequence, more, base, base + end, records)


def transactions(frames: Iterator[Frame]) -> Iterator[list[Frame]]:
    """Runs of frames that end; a run without an end is not given."""
    run: list[Frame] = []
    for frame in frames:
        run.append(frame)
        if not frame.more:
            yield run
            run = []
