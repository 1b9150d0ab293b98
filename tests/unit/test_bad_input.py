"""Bad input through the public verbs: a typed error, nothing half-applied, nothing lost."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from narsilpy import DocumentAlreadyExists, EngineClosed, InvalidDocument, Narsil, NarsilError


@pytest.fixture
def narsil() -> Narsil:
    engine = Narsil()
    engine.create_index("i", schema={"t": "string", "n": "number"})
    engine.insert("i", {"id": "a", "t": "a red fox"})
    return engine


CALLS: dict[str, Callable[[Narsil], Any]] = {
    "document None": lambda n: n.insert("i", None),     # type: ignore[arg-type]  # what is tested
    "document list": lambda n: n.insert("i", [1]),      # type: ignore[arg-type]  # what is tested
    "id of a wrong type": lambda n: n.insert("i", {"t": "x"}, 5),       # type: ignore[arg-type]  # what is tested
    "id empty": lambda n: n.insert("i", {"t": "x"}, ""),
    "id too long": lambda n: n.insert("i", {"t": "x"}, "a" * 513),
    "id with NUL": lambda n: n.insert("i", {"t": "x"}, "a\0"),
    "number NaN": lambda n: n.insert("i", {"n": float("nan")}),
    "number huge": lambda n: n.insert("i", {"n": 10**400}),
    "index of a wrong type": lambda n: n.query(5, "x"),     # type: ignore[arg-type]  # what is tested
    "term of a wrong type": lambda n: n.query("i", 5),
    "fields a str": lambda n: n.query("i", "x", fields="t"),
    "fields unknown": lambda n: n.query("i", "x", fields=["u"]),
    "limit a str": lambda n: n.query("i", "x", limit="5"),
    "window": lambda n: n.query("i", "x", limit=10_001),
    "boost a list": lambda n: n.query("i", "x", boost=[1]),
    "boost NaN": lambda n: n.query("i", "x", boost={"t": float("nan")}),
    "min_score a str": lambda n: n.query("i", "x", min_score="a"),
    "term_match a dict": lambda n: n.query("i", "x", term_match={}),
    "highlight a number": lambda n: n.query("i", "x", highlight=5),
    "highlight unknown": lambda n: n.query("i", "x", highlight={"fields": ["t"], "color": 1}),
    "document a number": lambda n: n.query("i", "x", document=5),
    "prefix a str": lambda n: n.query("i", "x", prefix="a"),
    "tolerance a float": lambda n: n.query("i", "x", tolerance=1.5),
    "name": lambda n: n.create_index("a b", schema={"t": "string"}),
    "name taken": lambda n: n.create_index("i", schema={"t": "string"}),
    "schema None": lambda n: n.create_index("j", schema=None),      # type: ignore[arg-type]  # what is tested
    "schema nested": lambda n: n.create_index("j", schema={"a": {"b": {"c": {"d": {"e": "string"}}}}}),
    "schema reserved": lambda n: n.create_index("j", schema={"id": "string"}),
    "language": lambda n: n.create_index("j", schema={"t": "string"}, language="klingon"),
    "stop words": lambda n: n.create_index("j", schema={"t": "string"}, stop_words="the"),
    "tokenizer": lambda n: n.create_index("j", schema={"t": "string"}, tokenizer=5),
    "bm25": lambda n: n.create_index("j", schema={"t": "string"}, bm25={"k1": -1}),
    "batch None": lambda n: n.insert_batch("i", None),      # type: ignore[arg-type]  # what is tested
    "ids None": lambda n: n.get_multiple("i", None),        # type: ignore[arg-type]  # what is tested
    "remove a number": lambda n: n.remove("i", 5),      # type: ignore[arg-type]  # what is tested
    "quote a number": lambda n: n.verify_quote("i", "a", 5),        # type: ignore[call-overload]  # what is tested
}


@pytest.mark.parametrize("name", CALLS)
def test_bad_input_is_refused_whole(narsil: Narsil, name: str) -> None:
    with pytest.raises(NarsilError) as caught:
        CALLS[name](narsil)
    assert caught.value.message
    assert narsil.list_indexes() == ["i"]
    assert narsil.count_documents("i") == 1
    assert [hit.id for hit in narsil.query("i", "fox")] == ["a"]


def test_a_batch_reports_each_failure_and_applies_the_rest(narsil: Narsil) -> None:
    result = narsil.insert_batch("i", [None, {"id": "b", "t": "fox"}, {"id": "b"}, {"id": "c", "t": 5}, {"id": "d"}])
    assert result.succeeded == ["b", "d"]
    assert [(failure.doc_id, type(failure.error)) for failure in result.failed] == [
        ("", InvalidDocument), ("b", DocumentAlreadyExists), ("c", InvalidDocument)]


def test_an_iterable_that_raises_keeps_what_came_before(narsil: Narsil) -> None:
    def documents() -> Iterator[dict[str, str]]:
        yield {"id": "b", "t": "fox"}
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        narsil.insert_batch("i", documents())
    assert narsil.query("i", "fox").count == 2


def test_a_document_that_its_caller_changes_stays_as_it_was(narsil: Narsil) -> None:
    document: dict[str, Any] = {"id": "b", "t": "cat", "tags": [{"x": 1}]}
    narsil.insert("i", document)
    document["t"] = "dog"
    document["tags"][0]["x"] = 2
    stored = narsil.get("i", "b")
    assert stored == {"id": "b", "t": "cat", "tags": [{"x": 1}]}
    stored["tags"].append("mine")
    narsil.remove("i", "b")
    assert narsil.query("i", "cat").count == 0


def test_a_token_of_a_million_characters_and_a_long_text(narsil: Narsil) -> None:
    narsil.insert("i", {"id": "token", "t": "x" * 1_000_000})
    narsil.insert("i", {"id": "long", "t": "the quick brown hound " * 100_000})
    assert narsil.query("i", "x" * 1_000_000).count == 1
    (hit,) = narsil.query("i", "hounds", highlight={"fields": ["t"]})
    assert len(hit.highlights["t"].matches) == 100_000
    assert len(hit.highlights["t"].passages[0].text) <= 200


def test_use_after_close_is_an_error_of_its_own(narsil: Narsil) -> None:
    narsil.close()
    narsil.close()
    with pytest.raises(EngineClosed):
        narsil.query("i", "fox")
    with pytest.raises(EngineClosed):
        narsil.list_indexes()
