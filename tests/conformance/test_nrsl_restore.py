"""`restore` of what the original's `snapshot()` wrote: the same documents, settings and hits; and what we write,
read back.

Scores are compared with one partition of our own: the recorded ones were counted in two partitions apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from narsilpy import ErrorCode, Narsil, NarsilError

DATA = Path(__file__).parents[1] / "data" / "nrsl"
INDEX = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
SNAPSHOT = (DATA / "snapshot-api.bin").read_bytes()
DOCUMENTS = {key: {k: v for k, v in doc.items() if k != "vec"} for key, doc in INDEX["restored_docs"].items()}


@pytest.fixture(params=["memory", "disk"])
def narsil(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with Narsil(None if request.param == "memory" else tmp_path / "engine") as engine:
        yield engine


def test_documents_and_hits_are_the_recorded_ones(narsil: Narsil) -> None:
    notes = narsil.restore("demo", SNAPSHOT)
    assert notes == ["vectors were left out: vec"]
    assert {key: narsil.get("demo", key) for key in narsil.index("demo")} == DOCUMENTS
    n_plain = 0
    for query, expected in zip(INDEX["queries"], INDEX["expected_queries"], strict=True):
        if query.keys() <= {"term", "highlight", "filters"}:
            n_plain += 1
            result = narsil.query("demo", query["term"], filters=query.get("filters"))
            assert result.count == expected["count"]
            assert [hit.id for hit in result] == [hit[0] for hit in expected["hits"]]
    assert n_plain == 5


def test_scores_are_the_recorded_ones_where_the_partition_is_alone() -> None:
    # partition 0 of the two as an index of its own: then N, df and lengths are those the original counted there
    from narsilpy.storage import nrsl

    data = nrsl.read_snapshot(SNAPSHOT)
    for number in (0, 1):
        part = nrsl.read_snapshot(SNAPSHOT)
        part.partitions = [data.partitions[number]]
        with Narsil() as narsil:
            narsil.restore("demo", nrsl.write_snapshot(part))
            for query, expected in zip(INDEX["queries"], INDEX["expected_queries"], strict=True):
                if query.keys() <= {"term", "highlight"}:
                    here = data.partitions[number].documents
                    recorded = {hit[0]: hit[1] for hit in expected["hits"] if hit[0] in here}
                    found = {hit.id: hit.score for hit in narsil.query("demo", query["term"])}
                    assert found == pytest.approx(recorded, rel=1e-9)


def test_settings_are_kept(narsil: Narsil) -> None:
    narsil.restore("demo", SNAPSHOT)
    assert narsil.query("demo", "zebra").count == 0  # a stop word there
    with pytest.raises(NarsilError) as caught:
        narsil.insert("demo", {"body": "no title"})
    assert caught.value.code is ErrorCode.DOC_MISSING_REQUIRED_FIELD
    core = narsil._indexes["demo"]
    assert (core.settings.k1, core.settings.b, core.settings.language) == (1.5, 0.6, "english")


def test_our_snapshot_restores_to_the_same_index_and_the_same_bytes(narsil: Narsil) -> None:
    narsil.restore("demo", SNAPSHOT)
    data = narsil.snapshot("demo")
    assert narsil.restore("demo", data) == []
    assert narsil.snapshot("demo") == data
    assert {key: narsil.get("demo", key) for key in narsil.index("demo")} == DOCUMENTS


def test_our_snapshot_holds_the_terms_the_original_stored(narsil: Narsil) -> None:
    from narsilpy.storage import nrsl

    narsil.restore("demo", SNAPSHOT)
    ours = nrsl.read_snapshot(narsil.snapshot("demo")).partitions[0]
    theirs = nrsl.read_snapshot(SNAPSHOT).partitions
    assert ours.documents == {key: doc for part in theirs for key, doc in part.documents.items()}

    def rows(partitions: list[nrsl.Partition]) -> set[tuple[str, str, str, int]]:
        return {
            (term, doc_id, field, n)
            for part in partitions
            for term, p in part.terms.items()
            for doc_id, field, n in zip(p.doc_ids, p.fields, p.frequencies, strict=True)
        }

    assert rows([ours]) == rows(theirs)
    forms: dict[str, tuple[int, str]] = {}
    for part in theirs:
        forms |= part.surface_forms or {}
    assert ours.surface_forms == forms


@pytest.mark.parametrize("data", [b"", b"x", SNAPSHOT[:-1], SNAPSHOT[:200], "text"])
def test_bad_bytes_leave_the_index_as_it_was(narsil: Narsil, data: Any) -> None:
    narsil.restore("demo", SNAPSHOT)
    with pytest.raises(NarsilError):
        narsil.restore("demo", data)
    with pytest.raises(NarsilError):
        narsil.restore("other", data)
    assert {key: narsil.get("demo", key) for key in narsil.index("demo")} == DOCUMENTS
    assert narsil.list_indexes() == ["demo"]
