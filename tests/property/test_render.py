"""Laws of rendering: the text survives, nothing of it becomes markup, and marks cover exactly the ranges."""
from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import InvalidQuery, Span, render

TAG = re.compile(r"</?mark>")
texts = st.text(min_size=1, max_size=60) | st.text("a<>&\"'\\*_` \n#-+1.)\x1b[\r\u202e", min_size=1, max_size=60)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(texts)
    edges = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(edges, edges).filter(lambda pair: pair[0] != pair[1]), max_size=6))
    return text, [(min(pair), max(pair)) for pair in pairs]


class Marked(HTMLParser):
    """What a parser makes of it: the text, and how many marks each character stands in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.depths: list[int] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag == "mark" and not attrs
        self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        assert tag == "mark" and self.depth
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        self.text += data
        self.depths += [self.depth] * len(data)


@given(cases())
def test_html_holds_the_text_and_marks_every_range(case: tuple[str, list[tuple[int, int]]]) -> None:
    text, ranges = case
    out = render(text, ranges)
    assert html.unescape(TAG.sub("", out)) == text
    assert "<mark></mark>" not in out and not re.search(r"<(?!/?mark>)", out)
    parser = Marked()
    parser.feed(out)
    parser.close()
    assert parser.depth == 0
    assert (parser.text, parser.depths) == (
        text, [sum(start <= at < end for start, end in set(ranges)) for at in range(len(text))])


@given(cases())
def test_a_terminal_gets_no_order_of_the_text(case: tuple[str, list[tuple[int, int]]]) -> None:
    text, ranges = case
    out = render(text, ranges, format="ansi")
    bare = out.replace("\x1b[1;33m", "").replace("\x1b[0m", "")
    assert len(bare) == len(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", bare)
    assert all(a == b or not a.isprintable() for a, b in zip(text, bare, strict=True))
    at, marked, inside = 0, set(), False
    for piece in re.split(r"(\x1b\[1;33m|\x1b\[0m)", out):
        if piece.startswith("\x1b["):
            inside = piece != "\x1b[0m"
            continue
        marked.update(range(at, at + len(piece)) if inside else ())
        at += len(piece)
    assert marked == {at for start, end in ranges for at in range(start, end)}


@given(cases())
def test_markdown_holds_the_text(case: tuple[str, list[tuple[int, int]]]) -> None:
    text, ranges = case
    out = render(text, ranges, format="markdown", pre_tag="\ue000", post_tag="\ue001")
    if "\ue000" in text or "\ue001" in text:
        return
    bare = out.replace("\ue000", "").replace("\ue001", "")
    assert html.unescape(re.sub(r"\\(.)", lambda found: html.escape(found.group(1)), bare, flags=re.DOTALL)) == text
    pieces = re.split("[\ue000\ue001]", out)
    assert all("\n" not in piece for piece in pieces[1::2])


@given(cases())
def test_plain_is_the_text(case: tuple[str, list[tuple[int, int]]]) -> None:
    assert render(case[0], case[1], format="plain") == case[0]


@pytest.mark.parametrize(("text", "spans", "out"), [
    ("a fox", [(2, 5)], "a **fox**"), ("1. fox", [(3, 6)], "1\\. **fox**"), ("- a", [], "\\- a"),
    ("x(fox)y", [(1, 6)], "x<strong>(fox)</strong>y"), ("a\n\nb", [(0, 4)], "**a**\n\n**b**"),
    ("    x", [], "&#32;   x"),
    ("<b>", [(1, 2)], "\\<**b**\\>"),
])
def test_markdown(text: str, spans: list[tuple[int, int]], out: str) -> None:
    assert render(text, spans, format="markdown") == out


@pytest.mark.parametrize("span", [(0, 0), (2, 1), (-1, 2), (0, 4), (0,), "ab", (0, True), None, (0.0, 1)])
def test_a_range_outside_the_text_is_refused(span: object) -> None:
    with pytest.raises(InvalidQuery):
        render("abc", [span])


def test_spans_of_an_index_are_ranges() -> None:
    assert render("a fox", [Span(2, 5, "fox")], pre_tag="[", post_tag="]") == "a [fox]"
    with pytest.raises(InvalidQuery):
        render("a", [], format="latex")  # type: ignore[arg-type]
