"""Laws of chunks: they hold the whole text, in order, within their size, and know where they stand."""
from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import Chunk, NarsilError, chunk

PIECES = ["A bag fits. ", "Does it? ", "wherever ", "x" * 30, "\n", "\n\n", "# Heading\n", "\n\nTitle\n\n", "e\u0301",
          "\U0001f1e9\U0001f1ea",
          "\u4f60\u597d\u3002", "   ", "\r\n\r\n", "\ud800", "```\n# code\n```\n", "1. An item\n", "Dr. No. 4 "]
texts = st.text(max_size=80) | st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
ways = st.sampled_from(["sentence", "paragraph", "heading"])


@given(texts, st.integers(1, 120), st.integers(0, 119), ways, st.sampled_from(["english", "japanese"]))
def test_chunks_hold_the_text(text: str, max_chars: int, overlap: int, by: str, language: str) -> None:
    overlap = min(overlap, max_chars - 1)
    chunks = chunk(text, max_chars=max_chars, overlap=overlap, by=by, language=language)     # type: ignore[arg-type]
    assert all(piece.text == text[piece.start:piece.end] and 0 < len(piece.text) <= max_chars for piece in chunks)
    edges = [Chunk("", 0, 0), *chunks, Chunk("", len(text), len(text))]
    for before, after in pairwise(edges):
        assert before.end - overlap <= after.start <= before.end or after is edges[-1]
        assert before.end <= after.end
        assert before is edges[0] or before.start < after.start or after is edges[-1]
    assert (chunks[-1].end if chunks else 0) == len(text)
    if overlap == 0:
        assert "".join(piece.text for piece in chunks) == text


@given(texts, st.integers(1, 120), ways)
def test_every_chunk_brings_something_new(text: str, max_chars: int, by: str) -> None:
    chunks = chunk(text, max_chars=max_chars, overlap=max_chars - 1, by=by)     # type: ignore[arg-type]
    assert all(before.end < after.end for before, after in pairwise(chunks))


def test_sentences_stay_whole_and_are_repeated() -> None:
    text = "One bag is free. Two are not. A coat is no bag. It hangs."
    assert [piece.text for piece in chunk(text, max_chars=34, overlap=18)] == [
        "One bag is free. Two are not. ", "Two are not. A coat is no bag. ", "A coat is no bag. It hangs."]


def test_paragraphs() -> None:
    text = "One.\nStill one.\n\nTwo.\r\n \r\nThree."
    assert [piece.text for piece in chunk(text, max_chars=17, by="paragraph")] == [
        "One.\nStill one.\n\n", "Two.\r\n \r\nThree."]


def test_sections_are_never_mixed() -> None:
    text = ("Preface.\n\n# Bags\n\nOne is free. Two are not.\n\n## Coats\nThey hang.\n```\n# no heading\n```\n\n"
            "Old rules\n\nThey held.\n\nFees\n----\nNone.\n\n1.2 Prices\n\nFew. \n\n\u00a7 1-206.02. Powers.\n\nMany.")
    chunks = chunk(text, max_chars=200, by="heading")
    assert [piece.heading for piece in chunks] == [
        None, "Bags", "Coats", "Old rules", "Fees", "1.2 Prices", "\u00a7 1-206.02. Powers."]
    assert "".join(piece.text for piece in chunks) == text
    assert "# no heading" in chunks[2].text
    long = chunk(text, max_chars=20, by="heading")
    assert [piece.heading for piece in long if "Two are" in piece.text] == ["Bags"]


def test_a_long_text_takes_time_in_its_length() -> None:
    """Ten times the text makes ten times the sentences, not a hundred times the work: this would take minutes."""
    chunks = chunk("A bag fits well. " * 20_000, max_chars=500, overlap=100)
    assert len(chunks) > 600 and chunks[-1].end == 340_000
    assert 2_000 <= len(chunk("x" * 200_000, max_chars=100)) < 2_400
    assert len(chunk("\n" * 200_000, max_chars=1_000, by="paragraph")) == 200


@pytest.mark.parametrize("options", [{"max_chars": 0}, {"max_chars": 1.5}, {"max_chars": True}, {"overlap": -1},
                                     {"max_chars": 5, "overlap": 5}, {"by": "word"}, {"language": "klingon"}])
def test_options_that_do_not_fit_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(NarsilError):
        chunk("a", **options)   # type: ignore[arg-type]


def test_only_texts_are_chunked() -> None:
    with pytest.raises(NarsilError):
        chunk(b"a")     # type: ignore[arg-type]
    assert chunk("") == []
