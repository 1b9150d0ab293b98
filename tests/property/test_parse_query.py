"""`parse_query` on any string: never an error, neither to read nor to run, and the meaning of what it documents."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import And, Boost, Fuzzy, Maybe, Narsil, Not, Or, Phrase, Prefix, Term, parse_query
from narsilpy.query.objects import Lenient, Node, Scoped

DOCUMENTS = {
    "a": {"title": "Folding pushchair", "body": "A folding pushchair travels free in the hold."},
    "b": {"title": "Cabin bag", "body": "One cabin bag travels free; a violin counts as the cabin bag."},
    "c": {"title": "Violin", "body": "A violin needs a seat of its own."},
    "d": {"title": "Nothing", "body": "The hold is closed."}}


def engine() -> Narsil:
    narsil = Narsil()
    narsil.create_index("rules", schema={"title": "string", "body": "string", "n": "number"})
    for doc_id, document in DOCUMENTS.items():
        narsil.insert("rules", document, doc_id)
    return narsil


NARSIL = engine()
PIECES = st.sampled_from([*"()\"*~^+-: ", " AND ", " OR ", " NOT ", "title:", "n:", "nope:", "folding", "violin", "pus",
                          "~2", "^3", "^0.5", '"cabin bag"', "the", "é", "字", "\x00", "\ud800", "&&", "||", "\\"])


@given(st.lists(PIECES, max_size=40).map("".join) | st.text())
def test_any_string_is_a_query_that_runs(text: str) -> None:
    node = parse_query(text)
    assert isinstance(node, Node)
    assert parse_query(text) == node
    result = NARSIL.query("rules", node, highlight={"fields": ["title", "body"]})
    assert result.count <= len(DOCUMENTS)


@given(st.lists(st.sampled_from(["folding", "cabin", "violin", "seat", "the", "bag"]), max_size=8))
def test_plain_words_are_a_plain_query(words: list[str]) -> None:
    text = " ".join(words)
    found, plain = NARSIL.query("rules", parse_query(text)), NARSIL.query("rules", text)
    assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in plain]


@pytest.mark.parametrize(("text", "node"), [
    ("", Term("")), ("   ", Term("")), ("((", Term("")), ('"', Term("")), ("AND", Term("")), ("- + -", Term("- + -")),
    ("-violin", Not(Term("violin"))), ("NOT violin", Not(Term("violin"))), ("NOT -violin", Term("violin")),
    ("+free hold", And(Term("free"), Maybe(Term("hold")))), ("a AND b OR c", Or(And(Term("a"), Term("b")), Term("c"))),
    ("(a OR b) AND c", And(Or(Term("a"), Term("b")), Term("c"))), ("-(a b)", Not(Term("a b"))),
    ("NOT (a b) c", And(Term("c"), Not(Term("a b")))), ("a^2 b", Or(Boost(Term("a"), 2.0), Term("b"))),
    ('"a b"~3^2', Boost(Phrase("a b", 3), 2.0)), ("(a b)^2", Boost(Term("a b"), 2.0)), ("usb-c", Term("usb-c")),
    ("push*", Prefix("push")), ("violn~ sea~2", Or(Fuzzy("violn", 1), Fuzzy("sea", 2))),
    ("title:a", Scoped("title", Term("a", field="title"), Term("title a"))),
    ("title:(a b)", Scoped("title", Term("a", field="title"), Term("a"))),
    ('title:"a b"', Scoped("title", Phrase("a b", field="title"), Or(Term("title"), Phrase("a b"))))])
def test_what_a_text_means(text: str, node: Node) -> None:
    found = parse_query(text)
    if text == "title:(a b)":
        found = found.nodes[0] if isinstance(found, Or) else found      # two words of a field, side by side
    assert found == node


@pytest.mark.parametrize(("text", "ids"), [
    ("title:violin", "c"), ("body:violin", "bc"), ("nope:violin", "bc"), ("n:violin", "bc"), ("+violin -seat", "b"),
    ('"cabin bag" OR closed', "bd"), ("fold*", "a"), ("violon~", "bc"), ("free AND hold", "a"),
    ("free AND NOT hold", "b"), ("-violin", "ad"), ("title:(violin folding)", "ac"), ("hold -the", "ad")])
def test_what_a_text_finds(text: str, ids: str) -> None:
    assert sorted(hit.id for hit in NARSIL.query("rules", parse_query(text))) == list(ids)


def test_a_query_of_more_words_than_an_operator_bears_is_read_as_words() -> None:
    text = "-seat " + " ".join(f"word{number}" for number in range(500)) + " violin"
    node = parse_query(text)
    assert isinstance(node, Lenient)
    assert sorted(hit.id for hit in NARSIL.query("rules", node)) == ["b", "c"]


def test_the_cost_of_hostile_texts_is_linear() -> None:
    """Counted in nodes, not in time: nothing nests deeper than the limit, nothing is repeated."""
    def size(node: Any) -> int:
        below = getattr(node, "nodes", None) or [getattr(node, name) for name in ("node", "otherwise")
                                                 if hasattr(node, name)]
        return 1 + sum(map(size, below))

    for piece in ("(", "(a ", "-(", "a AND ", '"', "title:(", "+a -b ", "NOT ", "a^2 "):
        assert size(parse_query(piece * 3_000)) <= 10 * 10_000
