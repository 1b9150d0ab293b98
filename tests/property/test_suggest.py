"""`suggest` after any history of writes is that of a fresh index of what is left."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import InvalidQuery, Narsil

words = st.sampled_from(["secure", "security", "secured", "Sector", "section", "see", "the", "pushchair", "pushchairs",
                         "pushed", "dog's", "élan", "字引"])
texts = st.lists(words, max_size=6).map(" ".join)
histories = st.lists(st.tuples(st.sampled_from("abcd"), texts | st.none()), max_size=15)


@given(histories, st.booleans(),
       st.sampled_from(["s", "se", "SEC", "push", "a pus", "the", "", "  ", "!!", "é", "字", "dog"]))
def test_suggestions_are_those_of_a_fresh_index(history: Any, surface_forms: bool, prefix: str) -> None:
    model: dict[str, str] = {}
    narsil, fresh = Narsil(), Narsil()
    for engine in (narsil, fresh):
        engine.create_index("docs", schema={"t": "string"}, surface_forms=surface_forms)
    for step, (doc_id, text) in enumerate(history):
        if text is not None:
            narsil.upsert("docs", {"t": text}, doc_id)
            model[doc_id] = text
        elif model.pop(doc_id, None) is not None:
            narsil.remove("docs", doc_id)
        if step == 7:
            narsil.optimize("docs")
    for doc_id, text in model.items():
        fresh.insert("docs", {"t": text}, doc_id)
    found = narsil.suggest("docs", prefix)
    assert found == fresh.suggest("docs", prefix)
    dfs = [df for _, df in found.terms]
    assert dfs == sorted(dfs, reverse=True)
    assert narsil.suggest("docs", prefix, limit=1).terms == found.terms[:1]
    if surface_forms:       # a suggestion is a spelling that stands in a document, and finds it
        for term, df in found.terms:
            assert narsil.query("docs", term).count == df


def test_bad_prefixes_are_refused() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"t": "string"})
    for prefix in (None, 5, b"a", ["a"]):
        with pytest.raises(InvalidQuery):
            narsil.suggest("docs", prefix)  # type: ignore[arg-type]  # that is the test
    with pytest.raises(InvalidQuery):
        narsil.suggest("docs", "a", limit="many")  # type: ignore[arg-type]  # that is the test
