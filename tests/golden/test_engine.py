"""An engine folder of each format opens for ever and answers as it did.

`engine-v1` has its vocabulary in one file, `engine-v2` what each checkpoint changed in it; both were written by 0.1.0.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from narsilpy import Narsil
from narsilpy.storage.maintenance import verify
from tests.golden.make_engine import answers, document

FORMATS = ["engine-v1", "engine-v2"]


def expected_documents() -> dict[str, dict[str, object]]:
    documents = {f"d{i:03}": document(i) for i in range(80) if i not in (3, 17, 20)}
    return {**documents, "d021": {**document(100), "id": "d021"}, "d090": document(90)}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("read_only", [True, False])
def test_the_folder_answers_as_it_did(tmp_path: Path, name: str, read_only: bool) -> None:
    golden = Path(__file__).parent / name
    recorded = json.loads(golden.with_suffix(".json").read_text(encoding="utf-8"))
    shutil.copytree(golden, tmp_path / "engine")
    with Narsil(tmp_path / "engine", read_only=read_only) as narsil:
        assert {key: narsil.get("rules", key) for key in narsil.index("rules")} == expected_documents()
        found = json.loads(json.dumps(answers(narsil)))
        for (n, hits), (recorded_n, recorded_hits) in zip(found, recorded, strict=True):
            assert n == recorded_n
            assert [(hit[0], hit[2]) for hit in hits] == [(hit[0], hit[2]) for hit in recorded_hits]
            assert [hit[1] for hit in hits] == pytest.approx([hit[1] for hit in recorded_hits], rel=1e-12)
        if not read_only:
            narsil.optimize("rules")
            narsil.insert("rules", {"id": "new", "body": "a fox"})
            assert narsil.count_documents("rules") == len(expected_documents()) + 1
    assert verify(tmp_path / "engine").problems == []
