"""The two manifests: the engine's (which indexes there are) and an index's (which files hold it).

A manifest is one small file, replaced at once by renaming: header (magic "NRPD", format u32, payload bytes u64,
CRC-32 of the payload u32, CRC-32 of the header u32), payload in MessagePack. Everything else in a directory counts
only if a manifest names it.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from narsilpy.errors import ErrorCode, IncompatibleIndex
from narsilpy.storage.disk import Disk, typed
from narsilpy.storage.log import corrupted
from narsilpy.storage.msgpack import MalformedData, unpack_as

FORMAT: Final = 2  # 2: the vocabulary in several files
WRITER: Final = "narsilpy"
_HEADER: Final = struct.Struct("<4sIQI")
_CRC: Final = struct.Struct("<I")
_HEADER_BYTES: Final = _HEADER.size + _CRC.size
_MAX_BYTES: Final = 1 << 30

T = TypeVar("T", bound=msgspec.Struct)


class IndexEntry(msgspec.Struct):
    """One index of the engine: its number names its directory, its configuration (packed) belongs to whoever opens
    it.
    """

    name: str
    number: int
    config: bytes


class EngineManifest(msgspec.Struct):
    secret: bytes
    next_number: int = 1
    writer: str = WRITER
    indexes: list[IndexEntry] = []


class SegmentEntry(msgspec.Struct, frozen=True):
    """A sealed segment: its file, the document numbers it holds, and what its owner wants to know before opening it."""

    name: str
    first: int
    last: int
    info: dict[str, Any] = {}


class IndexManifest(msgspec.Struct):
    """`sealed` is the highest document number that segments and tables hold (-1: none). What the log says from
    `log_file`, `log_offset` on (frame `log_sequence` and later) comes on top."""

    number: int
    version: int = 0
    next_doc_no: int = 0
    sealed: int = -1
    log_file: int = 1
    log_offset: int = 0
    log_sequence: int = 0
    logs: list[int] = msgspec.field(default_factory=lambda: [1])
    segments: list[SegmentEntry] = []
    tables: list[str] = []
    removed: bytes = b""
    sealed_live: int = 0
    next_file: int = 1
    info: dict[str, Any] = {}


def write_manifest(disk: Disk, path: Path, manifest: msgspec.Struct) -> None:
    """Replace the manifest at `path`; durable on return, and the old one stays if anything fails."""
    payload = msgspec.msgpack.encode(manifest)
    head = _HEADER.pack(b"NRPD", FORMAT, len(payload), zlib.crc32(payload))
    with typed(path, saving=True):
        old = path.read_bytes() if path.exists() else None
    try:
        _replace(disk, path, head + _CRC.pack(zlib.crc32(head)) + payload)
    except BaseException:
        _put_back(disk, path, old)
        raise


def _replace(disk: Disk, path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".tmp")
    disk.remove(temporary)
    fd = disk.open_write(temporary, create=True)
    try:
        disk.write_at(fd, data, 0, temporary)
        disk.sync(fd, temporary)
    finally:
        disk.close(fd)
    disk.rename(temporary, path)


def _put_back(disk: Disk, path: Path, old: bytes | None) -> None:
    """The new manifest may be in place although it could not be made durable: what failed must not show up later."""
    try:
        if old is None:
            disk.remove(path)
        elif path.read_bytes() != old:
            _replace(disk, path, old)
    except OSError:
        pass  # the error that is on its way says more than this one


def read_manifest(disk: Disk, path: Path, kind: type[T]) -> T:
    """Raises `IndexCorrupted`, `IncompatibleIndex`, or `StorageFailed` if the file cannot be read."""
    fd = disk.open_read(path)
    try:
        data = disk.read_at(fd, min(disk.size(fd), _MAX_BYTES), 0, path)
    finally:
        disk.close(fd)
    head = data[: _HEADER.size]
    if (
        len(data) < _HEADER_BYTES
        or head[:4] != b"NRPD"
        or _CRC.pack(zlib.crc32(head)) != data[_HEADER.size : _HEADER_BYTES]
    ):
        raise corrupted(path, 0, "the header of the manifest is damaged")
    _, version, length, crc = _HEADER.unpack(head)
    if version > FORMAT:
        raise IncompatibleIndex(
            ErrorCode.ENVELOPE_VERSION_MISMATCH,
            f"{path}: written in format {version}; this version of narsilpy reads formats up to {FORMAT}",
            {"path": str(path), "version": version, "newest": FORMAT},
        )
    payload = data[_HEADER_BYTES:]
    if len(payload) != length or zlib.crc32(payload) != crc:
        raise corrupted(path, _HEADER_BYTES, "the manifest does not match its checksum")
    try:
        return unpack_as(payload, msgspec.msgpack.Decoder(kind), kind)
    except MalformedData as error:
        raise corrupted(path, _HEADER_BYTES, f"the manifest cannot be read ({error})") from error
