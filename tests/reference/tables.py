"""The sections of a document table in plain Python: the twin of `narsilpy._table.table_sections`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

Entry = tuple[int, bytes, tuple[int, int, int]]


def table_sections(
    entries: Sequence[Entry], hashed: Callable[[bytes], int]
) -> tuple[int, int, int, int, tuple[bytes, ...]]:
    first, n_slots = entries[0][0], entries[-1][0] - entries[0][0] + 1
    by_slot = {doc_no - first: (raw_id, place) for doc_no, raw_id, place in entries}
    locations = ends = ids = b""
    for slot in range(n_slots):
        raw_id, (file, offset, length) = by_slot.get(slot, (b"", (0, 0, 0)))
        locations += struct.pack("<QII", offset, file, length)
        ids += raw_id
        ends += struct.pack("<I", len(ids))
    order = sorted(by_slot, key=lambda slot: by_slot[slot][0])
    n_hash = 4
    while n_hash < 2 * len(entries):
        n_hash *= 2
    slots = [0] * n_hash
    for slot, (raw_id, _) in sorted(by_slot.items()):
        at = hashed(raw_id) % n_hash
        while slots[at]:
            at = (at + 1) % n_hash
        slots[at] = slot + 1
    sections = (locations, ends, ids, struct.pack(f"<{len(order)}I", *order), struct.pack(f"<{n_hash}I", *slots))
    return first, n_slots, len(ids), n_hash, tuple(section + bytes(-len(section) % 8) for section in sections)
