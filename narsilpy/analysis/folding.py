"""Folding: one word to the form in which words are compared. Never applied to a whole text.

In order: full-width ASCII to ASCII, half-width kana and Hangul to full width, NFC, the dotted capital I, Armenian
accents dropped, five kinds of apostrophe to one, lower case (of the whole word, so that a final sigma is one).
"""
from __future__ import annotations

import unicodedata

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


def fold(word: str) -> str:
    """The folded form of a word; it may be longer or shorter.

    >>> fold("ＤＯＧ’Ｓ"), fold("E\u0301cole"), fold("\u0130stanbul"), fold("ΟΔΟΣ")
    ("dog's", 'école', 'istanbul', 'οδος')
    """
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFC", word.translate(_WIDTHS))
    return word.translate(_AFTER_NFC).lower()


def strip_diacritics(word: str) -> str:
    """The word without combining accents (U+0300 to U+036F).

    >>> strip_diacritics("crème"), strip_diacritics("Dvořák")
    ('creme', 'Dvorak')
    """
    return "".join(char for char in unicodedata.normalize("NFD", word) if not "\u0300" <= char <= "\u036f")
