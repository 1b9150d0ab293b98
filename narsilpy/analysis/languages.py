"""The languages: how each splits, strips, drops and stems.

Scripts written without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) are indexed as overlapping pairs
of characters under every language, so their names here stand for "no stop words, no stemming of other words".
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import snowballstemmer

from narsilpy._text import INNER_APOSTROPHES, INNER_HYPHENS
from narsilpy.analysis import english
from narsilpy.analysis.folding import strip_diacritics
from narsilpy.errors import ErrorCode, LanguageNotSupported

# Languages that have no Snowball algorithm: words are split, folded and dropped, but not stemmed.
NGRAM_LANGUAGES = ("burmese", "chinese", "japanese", "khmer", "korean", "lao", "thai")
NOT_STEMMED = (*NGRAM_LANGUAGES, "ukrainian", "vietnamese")
# What words may hold beside letters, marks and numbers, where it is not both apostrophes and hyphens. An elided article
# ("l'école", "dell'amore") and a Turkish case ending ("İstanbul'da") are words of their own; German compounds are found
# by their parts.
_INNER = {
    "english": INNER_APOSTROPHES, "porter": INNER_APOSTROPHES, "german": INNER_APOSTROPHES, "french": INNER_HYPHENS,
    "italian": INNER_HYPHENS, "catalan": INNER_HYPHENS, "turkish": INNER_HYPHENS,
    **dict.fromkeys(NGRAM_LANGUAGES, INNER_APOSTROPHES)}
_STRIPS_DIACRITICS = ("italian", "portuguese")      # between stop words and stemming, as the original does
_STOP_WORDS_OF = {"dutch_porter": "dutch"}


class Language(NamedTuple):
    """How one language is analysed."""

    name: str
    algorithm: str | None                           # of Snowball
    stop_words: frozenset[str]
    inner: int = INNER_APOSTROPHES                  # what words may hold beside letters, marks and numbers
    respell: Callable[[str], str] | None = None     # spellings that count as one, of stop words too
    strip: Callable[[str], str] | None = None       # takes endings off before stop words are looked up
    strips_diacritics: bool = False


def sharp_s(word: str) -> str:
    """German: "ß" as "ss", since both are written.

    >>> sharp_s("straße")
    'strasse'
    """
    return word.replace("ß", "ss")


def outer_hyphens(word: str) -> str:
    """A word without the hyphens round it: they are dashes, list marks or minus signs.

    >>> outer_hyphens("grands-parents"), outer_hyphens("-x"), outer_hyphens("--")
    ('grands-parents', 'x', '')
    """
    return word.strip("-")


def list_languages() -> list[str]:
    """The names that `language=` takes, sorted.

    All but the few that Snowball has no algorithm for are stemmed. Not all come with stop words: see
    `narsilpy.analysis.stopwords`.

    >>> [name in list_languages() for name in ("english", "ukrainian", "klingon")]
    [True, True, False]
    """
    return sorted([*snowballstemmer.algorithms(), *NOT_STEMMED])


def find_language(name: object) -> Language:
    """How a language is analysed.

    Raises:
        LanguageNotSupported: the name is not one of `list_languages()`.
    """
    if not isinstance(name, str) or name not in list_languages():
        raise LanguageNotSupported(ErrorCode.LANGUAGE_NOT_SUPPORTED,
                                   f"`language` {name!r} is not one of: {', '.join(list_languages())}",
                                   {"language": name})
    return _language(name)


@cache
def _language(name: str) -> Language:
    algorithm = None if name in NOT_STEMMED else name
    if name in ("english", "porter"):
        return Language(name, algorithm, english.STOP_WORDS, _INNER[name], strip=english.strip_possessive)
    inner = _INNER.get(name, INNER_APOSTROPHES | INNER_HYPHENS)
    respell = {"german": sharp_s, "greek": strip_diacritics}.get(name)
    return Language(name, algorithm, _stop_words_of(name, respell), inner, respell,
                    outer_hyphens if inner & INNER_HYPHENS else None, name in _STRIPS_DIACRITICS)


def _stop_words_of(name: str, respell: Callable[[str], str] | None) -> frozenset[str]:
    from narsilpy.analysis import stopwords  # 30 kB that English does not need

    name = _STOP_WORDS_OF.get(name, name)
    words = (stopwords.SNOWBALL.get(name) or stopwords.OWN.get(name, "")).split()
    return frozenset(map(respell, words) if respell else words)
