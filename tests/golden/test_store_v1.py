"""Folders of storage format 1 open for ever: `store-v1` was written by version 0.1.0 and is never written again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from narsilpy.storage.maintenance import verify
from narsilpy.storage.msgpack import pack, unpack
from narsilpy.storage.store import Store
from tests.golden.make_store_v1 import CONFIG, DOCUMENTS, SEGMENT

GOLDEN = Path(__file__).parent / "store-v1"
LIVE = {doc_id: document for doc_id, document in DOCUMENTS if doc_id not in ("gone", "late")}


@pytest.mark.parametrize("read_only", [True, False])
def test_the_folder_opens_and_holds_what_was_stored(tmp_path: Path, read_only: bool) -> None:
    shutil.copytree(GOLDEN, tmp_path / "engine")
    with Store.open(tmp_path / "engine", read_only=read_only) as store:
        assert sorted(store.indexes) == ["empty.one", "rules"]
        assert store.config("rules") == CONFIG and store.config("empty.one") == {}
        index = store.indexes["rules"]
        assert {doc_id: unpack(data) for _, doc_id, data in index.documents()} == LIVE
        assert [index.find(doc_id) for doc_id, _ in DOCUMENTS] == [0, 1, 2, 3, 4, 5, 6, None, None, 9]
        assert (list(index.removed), index.unsettled, index.next_doc_no) == ([7, 8], [8], 10)
        assert unpack(index.read(8)) == DOCUMENTS[8][1]
        assert [doc_no for doc_no, _, _ in index.recent_documents()] == [9]
        assert index.manifest.info == {"n": 1}
        (segment,) = index.manifest.segments
        assert (segment.first, segment.last, segment.info) == (0, 8, {"terms": 3})
        with index.open_segment(segment.name).read(0, len(SEGMENT)) as body:
            assert bytes(body) == SEGMENT
        assert len(store.indexes["empty.one"]) == 0
        if not read_only:
            with index.transaction() as txn:
                txn.put(10, "new", pack({}))
            assert len(index) == len(LIVE) + 1
    assert verify(tmp_path / "engine").problems == []


def test_the_folder_itself_is_sound() -> None:
    report = verify(GOLDEN)
    assert report.problems == []
    assert (report.n_indexes, report.n_documents) == (2, len(LIVE))
