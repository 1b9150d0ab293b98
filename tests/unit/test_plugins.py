"""Plugins: what they are told, what they may change and refuse, and the audit journal."""
from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from narsilpy import DocumentNotFound, ErrorCode, InvalidConfig, InvalidDocument, Narsil, Prefix, Term
from narsilpy.plugins import AuditJournal, read_journal

SCHEMA = {"body": "string", "n": "number"}


class Recorder:
    """Writes down whatever it is told."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(("before_", "after_")):
            raise AttributeError(name)

        def hook(*arguments: Any) -> None:
            self.seen.append((name, *arguments))

        return hook


def engine(*plugins: Any, path: Path | None = None) -> Narsil:
    narsil = Narsil(path, plugins=plugins)
    narsil.create_index("docs", schema=SCHEMA)
    return narsil


@pytest.mark.parametrize("on_disk", [False, True])
def test_every_verb_tells_its_plugins(tmp_path: Path, on_disk: bool) -> None:
    recorder = Recorder()
    with engine(recorder, path=tmp_path / "engine" if on_disk else None) as narsil:
        a, b, c = ({"body": f"fox {number}"} for number in range(3))
        narsil.insert("docs", a, "a")
        narsil.insert_batch("docs", [{**b, "id": "b"}, 5])
        narsil.update("docs", "a", b)
        narsil.update_batch("docs", [("a", c), ("nobody", c)])
        narsil.upsert("docs", c, "c")
        narsil.upsert("docs", {"id": "c", **a})
        narsil.remove("docs", "a")
        narsil.remove_batch("docs", ["b", "b"])
        result = narsil.index("docs").query("fox", limit=3)
        narsil.preflight("docs", "fox")
        narsil.export_jsonl("docs", tmp_path / "docs.jsonl")
        narsil.clear("docs")
        narsil.import_jsonl("docs", tmp_path / "docs.jsonl")
    events = [entry[0] for entry in recorder.seen]
    assert recorder.seen[:2] == [("before_insert", "docs", "a", a), ("after_insert", "docs", "a", a)]
    own = {**b, "id": "b"}
    assert recorder.seen[2:4] == [("before_insert", "docs", None, own), ("after_insert", "docs", "b", own)]
    assert events == [
        "before_insert", "after_insert", "before_insert", "after_insert", "before_insert",     # 5 is no document
        "before_update", "after_update", "before_update", "after_update", "before_update",     # nobody is not there
        "before_insert", "after_insert", "before_update", "after_update",
        "before_remove", "after_remove", "before_remove", "after_remove", "before_remove",
        "before_search", "after_search", "before_insert", "after_insert"]
    assert ("after_search", "docs", "fox", {"limit": 3}, result) in recorder.seen


def test_before_may_refuse_and_change() -> None:
    class Guard:
        def before_insert(self, index: str, doc_id: str | None, document: Any) -> Any:
            if "hound" in document["body"]:
                raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, "no hounds", {})
            return {**document, "n": 7}

        def before_remove(self, index: str, doc_id: str) -> None:
            raise DocumentNotFound(ErrorCode.DOC_NOT_FOUND, "kept for good", {})

        def before_search(self, index: str, term: Any, options: dict[str, Any]) -> dict[str, Any]:
            return {**options, "filters": {"fields": {"n": {"eq": 7}}}}

    with engine(Guard()) as narsil:
        assert narsil.insert("docs", {"body": "fox"}, "a") == "a"
        with pytest.raises(InvalidDocument, match="no hounds"):
            narsil.upsert("docs", {"body": "hound"}, "b")
        result = narsil.insert_batch("docs", [{"id": "c", "body": "hound"}, {"id": "d", "body": "fox"}])
        assert (result.succeeded, [failure.doc_id for failure in result.failed]) == (["d"], ["c"])
        with pytest.raises(DocumentNotFound, match="kept"):
            narsil.remove("docs", "a")
        narsil.update("docs", "d", {"body": "fox", "n": 1})
        assert [hit.id for hit in narsil.query("docs", "fox")] == ["a"]
        assert narsil.count_documents("docs") == 2


def test_a_write_that_was_done_is_not_made_to_look_undone(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def after_insert(self, *arguments: Any) -> None:
            raise RuntimeError("the telegraph is down")

        def after_search(self, *arguments: Any) -> None:
            raise OSError("the journal is full")

    with engine(Broken()) as narsil:
        assert narsil.insert("docs", {"body": "fox"}, "a") == "a"
        assert "the telegraph is down" in caplog.text
        with pytest.raises(OSError, match="journal"):
            narsil.query("docs", "fox")


@pytest.mark.parametrize("plugin", [object(), 5, Recorder])
def test_what_is_no_plugin_is_refused(plugin: Any) -> None:
    with pytest.raises(InvalidConfig):
        Narsil(plugins=[plugin])


def test_a_search_hook_that_returns_no_options_is_refused() -> None:
    class Odd:
        def before_search(self, index: str, term: Any, options: dict[str, Any]) -> int:
            return 5

    with engine(Odd()) as narsil, pytest.raises(InvalidConfig):
        narsil.query("docs", "fox")


def test_the_journal_tells_what_was_seen(tmp_path: Path) -> None:
    journal = AuditJournal(tmp_path / "queries.jsonl")
    with engine(journal) as narsil:
        narsil.insert("docs", {"id": "\ud800é", "body": "A fox, and a fox’s den.", "n": 1})
        narsil.query("docs", "foxes", highlight={"fields": ["body"]}, filters={"fields": {"n": {"in": {1}}}})
        narsil.query("docs", Term("fox") & ~Prefix("hou"), boost={"body": 2.0})
        narsil.query("docs", "nothing", min_score=1)
    first, second, third = journal.entries()
    assert first["term"] == "foxes"
    assert first["hits"][0]["id"] == "\ud800é"
    assert first["hits"][0]["spans"] == {"body": [[2, 5], [13, 18]]}
    assert first["options"]["filters"] == {"fields": {"n": {"in": [1]}}}
    assert second["term"] == "And(Term('fox'), Not(Prefix('hou')))"
    assert "spans" not in second["hits"][0]
    assert third["hits"] == []
    assert first["id"] < second["id"] < third["id"]
    assert list(journal.entries(doc_id="\ud800é")) == [first, second]
    assert list(journal.entries(index="other")) == []
    assert list(read_journal(journal.path)) == [first, second, third]


def test_a_journal_rotates_and_loses_no_line(tmp_path: Path) -> None:
    journal = AuditJournal(tmp_path / "queries.jsonl", max_bytes=3_000, keep=100)
    with engine(journal) as narsil:
        narsil.insert("docs", {"id": "a", "body": "fox"})

        def ask(name: str) -> None:
            for number in range(40):
                narsil.query("docs", f"fox {name} {number}")

        threads = [threading.Thread(target=ask, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(list(tmp_path.iterdir())) > 3
    assert all(path.stat().st_size <= 3_000 for path in tmp_path.iterdir())
    found = [entry["term"] for entry in journal.entries()]
    assert sorted(found) == sorted(f"fox {name} {number}" for name in "abc" for number in range(40))
    short = AuditJournal(tmp_path / "short.jsonl", max_bytes=300, keep=0)
    with engine(short) as narsil:
        for number in range(9):
            narsil.query("docs", f"fox {number}")
    assert [entry["term"] for entry in short.entries()] == ["fox 8"]
    for path in tmp_path.iterdir():
        for line in path.read_text("ascii").splitlines():
            json.loads(line)


@pytest.mark.parametrize("options", [{"max_bytes": 0}, {"keep": -1}, {"keep": "all"}, {"max_bytes": True}])
def test_bad_journals_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig):
        AuditJournal(tmp_path / "x", **options)


def test_an_answer_that_cannot_be_recorded_is_not_given(tmp_path: Path) -> None:
    with engine(AuditJournal(tmp_path / "nowhere" / "x")) as narsil, pytest.raises(OSError, match="nowhere"):
        narsil.query("docs", "fox")
