"""The slow twin of `_sentences`: pieces and stops by regular expressions and slices."""
from __future__ import annotations

import re

from narsilpy._graphemes import grapheme_start

STRETCH = 1_024
LONGEST_BLOCK = 2 * STRETCH
BLANK = 200
HARD_CHARS = "\x0c\u2029"
_SURE = re.compile(r"[.!?][\"'”’»)\]]*\s+|[。！？｡।॥؟։။][」』”’）\"]*")
_SHORT_FORMS = ("rox", "ept", "ssn", "esp", "ncl", "xcl", "egr", "vtl")
_SPACE = re.compile(r"\s")
_STOP = re.compile(r"[.)](?:[\"'”’)\]]*\s+|\d)")


def stops(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in _STOP.finditer(text) if telling(text, *found.span())]


def telling(text: str, at: int, behind: int) -> bool:
    before = text[:at]
    if text[behind - 1].isdecimal():
        return text[at] == "." and (before[-1:] == ")" or before[-1:].islower())
    if before and (text[at - 1:at + 1] in (".)", "!)", "?)") or text[at:at + 2] == ".)"):
        return True
    if text[at] == "." and at > 2 and (before[-2] == "." or before[-3:] in (" co", " Co", "Inc", "Ltd", "orp")):
        return True
    label = ""
    while before and len(label) < 3 and (before[-1].isalpha() or before[-1].isdecimal()):
        label, before = before[-1] + label, before[:-1]
        if not before or before[-1].isspace() or before[-1] in "⁃•*–-":
            return True
    return False


def piece_of(text: str, offset: int) -> tuple[int, int]:
    """`(start, end)` of the piece that holds an offset. Reads a few thousand code points round it at most."""
    n = len(text)
    low = _cut_before(text, offset, max(0, offset - LONGEST_BLOCK))
    high = _cut_after(text, offset, min(n, offset + LONGEST_BLOCK))
    if low is not None and high is not None and high - low <= LONGEST_BLOCK:
        return low, high
    stretch = offset // STRETCH
    anchor = _anchor(text, stretch)
    if anchor <= offset:
        before, after = anchor, _anchor(text, stretch + 1)
    else:
        before, after = _anchor(text, stretch - 1), anchor
    return before if low is None else max(low, before), after if high is None else min(high, after)


def _cut_before(text: str, offset: int, floor: int) -> int | None:
    """Where the block that holds `offset` starts; None = before `floor`."""
    best = -1
    for char in HARD_CHARS:
        best = max(best, text.rfind(char, floor, offset) + 1 or -1)
    at = text.rfind("\n", max(floor, best), offset)
    while at >= 0:
        if _ends_blank_line(text, at):
            return at + 1
        at = text.rfind("\n", max(floor, best), at)
    if best > 0:
        return best
    return 0 if floor == 0 else None


def _cut_after(text: str, offset: int, ceiling: int) -> int | None:
    """Where the block after the one that holds `offset` starts, or the text ends; None = behind `ceiling`."""
    stop = ceiling
    found = False
    for char in HARD_CHARS:
        at = text.find(char, offset, stop)
        if at >= 0:
            stop, found = at + 1, True
    at = text.find("\n", offset, stop)
    while at >= 0:
        if _ends_blank_line(text, at):
            return at + 1
        at = text.find("\n", at + 1, stop)
    return stop if found or ceiling == len(text) else None


def _ends_blank_line(text: str, at: int) -> bool:
    """Whether the line that the line feed at `at` ends is blank, and a line before it ended, too."""
    floor = max(-1, at - BLANK)
    at -= 1
    while at > floor and text[at] != "\n" and text[at].isspace():
        at -= 1
    return at >= 0 and text[at] == "\n"


def _anchor(text: str, stretch: int) -> int:
    """Where a long block may be cut in one stretch of the text."""
    low = stretch * STRETCH
    if low <= 0:
        return 0
    high = min(len(text), low + STRETCH)
    if low >= high:
        return len(text)
    for found in _SURE.finditer(text, low, high):
        if _is_sure(text, found, high):
            return found.end()
    space = _SPACE.search(text, low, high)
    if space is not None:
        return space.end()
    around = low - 64
    return around + (grapheme_start(text[around:low + 1], 64) or 64)    # a text without white space


def _is_sure(text: str, found: re.Match[str], high: int) -> bool:
    """Whether a stop surely ends a sentence: a whole word in small letters before it, no small letter after it."""
    at, behind = found.span()
    if text[at] not in ".!?":
        return True
    word = text[at - 4:at]
    if not all(char.isalpha() and char.islower() for char in word) or word.endswith(_SHORT_FORMS) or behind >= high:
        return False
    after = text[behind + 1:behind + 2] if text[behind] in "\"'“‘«(" else text[behind]
    return after.isalpha() and not after.islower()
