"""Quotes that do not stand in the text are refused, however near they come; those that do are found."""
from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest

from narsilpy import Narsil
from narsilpy.citations.match import find_quote
from narsilpy.citations.quotes import sentence_at

TEXT = ("A cabin bag may weigh up to 8 kg. Musical instruments do not travel free of charge\u2026 A violin, however, "
        "counts as the cabin bag \u2014 \u201cfree\u201d. It\u2019s \u22125 \u00b0C. Pilots can't "
        "wait. It costs 1.50 euros from 10:30 on. Un caf\u00e9 co\u00fbte 3 \u20ac.")

REFUSED = {
    "one word changed": "A cabin bag may weigh up to 9 kg.",
    "two sentences fused": "A cabin bag may weigh up to 8 kg. A violin, however, counts as the cabin bag",
    "dots that hide a negation": "Musical instruments do ... travel free of charge",
    "an ellipsis that hides a negation": "Musical instruments do \u2026 travel free of charge",
    "the end of a negation left out": "Pilots can",
    "the beginning of a contraction left out": "t wait",
    "a price without its cents": "It costs 1",
    "cents alone": "50 euros",
    "a time without its minutes": "1.50 euros from 10",
    "a number without its sign": "5 \u00b0C",
    "Cyrillic letters": "A \u0441\u0430bin bag may weigh",
    "a zero-width space": "A ca\u200bbin bag",
    "an accent left out": "Un cafe co\u00fbte",
    "half a word": "abin bag",
    "wide letters": "\uff21 cabin bag",
    "nothing": "",
    "white space": " \n",
}


@pytest.mark.parametrize("match", ["exact", "folded"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_stand_there_is_refused(name: str, match: str) -> None:
    assert list(find_quote(TEXT, REFUSED[name], match)) == []


@pytest.mark.parametrize(("quote", "stored"), [
    ("A VIOLIN,  however, counts as the\ncabin bag - \"free\"",
     "A violin, however, counts as the cabin bag \u2014 \u201cfree\u201d"),
    ("free of charge...", "free of charge\u2026"),
    (unicodedata.normalize("NFD", "Un caf\u00e9 co\u00fbte 3 \u20ac."), "Un caf\u00e9 co\u00fbte 3 \u20ac."),
    ("It's", "It\u2019s"),
    ("free", "free"),
    ("costs 1.50", "costs 1.50"),
    ("\u22125 \u00b0C", "\u22125 \u00b0C"),
    ("8 kg", "8 kg"),
])
def test_what_stands_there_is_found_as_it_is_stored(quote: str, stored: str) -> None:
    start, end = next(find_quote(TEXT, quote, "folded"))
    assert TEXT[start:end] == stored


@pytest.mark.parametrize(("text", "quote"), [
    ("he said 'free'", "free"), ("from 5-10 kg", "10 kg"), ("version 1.", "version 1"), ("1, 2 and 3", "1"),
    ("C++ and a+b", "b"), ("the dogs' bowl", "the dogs"),
])
def test_marks_round_a_whole_word_are_no_part_of_it(text: str, quote: str) -> None:
    assert [text[start:end] for start, end in find_quote(text, quote)][:1] == [quote]


def test_a_quote_of_another_document_is_refused() -> None:
    narsil = Narsil()
    narsil.create_index("rules", schema={"body": "string"})
    narsil.insert_batch("rules", [{"id": "a", "body": "Staff can't board."}, {"id": "b", "body": "Staff can board."}])
    assert narsil.verify_quote("rules", "a", "Staff can board.", match="folded") is None
    assert narsil.verify_quote("rules", "a", "Staff can") is None
    assert [citation.doc_id for citation in narsil.locate_quote("rules", "Staff can")] == ["b"]


@pytest.mark.parametrize(("text", "sentences"), [
    ("\u092f\u0939 \u0916\u0924\u092e\u0964 \u0935\u0939 \u0928\u0939\u0940\u0902\u0964", 2),            # Devanagari
    ("\u1230\u120b\u121d\u1362\u12f0\u1205\u1293\u1367", 2),                                             # Ethiopic
    ("\u0645\u0627\u0630\u0627\u061f \u0646\u0639\u0645.", 2),                                           # Arabic
    ("\u0532\u0561\u0580\u0587\u0589 \u0531\u0575\u0578\u0589", 2),                                      # Armenian
    ("\u4f60\u597d\u3002\u518d\u89c1\uff01", 2),                                                         # CJK
    ("It weighs 4.5 kg. Dr. Smith paid.", 2),
])
def test_sentences_end_at_the_stops_of_their_script(text: str, sentences: int) -> None:
    spans = {tuple(sentence_at(text, at)) for at, char in enumerate(text) if not char.isspace()}
    assert len(spans) == sentences
    ordered = sorted(spans)
    assert ordered[0][0] == 0 and ordered[-1][1] == len(text)
    assert all(before[1] <= after[0] for before, after in pairwise(ordered))
