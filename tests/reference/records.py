"""Records of the log by `struct` and `zlib`: the twin of `narsilpy._record.pack_record`."""

from __future__ import annotations

import struct
import zlib


def pack_record(kind: int, doc_no: int, raw_id: bytes, data: bytes) -> bytes:
    head = struct.pack("<BIHI", kind, doc_no, len(raw_id), len(data))
    crc = zlib.crc32(data, zlib.crc32(raw_id, zlib.crc32(head)))
    return b"".join((head, struct.pack("<I", crc), raw_id, data))
