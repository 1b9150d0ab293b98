"""The vocabulary on disk: each checkpoint stores what changed in it, and what is loaded is that of a fresh index."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from narsilpy import Narsil, StorageFailed
from narsilpy.storage import durable
from narsilpy.storage.index_store import IndexStore

WORDS = ["fold", "folds", "folding", "folded", "bag", "bags", "case", "cases", "travel", "travels", "École", "ecole"]
KINDS: dict[str, dict[str, Any]] = {
    "one analyzer": {},
    "several analyzers": {"analyzers": {"title": {"language": "french"}}},
    "terms alone": {"surface_forms": False},
}


def document(i: int, draw: random.Random) -> dict[str, Any]:
    words = [draw.choice(WORDS) for _ in range(6)] + [f"word{i}", f"words{draw.randrange(40)}"]
    return {"id": f"d{i}", "title": " ".join(words[:3]), "body": " ".join(words[3:])}


def vocabulary(narsil: Narsil) -> list[Any]:
    core = narsil._indexes["rules"]
    core.storage.load_vocabulary(core)
    if core.surfaces is None:
        return sorted(core.lexicon.term(number) for number in range(len(core.lexicon)))
    return [
        [(spelling, core.lexicon.term(number), count) for spelling, number, count in analysis.surfaces.completions("")]
        for analysis in core.analyses if analysis.surfaces is not None
    ]


def files(narsil: Narsil) -> list[str]:
    return [entry.name for entry in narsil._indexes["rules"].storage.index.manifest.segments
            if durable._is_vocabulary(entry)]


def make(path: Path | None, options: dict[str, Any]) -> Narsil:
    narsil = Narsil() if path is None else Narsil(path)
    if "rules" not in narsil.list_indexes():
        narsil.create_index("rules", schema={"title": "string", "body": "string"}, **options)
    return narsil


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_loaded_is_what_a_fresh_index_of_the_documents_has(tmp_path: Path, kind: str, seed: int) -> None:
    draw = random.Random(seed)
    kept: dict[str, Any] = {}
    narsil = make(tmp_path / "engine", KINDS[kind])
    for step in range(60):
        fresh = [document(step * 4 + i, draw) for i in range(4)]
        narsil.insert_batch("rules", fresh)
        kept |= {one["id"]: one for one in fresh}
        changed = [document(int(key[1:]), draw) for key in draw.sample(sorted(kept), 2)]
        narsil.update_batch("rules", [(one["id"], one) for one in changed])
        kept |= {one["id"]: one for one in changed}
        gone = draw.choice(sorted(kept))
        narsil.remove("rules", gone)
        del kept[gone]
        core = narsil._indexes["rules"]
        if draw.random() < 0.5:
            core.storage.checkpoint(core)
        if draw.random() < 0.1:
            narsil.optimize("rules")
        if draw.random() < 0.3:
            narsil.close()
            narsil = make(tmp_path / "engine", KINDS[kind])
        assert len(files(narsil)) <= durable.MOST_CHANGES + 1
        if draw.random() < 0.2:
            found = vocabulary(narsil)
            with make(None, KINDS[kind]) as other:
                other.insert_batch("rules", list(kept.values()))
                expected = vocabulary(other)
            if kind == "terms alone":   # those of removed documents stay
                assert set(expected) <= set(found)
            else:
                assert found == expected
    narsil.close()


def test_a_checkpoint_after_opening_neither_loads_nor_rewrites_the_vocabulary(tmp_path: Path) -> None:
    draw = random.Random(7)
    with make(tmp_path / "engine", {}) as narsil:
        narsil.insert_batch("rules", [document(i, draw) for i in range(200)])
        core = narsil._indexes["rules"]
        core.storage.checkpoint(core)
        first = files(narsil)
    with make(tmp_path / "engine", {}) as narsil:
        narsil.insert("rules", {"id": "new", "title": "a pushchair"})
        narsil.remove("rules", "d3")
        core = narsil._indexes["rules"]
        core.storage.checkpoint(core)
        stored = files(narsil)
        assert stored[:-1] == first and len(stored) == 2
        assert core.storage._vocabulary, "nothing asked for a prefix"
        assert narsil.suggest("rules", "pushc").terms[0] == ("pushchair", 1)
        core.storage.checkpoint(core)
        assert files(narsil) == stored, "nothing changed"


def test_a_checkpoint_that_fails_counts_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that would have stored the vocabulary anew failed: the next must not add all of it to what is there."""
    draw = random.Random(8)

    def refuse(*_: Any, **__: Any) -> None:
        raise StorageFailed("PERSISTENCE_SAVE_FAILED", "no room", {})

    with make(tmp_path / "engine", {}) as narsil:
        core = narsil._indexes["rules"]
        narsil.insert_batch("rules", [document(i, draw) for i in range(20)])
        core.storage.checkpoint(core)
        narsil.insert_batch("rules", [document(i, draw) for i in range(20, 30)])
        core.storage.checkpoint(core)
        narsil.insert_batch("rules", [document(i, draw) for i in range(30, 40)])
        with monkeypatch.context() as patch:
            patch.setattr(IndexStore, "checkpoint", refuse)
            with pytest.raises(StorageFailed):
                core.storage.checkpoint(core, strict=True, whole=True)
        core.storage.checkpoint(core)
        expected = vocabulary(narsil)
    with make(tmp_path / "engine", {}) as narsil:
        assert vocabulary(narsil) == expected
    with make(None, {}) as other:
        draw = random.Random(8)
        other.insert_batch("rules", [document(i, draw) for i in range(40)])
        assert vocabulary(other) == expected
