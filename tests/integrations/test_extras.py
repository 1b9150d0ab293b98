"""A missing extra says how to get it."""
from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(("extra", "package", "code"), [
    ("langchain", "langchain_core", "import narsilpy.integrations.langchain"),
    ("llamaindex", "llama_index", "import narsilpy.integrations.llamaindex"),
    ("haystack", "haystack", "import narsilpy.integrations.haystack"),
    ("mcp", "mcp", "from narsilpy.integrations.mcp import server; server(None)")])
def test_a_missing_extra_is_named(extra: str, package: str, code: str) -> None:
    script = f"import sys; sys.modules[{package!r}] = None; {code}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode
    assert f'pip install "narsilpy[{extra}]"' in done.stderr.splitlines()[-1]
