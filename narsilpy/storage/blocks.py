"""Immutable checksummed files: document tables and sealed segments.

A file is a header of 64 bytes (magic "NRPB", format u16, kind u16, body bytes u64, block bytes u32, CRC-32 of the
checksums u32, zero, CRC-32 of the header), the body, and one CRC-32 for each block of the body. The body begins at
byte 64, so that what a writer aligned stays aligned when the file is mapped. All little-endian.

A file is written under a temporary name, synced and renamed: under its own name it is complete. Opening checks the
header, the size and the checksums' own checksum, which costs nothing that grows with use; a block is checked when it
is first touched through `read`, `check` or `guard`, and all of them by `verify`.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from narsilpy._guard import BlockGuard
from narsilpy.errors import ErrorCode, IncompatibleIndex, IndexCorrupted
from narsilpy.storage.disk import Buffer, Disk, typed
from narsilpy.storage.log import corrupted

FORMAT: Final = 1
HEADER_BYTES: Final = 64
BLOCK_BYTES: Final = 1 << 16

KIND_SEGMENT: Final = 1
KIND_TABLE: Final = 2

_HEADER: Final = struct.Struct("<4sHHQII40x")
_CRC: Final = struct.Struct("<I")


def write_blocks(disk: Disk, path: Path, kind: int, chunks: Iterable[Buffer]) -> int:
    """Write `chunks` one after the other as the body of a new file at `path`; returns its size in bytes."""
    temporary = path.with_name(path.name + ".tmp")
    disk.remove(temporary)
    fd = disk.open_write(temporary, create=True)
    try:
        crcs = array("I")
        pending = bytearray()  # less than a block
        at = HEADER_BYTES
        for chunk in chunks:
            view = memoryview(chunk).cast("B")
            if pending:
                missing = BLOCK_BYTES - len(pending)
                pending += view[:missing]
                view = view[missing:]
                if len(pending) < BLOCK_BYTES:
                    continue
                at = _write_part(disk, fd, temporary, pending, at, crcs)
                pending = bytearray()
            whole = len(view) // BLOCK_BYTES * BLOCK_BYTES
            at = _write_part(disk, fd, temporary, view[:whole], at, crcs)
            pending += view[whole:]
        at = _write_part(disk, fd, temporary, pending, at, crcs)
        trailer = _little_endian(crcs)
        disk.write_at(fd, trailer, at, temporary)
        head = _HEADER.pack(b"NRPB", FORMAT, kind, at - HEADER_BYTES, BLOCK_BYTES, zlib.crc32(trailer))[:-4]
        disk.write_at(fd, head + _CRC.pack(zlib.crc32(head)), 0, temporary)
        disk.sync(fd, temporary)
    finally:
        disk.close(fd)
    disk.rename(temporary, path)
    return at + len(trailer)


def _write_part(disk: Disk, fd: int, path: Path, part: Buffer, at: int, crcs: array[int]) -> int:
    """Write blocks, of which only the last of the file may be short; returns where they end."""
    n = len(part)
    if n:
        with memoryview(part) as view:
            for start in range(0, n, BLOCK_BYTES):
                crcs.append(zlib.crc32(view[start : start + BLOCK_BYTES]))
        disk.write_at(fd, part, at, path)
    return at + n


def _little_endian(values: array[int]) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


class BlockFile:
    """A mapped file of checksummed blocks.

    `body` is the whole body as a read-only memoryview, unchecked; call `check(start, end)` before trusting a range, or
    `read(start, end)` which does. `guard` does the same for native code (`_guard.pxd`). The mapping lives as long as
    any view of it.
    """

    def __init__(self, path: Path, kind: int) -> None:
        self.path = path
        with typed(path, saving=False), path.open("rb") as file:
            head = file.read(HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
            body_bytes, block_bytes, trailer_crc = self._parse(head, kind)
            n_blocks = -(-body_bytes // block_bytes)
            if size != HEADER_BYTES + body_bytes + 4 * n_blocks:
                raise corrupted(
                    path, size, f"the file has {size} bytes, its header says otherwise; it is cut off or damaged"
                )
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        view = memoryview(self._map)
        trailer = view[HEADER_BYTES + body_bytes :]
        if zlib.crc32(trailer) != trailer_crc:
            raise corrupted(path, HEADER_BYTES + body_bytes, "the checksums are damaged")
        self.body = view[HEADER_BYTES : HEADER_BYTES + body_bytes]
        self.size = size
        self._checksums = trailer
        self.guard = BlockGuard(self.body, trailer, block_bytes)

    def _parse(self, head: bytes, kind: int) -> tuple[int, int, int]:
        if len(head) < HEADER_BYTES or head[:4] != b"NRPB" or _CRC.pack(zlib.crc32(head[:-4])) != head[-4:]:
            raise corrupted(self.path, 0, "the header is damaged")
        _, version, found, body_bytes, block_bytes, trailer_crc = _HEADER.unpack(head)
        if version > FORMAT:
            raise IncompatibleIndex(
                ErrorCode.ENVELOPE_VERSION_MISMATCH,
                f"{self.path}: the file has format {version}; this version of narsilpy reads formats up to {FORMAT}",
                {"path": str(self.path), "version": version},
            )
        if found != kind or block_bytes != BLOCK_BYTES:
            raise corrupted(self.path, 0, f"the file is of kind {found}, not {kind}")
        return body_bytes, block_bytes, trailer_crc

    def check(self, start: int, end: int) -> None:
        """Check the blocks that hold `body[start:end]`, each once. Raises `IndexCorrupted`."""
        if not self.guard.check(start, end):
            raise self.damaged(start, end)

    def damaged(self, start: int, end: int) -> IndexCorrupted:
        """The error for a range that the guard refused; names the first block that is not sound."""
        for at in range(start // BLOCK_BYTES * BLOCK_BYTES, min(end, len(self.body)), BLOCK_BYTES):
            if not self.guard.check(at, min(at + BLOCK_BYTES, len(self.body))):
                return corrupted(self.path, HEADER_BYTES + at, f"block {at // BLOCK_BYTES} does not match its checksum")
        return corrupted(self.path, HEADER_BYTES + start, f"bytes {start} to {end} are not in the file")

    def read(self, start: int, end: int) -> memoryview:
        """`body[start:end]`, checked."""
        self.check(start, end)
        return self.body[start:end]

    def verify(self) -> None:
        """Check every block again, also those that were sound before. Raises `IndexCorrupted`."""
        self.guard = BlockGuard(self.body, self._checksums, BLOCK_BYTES)
        self.check(0, len(self.body))

    def close(self) -> None:
        """Let go of the mapping once nobody holds a view of it."""
        del self.guard, self.body, self._checksums
        try:
            self._map.close()
        except BufferError:
            pass  # a reader still holds a view: the mapping goes with it
