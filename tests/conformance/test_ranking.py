"""The recorded rankings of the original: ids, scores to a relative 1e-9, counts."""
from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from narsilpy import InvalidQuery, Narsil
from tests.conformance.differences import DIFFERENCES
from tests.conformance.recorded import load, options, value

FILE = "ranking.json"
RECORDED = load(FILE)
# What a case may ask for to be run here.
OPTIONS = {"term", "fields", "boost", "term_match", "min_score", "limit", "offset", "document", "exact", "prefix",
           "tolerance", "prefix_length", "filters", "facets", "sort", "group", "pinned", "include_scores",
           "include_score_components"}
CASES = {case["name"]: case for case in RECORDED["cases"]
         if "dataset" in case and "vector" not in case["query"] and set(options(case["query"])) <= OPTIONS}
LISTINGS = {case["name"]: case for case in RECORDED["cases"]
            if "ops" in case and {step["op"] for step in case["ops"]} <= {"insertBatch", "list", "suggest"}}


@cache
def engine(dataset: str) -> Narsil:
    recorded = RECORDED["datasets"][dataset]
    narsil = Narsil()
    narsil.create_index("docs", **options(recorded["config"]))
    assert not narsil.insert_batch("docs", value(recorded["docs"])).failed
    return narsil


def same_hits(found: Any, recorded: list[Any]) -> bool:
    hits = [hit if isinstance(hit, list) else [hit["id"], hit.get("score")] for hit in recorded]
    return len(found) == len(hits) and all(
        one.id == hit[0] and math.isclose(one.score or 0.0, (hit[1:] or [0.0])[0] or 0.0, rel_tol=1e-9, abs_tol=0.0)
        for one, hit in zip(found, hits, strict=True))


def same_facets(result: Any, recorded: dict[str, Any]) -> bool:
    """By count; the recorded order of numbers is that of JavaScript's objects."""
    def plain(values: dict[Any, int]) -> dict[str, int]:
        return {str(key).lower() if isinstance(key, bool) else str(key): n for key, n in values.items()}

    return result.facets.keys() == recorded.keys() and all(
        plain(result.facets[name].values) == wanted["values"] and result.facets[name].count == wanted["count"]
        and [*plain(result.facets[name].values).values()] == sorted(
            wanted["values"].values(), reverse=result.facets[name].values != {} and not ascending(wanted["values"]))
        for name, wanted in recorded.items())


def ascending(values: dict[str, int]) -> bool:
    counts = list(values.values())
    return len(set(counts)) > 1 and counts == sorted(counts)


def same_groups(result: Any, recorded: list[Any]) -> bool:
    return len(result.groups) == len(recorded) and all(
        found.values == wanted["values"] and same_hits(found.hits, wanted["hits"])
        for found, wanted in zip(result.groups, recorded, strict=True))


def same_components(result: Any, recorded: list[Any]) -> bool:
    return all(hit.score_components.term_frequencies == wanted["termFrequencies"]
               and hit.score_components.field_lengths == wanted["fieldLengths"]
               and hit.score_components.idf.keys() == wanted["idf"].keys()
               and all(math.isclose(hit.score_components.idf[term], idf, rel_tol=1e-9)
                       for term, idf in wanted["idf"].items())
               for hit, wanted in zip(result, recorded, strict=True))


def same_page(result: Any, recorded: dict[str, Any]) -> bool:
    return (result.count == recorded["count"] and same_hits(result, recorded["hits"])
            and (result.cursor is not None) == ("cursor" in recorded)
            and same_facets(result, recorded.get("facets", {})) and same_groups(result, recorded.get("groups", []))
            and ("components" not in recorded or same_components(result, recorded["components"])))


def agrees(case: dict[str, Any]) -> bool:
    narsil, wanted = engine(case["dataset"]), options(case["query"])
    try:
        if not case.get("walk"):
            return same_page(narsil.query("docs", **wanted), case["expected"])
        cursor = None
        for page in case["expected"]["pages"]:
            result = narsil.query("docs", **wanted, search_after=cursor)
            if not same_page(result, page):
                return False
            cursor = result.cursor
    except InvalidQuery:
        return False
    return True


@pytest.mark.parametrize("name", CASES)
def test_recorded_ranking(name: str) -> None:
    assert agrees(CASES[name]) == ((FILE, name) not in DIFFERENCES)


def listed(narsil: Narsil, step: dict[str, Any]) -> Any:
    if step["op"] == "insertBatch":
        return {"succeeded": narsil.insert_batch("docs", value(step["docs"])).succeeded, "failed": []}
    if step["op"] == "suggest":
        found = narsil.suggest("docs", **options(step["suggest"]))
        return {"terms": [{"term": term, "documentFrequency": df} for term, df in found.terms]}
    page = narsil.list_documents("docs", **options(step.get("params") or {}))
    return {"documents": [entry.to_dict() for entry in page.documents], "cursor": page.cursor is not None,
            "total": page.total}


@pytest.mark.parametrize("name", LISTINGS)
def test_recorded_listing(name: str) -> None:
    case = LISTINGS[name]
    narsil = Narsil()
    narsil.create_index("docs", **options(case["config"]))
    for step, wanted in zip(case["ops"], case["expected"]["ops"], strict=True):
        if "cursor" in wanted:
            wanted = {**wanted, "cursor": wanted["cursor"] is not None}
        assert listed(narsil, step) == wanted, step


def test_the_documents_option_is_the_recorded_one() -> None:
    for name, case in CASES.items():
        if name.startswith("document "):
            found = engine(case["dataset"]).query("docs", **options(case["query"]))
            recorded = case["expected"].get("documents")
            assert recorded is None or [hit.document for hit in found] == recorded, name
