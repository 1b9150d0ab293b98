"""What notebooks show: escaped, marked, and bounded however large a document is."""
from __future__ import annotations

import html
import re

from narsilpy import Citation, Highlight, Narsil, QueryResult

NASTY = "<script>alert('x')</script> & \"fox\" "


def searched(document: dict[str, object], **options: object) -> QueryResult:
    narsil = Narsil()
    narsil.create_index("rules", schema={"title": "string", "body": "string", "tags": "string[]"})
    narsil.insert("rules", document)
    return narsil.query("rules", "fox", highlight={"fields": ["body"], **options})


def test_everything_is_escaped() -> None:
    result = searched({"id": "<a>", "title": NASTY, "body": NASTY, "tags": ["<b>", "c"]}, escape=False, pre_tag="<x>")
    hit = result[0]
    for out in (result._repr_html_(), hit._repr_html_(), hit.highlights["body"]._repr_html_(),
                Citation("<i>", "<a>", "<f>", 0, 36, NASTY)._repr_html_()):
        assert set(re.findall(r"</?([^\s>]*)", out)) <= {
            "div", "p", "table", "tr", "th", "td", "mark", "br", "blockquote", "footer", "cite"}
        assert NASTY.strip() in html.unescape(re.sub(r"</?mark>", "", out))
    assert "&lt;a&gt;" in hit._repr_html_()
    assert "<mark>fox</mark>" in hit.highlights["body"]._repr_html_()


def test_size_is_bounded() -> None:
    fields = {f"field{number}" * 50: "<" * 100_000 for number in range(100)}
    body = "fox & " * 100_000
    result = searched({"id": "a" * 500, "title": "t" * 100_000, "body": body, "tags": ["<" * 1_000] * 1_000, **fields},
                      max_snippet_length=0)
    assert len(result._repr_html_()) < 30_000
    assert "more fields" in result._repr_html_() and "\u2026" in result[0].highlights["body"]._repr_html_()
    assert len(Citation("i" * 999, "d" * 999, "f" * 999, 0, 999_999, "&" * 999_999, 3)._repr_html_()) < 10_000


def test_matches_at_the_cut_stay_marked() -> None:
    body = "a" * 298 + " fox and more"
    result = searched({"id": "a", "body": body}, max_snippet_length=0)
    assert result[0].highlights["body"]._repr_html_() == f"<div>{'a' * 298} <mark>f</mark>\u2026</div>"


def test_an_empty_highlight_and_an_empty_result_are_shown() -> None:
    assert Highlight("")._repr_html_() == "<div></div>"
    assert searched({"id": "a", "body": "nothing"})._repr_html_().startswith("<div><p>0 matches")
