"""The scanner against its twin, and the laws of analysis, over alphabets chosen to break them."""
from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from narsilpy._ingest import Intake
from narsilpy._lexicon import Lexicon
from narsilpy._text import IDENTIFIERS, INNER_APOSTROPHES, INNER_HYPHENS, parts
from narsilpy.analysis import Analyzer, Token, list_languages
from tests.reference import scanner as twin

# Fragments, not only characters: what is hard is how they meet.
FRAGMENTS = [
    "a", "Dogs", "the", "running", "don't", "dog's", "dogs'", "'", "\u2019s", "\u2018", "\u02bc", "\uff07", "''",
    "-", "\uff0d", "usb-c", "_", "\uff3f", " ", "\n", "\r\n", "\u00a0", "\u200b", "\u200d", "\u00ad", ".", "C++",
    "42", "\u0130", "\u0131", "I\u0307", "\u0307", "\u0301", "e\u0301", "\u00e9", "\u00df", "\u1e9e", "\u017f",
    "\u212a", "\ufb01", "\u01c4", "\u03a3", "\u039f\u0394\u039f\u03a3", "\u03c2", "\uff21\uff22", "\uff8a\uff9e",
    "\uff76\uff9f", "\uff9e", "\uff70", "\u30fc", "\u304b", "\u304b\u3099", "\u30cf", "\u30cf\u309a", "\u3099",
    "\u6f22", "\u5b57", "\u3005", "\u3007", "\ufa11", "\U00020000", "\uac00", "\ud55c", "\u1100", "\u1161",
    "\u11a8", "\u1112\u1161\u11ab", "\uffa1", "\uffc2", "\u0e2a\u0e27\u0e31", "\u0e44", "\u0ec0", "\u1780\u17d2",
    "\u1000\u1039", "\u0561", "\u055b", "\u0587", "\u0643\u0650", "\u0661", "\u0928\u092e\u094d", "\U0001f600",
    "\U0001f469\u200d\U0001f4bb", "1\ufe0f\u20e3", "\u2764\ufe0f", "\U0001d49c", "\U00010400",
    "\U0001f1ec\U0001f1e7", "\ud800", "\udfff", "\ud83d\ude00", "\x00", "\x7f", "\x85", "\uffff", "\U0010ffff",
    "\u02bb", "\u0345", "\u1fb3"]
ANY = st.characters(exclude_categories=["Cn"])      # lone surrogates included
TEXTS = st.lists(st.one_of(st.sampled_from(FRAGMENTS), ANY), max_size=25).map("".join)
CODES = st.text(st.sampled_from("aC3.-/:+#@&_' \u00e9\u03c3\u6f22\U0001f600\uff0d"), max_size=30)     # identifiers
ANALYZER = Analyzer()
WITH_WHOLES = Analyzer(identifiers=True)
EVERY_LANGUAGE = [Analyzer(language=name) for name in list_languages()]
BARE = Analyzer(stop_words=[])


def scanned(analyzer: Analyzer, text: str) -> list[Token]:
    """What the native scanner gives, its term numbers as terms."""
    lexicon, surfaces = Lexicon(), Lexicon()
    intake = Intake([analyzer.scanner(lexicon, surfaces)])
    first = intake.scan([text])[0].tolist()
    assert intake.scan([text])[0].tolist() == first         # asked again, from the memo
    return [Token(lexicon.term(term), position, start, end) for term, position, start, end in first]


@given(text=st.one_of(TEXTS, CODES), apostrophes=st.booleans(), hyphens=st.booleans(), wholes=st.booleans())
@example("a." * 64, True, False, True)      # 127 characters and a full stop
@example("a." * 64 + "b", True, False, True)
def test_the_cuts_are_the_twins(text: str, apostrophes: bool, hyphens: bool, wholes: bool) -> None:
    inner = INNER_APOSTROPHES * apostrophes | INNER_HYPHENS * hyphens | IDENTIFIERS * wholes
    assert parts(text, inner) == twin.parts(text, apostrophes, hyphens, wholes)


def test_every_known_character_is_classed_as_the_twin_classes_it() -> None:
    wrong = []
    for code in (*range(0x3400), *range(0xA000, 0x11000), 0x1F600, 0x20000, 0xE0100, 0x10FFFF):
        char = chr(code)
        if twin.is_known(char) and parts(char, 0) != twin.parts(char, False, False):
            wrong.append(f"U+{code:04X} {unicodedata.name(char, '?')}")
    assert not wrong


@given(text=st.one_of(TEXTS, CODES))
@example("\u3042\u30fc\u304b")      # a prolonged sound mark at the start of a pair
@example("\u30fc\u304b")
def test_native_and_python_analysis_agree(text: str) -> None:
    for analyzer in (ANALYZER, BARE, WITH_WHOLES):
        assert scanned(analyzer, text) == analyzer.analyze(text)


@given(text=TEXTS, analyzer=st.sampled_from([*EVERY_LANGUAGE, Analyzer(fold_diacritics=True)]))
@example("\u3042\u30fc\u304b", ANALYZER)
def test_slice_law(text: str, analyzer: Analyzer) -> None:
    tokens = analyzer.analyze(text)
    assert tokens == scanned(analyzer, text)
    assert [token.position for token in tokens] == sorted({token.position for token in tokens})
    for token in tokens:
        assert 0 <= token.start < token.end <= len(text)
        assert analyzer.analyze(text[token.start:token.end]) == [Token(token.term, 0, 0, token.end - token.start)]


@given(text=st.one_of(TEXTS, CODES), analyzer=st.sampled_from([
    WITH_WHOLES, Analyzer(identifiers=True, language="french"), Analyzer(identifiers=True, stop_words=[])]))
def test_slice_law_of_identifiers(text: str, analyzer: Analyzer) -> None:
    """A whole holds its parts, so its own text has it first; everything else has itself alone."""
    tokens = analyzer.analyze(text)
    assert [token.start for token in tokens] == sorted(token.start for token in tokens)
    for token in tokens:
        again = analyzer.analyze(text[token.start:token.end])
        assert again[0] == Token(token.term, 0, 0, token.end - token.start)


@given(text=st.text(st.characters(max_codepoint=255), max_size=60))
@example("the dog's caf\u00e9 " + "x" * 16 + " " + "y" * 17 + " " + "z" * 128 + " " + "w" * 129)
def test_wider_strings_give_the_same_tokens(text: str) -> None:
    """The same characters held in 1, 2 and 4 bytes each."""
    narrow = scanned(ANALYZER, text)
    for behind in (" \u2028", " \U0001f600"):
        assert scanned(ANALYZER, text + behind) == narrow


@given(words=st.lists(st.text(st.sampled_from("adgOSTs'_@[`{Zz0\u00c9\u00e9"), min_size=1, max_size=17), max_size=20))
@example(["the", "THE", "Dogs", "dogs", "DOGS", "DOG'S", "\u00c9t", "\u00e9t", "A@Z[", "a`z{", "Supercalifragil",
                "x" * 17])
def test_what_is_known_in_lower_case_is_known_in_any(words: list[str]) -> None:
    text = " ".join([*words, *map(str.lower, words), *map(str.upper, words), *words])
    assert scanned(ANALYZER, text) == ANALYZER.analyze(text)


@given(text=TEXTS)
def test_folding_again_changes_nothing(text: str) -> None:
    for start, end in BARE.word_spans(text):
        folded = BARE.fold(text[start:end])
        assert BARE.fold(folded) == folded or folded.endswith(("'", "'s"))


@pytest.mark.parametrize("unit", ["a", "\u00e9", "\u03c3", "\u0301", "\U00010400", "\uff21", "'"])
def test_a_token_of_a_million_characters(unit: str) -> None:
    text = f"dogs {unit * 1_000_000} bark"
    tokens = scanned(BARE, text)
    assert tokens == BARE.analyze(text)
    assert [(token.start, token.end) for token in (tokens[0], tokens[-1])] == [(0, 4), (len(text) - 4, len(text))]


def test_a_memo_that_overflows_answers_alike() -> None:
    """More spellings than are remembered: the limits on characters and the emptying are met, the answers stay."""
    lexicon = Lexicon()
    intake = Intake([Analyzer(stop_words=[]).scanner(lexicon, Lexicon())])
    words = [f"{number:0120d}" for number in range(80_000)]         # 9.6 million characters of spellings
    for repeat in range(2):
        for at in range(0, len(words), 10_000):
            tokens = intake.scan([" ".join(words[at:at + 10_000])])[0].tolist()
            assert [token[0] for token in tokens] == list(range(at, at + 10_000)), repeat
    assert len(lexicon) == len(words)
