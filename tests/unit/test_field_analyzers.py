"""Fields with analyzers of their own, named analyzers, and synonyms as settings and options."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narsilpy import (
    Analyzer,
    Boost,
    Fuzzy,
    InvalidConfig,
    InvalidQuery,
    Narsil,
    NarsilError,
    Phrase,
    Prefix,
    Synonyms,
    Term,
)

SCHEMA = {"en": "string", "fr": "string", "sku": "string", "tags": "string[]"}
FIELDS: dict[str, Any] = {"fr": "french", "sku": {"stop_words": [], "identifiers": True}, "tags": "plain"}
DOCUMENTS = [
    {"id": "a", "en": "The nation is national", "fr": "La nation est nationale", "sku": "THE-0011",
     "tags": ["the best"]},
    {"id": "b", "en": "Lakes and rivers", "fr": "Les rivières et les lacs", "sku": "LAC-7", "tags": ["water"]},
    {"id": "c", "en": "A horse runs", "fr": "Le cheval court, les chevaux courent", "sku": "C-1", "tags": []}]


def engine(path: Path | None = None, **settings: Any) -> Narsil:
    narsil = Narsil(path)
    if "docs" not in narsil.list_indexes():
        narsil.create_index("docs", schema=SCHEMA, field_analyzers=FIELDS,
                            analyzers={"plain": {"language": "english", "stop_words": []}}, **settings)
        assert not narsil.insert_batch("docs", DOCUMENTS).failed
    return narsil


def ids(narsil: Narsil, term: Any, **options: Any) -> list[str]:
    return sorted(hit.id for hit in narsil.query("docs", term, **options))


@pytest.mark.parametrize("on_disk", [False, True])
def test_each_field_is_read_by_its_own_analyzer(tmp_path: Path, on_disk: bool) -> None:
    path = tmp_path / "engine" if on_disk else None
    narsil = engine(path)
    if on_disk:
        narsil.close()
        narsil = engine(path)
        assert not narsil.get_stats("docs").analysis_stale
    with narsil:
        assert ids(narsil, "chevaux") == ["c"]          # French plural, by a French stem
        assert ids(narsil, "rivière", fields=["fr"]) == ["b"]
        assert ids(narsil, "rivière", fields=["en"]) == []
        assert ids(narsil, "the") == ["a"]              # a stop word in `en`, a word in `sku` and `tags`
        assert ids(narsil, "the", fields=["en"]) == []
        assert ids(narsil, "THE-0011") == ["a"]         # whole
        assert ids(narsil, "horse lac", term_match="all") == []
        assert ids(narsil, "nation national", term_match="all") == ["a"]
        assert ids(narsil, Phrase("chevaux courent")) == ["c"]
        assert ids(narsil, Phrase("les chevaux", field="fr") | Term("lakes", field="en")) == ["b", "c"]
        assert ids(narsil, Term("lac") & ~Term("rivers")) == []
        assert ids(narsil, "chev", prefix=True) == ["c"]
        assert ids(narsil, Prefix("riv", field="fr")) == ["b"]
        assert ids(narsil, "latc", tolerance=1, fields=["fr"]) == ["b"]
        assert ids(narsil, Boost(Fuzzy("horze"), 2.0)) == ["c"]
        assert {term for term, _ in narsil.suggest("docs", "ri").terms} == {"rivers", "rivières"}
        hit = narsil.query("docs", "chevaux courent", highlight={"fields": ["fr", "en"]})[0]
        assert [DOCUMENTS[2]["fr"][span.start:span.end] for span in hit.highlights["fr"].positions] == [
            "cheval", "chevaux", "courent"]
        assert hit.coverage == 1.0
        assert narsil.query("docs", "horse unicorn").best_coverage == 0.5
        assert narsil.explain("docs", "c", "chevaux").value == narsil.query("docs", "chevaux")[0].score
        quote = hit.quote("fr")
        assert quote is not None
        assert narsil.verify_quote("docs", "c", quote.text) is not None
        with pytest.raises(InvalidConfig):
            narsil.snapshot("docs")


def test_removals_leave_no_trace_in_any_field() -> None:
    narsil, fresh = engine(), Narsil()
    fresh.create_index("docs", schema=SCHEMA, field_analyzers=FIELDS, analyzers={"plain": {"stop_words": []}})
    narsil.remove("docs", "b")
    narsil.update("docs", "c", {"fr": "Un lac"})
    for doc_id, document in (("a", DOCUMENTS[0]), ("c", {"fr": "Un lac"})):
        fresh.insert("docs", document, doc_id)
    for prefix in ("r", "l", "c", "n", "t", "h"):
        assert narsil.suggest("docs", prefix) == fresh.suggest("docs", prefix)
    for term in ("lac", "nation", "horse rivers", "the"):
        assert [(hit.id, hit.score) for hit in narsil.query("docs", term)] == [
            (hit.id, hit.score) for hit in fresh.query("docs", term)]


def test_one_analyzer_by_another_name_changes_nothing() -> None:
    plain, named = Narsil(), Narsil()
    plain.create_index("docs", schema={"a": "string", "b": "string"})
    named.create_index("docs", schema={"a": "string", "b": "string"}, field_analyzers={"b": {"language": "english"}})
    for narsil in (plain, named):
        narsil.insert("docs", {"id": "x", "a": "red foxes", "b": "a fox and the red dens"})
        narsil.insert("docs", {"id": "y", "a": "dens", "b": "red"})
    for term in ("fox", "red den", "the red", Phrase("red dens"), Term("fox") & Term("den"), Prefix("d")):
        assert [(hit.id, hit.score) for hit in plain.query("docs", term)] == [
            (hit.id, hit.score) for hit in named.query("docs", term)], term
    assert plain.suggest("docs", "f") == named.suggest("docs", "f")


@pytest.mark.parametrize("settings", [
    {"field_analyzers": {"nope": "french"}}, {"field_analyzers": {"fr": "klingon"}}, {"field_analyzers": {"fr": 5}},
    {"field_analyzers": {"fr": {"color": "red"}}}, {"field_analyzers": []}, {"analyzers": {"x": 5}}, {"analyzers": 5},
    {"field_analyzers": {"fr": {5: 6}}}, {"synonyms": "a, b"}, {"synonyms": [["a"], 5]}, {"synonyms": {"pairs": []}},
    {"synonyms": {"one_way": []}}, {"synonyms": [["the", "an"]]}])
def test_bad_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(NarsilError):
        Narsil().create_index("docs", schema=SCHEMA, **settings)


def test_an_analyzer_of_code_is_not_stored(tmp_path: Path) -> None:
    tokenizer = Analyzer(tokenizer=lambda text: [(text, 0, len(text))] if text else [])
    with Narsil() as narsil:
        narsil.create_index("docs", schema=SCHEMA, field_analyzers={"sku": tokenizer})
        narsil.insert("docs", {"id": "a", "sku": "A whole"})
        assert ids(narsil, "A whole") == ["a"]
    with Narsil(tmp_path / "engine") as narsil, pytest.raises(InvalidConfig):
        narsil.create_index("docs", schema=SCHEMA, field_analyzers={"sku": tokenizer})


RULES: Any = {"groups": [["NY", "New York"], ["fiddle", "violin"]], "one_way": {"dog": ["poodle"]}}


def rules_engine(path: Path | None = None, **settings: Any) -> Narsil:
    narsil = Narsil(path)
    if "docs" not in narsil.list_indexes():
        narsil.create_index("docs", schema={"t": "string"}, **settings)
        for doc_id, text in (("a", "Pizza in New York"), ("b", "NY pizza"), ("c", "A violin and a poodle"),
                             ("d", "A fiddle and a dog"), ("e", "New pizza from old York")):
            narsil.insert("docs", {"t": text}, doc_id)
    return narsil


@pytest.mark.parametrize("on_disk", [False, True])
def test_synonyms_are_a_setting(tmp_path: Path, on_disk: bool) -> None:
    path = tmp_path / "engine" if on_disk else None
    narsil = rules_engine(path, synonyms=RULES)
    if on_disk:
        narsil.close()
        narsil = rules_engine(path)
    with narsil:
        assert ids(narsil, "NY") == ["a", "b"]
        assert ids(narsil, "new york pizza", term_match="all") == ["a", "b"]
        assert ids(narsil, "violins") == ["c", "d"]
        assert ids(narsil, "poodle") == ["c"]
        assert ids(narsil, "dogs") == ["c", "d"]
        assert ids(narsil, "fiddle", synonyms=False) == ["d"]
        assert ids(narsil, "fiddle", synonyms=[["fiddle", "pizza"]]) == ["a", "b", "d", "e"]
        assert ids(narsil, "NY pizz", prefix=True, term_match="all") == ["a", "b"]
        hit = next(hit for hit in narsil.query("docs", "NY", highlight={"fields": ["t"]}) if hit.id == "a")
        spans = hit.highlights["t"].positions
        assert [("Pizza in New York"[span.start:span.end], span.query_term) for span in spans] == [
            ("New", "NY"), ("York", "NY")]
        with pytest.raises(InvalidQuery):
            narsil.query("docs", "NY pizza dog", term_match=2)
        with pytest.raises((InvalidQuery, InvalidConfig)):
            narsil.query("docs", "NY", synonyms=5)


def test_a_synonym_is_the_word_that_it_stands_for() -> None:
    """Coverage counts the words of the question, in whichever wording they are met."""
    with rules_engine(synonyms=Synonyms(RULES["groups"])) as narsil:
        coverage = {hit.id: hit.coverage for hit in narsil.query("docs", "violin pizza")}
        assert coverage == {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5, "e": 0.5}
        result = narsil.query("docs", "fiddle")
        assert {hit.id: hit.coverage for hit in result} == {"c": 1.0, "d": 1.0}
        assert result.best_coverage == 1.0
        assert narsil.query("docs", "fiddle unicorn").best_coverage == 0.5
