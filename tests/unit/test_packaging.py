"""The package as it is installed: its metadata, its stubs, its console script, its documents."""
from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import narsilpy

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "ext" / "narsilpy").glob("_*.pyx"))


def test_version_of_the_distribution_is_the_packages() -> None:
    try:
        installed = importlib.metadata.version("narsilpy")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("narsilpy is run from its source folder, not installed")
    assert installed == narsilpy.__version__


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_compiled_module_opens_with_a_comment_and_has_a_stub_for_what_python_sees(source: Path) -> None:
    text = source.read_text("utf-8")
    assert text.startswith(("#", '"""'))
    if re.search(r"^(def|class|cdef class|cpdef) ", text, re.MULTILINE):
        assert (ROOT / "narsilpy" / f"{source.stem}.pyi").is_file()


def test_no_stub_without_its_module() -> None:
    stubs = {path.stem for path in (ROOT / "narsilpy").glob("_*.pyi")}
    assert stubs <= {path.stem for path in SOURCES}


def test_every_public_name_exists_and_is_documented() -> None:
    for name in getattr(narsilpy, "__all__", ()):
        value = getattr(narsilpy, name)
        if callable(value):
            assert value.__doc__, f"narsilpy.{name} has no docstring"


def test_ci_runs_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^python3 -m venv \.venv && \. \.venv/bin/activate && (.*pytest)$", readme, re.MULTILINE)
    assert f"  {command}\n" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_import_leaves_optional_and_heavy_modules_alone() -> None:
    """A plain import must not pull in what only some users have, nor what costs tens of milliseconds."""
    unwanted = ["numpy", "lmdb", "mcp", "pydantic", "langchain_core", "llama_index", "haystack", "anthropic", "asyncio",
                "argparse", "http.client", "unittest", "multiprocessing", "sentencex", "narsilpy.cli", "narsilpy.demo"]
    script = f"import sys, narsilpy; print([name for name in {unwanted!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-X", "utf8", "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
