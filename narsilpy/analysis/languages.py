"""The languages: how each splits, strips, drops and stems."""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import snowballstemmer

from narsilpy._text import INNER_APOSTROPHES, INNER_HYPHENS
from narsilpy.analysis import english
from narsilpy.errors import ErrorCode, NarsilError


class LanguageNotSupported(NarsilError, LookupError):
    """`language=` names none that this library knows."""


class Language(NamedTuple):
    """How one language is analysed."""

    name: str
    algorithm: str | None                   # of Snowball
    stop_words: frozenset[str]
    inner: int = INNER_APOSTROPHES          # what words may hold beside letters, marks and numbers
    strip: Callable[[str], str] = str       # takes endings off before stop words are looked up
    strips_diacritics: bool = False


NGRAM_LANGUAGES = ("burmese", "chinese", "japanese", "khmer", "korean", "lao", "thai")   # their scripts need no stemmer


def list_languages() -> list[str]:
    """The names that `language=` takes, sorted."""
    return sorted({*snowballstemmer.algorithms(), *NGRAM_LANGUAGES})


@cache
def find_language(name: str) -> Language:
    if name == "english":
        return Language("english", "english", english.STOP_WORDS, strip=english.strip_possessive)
    if name in snowballstemmer.algorithms():
        return Language(name, name, frozenset(), INNER_APOSTROPHES | INNER_HYPHENS)
    if name in NGRAM_LANGUAGES:
        return Language(name, None, frozenset())
    raise LanguageNotSupported(ErrorCode.LANGUAGE_NOT_SUPPORTED,
                               f"`language` {name!r} is not one of: {', '.join(list_languages())}", {"language": name})
