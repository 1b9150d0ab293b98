"""Custom tokenizers: taken as they are where their output is usable, refused with a typed error where it is not."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from narsilpy._ingest import Intake
from narsilpy._lexicon import Lexicon
from narsilpy.analysis import Analyzer
from narsilpy.errors import ErrorCode, InvalidAnalyzer, InvalidConfig

TEXT = "red fox"
BAD: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "a str": "red fox",
    "words without offsets": ["red", "fox"],
    "pairs": [("red", 0)],
    "too long": [("red", 0, 3, 1)],
    "a dict": {"term": "red"},
    "a term that is None": [(None, 0, 3)],
    "a term of bytes": [(b"red", 0, 3)],
    "an empty term": [("", 0, 3)],
    "offsets of float": [("red", 0.0, 3)],
    "offsets of str": [("red", "0", "3")],
    "offsets of bool": [("red", False, True)],
    "no offsets": [("red", None, None)],
    "a negative start": [("red", -1, 3)],
    "beyond the text": [("red", 0, 8)],
    "far beyond": [("red", 0, 2**64)],
    "an empty span": [("red", 3, 3)],
    "a span turned round": [("red", 3, 0)],
    "not in order": [("fox", 4, 7), ("red", 0, 3)],
    "a bad one behind a good one": [("red", 0, 3), ("fox", 4, 9)],
}


@pytest.mark.parametrize("output", BAD.values(), ids=BAD)
def test_bad_output_is_refused(output: Any) -> None:
    analyzer = Analyzer(tokenizer=lambda text: output)
    lexicon = Lexicon()
    for ask in (analyzer.analyze, analyzer.word_spans,
                lambda text: Intake([analyzer.scanner(lexicon, Lexicon())]).scan([text])):
        with pytest.raises(InvalidAnalyzer) as caught:
            ask(TEXT)
        assert caught.value.code is ErrorCode.ANALYZER_INVALID_OUTPUT
        assert "tokenizer" in str(caught.value)
    assert len(lexicon) == 0        # refused whole


def by_spaces(text: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    for word in text.split(" "):
        if word:
            yield word.upper(), at, at + len(word)
        at += len(word) + 1


def test_good_output_is_taken_as_it_is() -> None:
    analyzer = Analyzer(tokenizer=by_spaces)
    assert [tuple(token) for token in analyzer.analyze("the  red FOXES")] == [
        ("THE", 0, 0, 3), ("RED", 1, 5, 8), ("FOXES", 2, 9, 14)]
    lexicon = Lexicon()
    assert Intake([analyzer.scanner(lexicon, Lexicon())]).scan(["the  red FOXES"])[0].tolist() == [
        (0, 0, 0, 3), (1, 1, 5, 8), (2, 2, 9, 14)]
    assert [lexicon.term(number) for number in range(3)] == ["THE", "RED", "FOXES"]


def test_overlapping_tokens_and_lists_are_good_output() -> None:
    found: Any = [["usb-c", 0, 5], ["usb", 0, 3], ["c", 4, 5]]
    assert [token.term for token in Analyzer(tokenizer=lambda text: found).analyze("usb-c")] == ["usb-c", "usb", "c"]


def test_what_the_tokenizer_raises_is_the_callers() -> None:
    def broken(text: str) -> list[tuple[str, int, int]]:
        raise ZeroDivisionError(text)

    with pytest.raises(ZeroDivisionError, match="red fox"):
        Analyzer(tokenizer=broken).analyze(TEXT)


@pytest.mark.parametrize("options", [{"tokenizer": "whitespace"}, {"tokenizer": 3}, {"fold_diacritics": "yes"},
                                     {"fold_diacritics": 1}, {"stop_words": 3}, {"stop_words": b"the"},
                                     {"stop_words": [3]}, {"stop_words": "the"}, {"stop_words": lambda words: None}])
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig) as caught:
        Analyzer(**options)
    assert caught.value.code is ErrorCode.CONFIG_INVALID


def test_stop_words() -> None:
    def terms(**options: Any) -> list[str]:
        return [token.term for token in Analyzer(**options).analyze("The Fox and THE hound")]

    assert terms() == ["fox", "hound"]
    assert terms(stop_words=[]) == ["the", "fox", "and", "the", "hound"]
    assert terms(stop_words=["FOX"]) == ["the", "and", "the", "hound"]
    assert terms(stop_words=lambda words: words | {"hound"}) == ["fox"]
    assert terms(stop_words="mine", registered={"mine": ["and"]}) == ["the", "fox", "the", "hound"]
