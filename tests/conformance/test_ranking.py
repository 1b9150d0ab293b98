"""The recorded rankings of the original: ids, scores to a relative 1e-9, counts."""
from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from narsilpy import Narsil
from tests.conformance.differences import DIFFERENCES
from tests.conformance.recorded import load, options, value

FILE = "ranking.json"
RECORDED = load(FILE)
# What a case may ask for to be run here.
OPTIONS = {"term", "fields", "boost", "term_match", "min_score", "limit", "offset", "document", "exact", "prefix",
           "tolerance", "prefix_length", "filters"}
CASES = {case["name"]: case for case in RECORDED["cases"]
         if "dataset" in case and "hits" in case["expected"] and set(options(case["query"])) <= OPTIONS}


@cache
def engine(dataset: str) -> Narsil:
    recorded = RECORDED["datasets"][dataset]
    narsil = Narsil()
    narsil.create_index("docs", **options(recorded["config"]))
    assert not narsil.insert_batch("docs", value(recorded["docs"])).failed
    return narsil


def agrees(case: dict[str, Any]) -> bool:
    result = engine(case["dataset"]).query("docs", **options(case["query"]))
    hits = [hit if isinstance(hit, list) else [hit["id"], hit.get("score")] for hit in case["expected"]["hits"]]
    return result.count == case["expected"]["count"] and len(result) == len(hits) and all(
        found.id == hit[0] and math.isclose(found.score or 0.0, hit[1], rel_tol=1e-9, abs_tol=0.0)
        for found, hit in zip(result, hits, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_recorded_ranking(name: str) -> None:
    assert agrees(CASES[name]) == ((FILE, name) not in DIFFERENCES)


def test_the_documents_option_is_the_recorded_one() -> None:
    for name, case in CASES.items():
        if name.startswith("document "):
            found = engine(case["dataset"]).query("docs", **options(case["query"]))
            recorded = case["expected"].get("documents")
            assert recorded is None or [hit.document for hit in found] == recorded, name
