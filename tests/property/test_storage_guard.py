"""The native guard beside its twin: zlib over the same blocks."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy._guard import BlockGuard


def checksums(data: bytes, block: int) -> bytes:
    crcs = [zlib.crc32(data[at : at + block]) for at in range(0, len(data), block)]
    return struct.pack(f"<{len(crcs)}I", *crcs)


@given(st.binary(max_size=600), st.integers(0, 9), st.data())
def test_a_range_is_sound_where_its_blocks_are(data: bytes, shift: int, draw: st.DataObject) -> None:
    block = 1 << shift
    damaged = bytearray(data)
    bad: set[int] = set()
    if data and draw.draw(st.booleans()):
        at = draw.draw(st.integers(0, len(data) - 1))
        damaged[at] ^= draw.draw(st.integers(1, 255))
        bad.add(at // block)
    guard = BlockGuard(bytes(damaged), checksums(data, block), block)
    for _ in range(4):
        start = draw.draw(st.integers(0, len(data) + 2))
        end = draw.draw(st.integers(0, len(data) + 2))
        touched = set(range(start // block, -(-end // block))) if start < end else set()
        assert guard.check(start, end) is (start <= end <= len(data) and not touched & bad)
    assert guard.check(0, len(data)) is not bool(bad)
    assert guard.check(0, 0)
    assert guard.n_checked <= -(-len(data) // block) - len(bad)


def test_checksums_that_do_not_fit_are_refused() -> None:
    for arguments in ((b"abc", b"", 2), (b"abc", bytes(8), 3), (b"abc", bytes(8), 0), (b"abc", bytes(12), 2)):
        with pytest.raises(ValueError, match=r"block"):
            BlockGuard(*arguments)


def test_a_block_is_checked_once() -> None:
    data = bytearray(bytes(range(256)) * 4)
    guard = BlockGuard(data, checksums(data, 256), 256)
    assert guard.check(10, 20) and guard.n_checked == 1
    data[15] ^= 1
    assert guard.check(10, 20)  # a mapped file is immutable: what was sound stays so
    data[300] ^= 1
    assert not guard.check(250, 400) and not guard.check(256, 257)
    assert guard.n_checked == 1
