"""Languages: names, stop words, and what each does at apostrophes, hyphens and accents."""
from __future__ import annotations

import unicodedata
from typing import Any

import pytest

import narsilpy
from narsilpy.analysis import Analyzer, list_languages, stopwords
from narsilpy.analysis.folding import fold
from narsilpy.errors import ErrorCode, LanguageNotSupported


def terms(text: str, language: str, **options: Any) -> list[str]:
    return [token.term for token in Analyzer(language=language, **options).analyze(text)]


def test_names() -> None:
    names = list_languages()
    assert names == sorted(set(names))
    assert {"english", "german", "turkish", "chinese", "thai", "ukrainian", "vietnamese", "yiddish"} <= set(names)
    assert set(stopwords.SNOWBALL) | set(stopwords.OWN) <= set(names)
    assert not set(stopwords.SNOWBALL) & set(stopwords.OWN)


@pytest.mark.parametrize("name", ["klingon", "", "English", "en", None, 3, ["english"]])
def test_unknown_names_are_refused(name: Any) -> None:
    with pytest.raises(LanguageNotSupported, match="english, esperanto") as caught:
        Analyzer(language=name)
    assert caught.value.code is ErrorCode.LANGUAGE_NOT_SUPPORTED
    assert isinstance(caught.value, LookupError)
    assert narsilpy.LanguageNotSupported is LanguageNotSupported


@pytest.mark.parametrize("name", [*stopwords.SNOWBALL, *stopwords.OWN])
def test_every_stop_word_is_dropped(name: str) -> None:
    """So the lists are folded as words are, and hold no word that is cut in two."""
    words = (stopwords.SNOWBALL.get(name) or stopwords.OWN[name]).split()
    assert len(words) == len(set(words))
    assert [word for word in words if fold(word) != word or unicodedata.normalize("NFC", word) != word] == []
    assert [word for word in words if terms(word, name)] == []
    # A capital I is an i in every language, Turkish too, as in the original: no dotless i is met by it.
    assert [word for word in words if "ı" not in word and terms(word.upper(), name)] == []


@pytest.mark.parametrize(("language", "text", "expected"), [
    ("french", "l'École et L’école", ["écol", "écol"]),
    ("italian", "dell'amore", ["amor"]),
    ("catalan", "l'home d'aquí", ["hom", "aqu"]),
    ("turkish", "İstanbul'da", ["istanbul"]),
    ("english", "dog's o'clock", ["dog", "o'clock"]),
    ("german", "Donau-Fahrt", ["donau", "fahrt"]),
    ("french", "grands-parents", ["grands-parent"]),
    ("french", "- liste -- tiret -x", ["list", "tiret", "x"]),
    ("german", "STRASSE Straße straẞe", ["strass", "strass", "strass"]),
    ("russian", "Елка ёлка всё", ["елк", "елк"]),
    ("greek", "Σίσυφος σισυφος",
     ["σισυφ", "σισυφ"]),
    ("ukrainian", "і м’яч", ["м'яч"]),
    ("english", "東京タワー", ["東京", "タワ", "ワー"]),
    ("japanese", "東京の", ["東京"]),
])
def test_quirks(language: str, text: str, expected: list[str]) -> None:
    assert terms(text, language) == expected


def test_accents() -> None:
    assert terms("crème", "english") == ["crème"]
    assert terms("crème crème creme", "english", fold_diacritics=True) == ["creme"] * 3
    assert terms("città", "italian") == terms("citta", "italian") == ["citt"]
    assert terms("ação acao", "portuguese") == ["aca", "aca"]
    assert terms("ação acao", "portuguese", fold_diacritics=False) == ["açã", "aca"]


def test_stop_words_are_respelt_with_the_words() -> None:
    assert terms("daß dass Ende", "german", stop_words=["daß"]) == ["end"]
    assert terms("καί και", "greek", stop_words=["καί"]) == []
