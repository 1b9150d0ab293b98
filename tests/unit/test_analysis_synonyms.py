"""Synonyms: rules, places, wordings, and the queries made of them."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import InvalidConfig, InvalidQuery, Narsil, Synonyms, with_synonyms
from narsilpy.analysis import Analyzer

RULES = Synonyms([["NY", "New York", "big apple"], ["car", "automobile"]], one_way={"dog": ["poodle"]})
WORDS = st.lists(st.sampled_from(["ny", "New", "York", "big", "apples", "car", "dogs", "the", "pizza", "-", "İ",
                                  "\U0001f600"]), max_size=8).map(" ".join)


def hits(texts: list[str], query: Any) -> list[str]:
    with Narsil() as narsil:
        narsil.create_index("i", schema={"body": "string"})
        narsil.insert_batch("i", [{"id": str(number), "body": text} for number, text in enumerate(texts)])
        return sorted(texts[int(hit.id)] for hit in narsil.query("i", query))


def test_rules_match_by_terms_the_longest_first() -> None:
    both = Synonyms([["new", "fresh"], ["new york", "ny"]])
    assert [(slot.text, slot.alternatives) for slot in both.slots("New Yorks new cars")] == [
        ("New Yorks", ("ny",)), ("new", ("fresh",)), ("cars", ())]
    assert [slot.alternatives for slot in RULES.slots("poodle dog")] == [(), ("poodle",)]
    assert [slot.alternatives for slot in RULES.slots("Automobiles")] == [("car",)]


def test_a_synonym_of_itself_is_no_rule() -> None:
    assert Synonyms([["car", "cars", "auto"]]).slots("car")[0].alternatives == ("auto",)


@given(text=WORDS)
def test_slots_lie_in_the_text_in_order_and_cover_its_words(text: str) -> None:
    slots = RULES.slots(text)
    last = 0
    for slot in slots:
        assert last <= slot.start < slot.end and text[slot.start:slot.end] == slot.text
        last = slot.end
    covered = [token.term for slot in slots for token in Analyzer().analyze(slot.text)]
    assert covered == [token.term for token in Analyzer().analyze(text)]
    variants = RULES.variants(text)
    assert variants[0] == text and len(set(variants)) == len(variants) <= 64


def test_pairs_of_characters_are_replaced_once() -> None:
    tokyo = Synonyms([["東京", "Tokyo"], ["京都", "Kyoto"]])
    assert tokyo.variants("東京都") == ["東京都", "Tokyo都"]


def test_variants_are_bounded() -> None:
    assert len(RULES.variants("ny " * 20)) == 64
    assert len(RULES.variants("ny " * 20, limit=5)) == 5


@pytest.mark.parametrize("arguments", [
    {"groups": ["car"]}, {"groups": [3]}, {"groups": [[]]}, {"groups": [["car", 3]]}, {"groups": [["the", "car"]]},
    {"groups": [["car", "..."]]}, {"one_way": {"dog": "poodle"}}, {"one_way": {"dog": []}}, {"one_way": {3: ["dog"]}}])
def test_bad_rules_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig):
        Synonyms(**arguments)


def test_queries() -> None:
    texts = ["pizza of New York", "York has new pizza", "NY pizza", "the Big Apple", "pizza"]
    assert hits(texts, with_synonyms("NY pizza", RULES, match="all")) == ["NY pizza", "pizza of New York"]
    assert hits(texts, with_synonyms("NY pizza", RULES)) == sorted(texts)
    assert hits(texts, with_synonyms("pizza of NY", RULES, match="phrase")) == ["pizza of New York"]
    assert hits(texts, with_synonyms("big apple", RULES, match="all")) == [
        "NY pizza", "pizza of New York", "the Big Apple"]
    assert hits(texts, with_synonyms("the of", RULES, match="all")) == []
    with pytest.raises(InvalidQuery):
        with_synonyms("NY", RULES, match="some")
