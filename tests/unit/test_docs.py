"""The examples of the documents run as they stand: each `python` block prints what the `text` block after it shows."""
from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def examples() -> list[object]:
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "narsilpy").glob("**/*.md"))]:
        text = path.read_text("utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(pytest.param(*match.groups(), id=f"{path.name}:{line}"))
    return found


@pytest.mark.parametrize(("code", "shown"), examples())
def test_example_prints_what_the_document_shows(
    code: str, shown: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    if shown is not None:
        assert out.getvalue() == shown


def test_readme_has_an_example() -> None:
    assert BLOCK.search((ROOT / "README.md").read_text("utf-8"))
