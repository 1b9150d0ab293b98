"""Laws of sentences: true offsets for any text, and one answer whether a line or the whole text is read."""
from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from narsilpy._sentences import piece_of, stops
from narsilpy.highlight.sentences import LONGEST_BLOCK, Sentences, sentence_span, starts_of
from tests.reference import sentences as slow

WORDS = ["The", "bag", "Dr.", "No.", "4.5", "e.g.", "\u00a7 1-206.02.", "He", "said", "\"It", "is", "full.\"", "fits.",
         "really?",
         "\u4f60\u597d\u3002", "\u2026", "...", "1.", "2.", "a)",
         "(so.)", "U.S.", "wherever", "they", "went.", "costs.12", "J.", "\u00e9te\u0301s.",
         "\U0001f600!", "- x", "www.a.B", "\ud800.", "\0"]
GAPS = [" ", " ", " ", "  ", "\n", "\r\n", "\n\n", "\r\n \r\n", "\t", "\u00a0", "\u2029", "\x0c", "\u3000", ""]


@st.composite
def prose(draw: st.DrawFn) -> str:
    """Text that looks like text, up to some thousand characters, now and then without a blank line."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40))
    gaps = draw(st.lists(st.sampled_from(GAPS if draw(st.booleans()) else ["", " ", "\n"]), min_size=1, max_size=9))
    once = "".join(word + gaps[number % len(gaps)] for number, word in enumerate(words))
    return once * draw(st.sampled_from([1, 1, 2, 30, 90]))


texts = st.text(st.characters()) | st.text("aA.! \n\"\u3002\ud800\u0301\r1)") | prose()


@given(texts, st.sampled_from(["english", "german", "japanese", "arabic", "xx"]))
def test_sentences_are_in_order_and_hold_everything_but_white_space(text: str, language: str) -> None:
    spans = list(Sentences(text, language))
    assert all(start < end <= len(text) and text[start:end] == text[start:end].strip() for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    between = [0, *(at for span in spans for at in span), len(text)]
    assert not "".join(text[a:b] for a, b in zip(between[::2], between[1::2], strict=True)).strip()
    assert all(end - start <= LONGEST_BLOCK for start, end in spans)


@given(texts, st.sampled_from(["english", "russian", "chinese"]), st.data())
def test_one_line_is_read_as_in_the_whole_text(text: str, language: str, data: st.DataObject) -> None:
    spans = list(Sentences(text, language))
    for start, end in spans[:3] + spans[len(spans) // 2:][:3] + spans[-3:]:
        at = data.draw(st.integers(start, end - 1))
        assert sentence_span(text, at, language) == (start, end)


@given(texts, st.data())
def test_what_is_far_away_changes_nothing(text: str, data: st.DataObject) -> None:
    """A piece is decided by the text near it: what stands two blocks away may be anything."""
    text = text or "x"
    at = data.draw(st.integers(0, len(text) - 1))
    low, high = piece_of(text, at)
    floor, ceiling = max(0, at - 2 * LONGEST_BLOCK), at + 2 * LONGEST_BLOCK
    changed = "x" * floor + text[floor:ceiling] + "y" * max(0, len(text) - ceiling)
    assert piece_of(changed, at) == (low, high)


@given(texts)
def test_pieces_tile_the_text(text: str) -> None:
    low = 0
    while low < len(text):
        start, high = piece_of(text, low)
        assert start == low < high <= low + LONGEST_BLOCK
        assert piece_of(text, high - 1) == (low, high)
        low = high


@given(texts)
def test_the_starts_of_a_piece_are_places_in_it(piece: str) -> None:
    starts = starts_of(piece[:3_000], "en")
    assert starts[0] == 0 and starts == sorted(set(starts)) and starts[-1] <= max(0, len(piece[:3_000]) - 1)


@given(texts, st.data())
def test_pieces_and_stops_are_those_of_the_twin(text: str, data: st.DataObject) -> None:
    assert stops(text) == slow.stops(text)
    if text:
        edges = data.draw(st.lists(st.integers(0, len(text) - 1), max_size=20))
        for at in {0, len(text) - 1, *edges, *range(1_020, min(len(text), 1_030))}:
            assert piece_of(text, at) == slow.piece_of(text, at)
