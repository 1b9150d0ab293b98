"""Ranges of a text shown: as HTML, for a terminal, as Markdown. Whatever the text holds, it stays text.

The text is cut at the edges of all ranges, and every piece is escaped by itself, so that no mark ever stands inside an
escape and no escape is ever cut. In HTML ranges nest: one that ends inside another is closed and opened again there.
Terminals and Markdown have no nested marks; there the union of the ranges is marked.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from narsilpy.errors import ErrorCode, InvalidQuery

Format = Literal["html", "ansi", "markdown", "plain"]
MARKS: dict[str, tuple[str, str]] = {"html": ("<mark>", "</mark>"), "ansi": ("\x1b[1;33m", "\x1b[0m"),
                                     "markdown": ("**", "**"), "plain": ("", "")}

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
# What a terminal would obey is shown as its picture: escape sequences out of a document must not run.
_UNSEEN = (0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))     # DEL, C1, bidi controls
_TERMINAL = {**{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"}, **dict.fromkeys(_UNSEEN, 0xFFFD)}
_MARKDOWN = re.compile(r"[\\`*_\[\]<>&~|!#$]|^[ \t]|^(?:[-+=]|\d+(?=[.)]))|(?<=\n)(?:[-+=]|[ \t]|\d+(?=[.)]))")
_LINES = re.compile(r"[^\n\r]+")


def render(text: str, spans: Iterable[Any], *, format: Format = "html", pre_tag: str | None = None,
           post_tag: str | None = None) -> str:
    """A text with ranges marked.

    Args:
        spans: `Span`s or `(start, end)` pairs, in code points, in any order; they may nest and overlap.
        format: "html": `<mark>`, the text escaped (`& < > " '`), ranges nested. "ansi": bold yellow, control characters
            shown as pictures. "markdown": `**`, the text escaped. "plain": the text as it is.
        pre_tag, post_tag: put round marks instead; they are not escaped.

    Raises `InvalidQuery` for a range that is empty or lies outside the text, and for an unknown format.

    >>> render("a < b, and b > c", [(0, 5), (4, 12)])
    '<mark>a &lt; <mark>b</mark></mark><mark>, and b</mark> &gt; c'
    >>> render("2 * 3 fit", [(6, 9)], format="markdown")
    '2 \\\\* 3 **fit**'
    """
    if format not in MARKS:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                           f'`format` is "html", "ansi", "markdown" or "plain", not {format!r}', {"option": "format"})
    if not isinstance(text, str):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"a text is a str, not {type(text).__name__}", {})
    ranges = _checked(spans, len(text))
    pre, post = MARKS[format]
    own = pre_tag is not None or post_tag is not None
    pre = pre if pre_tag is None else pre_tag
    post = post if post_tag is None else post_tag
    if format == "html":
        return "".join(_nested(text, ranges, pre, post))
    flat = union(ranges)
    if format == "markdown":
        return "".join(_markdown(text, flat, pre, post, own))
    table = _TERMINAL if format == "ansi" else {}
    return "".join(_flat(text, flat, pre, post, table))


def union(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted ranges with what they have in common merged; those that touch become one.

    >>> union([(0, 5), (3, 8), (8, 9), (12, 13)])
    [(0, 9), (12, 13)]
    """
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def escape_html(text: str) -> str:
    """A text for HTML, in an element or in a quoted attribute.

    >>> escape_html("<a href='x'>")
    '&lt;a href=&#x27;x&#x27;&gt;'
    """
    return text.translate(_HTML)


def _checked(spans: Iterable[Any], length: int) -> list[tuple[int, int]]:
    ranges = set()
    for span in spans:
        try:
            start, end = span
        except (TypeError, ValueError):
            start = end = None
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               f"a range is (start, end) with 0 <= start < end <= {length}, not {span!r}",
                               {"option": "spans"})
        ranges.add((start, end))
    return sorted(ranges, key=lambda span: (span[0], -span[1]))


def _nested(text: str, ranges: list[tuple[int, int]], pre: str, post: str) -> Iterator[str]:
    """HTML: open marks are a stack, whose top ends first."""
    edges = sorted({edge for span in ranges for edge in span})
    opened: list[int] = []      # the ends of the open marks
    at = number = 0
    for edge in edges:
        yield escape_html(text[at:edge])
        at = edge
        stays = [end for end in opened if end > edge]
        depth = next((number for number, end in enumerate(opened) if end <= edge), len(opened))
        yield post * (len(opened) - depth)
        del opened[depth:]
        again = stays[depth:]
        while number < len(ranges) and ranges[number][0] == edge:
            again.append(ranges[number][1])
            number += 1
        again.sort(reverse=True)
        yield pre * len(again)
        opened += again
    yield escape_html(text[at:])


def _flat(text: str, ranges: list[tuple[int, int]], pre: str, post: str, table: dict[int, int]) -> Iterator[str]:
    at = 0
    for start, end in ranges:
        yield text[at:start].translate(table)
        yield f"{pre}{text[start:end].translate(table)}{post}"
        at = end
    yield text[at:].translate(table)


# ------------------------------------------------------------------------------------------------------------- markdown
def _markdown(text: str, ranges: list[tuple[int, int]], pre: str, post: str, own: bool) -> Iterator[str]:
    """Emphasis ends with its line, and takes HTML where asterisks would not count as emphasis (CommonMark 6.2)."""
    at = 0
    for low, high in ranges:
        for line in _LINES.finditer(text, low, high):
            start, end = line.span()
            yield _escaped_markdown(text, at, start)
            opening, closing = (pre, post) if own or _flanked(text, start, end) else ("<strong>", "</strong>")
            yield f"{opening}{_escaped_markdown(text, start, end)}{closing}"
            at = end
    yield _escaped_markdown(text, at, len(text))


def _escaped_markdown(text: str, start: int, end: int) -> str:
    """Backslashes before what means something; at the start of a line also before lists, rules and blanks."""
    piece = text[start:end]
    line_start = start == 0 or text[start - 1] == "\n"

    def escaped(found: re.Match[str]) -> str:
        what = found.group()
        if found.start() == 0 and not line_start and what[0] in "-+= \t0123456789":
            return what
        if what in (" ", "\t"):
            return f"&#{ord(what)};"
        return what + "\\" if what.isdecimal() else "\\" + what

    return _MARKDOWN.sub(escaped, piece)


def _flanked(text: str, start: int, end: int) -> bool:
    """Whether `**` before `start` opens emphasis and `**` at `end` closes it."""
    return _opens(text[start - 1:start], text[start]) and _opens(text[end:end + 1], text[end - 1])


def _opens(outside: str, inside: str) -> bool:
    return inside.isalnum() or ((not outside or outside.isspace()) and not inside.isspace())
