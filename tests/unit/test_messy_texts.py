"""Texts with every kind of blank, mark, script and line end: what is cited of them is what stands there."""
from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path

import pytest

from narsilpy import Narsil, render, sentence_at

FILE = Path(__file__).parents[1] / "data" / "messy_synthetic.jsonl.gz"
LINES = gzip.decompress(FILE.read_bytes()).decode().split("\n")
TEXTS: list[str] = [json.loads(line)["text"] for line in LINES if line]


@pytest.fixture(scope="module")
def narsil() -> Narsil:
    engine = Narsil()
    engine.create_index("messy", schema={"body": "string"})
    for number, text in enumerate(TEXTS):
        engine.insert("messy", {"id": f"whole-{number}", "body": text})
        engine.insert_chunks("messy", {"id": f"cut-{number}", "body": text}, field="body", max_chars=200, overlap=40)
    return engine


def test_a_sentence_verifies_where_it_stands(narsil: Narsil) -> None:
    for number, text in enumerate(TEXTS):
        for at in range(0, len(text), max(1, len(text) // 4)):
            start, end = sentence_at(text, at)
            assert start <= at < end
            for doc_id in (f"whole-{number}", f"cut-{number}"):
                for match in ("exact", "folded"):
                    citation = narsil.verify_quote("messy", doc_id, text[start:end], match=match)   # type: ignore[call-overload]
                    if citation is None:
                        assert not any(char.isalnum() for char in text[start:end])
                    else:
                        assert citation.doc_id == doc_id
                        assert text[citation.start:citation.end] == citation.quote


def test_quotes_of_hits_are_slices_of_the_source(narsil: Narsil) -> None:
    n_quotes = 0
    for number in range(0, len(TEXTS), 7):
        words = TEXTS[number].split()
        for hit in narsil.query("messy", words[len(words) // 2] if words else "", limit=4):
            quote = hit.quote("body")
            if quote is not None:
                text = TEXTS[int((quote.source or hit.id).rpartition("-")[2])]
                assert text[quote.start:quote.end] == quote.text
                n_quotes += 1
    assert n_quotes > 50


def test_chunks_put_together_are_the_text_and_rendering_keeps_it(narsil: Narsil) -> None:
    for number, text in enumerate(TEXTS):
        assert narsil.source_text("messy", f"cut-{number}", "body") == text
        out = render(text, [sentence_at(text, len(text) // 2)])
        assert html.unescape(re.sub("</?mark>", "", out)) == text
