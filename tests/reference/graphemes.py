"""The slow twin of grapheme boundaries: a whole text cut into clusters one after the other, as section 3.1.1 of UAX #29
puts them, for the characters that the tests use."""
from __future__ import annotations

import re
import unicodedata

LEADING, VOWEL = "[\u1100-\u115f\ua960-\ua97c]", "[\u1160-\u11a7\ud7b0-\ud7c6]"
TRAILING = "[\u11a8-\u11ff\ud7cb-\ud7fb]"
HANGUL = f"(?:{LEADING}*(?:[\uac00-\ud7a3]{VOWEL}*|{VOWEL}+){TRAILING}*|{LEADING}+|{TRAILING}+)"
PREPENDED = "\u0600\u0601\u0602\u0603\u0604\u0605"
FLAGS = "[\U0001f1e6-\U0001f1ff]{2}"
PICTURE = "[\u00a9\u00ae\u2122\u231a-\u23ff\u2764\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"


def is_extend(char: str) -> bool:
    """Combining marks, joiners, skin tones and tags: what never begins a cluster."""
    return (unicodedata.category(char) in ("Mn", "Me", "Mc") or char in "\u200c\u200d\uff9e\uff9f"
            or 0x1F3FB <= ord(char) <= 0x1F3FF or 0xE0020 <= ord(char) <= 0xE007F)


def is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Zl", "Zp") or char in "\u200b\u00ad"


def boundaries(text: str) -> list[int]:
    """Where clusters of a text start and the last one ends."""
    marks = "".join("M" if is_extend(char) else "." for char in text)
    starts = [0]
    at = 0
    while at < len(text):
        if text.startswith("\r\n", at):
            at += 2
        elif is_control(text[at]):
            at += 1
        else:
            while text[at] in PREPENDED and at + 1 < len(text) and not is_control(text[at + 1]):
                at += 1
            found = re.compile(f"{HANGUL}|{FLAGS}|{PICTURE}|.", re.DOTALL).match(text, at)
            assert found is not None, "anything is a cluster"
            at = behind = found.end()
            picture = re.fullmatch(PICTURE, found.group()) is not None
            while at < len(text) and marks[at] == "M":
                joined = (picture and text[at] == "\u200d" and "\u200d" not in text[behind:at]
                          and re.compile(PICTURE).match(text, at + 1) is not None)
                at += 2 if joined else 1
                behind = at if joined else behind
        starts.append(at)
    return starts


def grapheme_start(text: str, at: int) -> int:
    """The last boundary at or before `at`."""
    return at if not 0 < at < len(text) else max(start for start in boundaries(text) if start <= at)


def grapheme_end(text: str, at: int) -> int:
    """The first boundary at or behind `at`."""
    return at if not 0 < at < len(text) else min(end for end in boundaries(text) if end >= at)


def snap_to_graphemes(text: str, start: int, end: int, match_start: int = 0) -> tuple[int, int]:
    """The window without a cluster that it would cut; where the first match is behind one at its start, with it."""
    after = grapheme_end(text, start)
    return after if after <= match_start else grapheme_start(text, start), grapheme_start(text, end)
