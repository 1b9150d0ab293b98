"""What `import narsilpy` brings along: modules are counted, not seconds."""
from __future__ import annotations

import subprocess
import sys

import narsilpy

# Slow to import, and needed by an engine on disk, a quote, a sort or a command alone.
LATER = {"asyncio", "dataclasses", "pyroaring", "shutil", "urllib.parse", "narsilpy.storage.store",
         "narsilpy.storage.durable", "narsilpy.query.arrange", "narsilpy.query.explain", "narsilpy.query.parse",
         "narsilpy.analysis.synonyms",
         "narsilpy.citations.match", "narsilpy.citations.quotes", "sentencex", "mcp", "rich", "typer", "numpy"}


def test_an_import_brings_only_what_an_engine_in_memory_needs() -> None:
    code = "import sys; before = set(sys.modules); import narsilpy; print(*sorted(set(sys.modules) - before))"
    found = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert "narsilpy.engine" in found
    assert not found & LATER
    assert len([name for name in found if name.startswith("narsilpy")]) < 75


def test_a_first_query_in_memory_brings_little_more() -> None:
    code = """if True:
        import sys, narsilpy
        before = set(sys.modules)
        with narsilpy.Narsil() as narsil:
            narsil.create_index("rules", schema={"body": "string"})
            narsil.insert("rules", {"body": "folding pushchairs"})
            assert narsil.query("rules", "pushchair", highlight={"fields": ["body"]})[0].highlights["body"].positions
        print(*sorted(set(sys.modules) - before))"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not set(found) & {"importlib.metadata", "email", "zipfile", "pathlib", "csv", *LATER}
    assert len(found) < 10


def test_every_public_name_is_there() -> None:
    for name in narsilpy.__all__:
        assert getattr(narsilpy, name) is not None
    assert not hasattr(narsilpy, "nothing_of_the_kind")
