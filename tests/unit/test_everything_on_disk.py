"""Every question answers on disk as it does in memory, before and after the engine is opened again."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narsilpy import Narsil, Phrase, parse_query

SCHEMA = {"t": "string", "s": "string:sortable", "e": "enum", "n": "number", "b": "boolean", "tags": "enum[]",
          "at": "geopoint"}
QUESTIONS: list[tuple[Any, dict[str, Any]]] = [
    ("fox", {"sort": {"s": "desc", "n": "asc"}}), ("fox", {"facets": ["s", "e", "n", "b", "tags"]}),
    ("fox den", {"group": {"fields": ["e", "b"], "max_per_group": 2}}), ("fox", {"boost_by": {"field": "n"}}),
    ("fox", {"pinned": [{"doc_id": "d03", "position": 1}]}), ("fox den", {"proximity": 2.0}),
    (None, {"filters": {"fields": {"at": {"radius": {"lat": 1, "lon": 1, "distance": 300, "unit": "km"}}}}}),
    (Phrase("fox den"), {"include_score_components": True}), (parse_query('"fox den" -oak'), {"limit": 3}),
    ("fo", {"prefix": True, "highlight": {"fields": ["t"]}})]


def fill(narsil: Narsil) -> None:
    narsil.create_index("docs", schema=SCHEMA)
    narsil.insert_batch("docs", [
        {"id": f"d{number:02}", "t": ["red fox den", "fox and a den", "oak fox", "a fox"][number % 4],
         "s": "zyxw"[number % 3],
         "e": "ab"[number % 2], "n": number % 5, "b": number % 3 == 0, "tags": ["x", "y"][:number % 3],
         "at": {"lat": number / 4, "lon": 1.0}} for number in range(24)])
    narsil.update("docs", "d05", {"t": "fox den oak", "n": 99})
    narsil.remove("docs", "d07")


def answers(narsil: Narsil) -> list[Any]:
    found: list[Any] = []
    for term, options in QUESTIONS:
        pages, cursor = [], None
        while True:
            result = narsil.query("docs", term, search_after=cursor, **{"limit": 7, **options})
            pages.append({**result.to_dict(), "elapsed": 0, "best": result.best_coverage,
                          "coverage": [hit.coverage for hit in result]})
            cursor = result.cursor
            if cursor is None:
                break
        found.append(pages)
    found += [narsil.explain("docs", "d05", "fox oak", prefix=True).to_dict(), narsil.suggest("docs", "o").to_dict(),
              narsil.list_documents("docs", sort={"n": "desc"}, limit=30).to_dict()]
    return found


@pytest.mark.parametrize("optimize", [False, True])
def test_disk_answers_as_memory_does(tmp_path: Path, optimize: bool) -> None:
    memory = Narsil()
    fill(memory)
    expected = answers(memory)
    with Narsil(tmp_path / "engine") as narsil:
        fill(narsil)
        assert answers(narsil) == expected
        if optimize:
            narsil.optimize("docs")
            assert answers(narsil) == expected
    for read_only in (False, True):
        with Narsil(tmp_path / "engine", read_only=read_only) as narsil:
            assert answers(narsil) == expected
