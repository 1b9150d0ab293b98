"""BLAKE2b by the standard library: the twin of `narsilpy._table.KeyedHash`."""

from __future__ import annotations

import hashlib


def keyed_hash(data: bytes, key: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8, key=key).digest(), "little")
