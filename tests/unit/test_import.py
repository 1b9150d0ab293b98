"""What `import narsilpy` brings along: modules are counted, not seconds."""
from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import narsilpy

# Slow to import, and needed by an engine on disk, a quote, a sort or a command alone.
LATER = {"asyncio", "dataclasses", "pyroaring", "shutil", "urllib.parse", "narsilpy.storage.store",
         "narsilpy.storage.durable", "narsilpy.query.arrange", "narsilpy.query.explain", "narsilpy.query.parse",
         "narsilpy.analysis.synonyms",
         "narsilpy.citations.match", "narsilpy.citations.quotes", "sentencex", "mcp", "rich", "typer", "numpy"}


def brought_by(code: str) -> set[str]:
    """The modules that `code` imports in a fresh interpreter."""
    code = f"import sys; before = set(sys.modules)\n{code}\nprint(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_an_import_brings_nothing_before_a_name_is_asked_for() -> None:
    assert brought_by("import narsilpy") <= {"narsilpy", "__future__"}
    assert brought_by("import narsilpy; narsilpy.__version__; dir(narsilpy)") <= {"narsilpy", "__future__"}


def test_an_engine_in_memory_brings_only_what_it_needs() -> None:
    found = brought_by("from narsilpy import Narsil")
    assert "narsilpy.engine" in found
    assert not found & LATER
    assert len([name for name in found if name.startswith("narsilpy")]) < 75


def test_a_first_query_in_memory_brings_little_more() -> None:
    code = """if True:
        import sys
        from narsilpy import Narsil
        before = set(sys.modules)
        with Narsil() as narsil:
            narsil.create_index("rules", schema={"body": "string"})
            narsil.insert("rules", {"body": "folding pushchairs"})
            assert narsil.query("rules", "pushchair", highlight={"fields": ["body"]})[0].highlights["body"].positions
        print(*sorted(set(sys.modules) - before))"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not set(found) & {"importlib.metadata", "email", "zipfile", "pathlib", "csv", *LATER}
    assert len(found) < 10


def imported_for_type_checkers() -> dict[str, str]:
    """Name -> module, of the imports that only type checkers see."""
    tree = ast.parse(Path(narsilpy.__file__).read_text(encoding="utf-8"))
    return {alias.name: str(node.module).removeprefix("narsilpy.") for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module not in ("__future__", "typing", "importlib", "narsilpy")
            for alias in node.names}


def test_type_checkers_and_programs_find_every_name_in_the_same_module() -> None:
    assert imported_for_type_checkers() == narsilpy._HOME_OF
    assert sorted(narsilpy._HOME_OF) == sorted(narsilpy.__all__)
    assert set(narsilpy.__all__) <= set(dir(narsilpy))


def test_modules_are_reached_through_the_package() -> None:
    code = "import narsilpy; assert narsilpy.errors.NarsilError is narsilpy.NarsilError; narsilpy.analysis.Analyzer"
    assert "narsilpy.analysis.analyzer" in brought_by(code)


def test_every_public_name_is_there() -> None:
    for name in narsilpy.__all__:
        assert getattr(narsilpy, name) is not None
    assert not hasattr(narsilpy, "nothing_of_the_kind")
