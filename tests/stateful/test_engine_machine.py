"""An engine that is written to in any order, sealed and merged at any moment, against a dict and a fresh engine.

History independence: whatever happened, every query answers as a fresh index of the surviving documents does: ids,
scores to the bit, order, counts and spans.
"""
from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from narsilpy import (
    And,
    DocumentAlreadyExists,
    DocumentNotFound,
    Fuzzy,
    InvalidDocument,
    Narsil,
    Not,
    Or,
    Phrase,
    Prefix,
    Term,
)

WORDS = ["fox", "foxes", "foxy", "river", "rivers", "the", "running", "run", "東京", "e\u0301cole", "a"]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.fixed_dictionaries(
    {}, optional={"title": texts, "tags": st.lists(texts, max_size=3), "kind": st.sampled_from(["x", "y"]),
                  "price": st.integers(0, 5)})
ids = st.sampled_from(["a", "b", "c", "d", "é", "\U0001f600", "zz"])
QUERIES: list[Any] = [
    "fox", "running river", "the fox run rivers", "東京", Phrase("fox river"), Phrase("river fox", slop=2),
    Prefix("fo"),
    Fuzzy("rivr", 1, 0), And(Term("fox"), Not(Term("river"))), Or(Phrase("fox run"), Term("école")), ~Term("fox"),
]


def build(model: dict[str, dict[str, Any]]) -> Narsil:
    """A fresh engine of these documents, in another order than they were written in."""
    narsil = create()
    for doc_id, document in sorted(model.items(), reverse=True):
        narsil.insert("docs", document, doc_id)
    return narsil


def create() -> Narsil:
    narsil = Narsil()
    narsil.create_index("docs", schema={"title": "string", "tags": "string[]", "kind": "enum", "price": "number"})
    return narsil


def answers(narsil: Narsil, query: Any, **options: Any) -> Any:
    result = narsil.query("docs", query, limit=5, highlight={"fields": ["title", "tags"]}, **options)
    return result.count, [
        (hit.id, hit.score, hit.document, {field: (highlight.snippet, list(highlight.positions))
                                           for field, highlight in hit.highlights.items()})
        for hit in result]


class EngineMachine(RuleBasedStateMachine):
    """Writes in any order; `model` is what should be stored."""

    known = Bundle("known")

    @initialize()
    def start(self) -> None:
        self.narsil = create()
        self.model: dict[str, dict[str, Any]] = {}

    @rule(target=known, doc_id=ids, document=documents)
    def insert(self, doc_id: str, document: dict[str, Any]) -> str:
        document = {**document, "id": doc_id}
        try:
            assert self.narsil.insert("docs", document) == doc_id
            assert doc_id not in self.model
            self.model[doc_id] = document
        except DocumentAlreadyExists:
            assert doc_id in self.model
        document["title"] = "changed by the caller"
        self.model[doc_id] = self.narsil.get("docs", doc_id) or {}
        assert self.model[doc_id].get("title") != "changed by the caller"
        return doc_id

    @rule(pairs=st.lists(st.tuples(ids, documents), max_size=6))
    def insert_batch(self, pairs: list[tuple[str, dict[str, Any]]]) -> None:
        result = self.narsil.insert_batch("docs", ({**document, "id": doc_id} for doc_id, document in pairs))
        taken = set(self.model)
        for doc_id, document in pairs:
            if doc_id not in taken:
                taken.add(doc_id)
                self.model[doc_id] = {**document, "id": doc_id}
        assert len(result.succeeded) + len(result.failed) == len(pairs)
        assert all(isinstance(failure.error, DocumentAlreadyExists) for failure in result.failed)

    @rule(doc_id=ids, document=documents)
    def upsert(self, doc_id: str, document: dict[str, Any]) -> None:
        self.narsil.upsert("docs", {**document, "id": doc_id})
        self.model[doc_id] = {**document, "id": doc_id}

    @rule(doc_id=ids, document=documents)
    def update(self, doc_id: str, document: dict[str, Any]) -> None:
        try:
            self.narsil.update("docs", doc_id, document)
            assert doc_id in self.model
            self.model[doc_id] = document
        except DocumentNotFound:
            assert doc_id not in self.model

    @rule(doc_id=ids)
    def remove(self, doc_id: str) -> None:
        try:
            self.narsil.remove("docs", doc_id)
            del self.model[doc_id]
        except DocumentNotFound:
            assert doc_id not in self.model

    @rule(doc_id=ids)
    def a_bad_write_changes_nothing(self, doc_id: str) -> None:
        for write in (lambda: self.narsil.upsert("docs", {"id": doc_id, "price": float("nan")}),
                      lambda: self.narsil.upsert("docs", {"id": doc_id, "title": 5})):
            try:
                write()
                raise AssertionError("a bad document was taken")
            except InvalidDocument:
                pass

    @rule()
    def seal(self) -> None:
        core = self.narsil._core("docs")
        with core.locked():
            core.segments.seal()

    @rule()
    def seal_in_background(self) -> None:
        core = self.narsil._core("docs")
        with core.locked():
            core.segments.retire()

    @rule()
    def optimize(self) -> None:
        self.narsil.optimize("docs")

    @rule()
    def clear(self) -> None:
        self.narsil.clear("docs")
        self.model.clear()

    @rule(query=st.sampled_from(QUERIES), options=st.sampled_from(
        [{}, {"fields": ["title"]}, {"boost": {"tags": 2.5}}, {"term_match": "all"}, {"min_score": 0.5}, {"offset": 1},
         {"prefix": True}, {"tolerance": 1}]))
    def query(self, query: Any, options: dict[str, Any]) -> None:
        assert answers(self.narsil, query, **options) == answers(build(self.model), query, **options)

    @invariant()
    def holds_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        assert self.narsil.count_documents("docs") == len(self.model)
        assert sorted(self.narsil.index("docs")) == sorted(self.model)
        for doc_id, document in self.model.items():
            assert self.narsil.get("docs", doc_id) == document


TestEngine = EngineMachine.TestCase
# a step builds an engine: fewer machines than a profile has examples, nightly still runs hundreds
TestEngine.settings = settings(max_examples=max(15, settings().max_examples // 5), stateful_step_count=25)
