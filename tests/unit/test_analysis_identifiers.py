"""Identifiers: found whole and in parts where `identifiers=True`."""
from __future__ import annotations

import pytest

from narsilpy import InvalidConfig, Narsil
from narsilpy.analysis import Analyzer


@pytest.mark.parametrize(("text", "terms"), [
    ("RFC-0011", ["rfc-0011", "rfc", "0011"]),
    ("usb-c", ["usb-c", "usb", "c"]),
    ("20.04", ["20.04", "20", "04"]),
    ("C++", ["c++", "c"]),
    ("C#", ["c#", "c"]),
    ("node.js", ["node.js", "node", "js"]),
    ("DEC-0054.", ["dec-0054", "dec", "0054"]),
    ("AT&T", ["at&t", "t"]),
    ("ann.lee@example.com", ["ann.lee@example.com", "ann", "lee", "exampl", "com"]),
    ("10:30", ["10:30", "10", "30"]),
    ("-x -- y", ["x", "y"]),
    ("end. Start", ["end", "start"]),
    ("a..b", ["b"]),
    ("running-shoes", ["running-shoes", "run", "shoe"]),
    ("plain words", ["plain", "word"]),
])
def test_wholes_and_parts(text: str, terms: list[str]) -> None:
    assert [token.term for token in Analyzer(identifiers=True).analyze(text)] == terms


def test_a_whole_has_the_position_of_its_first_part() -> None:
    tokens = Analyzer(identifiers=True).analyze("see RFC-0011 today")
    assert [tuple(token) for token in tokens] == [
        ("see", 0, 0, 3), ("rfc-0011", 1, 4, 12), ("rfc", 1, 4, 7), ("0011", 2, 8, 12), ("today", 3, 13, 18)]


def test_off_by_default_and_checked() -> None:
    assert [token.term for token in Analyzer().analyze("RFC-0011")] == ["rfc", "0011"]
    with pytest.raises(InvalidConfig, match="identifiers"):
        Analyzer(identifiers=1)     # type: ignore[arg-type]  # what is refused


def test_a_chain_of_a_million_parts_costs_no_more_than_its_length() -> None:
    tokens = Analyzer(identifiers=True).analyze("b." * 500_000)
    assert len(tokens) == 500_000


def test_an_index_finds_identifiers_whole_before_parts() -> None:
    with Narsil() as narsil:
        narsil.create_index("rules", schema={"body": "string"}, identifiers=True)
        index = narsil.index("rules")
        index.insert_batch([{"id": "other", "body": "DEC-0011 is no RFC, C is no letter"},
                            {"id": "this", "body": "as RFC-0011 says of C++"}])
        assert [hit.id for hit in index.query("rfc-0011")] == ["this", "other"]
        assert index.query("c++")[0].id == "this"
        hit = index.query("RFC-0011", highlight={"fields": ["body"]})[0]
        assert hit.highlights is not None
        assert hit.highlights["body"].snippet == "as <mark>RFC-0011</mark> says of C++"


def test_durable_indexes_and_snapshots_keep_the_option(tmp_path: object) -> None:
    with Narsil(str(tmp_path)) as narsil:
        narsil.create_index("rules", schema={"body": "string"}, identifiers=True)
        narsil.insert("rules", {"body": "usb-c"})
        data = narsil.snapshot("rules")
    with Narsil(str(tmp_path)) as narsil:
        narsil.insert("rules", {"body": "usb-c again"})
        assert narsil.query("rules", "usb-c", exact=True, term_match=3).count == 2
    with Narsil() as narsil:
        narsil.restore("rules", data)
        narsil.insert("rules", {"body": "usb-c again"})
        assert narsil.query("rules", "usb-c", exact=True, term_match=3).count == 2
