"""Long texts in pieces that know their place.

The text is divided into *units* (sentences, paragraphs, sections), which tile it: each ends where the next starts, with
the white space behind it. Units too long for a chunk are cut behind white space, or between graphemes. Chunks are runs
of units. Nothing is trimmed, so `text[chunk.start:chunk.end] == chunk.text`, and without overlap the chunks make up the
text.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, get_args

import msgspec

from narsilpy._graphemes import grapheme_start
from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.highlight.sentences import Sentences

By = Literal["sentence", "paragraph", "heading"]

_FENCE = re.compile(r" {0,3}(```|~~~)")
_MARKED = re.compile(r" {0,3}#{1,6}[ \t]+\S|\s*§+\s*[\w.:-]*\d|\s*(?:\d{1,3}\.)+(?:\d{1,3}\.?)?[ \t]+[^\W\d_a-z]"
                     r"|\s*(?:Chapter|Section|Article|Part|Appendix|Annex)\s+[\dIVXA-Z]")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_BLANKS = re.compile(r"\s+")
_BREAK = re.compile(r"\n[^\S\n]*\n|[\x0c\u2029]")
MAX_HEADING = 120       # code points of a line that may be a heading
MAX_BARE_HEADING = 80   # of one that nothing marks: it stands between blank lines and has no stop


class Chunk(msgspec.Struct, frozen=True):
    """A piece of a text: `text` is the whole's `[start:end]`, in code points.

    `heading` is the heading that the chunk stands under, None where there is none before it (or `by` is not "heading").
    """

    text: str
    start: int
    end: int
    heading: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


def chunk(text: str, *, max_chars: int = 1_000, overlap: int = 0, by: By = "sentence",
          language: str = "english") -> list[Chunk]:
    """A long text as chunks in order, which together hold all of it.

    Args:
        max_chars: code points of the longest chunk, white space at its end included.
        overlap: how many code points of a chunk the next may say again: whole units, as many as fit.
        by: what a chunk is made of: "sentence", "paragraph" (between blank lines), or "heading": a chunk for each
            section, or several of sentences where one is too long; never one for two sections.
        language: a name of `list_languages()` or an ISO 639 code, for sentences.

    Raises `InvalidConfig` for values that do not fit, `LanguageNotSupported`.

    >>> text = "One bag is free. Two are not. A coat is no bag."
    >>> [(piece.start, piece.end, piece.text) for piece in chunk(text, max_chars=32)]
    [(0, 30, 'One bag is free. Two are not. '), (30, 47, 'A coat is no bag.')]
    """
    _check(text, max_chars, overlap, by)
    if by == "heading":
        return [piece for start, end, heading in _sections(text)
                for piece in _packed(text, _units(text, start, end, "sentence", language), max_chars, overlap, heading)]
    return list(_packed(text, _units(text, 0, len(text), by, language), max_chars, overlap, None))


def _check(text: object, max_chars: object, overlap: object, by: object) -> None:
    if not isinstance(text, str):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"chunk takes a str, not {type(text).__name__}", {})
    if type(max_chars) is not int or max_chars < 1:
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`max_chars` is a whole number from 1 on, not {max_chars!r}",
                            {"option": "max_chars"})
    if type(overlap) is not int or not 0 <= overlap < max_chars:
        raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                            f"`overlap` is a whole number from 0 to less than max_chars, not {overlap!r}",
                            {"option": "overlap"})
    if by not in get_args(By):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"`by` is one of {', '.join(get_args(By))}, not {by!r}",
                            {"option": "by"})


def _packed(text: str, units: Iterator[tuple[int, int]], max_chars: int, overlap: int,
            heading: str | None) -> Iterator[Chunk]:
    """Runs of units, each as long as it may be; the last units of a run are repeated within `overlap`."""
    run: list[int] = []         # where the units of the chunk start
    stop = fresh = 0            # where it ends, and where what no chunk before it holds starts
    for whole_start, whole_end in units:
        for start, end in _cut(text, whole_start, whole_end, max_chars):
            if run and end - run[0] > max_chars:
                yield Chunk(text[run[0]:stop], run[0], stop, heading)
                run = [at for at in run if stop - at <= overlap and end - at <= max_chars and at > run[0]]
                fresh = start
            run.append(start)
            stop = end
    if run and fresh < stop:
        yield Chunk(text[run[0]:stop], run[0], stop, heading)


def _cut(text: str, start: int, end: int, max_chars: int) -> Iterator[tuple[int, int]]:
    """A unit in stretches that fit, cut behind white space where there is some in the second half, else anywhere."""
    while end - start > max_chars:
        at = start + max_chars
        while at > start + max_chars // 2 and not text[at - 1].isspace():
            at -= 1
        if at <= start + max_chars // 2:
            at = grapheme_start(text, start + max_chars)
            if at <= start:
                at = start + max_chars          # one grapheme longer than a chunk
        yield start, at
        start = at
    if start < end:
        yield start, end


def _units(text: str, start: int, end: int, by: str, language: str) -> Iterator[tuple[int, int]]:
    """What a stretch of the text is made of, tiling it."""
    starts = [start]
    if by == "sentence":
        part = text if (start, end) == (0, len(text)) else text[start:end]
        starts += [start + at for at, _ in Sentences(part, language) if at > 0]
    else:
        starts += _paragraph_starts(text, end)
    return pairwise([*starts, end])


def _paragraph_starts(text: str, end: int) -> list[int]:
    """Where a line starts that a blank one stands before."""
    return [blanks.end() for blanks in _BLANKS.finditer(text)
            if blanks.start() and blanks.end() < end and _BREAK.search(text, *blanks.span())]


# ------------------------------------------------------------------------------------------------------------- headings
def _sections(text: str) -> Iterator[tuple[int, int, str | None]]:
    """`(start, end, heading)` of each section; the first has none where text stands before the first heading."""
    at, heading = 0, None
    for start, title in _headings(text):
        if start > at:
            yield at, start, heading
        at, heading = start, title
    if at < len(text):
        yield at, len(text), heading


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """`(start of the line, heading)`. Not in fenced code, where a number sign starts a comment."""
    lines = text.split("\n")
    at = 0
    fence = ""
    for number, line in enumerate(lines):
        marks = _FENCE.match(line)
        if marks is not None:
            fence = "" if fence == marks.group(1) else fence or marks.group(1)
        elif not fence and 0 < len(title := line.strip()) <= MAX_HEADING and _is_heading(lines, number, line, title):
            yield at, title.lstrip("#").rstrip("#").strip() or title
        at += len(line) + 1


def _is_heading(lines: list[str], number: int, line: str, title: str) -> bool:
    if not any(char.isalnum() for char in title):
        return False
    below = lines[number + 1].rstrip("\r") if number + 1 < len(lines) else ""
    blank_above = number == 0 or not lines[number - 1].strip()
    if line.lstrip(" ").startswith("#") and _MARKED.match(line):
        return True
    if not blank_above:
        return False
    if _UNDERLINE.match(below):
        return True
    if title[-1] in ".,;:!?\u3002\uff01\uff1f" and not title.startswith("\u00a7"):
        return False
    if _MARKED.match(line):
        return True
    alone = not below.strip() and any(after.strip() for after in lines[number + 1:number + 4])
    return alone and len(title) <= MAX_BARE_HEADING and not title[0].islower() and title[0] not in "-*+|>\u2022"
