"""Folded verification against its slow twin, and what no quote may do: be invented, cut a word, say nothing."""
from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy._quotes import fold_quote, folded_places, searched
from narsilpy.citations.match import find_quote
from tests.reference import quotes as slow

ALPHABET = [
    "a", "b", "K", "\u212a", "Q", "q", "1", " ", "\n", "\u00a0", "-", "\u2014", "'", "\u2019", "\u2026", ".", "\u00e9",
    "e", "\u0301", "\u0323", "\u0130", "\u00df", "\u0416", "\u0436", "\u0439", "\u0438", "\u0306", "\u4e2d", "\uf900",
    "\u8c48", "\u1112", "\u1161", "\u11ab", "\ud55c", "\u304b", "\u3099", "\u304c", "\U0001f600", "\ud800", "\u03c3",
    "\u03a3"]
texts = (st.lists(st.sampled_from(ALPHABET), max_size=24).map("".join) | st.text("ab Q\u2026\u0301-'", max_size=30)
         | st.text(max_size=20))


@given(texts)
def test_folding_is_that_of_its_twin(text: str) -> None:
    folded, starts = fold_quote(text)
    wanted = [(char, start) for folding, start, _ in slow.clusters(text) for char in folding]
    assert folded == "".join(char for char, _ in wanted)
    assert list(starts) == [*(start for _, start in wanted), len(text)]


@given(texts, st.data())
def test_places_are_those_of_the_twin(text: str, data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(text)))
    high = data.draw(st.integers(low, len(text)))
    for quote in (text[low:high], data.draw(texts)):
        wanted = slow.fold(quote).strip()
        if wanted:
            assert list(folded_places(text, wanted)) == slow.places(text, wanted)
            assert list(searched(text, wanted, 0, 0)) == slow.places(text, wanted)


@given(st.integers(1, 40), st.integers(1, 40), st.sampled_from(["ab", "q-", "q \u00e9", "\u0436\u0438"]))
def test_texts_made_to_be_slow_are_searched_another_way(n: int, m: int, unit: str) -> None:
    text, wanted = unit * (n * 40), slow.fold(unit * m).strip() + "b"
    assert list(folded_places(text, wanted)) == slow.places(text, wanted)
    wanted = slow.fold(unit * m).strip()
    assert list(folded_places(text, wanted)) == slow.places(text, wanted)


@given(texts, st.sampled_from(["exact", "folded"]), st.data())
def test_what_is_found_folds_to_the_quote(text: str, match: str, data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(text)))
    quote = text[low:data.draw(st.integers(low, len(text)))]
    for start, end in find_quote(text, quote, match):
        assert slow.fold(text[start:end]).strip() == slow.fold(quote).strip()
        assert match == "folded" or text[start:end] == quote


@pytest.mark.parametrize("match", ["exact", "folded"])
@pytest.mark.parametrize(("text", "quote"), [
    ("a non-refundable fare", "refundable"), ("a non-refundable fare", "refundable fare"),
    ("a non-refundable fare", "non"),
    ("a non\u2011refundable fare", "refundable"), ("COVID-19 rules", "COVID"), ("a state-of-the-art bag", "art bag"),
    ("It ends. Here.", "."), ("(a) x", "("), ("a - b", "-"), ("5 $", "$"),
    ("a\u2026 b", "\u2026"), ("\u201ca\u201d", "\u201c"), ("a _ b", "_ "),
])
def test_parts_of_words_and_marks_are_refused(text: str, quote: str, match: str) -> None:
    assert list(find_quote(text, quote, match)) == []


@pytest.mark.parametrize(("text", "quote"), [
    ("a non-refundable fare", "non-refundable"), ("a non-refundable fare", "a non-refundable fare"),
    ("from 5-10 kg", "10 kg"),
    ("yes - no", "no"), ("\U0001f600 bags", "\U0001f600"), ("\u4f60\u597d\u3002", "\u597d"), ("go (now)", "(now)"),
    ("-x", "x"),
])
def test_whole_words_are_found(text: str, quote: str) -> None:
    assert [text[start:end] for start, end in find_quote(text, quote)] == [quote]


def test_a_decomposed_copy_of_any_script_is_found() -> None:
    for words in ("\u0439\u043e\u0434 \u0438 \u0451\u043b\u043a\u0430", "\u304c\u304e", "\ud55c\uad6d\uc5b4",
                  "caf\u00e9 K", "\u0130stanbul", "\u1f08\u03b8\u03ae\u03bd\u03b1\u03b9"):
        for stored in (words, unicodedata.normalize("NFD", words)):
            text = f"x {stored} y"
            for copy in (words, unicodedata.normalize("NFD", words), unicodedata.normalize("NFC", words)):
                assert [text[a:b] for a, b in find_quote(text, copy, "folded")] == [stored], (stored, copy)
