"""Writes tests/golden/store-v1, once and for all: run it only to make a folder for a new format, under a new name.

python -m tests.golden.make_store_v1 TARGET
"""

from __future__ import annotations

import datetime as dt
import sys
from typing import Any

from narsilpy.storage.maintenance import compact_index
from narsilpy.storage.manifest import SegmentEntry
from narsilpy.storage.msgpack import pack
from narsilpy.storage.store import LOCK, Store

DOCUMENTS: list[tuple[str, dict[str, Any]]] = [
    ("CB-04", {"id": "CB-04", "title": "Pushchairs", "body": "One folding pushchair travels free.", "price": 12.5}),
    ("ü-1", {"title": "Größe", "tags": ["a", ""], "nested": {"deep": {"n": None, "yes": True}}}),
    ("\ud800", {"title": "lone \udfff surrogate", "raw": b"\x00\xff"}),
    ("日本", {"n": 2**64 - 1, "big": 2**80, "less": -(2**63), "inf": float("inf")}),
    (
        "when",
        {
            "at": dt.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=dt.UTC),
            "local": dt.datetime(2026, 1, 2),
            "day": dt.date(2026, 1, 2),
        },
    ),
    ("x" * 512, {"body": "word " * 400}),
    ("empty", {}),
    ("gone", {"body": "removed before the checkpoint"}),
    ("late", {"body": "removed after the checkpoint"}),
    ("recent", {"body": "sealed by nobody"}),
]
CONFIG: dict[str, Any] = {"language": "english", "schema": {"title": "string"}, "bm25": {"k1": 1.5, "b": 0.6}}
SEGMENT = b"the bytes of a segment " * 5000


def main(target: str) -> None:
    with Store.open(target) as store:
        index = store.create_index("rules", CONFIG)
        for i in range(0, 9, 3):
            with index.transaction() as txn:
                for doc_no in range(i, i + 3):
                    doc_id, document = DOCUMENTS[doc_no]
                    txn.put(doc_no, doc_id, pack(document))
        with index.transaction() as txn:
            txn.remove(7, "gone")
        compact_index(index)
        index.checkpoint(8, [SegmentEntry(index.write_segment([SEGMENT]), 0, 8, {"terms": 3})], info={"n": 1})
        with index.transaction() as txn:
            txn.remove(8, "late")
            txn.put(9, "recent", pack(DOCUMENTS[9][1]))
        store.create_index("empty.one", {})
    (store.path / LOCK).unlink()


if __name__ == "__main__":
    main(sys.argv[1])
