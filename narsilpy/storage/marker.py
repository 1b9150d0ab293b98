"""The commit marker of an index: how far its log is durable.

Two slots of 64 bytes, written in turn after each sync and never synced themselves: after a process dies the newest
is there, after a power cut it may be an older one. What the marker covers must be sound, else the file is damaged;
what stands behind it is taken as far as it is sound, the rest was torn by a crash. Readers in other processes see
what the marker covers.

A slot: magic "NRPM", format u32, write number u64, log file u32, zero u32, log bytes u64, sequence u64, zero, CRC-32.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Final, NamedTuple

from narsilpy.errors import ErrorCode, IncompatibleIndex
from narsilpy.storage.disk import Disk
from narsilpy.storage.log import corrupted

FORMAT: Final = 1
SLOT_BYTES: Final = 64
_SLOT: Final = struct.Struct("<4sIQI4xQQ20x")
_CRC: Final = struct.Struct("<I")


class Marker(NamedTuple):
    """`log_bytes` of log file `log_file` are durable, ending with frame `sequence`."""

    write_number: int
    log_file: int
    log_bytes: int
    sequence: int


def pack_slot(marker: Marker) -> bytes:
    head = _SLOT.pack(b"NRPM", FORMAT, *marker)
    return head + _CRC.pack(zlib.crc32(head))


def write_marker(disk: Disk, fd: int, marker: Marker, path: Path) -> None:
    disk.write_at(fd, pack_slot(marker), marker.write_number % 2 * SLOT_BYTES, path)


def read_marker(disk: Disk, fd: int, path: Path) -> tuple[Marker, bool]:
    """The newer sound slot, and whether the other one is sound too: if not, it may have been the newer one.

    Raises `IndexCorrupted` if neither is sound.
    """
    data = disk.read_at(fd, 2 * SLOT_BYTES, 0, path)
    best: Marker | None = None
    newest_format = FORMAT
    n_sound = 0
    for at in (0, SLOT_BYTES):
        slot = data[at : at + SLOT_BYTES]
        if len(slot) < SLOT_BYTES or _CRC.pack(zlib.crc32(slot[:-4])) != slot[-4:] or slot[:4] != b"NRPM":
            continue
        _, version, *values = _SLOT.unpack(slot[:-4])
        newest_format = max(newest_format, version)
        n_sound += 1
        marker = Marker(*values)
        if best is None or marker.write_number > best.write_number:
            best = marker
    if newest_format > FORMAT:
        raise IncompatibleIndex(
            ErrorCode.ENVELOPE_VERSION_MISMATCH,
            f"{path}: the marker has format {newest_format}; this version of narsilpy reads formats up to {FORMAT}",
        )
    if best is None:
        raise corrupted(path, 0, "neither half of the commit marker is sound")
    return best, n_sound == 2
