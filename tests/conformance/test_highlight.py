"""The recorded highlights of the original: snippets to the letter, positions as offsets of the field."""
from __future__ import annotations

from typing import Any

import pytest

from narsilpy import Narsil
from narsilpy.errors import NarsilError
from tests.conformance.differences import DIFFERENCES
from tests.conformance.recorded import load, options, value

FILE = "highlight.json"
# Sorting and pinning are not offered yet.
CASES = {case["name"]: case for case in load(FILE)["cases"] if not {"sort", "pinned"} & set(case["query"])}


def expected(case: dict[str, Any]) -> Any:
    """What the original answered. Its positions count from its window: the window's start is added."""
    if "error" in case["expected"]:
        return "error"
    hits = []
    for hit in case["expected"]["hits"]:
        fields = {}
        for name, highlight in (hit["highlights"] or {}).items():
            start = highlight["window"][0] if highlight.get("window") else 0
            positions = highlight.get("positions_cp") or highlight["positions"]
            fields[name] = (highlight["snippet"], [(first + start, last + start) for first, last in positions])
        hits.append((hit["id"], fields))
    return hits


def answered(case: dict[str, Any]) -> Any:
    """What this engine answers, cutting and escaping as the original does."""
    query = options(case["query"])
    highlight = query.get("highlight")
    if isinstance(highlight, dict):
        query["highlight"] = {"boundary": "char", "escape": False, **options(highlight)}
    try:
        narsil = Narsil()
        narsil.create_index("docs", **options(case.get("config", {})))
        assert not narsil.insert_batch("docs", value(case["docs"])).failed
        return [(hit.id, {name: (found.snippet, [(span.start, span.end) for span in found.positions])
                          for name, found in hit.highlights.items()}) for hit in narsil.query("docs", **query)]
    except NarsilError:
        return "error"


@pytest.mark.parametrize("name", CASES)
def test_recorded_highlight(name: str) -> None:
    case = CASES[name]
    if (FILE, name) in DIFFERENCES:
        assert answered(case) != expected(case), "no longer a difference: take it off the table"
    else:
        assert answered(case) == expected(case)
