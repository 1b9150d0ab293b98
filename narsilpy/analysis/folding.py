"""Folding: one word to the form in which words are compared. Never applied to a whole text.

In order: full-width ASCII to ASCII, half-width kana and Hangul to full width, NFC, the dotted capital I, Armenian
accents dropped, five kinds of apostrophe to one, lower case (of the whole word, so that a final sigma is one).
"""
from __future__ import annotations

import re
import unicodedata
from functools import cache

from narsilpy.analysis import newer

_APOSTROPHES = dict.fromkeys((0x2018, 0x2019, 0x2BC, 0x2BB), "'")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ARMENIAN_ACCENTS = dict.fromkeys(range(0x55B, 0x560))
# Half-width katakana and Hangul: their own compatibility decomposition, which is one character each; the voicing marks
# become the combining ones, so that NFC joins them to their kana.
_HALF_WIDTH: dict[int, str] = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFF61, 0xFF9E), *range(0xFFA0, 0xFFDD))
    if unicodedata.category(chr(code)) != "Cn"}
_HALF_WIDTH |= {0xFF9E: "\u3099", 0xFF9F: "\u309A"}
_WIDTHS: dict[int, int | str] = {**_FULL_WIDTH, **_HALF_WIDTH}
_AFTER_NFC: dict[int, str | None] = {**_APOSTROPHES, **_ARMENIAN_ACCENTS, 0x130: "i", 0x307: None}
# Characters that not every supported interpreter knows are lowered by our own table, and what is around them apart from
# them: their case and their normal forms must not reach the interpreter.
_LATE = "".join(f"{chr(first)}-{chr(last)}" for first, last in newer.RANGES)


@cache
def _newer() -> re.Pattern[str]:
    return re.compile(f"([{_LATE}])")


@cache
def _special() -> re.Pattern[str]:
    """All that normal form and lower case alone do not do: most words hold none of it."""
    return re.compile(f"[{_LATE}{''.join(map(chr, (*_WIDTHS, *_AFTER_NFC)))}]")


def fold(word: str) -> str:
    """The folded form of a word; it may be longer or shorter. The same on every interpreter.

    >>> fold("ＤＯＧ’Ｓ"), fold("E\u0301cole"), fold("\u0130stanbul"), fold("ΟΔΟΣ")
    ("dog's", 'école', 'istanbul', 'οδος')
    """
    if word.isascii():
        return word.lower()
    if _special().search(word) is None:
        return unicodedata.normalize("NFC", word).lower()
    return "".join(_fold_known(piece) if at % 2 == 0 else piece.translate(newer.LOWER)
                   for at, piece in enumerate(_newer().split(word)))


def _fold_known(word: str) -> str:
    word = unicodedata.normalize("NFC", word.translate(_WIDTHS))
    return word.translate(_AFTER_NFC).lower()


def strip_diacritics(word: str) -> str:
    """The word without combining accents (U+0300 to U+036F).

    >>> strip_diacritics("crème"), strip_diacritics("Dvořák")
    ('creme', 'Dvorak')
    """
    if word.isascii():
        return word
    return "".join(char for piece in _newer().split(word) for char in _decomposed(piece)
                   if not "\u0300" <= char <= "\u036f")


def _decomposed(piece: str) -> str:
    return piece if _newer().fullmatch(piece) else unicodedata.normalize("NFD", piece)
