"""No grapheme is ever cut: Unicode's own cases, a twin, and every kind of cut that a highlight makes."""
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import Narsil
from narsilpy._graphemes import UNICODE_VERSION, grapheme_start
from tests.reference import graphemes as twin

LINES = (Path(__file__).parent.parent / "data" / "grapheme_break_test.txt").read_text("utf-8").splitlines()
CASES = [line for line in LINES if not line.startswith("#")]
PIECES = ["a", "fox", " ", ".", "e\u0301", "a\u0308\u0323", "\r\n", "\r", "\n", "\u1112\u1161\u11ab", "\uac00\u11a8",
          "한", "東", "👩‍👩‍👧", "👍🏽", "🇫🇷🇩🇪🇦", "\u200d", "\u200b", "\u0301", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\ud800",
          "x" * 30, "©\u200d©", "fox. ", "東。", "\u0600"]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def test_every_case_of_unicode_holds() -> None:
    assert UNICODE_VERSION == "17.0.0"
    assert len(CASES) == 766
    for line in CASES:
        text, expected = "", []
        for mark, code in zip(line.split()[::2], [*line.split()[1::2], ""], strict=True):
            if mark == "÷":
                expected.append(len(text))
            text += chr(int(code, 16)) if code else ""
        assert sorted({grapheme_start(text, at) for at in range(len(text) + 1)}) == expected, line


@given(texts)
def test_boundaries_equal_the_twin(text: str) -> None:
    assert [grapheme_start(text, at) for at in range(len(text) + 1)] == [
        twin.grapheme_start(text, at) for at in range(len(text) + 1)]


@given(texts, st.integers(1, 40), st.sampled_from(["word", "sentence", "char"]), st.integers(1, 3))
def test_no_snippet_cuts_a_grapheme(text: str, size: int, boundary: str, passages: int) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string", "title": "string"})
    narsil.insert("docs", {"body": text, "title": "den"})
    options = {"fields": ["body"], "max_snippet_length": size, "boundary": boundary, "passages": passages}
    for term in ("fox", "東", "den"):
        for hit in narsil.query("docs", term, highlight=options):
            for passage in hit.highlights["body"].passages:
                for at in (passage.start, passage.end):
                    assert grapheme_start(text, at) == at, (passage, at)


@pytest.mark.parametrize("value", [None, 5, b"ab"])
def test_only_texts_have_graphemes(value: object) -> None:
    with pytest.raises(TypeError):
        grapheme_start(value, 0)  # type: ignore[arg-type]  # that is the test
