"""The slow twin of folded verification: fold a text character by character, then compare at every place."""
from __future__ import annotations

import unicodedata

QUOTES = "\"'`\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u00ab\u00bb\u2039\u203a\u02bc"
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"


def clusters(text: str) -> list[tuple[str, int, int]]:
    """`(folding, start, end)` of everything in a text that is folded at once."""
    found: list[tuple[str, int, int]] = []
    at = 0
    while at < len(text):
        start = at
        char = text[at]
        at += 1
        if char.isspace() or char in DASHES:
            while at < len(text) and (text[at].isspace() if char.isspace() else text[at] in DASHES):
                at += 1
            found.append((" " if char.isspace() else "-", start, at))
        elif char in QUOTES:
            found.append(('"', start, at))
        elif char == "\u2026":
            found.append(("...", start, at))
        else:
            while at < len(text) and joins(text[at]):
                at += 1
            found.append((unicodedata.normalize("NFC", text[start:at]).lower(), start, at))
    return found


def joins(char: str) -> bool:
    return char >= "\u0300" and (unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff")


def places(text: str, wanted: str) -> list[tuple[int, int]]:
    """Where runs of whole clusters fold to `wanted`."""
    parts = clusters(text)
    found = []
    for first in range(len(parts)):
        seen = ""
        for folding, _, end in parts[first:]:
            seen += folding
            if seen == wanted:
                found.append((parts[first][1], end))
            if not wanted.startswith(seen):
                break
    return found


def fold(text: str) -> str:
    return "".join(folding for folding, _, _ in clusters(text))
