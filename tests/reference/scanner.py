"""The twin of the native scanner: the same cuts from the interpreter's own Unicode, one character at a time.

Only texts of characters that the interpreter's Unicode knows can be compared: see `is_known`.
"""
from __future__ import annotations

import unicodedata
from itertools import groupby, pairwise

APOSTROPHES = "'\u2018\u2019\u02bc\u02bb\uff07"
HYPHENS = "-\uff0d"
LONG = "\u30fc\uff70"       # prolonged sound marks
SCRIPTS = {
    "CJK UNIFIED": "han", "CJK COMPATIBILITY IDEOGRAPH": "han", "IDEOGRAPHIC ITERATION": "han",
    "IDEOGRAPHIC NUMBER ZERO": "han",
    "VERTICAL IDEOGRAPHIC ITERATION": "han", "HIRAGANA": "hiragana", "KATAKANA": "katakana",
    "HALFWIDTH KATAKANA": "katakana", "HANGUL": "hangul", "HALFWIDTH HANGUL": "hangul", "THAI": "thai", "LAO": "lao",
    "KHMER": "khmer", "MYANMAR": "burmese"}


def is_known(char: str) -> bool:
    """Whether the interpreter can say what a character is."""
    return unicodedata.category(char) != "Cn"


def kind(char: str, apostrophes: bool, hyphens: bool) -> str:
    """separator, word, mark, long, or the name of a script that is written without spaces."""
    code = ord(char)
    category = unicodedata.category(char)
    if char in APOSTROPHES:
        return "word" if apostrophes else "separator"
    if char in HYPHENS:
        return "word" if hyphens else "separator"
    if char in "_\uff3f":
        return "word"
    if char in LONG:
        return "long"
    if category[0] == "M" or "\u055b" <= char <= "\u055f" or char in "\uff9e\uff9f":
        return "mark"
    if category == "Lo" and (0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF or 0xFFC2 <= code <= 0xFFDC):
        return "mark"       # vowels and finals of Hangul
    if category[0] == "L" or char == "\u3007":
        name = unicodedata.name(char, "")
        for beginning, script in SCRIPTS.items():
            if name.startswith(beginning):
                return script
    return "word" if category[0] in "LN" else "separator"


def units(text: str, apostrophes: bool, hyphens: bool) -> list[tuple[str, int, int]]:
    """`(kind, start, end)`: single characters, those of a script with the marks behind them."""
    found: list[tuple[str, int, int]] = []
    for at, char in enumerate(text):
        what = kind(char, apostrophes, hyphens)
        if what == "mark" and found and found[-1][0] not in ("word", "separator"):
            found[-1] = (found[-1][0], found[-1][1], at + 1)
        else:
            found.append(("word" if what == "mark" else what, at, at + 1))
    return found


def with_scripts_of_long_marks(found: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Prolonged sound marks as kana: of the kind in front, else of the kind behind, else katakana."""
    kinds = [what for what, _, _ in found]
    for at in range(len(kinds)):
        if kinds[at] == "long" and at and kinds[at - 1] in ("hiragana", "katakana"):
            kinds[at] = kinds[at - 1]
        elif kinds[at] == "long":
            behind = next((what for what in kinds[at:] if what != "long"), "")
            kinds[at] = "hiragana" if behind == "hiragana" else "katakana"
    return [(what, start, end) for what, (_, start, end) in zip(kinds, found, strict=True)]


def identifiers(words: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Words joined by one character each, or with "+" or "#" behind."""
    found = []
    rest = list(words)
    while rest:
        start, end = rest.pop(0)
        last = end
        while rest and rest[0][0] == last + 1 and text[last] in "-./:+@&":
            last = rest.pop(0)[1]
        joined = last > end
        behind = len(text[last:]) - len(text[last:].lstrip("+#"))
        if (joined or behind) and last + behind - start <= 128:
            found.append((start, last + behind))
    return found


def parts(text: str, apostrophes: bool = True, hyphens: bool = False,
          wholes: bool = False) -> list[tuple[int, int, int, bool]]:
    """`(position, start, end, ngram)` of every part of a text."""
    spans: list[tuple[int, int, bool]] = []
    found = with_scripts_of_long_marks(units(text, apostrophes, hyphens))
    for what, run in groupby(found, key=lambda unit: unit[0]):
        cells = [(start, end) for _, start, end in run]
        if what == "word":
            spans.append((cells[0][0], cells[-1][1], False))
        elif what != "separator" and len(cells) == 1:
            spans.append((*cells[0], True))
        elif what != "separator":
            spans += [(left[0], right[1], True) for left, right in pairwise(cells)]
    first = 1 if text and spans and spans[0][0] > 0 else 0      # an empty part stands before a leading separator
    numbered = [(position, *span) for position, span in enumerate(spans, first)]
    if wholes:
        words = [(start, end) for _, start, end, ngram in numbered if not ngram]
        position_of = {start: position for position, start, _, _ in numbered}
        numbered += [(position_of[start], start, end, True) for start, end in identifiers(words, text)]
        numbered.sort(key=lambda part: (part[0], -part[2]))     # a whole stands in front of its first part
    return numbered
