"""`proximity` against its twin: the nearest pair of neighbouring words, by positions read from the analysed text."""
from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import InvalidQuery, Narsil, Term

words = st.sampled_from(["red", "fox", "den", "the", "deep", "x"])
texts = st.lists(words, max_size=10).map(" ".join)
documents = st.lists(st.fixed_dictionaries({"t": texts, "u": st.lists(texts, max_size=2)}), min_size=1, max_size=8)


def nearness(narsil: Narsil, asked: str, document: dict[str, Any], idf: dict[str, float], boost: float) -> float:
    analyze = narsil._core("docs").settings.analyzer.analyze
    tokens = {token.term: token for token in reversed(analyze(asked))}
    query = sorted(tokens.values(), key=lambda token: token.position)
    held = {"t": [(token.term, token.position) for token in analyze(document["t"])], "u": []}
    stored = narsil._core("docs").tokens(narsil._core("docs").stored(document["id"]))
    held["u"] = stored.get("u", [])     # elements of an array stand far apart, as the index numbers them
    total = 0.0
    for first, second in pairwise(query):
        for field in ("t", "u"):
            gaps = [abs((q - p) - (second.position - first.position)) for term, p in held[field] if term == first.term
                    for other, q in held[field] if other == second.term]
            if gaps:
                least = min(idf[first.term], idf[second.term])
                total += (boost if field == "t" else 1.0) * least / (1 + min(gaps)) ** 2
    return total


@given(documents, st.lists(words, min_size=1, max_size=4).map(" ".join), st.booleans(), st.sampled_from([0.5, 2.0]))
def test_proximity_equals_the_twin(found: list[dict[str, Any]], asked: str, optimize: bool, weight: float) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"t": "string", "u": "string[]"})
    for number, document in enumerate(found):
        document["id"] = f"d{number}"
        narsil.insert("docs", document)
        if optimize and number == 3:
            narsil.optimize("docs")
    options: dict[str, Any] = {"limit": 50, "boost": {"t": 3.0}, "include_score_components": True}
    plain = narsil.query("docs", asked, **options)
    expected = {}
    for hit in plain:
        assert hit.score_components is not None
        expected[hit.id] = hit.score + weight * nearness(narsil, asked, hit.document, hit.score_components.idf, 3.0)
    result = narsil.query("docs", asked, proximity=weight, **options)
    assert {hit.id for hit in result} == expected.keys()
    for hit in result:
        assert math.isclose(hit.score, expected[hit.id], rel_tol=1e-12)
        explanation = narsil.explain("docs", hit.id, asked, proximity=weight, boost={"t": 3.0})
        assert explanation.value == hit.score
    assert [hit.id for hit in result] == sorted(expected, key=lambda doc_id: (
        -next(hit.score for hit in result if hit.id == doc_id), doc_id))


def test_words_that_stand_together_come_first() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"t": "string"})
    narsil.insert("docs", {"id": "apart", "t": "a violin needs the seat that a guitar and its case would need"})
    narsil.insert("docs", {"id": "phrase", "t": "a bag and belts and the case of guitar case violin and one more seat"})
    assert narsil.query("docs", "guitar case", proximity=5.0)[0].id == "phrase"


@pytest.mark.parametrize("options", [{"proximity": -1}, {"proximity": "near"}, {"proximity": math.nan}])
def test_bad_weights_are_refused(options: dict[str, Any]) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"t": "string"})
    narsil.create_index("bare", schema={"t": "string"}, track_positions=False)
    with pytest.raises(InvalidQuery):
        narsil.query("docs", "a", **options)
    with pytest.raises(InvalidQuery):
        narsil.query("docs", Term("a"), proximity=1.0)
    with pytest.raises(InvalidQuery):
        narsil.query("bare", "a", proximity=1.0)
