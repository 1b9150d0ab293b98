"""A flipped bit in any file of an engine: the same answers, or a typed error. Never another answer, never another
exception.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from narsilpy import IncompatibleIndex, IndexCorrupted, Narsil
from narsilpy.storage.maintenance import verify
from narsilpy.storage.store import LOCK
from tests.stateful.test_storage_engine import SCHEMA, answers


def fill(path: Path) -> None:
    rng = random.Random(7)
    words = ["fox", "foxes", "hound", "running", "runs", "straße", "東京", *(f"w{i}" for i in range(60))]
    with Narsil(path) as narsil:
        narsil.create_index("a", schema=SCHEMA)
        core = narsil._indexes["a"]
        for part in range(2):
            narsil.insert_batch(
                "a",
                [
                    {"id": f"{part}-{i}", "body": " ".join(rng.choices(words, k=30)), "title": rng.choice(words)}
                    for i in range(150)
                ],
            )
            core.storage.checkpoint(core)
        narsil.remove_batch("a", [f"0-{i}" for i in range(0, 40, 3)])
        narsil.upsert("a", {"id": "late", "body": "foxes running after the hound"})


def everything(path: Path, *, read_only: bool) -> Any:
    with Narsil(path, read_only=read_only) as narsil:
        found: list[Any] = [answers(narsil, "a")]
        found.append([(hit.id, hit.score) for hit in narsil.query("a", "w1 w2 w3", limit=400)])
        found.append(sorted(narsil.index("a")))
        found.append({key: narsil.get("a", key) for key in found[-1]})
    return found


@pytest.mark.parametrize("read_only", [True, False])
def test_a_flipped_bit_gives_the_same_answers_or_a_typed_error(tmp_path: Path, read_only: bool) -> None:
    fill(tmp_path / "engine")
    expected = everything(tmp_path / "engine", read_only=True)
    rng = random.Random(11 + read_only)
    refused: dict[str, int] = {}
    for source in sorted(p for p in (tmp_path / "engine").rglob("*") if p.is_file() and p.name != LOCK):
        size = source.stat().st_size
        for at in rng.sample(range(size), min(size, 25)):
            shutil.rmtree(tmp_path / "copy", ignore_errors=True)
            shutil.copytree(tmp_path / "engine", tmp_path / "copy")
            target = tmp_path / "copy" / source.relative_to(tmp_path / "engine")
            data = bytearray(target.read_bytes())
            data[at] ^= 1 << rng.randrange(8)
            target.write_bytes(data)
            assert verify(tmp_path / "copy").problems, (source, at)
            try:
                assert everything(tmp_path / "copy", read_only=read_only) == expected, (source, at)
            except (IndexCorrupted, IncompatibleIndex):
                refused[source.name] = refused.get(source.name, 0) + 1
    assert any(name.startswith("segment") for name in refused)
    assert any(name.startswith("log") for name in refused)
    assert any(name.startswith("table") for name in refused)
    assert "manifest" in refused and "narsilpy.manifest" in refused


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_cut_off_gives_a_typed_error(tmp_path: Path, read_only: bool) -> None:
    fill(tmp_path / "engine")
    expected = everything(tmp_path / "engine", read_only=True)
    for source in sorted(p for p in (tmp_path / "engine").rglob("*") if p.is_file() and p.name != LOCK):
        size = source.stat().st_size
        for n in {0, 1, 31, 64, size // 2, size - 5, size - 1} & set(range(size)):
            shutil.rmtree(tmp_path / "copy", ignore_errors=True)
            shutil.copytree(tmp_path / "engine", tmp_path / "copy")
            target = tmp_path / "copy" / source.relative_to(tmp_path / "engine")
            target.write_bytes(target.read_bytes()[:n])
            try:
                found = everything(tmp_path / "copy", read_only=read_only)
            except (IndexCorrupted, IncompatibleIndex):
                continue
            assert source.name == "marker" and found == expected, (source, n)
