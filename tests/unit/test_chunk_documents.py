"""Documents in chunks: whatever is quoted of a chunk is cited by the source and its offsets, after a restart, too."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narsilpy import Citation, DocumentAlreadyExists, InvalidConfig, InvalidDocument, Narsil

BODY = ("One bag is free. Two bags are not. Dr. Stone says so. A violin counts as a bag.\n\nA bag is a bag. "
        "\u00c9te\u0301 \U0001f600 bags are free. A cello needs a ticket. One bag is free.")
RULE: dict[str, Any] = {"id": "CB-04", "title": "Cabin bags", "body": BODY, "tags": ["bag", "violin case"],
                        "year": 2024}
SCHEMA = {"title": "string", "body": "string", "tags": "string[]", "year": "number"}


@pytest.fixture(params=["memory", "disk", "reopened"])
def narsil(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    path = None if request.param == "memory" else tmp_path / "engine"
    engine = Narsil(path)
    engine.create_index("rules", schema=SCHEMA)
    engine.insert("rules", {"id": "AA", "body": "A violin stands here, too. One bag is free."})
    ids = engine.insert_chunks("rules", RULE, field="body", max_chars=40, overlap=18)
    assert ids == [f"CB-04#{number}" for number in range(len(ids))] and len(ids) > 4
    if request.param == "reopened":
        engine.close()
        engine = Narsil(path)
    yield engine
    engine.close()


def check(citation: Citation | None, words: str) -> None:
    assert citation is not None and citation.doc_id == "CB-04" and citation.quote == words
    assert BODY[citation.start:citation.end] == words


def test_every_chunk_knows_its_place(narsil: Narsil) -> None:
    for doc_id in narsil.index("rules"):
        document = narsil.get("rules", doc_id)
        assert document is not None
        if doc_id != "AA":
            place = document["chunk_of"]
            assert BODY[place["start"]:place["end"]] == document["body"] and document["tags"] == RULE["tags"]
            check(narsil.verify_quote("rules", doc_id, document["body"], field="body"), document["body"])


def test_quotes_of_hits_have_offsets_of_the_source(narsil: Narsil) -> None:
    hits = narsil.query("rules", "bags violin cello", fields=["body"]).hits
    quotes = [(hit.id, quote) for hit in hits if (quote := hit.quote("body"))]
    quotes += [(hit.id, quote) for hit in hits for quote in narsil.quotes("rules", hit.id, "body", "bags violin")]
    assert any(quote.source == "CB-04" and quote.start > 40 for _, quote in quotes)
    for doc_id, quote in quotes:
        text = BODY if quote.source == "CB-04" else narsil.get("rules", doc_id)["body"]     # type: ignore[index]
        assert text[quote.start:quote.end] == quote.text
        assert (quote.source is None) == (doc_id == "AA")


def test_the_source_is_cited_by_its_own_id(narsil: Narsil) -> None:
    check(narsil.verify_quote("rules", "CB-04", "A cello needs a ticket."), "A cello needs a ticket.")
    whole = "Dr. Stone says so. A violin counts as a bag.\n\nA bag is a bag."
    check(narsil.verify_quote("rules", "CB-04", whole), whole)      # no chunk holds it
    assert narsil.verify_quote("rules", "CB-04", "A cello needs no ticket.") is None
    again = narsil.verify_quote("rules", "CB-04", "One bag is free.", occurrence=1)
    check(again, "One bag is free.")
    assert again is not None and again.start > 100
    title = narsil.verify_quote("rules", "CB-04#2", "Cabin bags")
    assert title is not None and (title.doc_id, title.field, title.start) == ("CB-04", "title", 0)
    tag = narsil.verify_quote("rules", "CB-04", "violin case")
    assert tag is not None and (tag.doc_id, tag.field, tag.start, tag.value) == ("CB-04", "tags", 0, 1)


def test_what_is_nearest_is_cited_by_the_source(narsil: Narsil) -> None:
    for doc_id in ("CB-04", *(name for name in narsil.index("rules") if name.startswith("CB-04#"))):
        nearest = narsil.verify_quote("rules", doc_id, "A cello needs no ticket.", explain=True).nearest
        assert nearest is None or nearest.field != "body" or BODY[nearest.start:nearest.end] == nearest.quote
    nearest = narsil.verify_quote("rules", "CB-04", "A cello needs no ticket.", explain=True).nearest
    check(nearest, "A cello needs a ticket.")


def test_located_quotes_name_each_source_once(narsil: Narsil) -> None:
    found = narsil.locate_quote("rules", "One bag is free.")
    assert [(citation.doc_id, citation.start) for citation in found] == [("AA", 27), ("CB-04", 0)]


def test_a_citation_is_resolved_in_the_chunks(narsil: Narsil) -> None:
    for words in ("A cello needs a ticket.", "One bag is free."):
        citation = narsil.verify_quote("rules", "CB-04", words)
        assert citation is not None and narsil.resolve(citation) == citation
        assert narsil.index("rules").resolve(citation) == citation
        moved = Citation("rules", "CB-04", "body", 3, 3 + len(words), words)
        check(narsil.resolve(moved), words)
    assert narsil.resolve(Citation("rules", "CB-04", "body", 0, 4, "gone")) is None


def test_the_text_of_the_source_is_put_together(narsil: Narsil) -> None:
    index = narsil.index("rules")
    assert index.source_text("CB-04", "body") == BODY == index.source_text("CB-04#1", "body")
    assert index.source_text("CB-04", "title") == "Cabin bags" and index.source_text("AA", "title") is None
    assert index.source_text("none", "body") is None
    assert index.remove_chunks("CB-04") > 4 and index.remove_chunks("CB-04") == 0
    assert list(index) == ["AA"] and index.source_text("CB-04", "body") is None


def test_a_changed_chunk_is_a_document_of_its_own(narsil: Narsil) -> None:
    document = narsil.get("rules", "CB-04#1")
    assert document is not None
    document["body"] = document["body"].swapcase()
    narsil.update("rules", "CB-04#1", document)
    citation = narsil.verify_quote("rules", "CB-04#1", document["body"])
    assert citation is not None and (citation.doc_id, citation.start) == ("CB-04#1", 0)
    assert narsil.source_text("rules", "CB-04", "body") is None
    assert narsil.verify_quote("rules", "CB-04", "A cello needs a ticket.") is None


def test_chunks_are_refused_whole() -> None:
    narsil = Narsil()
    narsil.create_index("rules", schema=SCHEMA)
    index = narsil.index("rules")
    for wrong in ({"id": "a"}, {"id": "a", "body": ""}, {"id": "a", "body": ["x"]}, {"id": 3, "body": "x"}, "text",
                  {"id": "a", "body": BODY, "year": "soon"}, {"id": "a", "body": "x", "chunk_of": {}}):
        with pytest.raises(InvalidDocument):
            index.insert_chunks(wrong, field="body", max_chars=40)     # type: ignore[arg-type]
    with pytest.raises(InvalidConfig):
        index.insert_chunks(RULE, field="body", max_chars=0)
    assert len(index) == 0
    index.insert_chunks(RULE, field="body")
    with pytest.raises(DocumentAlreadyExists):
        index.insert_chunks(RULE, field="body")
    assert len(index.insert_chunks({"body": BODY}, field="body")) == 1      # an id of its own
    nested = index.insert_chunks({"meta": {"text": BODY, "kept": 1}}, "N", field="meta.text", max_chars=60)
    assert narsil.get("rules", nested[1])["meta"]["kept"] == 1      # type: ignore[index]
    assert index.source_text("N", "meta.text") == BODY


PLACE = {"id": "x", "field": "body", "start": 0, "end": 6, "number": 0, "count": 1, "crc32": 0}


@pytest.mark.parametrize("place", [None, 3, [], {}, {"id": "x"}, PLACE, {**PLACE, "id": 1}, {**PLACE, "field": "title"},
                                   {**PLACE, "start": 1e300, "end": 5.5}, {**PLACE, "start": -6, "end": 0}])
def test_a_foreign_field_of_that_name_changes_nothing(place: object) -> None:
    narsil = Narsil()
    narsil.create_index("rules", schema={"body": "string"})
    narsil.insert("rules", {"id": "a", "body": "A bag.", "chunk_of": place})
    citation = narsil.verify_quote("rules", "a", "A bag.")
    assert citation is not None and (citation.doc_id, citation.start, citation.end) == ("a", 0, 6)
    quote = narsil.query("rules", "bag")[0].quote("body")
    assert quote is not None and (quote.source, quote.start) == (None, 0)


def test_tools_and_blocks_for_models_keep_to_one_text(narsil: Narsil) -> None:
    from narsilpy.integrations.anthropic import SearchResults
    from narsilpy.integrations.openai import as_tool

    hits = narsil.query("rules", "cello", fields=["body"]).hits
    results = SearchResults(narsil, "rules", hits, field="body")
    blocks = results.blocks[0]["content"]
    for number in range(len(blocks)):
        if blocks[number]["text"].strip():
            location = {"search_result_index": 0, "start_block_index": number, "end_block_index": number + 1}
            check(results.citation(location), blocks[number]["text"].strip())
    found = as_tool(narsil, "search")({"query": "cello"})["hits"][0]
    document = narsil.get("rules", found["id"])
    assert document is not None
    quote = found["quote"]
    assert document["body"][quote["start"]:quote["end"]] == quote["text"]
