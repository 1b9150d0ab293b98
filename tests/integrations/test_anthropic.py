"""Search-result blocks, and the way back from a model's citation to the exact stored words."""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import InvalidQuery, Narsil
from narsilpy.integrations.anthropic import MAX_BLOCKS, SearchResults
from tests.integrations.engine import rules_engine

PIECES = ["A fox. ", "No. 4 is it. ", "e.g. this", "。", "\r\n\r\n", "É\u0301! ", "👩‍👩‍👧 ", "\ud800",
          "  ", "Really? ", '"Yes." ']


def location(result: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"type": "search_result_location", "search_result_index": result, "start_block_index": start,
            "end_block_index": end, "source": "s", "title": "t", **more}


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=30).map("".join), st.data())
def test_every_range_of_blocks_is_a_slice_of_the_text(text: str, data: st.DataObject) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string"})
    narsil.insert("docs", {"id": "a", "body": text})
    results = SearchResults(narsil, "docs", ["a", "nobody"], field="body")
    if not text.strip():
        assert results.blocks == []
        return
    (block,) = results.blocks
    assert "".join(part["text"] for part in block["content"]) == text
    assert all(part["text"].strip() for part in block["content"])
    n_blocks = len(block["content"])
    start = data.draw(st.integers(0, n_blocks - 1))
    end = data.draw(st.integers(start + 1, n_blocks))
    cited = "".join(part["text"] for part in block["content"][start:end])
    for given_location in (location(0, start, end, cited_text=cited),
                           SimpleNamespace(**location(0, start, end, cited_text=cited))):
        citation = results.citation(given_location)
        assert text[citation.start:citation.end] == citation.quote == cited.strip()


def test_citations_of_several_results() -> None:
    narsil = rules_engine()
    hits = narsil.query("rules", "violin wheelchair").hits
    results = SearchResults(narsil, "rules", hits, field="body", title="title", source="https://example.org/{id}")
    assert [block["source"] for block in results.blocks] == [f"https://example.org/{hit.id}" for hit in hits]
    assert {block["title"] for block in results.blocks} == {"Musical instruments", "Mobility equipment"}
    citation = results.citation(location(4, 0, 1), first_result=3)
    assert citation.doc_id == hits[1].id
    assert narsil.verify_quote("rules", citation.doc_id, citation.quote, field="body") == citation


@pytest.mark.parametrize("wrong", [
    location(9, 0, 1), location(0, 0, 99), location(0, 1, 1), location(-1, 0, 1), location(0, 0, True), {},
    location(0, 0, 1, cited_text="Everything travels free."), {"search_result_index": "0"}])
def test_what_cites_nothing_that_was_shown_is_refused(wrong: dict[str, Any]) -> None:
    narsil = rules_engine()
    results = SearchResults(narsil, "rules", narsil.query("rules", "violin"), field="body")
    with pytest.raises(InvalidQuery):
        results.citation(wrong)


def test_a_long_text_shows_the_sentences_round_its_match() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string"})
    text = "".join(f"Sentence number {number} says little. " for number in range(900)) + "A violin is here. The end."
    narsil.insert("docs", {"id": "a", "body": text})
    results = SearchResults(narsil, "docs", narsil.query("docs", "violin"), field="body")
    parts = [part["text"] for part in results.blocks[0]["content"]]
    assert len(parts) == MAX_BLOCKS
    at = parts.index("A violin is here. ")
    citation = results.citation(location(0, at, at + 1))
    assert citation.quote == "A violin is here."
    assert text[citation.start:citation.end] == citation.quote


def test_blocks_are_what_the_client_library_takes() -> None:
    anthropic = pytest.importorskip("anthropic")
    from pydantic import TypeAdapter

    narsil = rules_engine()
    results = SearchResults(narsil, "rules", narsil.query("rules", "violin"), field="body", title="title")
    adapter = TypeAdapter(anthropic.types.SearchResultBlockParam)
    for block in results.blocks:
        adapter.validate_python(block)
    cited = results.blocks[0]["content"][0]["text"]
    found = anthropic.types.CitationsSearchResultLocation(**location(0, 0, 1, cited_text=cited))
    assert results.citation(found).doc_id == "CB-09"
