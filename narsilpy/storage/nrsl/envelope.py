"""The 32-byte envelope round every `.nrsl` payload.

Big-endian: "NRSL", format version (u8), engine version (3 x u8), payload length (u32), flags (u16: bit 0 compressed,
bits 1-2 the algorithm: 1 gzip, 2 lz4, 3 zstd; bit 3 checksum present; bit 4 encrypted), CRC-32 of the payload as stored
(u32), 14 reserved bytes that are written as zero and ignored when read. What follows the payload is ignored too.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from dataclasses import dataclass
from typing import Final

from narsilpy.errors import ErrorCode, IncompatibleIndex, IndexCorrupted, StorageFailed

MAGIC: Final = b"NRSL"
HEADER_BYTES: Final = 32
VERSION_PARTITION: Final = 1
VERSION_SNAPSHOT: Final = 2
ENGINE_VERSION: Final = (0, 1, 0)
MAX_PAYLOAD_BYTES: Final = 0xFFFF_FFFF
MAX_INFLATED_BYTES: Final = 1 << 30

_HEADER: Final = struct.Struct(">4sB3BIHI14x")
_COMPRESSED: Final = 1
_CHECKSUM: Final = 1 << 3
_ENCRYPTED: Final = 1 << 4
_ALGORITHMS: Final = ("none", "gzip", "lz4", "zstd")


@dataclass(frozen=True, slots=True)
class Envelope:
    """A payload taken out of its envelope, checked and inflated."""

    format_version: int
    engine_version: tuple[int, int, int]
    compressed: bool
    has_checksum: bool
    payload: bytes


def has_magic(data: bytes | memoryview) -> bool:
    return bytes(data[:4]) == MAGIC


def write_envelope(
    payload: bytes, *, format_version: int = VERSION_PARTITION, compress: bool = False, checksum: bool = True
) -> bytes:
    """`payload` in its envelope; the same payload and options give the same bytes."""
    flags = 0
    if compress:
        payload = gzip.compress(payload, mtime=0)
        flags |= _COMPRESSED | 1 << 1
    if checksum:
        flags |= _CHECKSUM
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise StorageFailed(
            ErrorCode.PERSISTENCE_SAVE_FAILED,
            f"a payload of {len(payload)} bytes does not fit an .nrsl envelope, which holds {MAX_PAYLOAD_BYTES}",
            {"bytes": len(payload)},
        )
    crc = zlib.crc32(payload) if checksum else 0
    return _HEADER.pack(MAGIC, format_version, *ENGINE_VERSION, len(payload), flags, crc) + payload


def read_envelope(
    data: bytes | bytearray | memoryview,
    *,
    newest_version: int = VERSION_SNAPSHOT,
    max_inflated_bytes: int = MAX_INFLATED_BYTES,
) -> Envelope:
    """Check `data` and take its payload out.

    Raises `IndexCorrupted` (ENVELOPE_INVALID_MAGIC, PERSISTENCE_LOAD_FAILED, PERSISTENCE_CRC_MISMATCH) or
    `IncompatibleIndex` (ENVELOPE_VERSION_MISMATCH: a newer format, encryption, a compression other than gzip).
    """
    view = memoryview(data).cast("B")
    if len(view) < HEADER_BYTES:
        raise IndexCorrupted(
            ErrorCode.ENVELOPE_INVALID_MAGIC,
            f"an .nrsl file has a header of {HEADER_BYTES} bytes; here are {len(view)}",
        )
    magic, version, major, minor, patch, length, flags, crc = _HEADER.unpack_from(view)
    if magic != MAGIC:
        raise IndexCorrupted(ErrorCode.ENVELOPE_INVALID_MAGIC, "this is no .nrsl file: it does not begin with NRSL")
    _refuse_unreadable(version, newest_version, flags)
    stored = view[HEADER_BYTES : HEADER_BYTES + length]
    if len(stored) < length:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_LOAD_FAILED,
            f"the file is truncated: its header promises {length} bytes of payload, {len(stored)} are there",
            {"expected": length, "available": len(stored)},
        )
    if flags & _CHECKSUM and zlib.crc32(stored) != crc:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_CRC_MISMATCH, "the payload does not match its checksum: the file is damaged"
        )
    compressed = bool(flags & _COMPRESSED)  # algorithm 0 with this bit is gzip as well: the original reads it so
    payload = _inflate(bytes(stored), max_inflated_bytes) if compressed else bytes(stored)
    return Envelope(version, (major, minor, patch), compressed, bool(flags & _CHECKSUM), payload)


def _refuse_unreadable(version: int, newest_version: int, flags: int) -> None:
    if version > newest_version:
        raise IncompatibleIndex(
            ErrorCode.ENVELOPE_VERSION_MISMATCH,
            f"the file has envelope format {version}; formats up to {newest_version} are read here",
            {"version": version, "newest": newest_version},
        )
    if flags & _ENCRYPTED:
        raise IncompatibleIndex(
            ErrorCode.ENVELOPE_VERSION_MISMATCH, "the file is encrypted; encryption is not read here"
        )
    algorithm = _ALGORITHMS[flags >> 1 & 3]
    if flags & _COMPRESSED and algorithm not in ("none", "gzip"):
        raise IncompatibleIndex(
            ErrorCode.ENVELOPE_VERSION_MISMATCH,
            f"the file is compressed with {algorithm}; only gzip is read here",
            {"algorithm": algorithm},
        )


def _inflate(stored: bytes, max_bytes: int) -> bytes:
    inflater = zlib.decompressobj(wbits=31)
    try:
        payload = inflater.decompress(stored, max_bytes + 1)
    except zlib.error as error:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_LOAD_FAILED, f"the gzip payload does not inflate: {error}"
        ) from error
    if len(payload) > max_bytes:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_LOAD_FAILED,
            f"the payload inflates to more than {max_bytes} bytes; raise max_inflated_bytes if that is meant",
            {"limit": max_bytes},
        )
    if not inflater.eof or inflater.unused_data:
        raise IndexCorrupted(ErrorCode.PERSISTENCE_LOAD_FAILED, "the gzip payload is not one whole gzip stream")
    return payload
