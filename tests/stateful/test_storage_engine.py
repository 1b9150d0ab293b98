"""History independence on disk: whatever came and went, closed, crashed, merged and was opened again, an index answers
every query as a fresh index of the surviving documents does."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import Narsil, NarsilError
from narsilpy.storage import durable
from narsilpy.storage.maintenance import verify
from tests.durability.test_faults import kill

SCHEMA = {"title": "string", "body": "string", "tags": "string[]", "price": "number"}
WORDS = ["fox", "foxes", "hound", "the", "running", "runs", "straße", "e\u0301cole", "東京", "\ud83d"]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.fixed_dictionaries(
    {"body": texts}, optional={"title": texts, "tags": st.lists(texts, max_size=2), "price": st.integers(0, 9)}
)
keys = st.sampled_from([f"id{i}" for i in range(8)])
operations = st.one_of(
    st.tuples(st.just("upsert"), st.tuples(keys, documents)),
    st.tuples(st.just("batch"), st.lists(st.tuples(keys, documents), min_size=1, max_size=6)),
    st.tuples(st.just("stream"), st.lists(st.tuples(keys, documents), min_size=1, max_size=6)),
    st.tuples(st.just("remove"), st.lists(keys, min_size=1, max_size=4)),
    st.tuples(st.sampled_from(["checkpoint", "optimize", "reopen", "crash", "clear", "rebuild", "restore"]), st.none()),
)
QUERIES: list[dict[str, Any]] = [
    {"term": "foxes running"},
    {"term": "straße 東京", "term_match": "all"},
    {"term": "ru", "prefix": True},
    {"term": "hounf", "tolerance": 1},
    {"term": "fox hound runs", "filters": {"fields": {"price": {"gte": 4}}}},
    {"term": "the École fox", "fields": ["body"], "highlight": {"fields": ["body", "tags"]}},
]


def answers(narsil: Narsil, name: str) -> list[Any]:
    found = []
    for query in QUERIES:
        result = narsil.query(name, **query)
        hits = [(hit.id, hit.score, hit.document, {k: v.to_dict() for k, v in hit.highlights.items()})
                for hit in result]
        found.append((hits, result.count))
    return found


def check(narsil: Narsil, state: dict[str, Any]) -> None:
    assert narsil.count_documents("a") == len(state)
    assert set(narsil.index("a")) == set(state)
    assert {key: narsil.get("a", key) for key in state} == state
    with Narsil() as fresh:
        fresh.create_index("a", schema=SCHEMA)
        for key, document in state.items():
            fresh.insert("a", document, key)
        assert answers(narsil, "a") == answers(fresh, "a")


def apply(narsil: Narsil, state: dict[str, Any], kind: str, value: Any) -> None:
    if kind == "upsert":
        narsil.upsert("a", value[1], value[0])
        state[value[0]] = value[1]
    elif kind in ("batch", "stream"):
        items = [{**document, "id": key} for key, document in value]
        result = narsil.insert_batch("a", items if kind == "batch" else iter(items))
        for failure in result.failed:
            assert failure.error.code == "DOC_ALREADY_EXISTS"
        taken = set(state)
        for item in items:
            if item["id"] not in taken:
                taken.add(item["id"])
                state[item["id"]] = item
    elif kind == "remove":
        result = narsil.remove_batch("a", value)
        assert set(result.succeeded) == set(value) & set(state)
        for key in value:
            state.pop(key, None)
    elif kind == "checkpoint":
        core = narsil._indexes["a"]
        core.storage.checkpoint(core)
    elif kind == "optimize":
        narsil.optimize("a")
    elif kind == "clear":
        narsil.clear("a")
        state.clear()
    elif kind == "rebuild":
        narsil.rebuild_analysis("a")
    elif kind == "restore":
        assert narsil.restore("a", narsil.snapshot("a")) == []


@given(st.lists(operations, max_size=14), st.integers(1, 4))
def test_any_history_answers_as_a_fresh_index_does(history: list[tuple[str, Any]], stream_docs: int) -> None:
    path = Path(tempfile.mkdtemp())
    state: dict[str, Any] = {}
    patch = pytest.MonkeyPatch()
    patch.setattr(durable, "STREAM_DOCS", stream_docs)
    patch.setattr(durable, "CLOSE_BYTES", 300)
    try:
        narsil = Narsil(path)
        narsil.create_index("a", schema=SCHEMA)
        reader = Narsil(path, read_only=True)
        for kind, value in history:
            if kind in ("reopen", "crash"):
                assert narsil._store is not None
                if kind == "crash":
                    kill(narsil._store)
                narsil.close()
                narsil = Narsil(path)
            else:
                apply(narsil, state, kind, value)
            check(narsil, state)
        reader.refresh()
        check(reader, state)
        reader.close()
        narsil.close()
        with Narsil(path) as again:
            check(again, state)
            assert again.verify("a").problems == []
        assert verify(path).problems == []
    finally:
        patch.undo()
        shutil.rmtree(path, ignore_errors=True)


@given(st.lists(operations, max_size=10))
def test_a_reader_that_follows_sees_every_state(history: list[tuple[str, Any]]) -> None:
    path = Path(tempfile.mkdtemp())
    state: dict[str, Any] = {}
    try:
        with Narsil(path) as narsil:
            narsil.create_index("a", schema=SCHEMA)
            with Narsil(path, read_only=True) as reader:
                for kind, value in history:
                    if kind in ("reopen", "crash"):
                        continue
                    before = answers(reader, "a")
                    apply(narsil, state, kind, value)
                    assert answers(reader, "a") == before
                    reader.refresh()
                    check(reader, state)
                    with pytest.raises(NarsilError):
                        reader.upsert("a", {"body": "x"}, "y")
    finally:
        shutil.rmtree(path, ignore_errors=True)
