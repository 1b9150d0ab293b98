"""`explain`, score components and coverage: the numbers add up to the score, whatever the query is."""
from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narsilpy import Boost, Explanation, Fuzzy, Narsil, Phrase, Prefix, Term, parse_query

words = st.sampled_from(["red", "fox", "foxes", "den", "deep", "blue", "the"])
documents = st.lists(st.fixed_dictionaries({"t": st.lists(words, max_size=6).map(" ".join),
                                            "u": st.lists(words, max_size=4).map(" ".join), "n": st.integers(0, 9)}),
                     min_size=1, max_size=8)
queries = st.lists(words, min_size=1, max_size=4).map(" ".join) | st.sampled_from([
    Phrase("red fox"), Prefix("de"), Fuzzy("foz"), Term("red") | Boost(Term("fox"), 2.5), Term("red") & ~Term("den"),
    Boost(Term("fox"), -1.0) | Prefix("d"), parse_query("+red fox -blue")])


def check(node: Explanation) -> None:
    """Every value follows from those below it."""
    if node.operation == "sum":
        total = 0.0
        for detail in node.details:
            total += detail.value
        assert node.value == total
    elif node.operation == "max":
        assert node.value == max(detail.value for detail in node.details)
    elif node.operation == "product":
        assert node.value == math.prod(detail.value for detail in node.details)
    elif node.operation == "bm25":
        numbers = node.numbers
        assert node.value == numbers["weight"] * numbers["tf"] / (numbers["tf"] + numbers["normal"])
        n, df = numbers["n_docs"], numbers["df"]
        assert numbers["idf"] == math.log((n - df + 0.5) / (df + 0.5) + 1)
        assert math.isclose(numbers["weight"], numbers["boost"] * numbers["factor"] * numbers["idf"] * 2.2)
        assert math.isclose(numbers["normal"], 1.2 * (1 - 0.75 + 0.75 * numbers["length"] / numbers["average_length"]))
    for detail in node.details:
        check(detail)


def engine(found: list[dict[str, Any]], optimize: bool) -> Narsil:
    narsil = Narsil()
    narsil.create_index("docs", schema={"t": "string", "u": "string", "n": "number"})
    narsil.insert_batch("docs", [{**document, "id": f"d{number}"} for number, document in enumerate(found)])
    if optimize:
        narsil.optimize("docs")
    return narsil


@given(documents, queries, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_the_tree_adds_up_to_the_score(found: Any, query: Any, optimize: bool, prefix: bool, fuzzy: bool,
                                       boosted: bool) -> None:
    narsil = engine(found, optimize)
    options: dict[str, Any] = {"prefix": prefix, "tolerance": int(fuzzy), "boost": {"t": 2.0}} if isinstance(
        query, str) else {}
    if boosted:
        options["boost_by"] = {"field": "n", "function": "log1p", "weight": 0.7}
    result = narsil.query("docs", query, limit=100, include_score_components=True, **options)
    scores = {hit.id: hit.score for hit in result}
    for number in range(len(found)):
        explanation = narsil.explain("docs", f"d{number}", query, **options)
        assert explanation.matches == (f"d{number}" in scores)
        assert explanation.value == scores.get(f"d{number}", 0.0)
        check(explanation)
        assert str(explanation).count("\n") + 1 == str(explanation.to_dict()).count("'value'")
    for hit in result:
        assert hit.score_components is not None
        for name, tf in hit.score_components.term_frequencies.items():
            field, term = name.split(":")
            tokens = [token.term for token in narsil._core("docs").settings.analyzer.analyze(hit.document[field])]
            assert tokens.count(term) == tf
            assert hit.score_components.field_lengths[field] == len(tokens)
            assert term in hit.score_components.idf


@given(documents, st.lists(words, min_size=1, max_size=4, unique=True), st.booleans())
def test_coverage_is_the_share_of_the_words(found: Any, asked: list[str], as_objects: bool) -> None:
    narsil = engine(found, False)
    analyze = narsil._core("docs").settings.analyzer.analyze
    terms = {token.term for token in analyze(" ".join(asked))}
    query: Any = " ".join(asked)
    if as_objects:
        query = (Term(query) | Phrase("nowhere at all")) & ~Term("nothing")
        terms |= {token.term for token in analyze("nowhere")}
    result = narsil.query("docs", query, limit=100)
    best = 0.0
    for hit in result:
        held = {token.term for name in "tu" for token in analyze(hit.document[name])}
        assert hit.coverage == len(terms & held) / len(terms)
        best = max(best, hit.coverage)
    assert result.best_coverage == best
    assert narsil.query("docs", query, limit=1).best_coverage == best


def test_nothing_is_covered_where_nothing_is_asked() -> None:
    narsil = engine([{"t": "red fox", "u": "", "n": 1}], False)
    for term in (None, "", "the"):
        result = narsil.query("docs", term)
        assert result.best_coverage == 0.0
    result = narsil.query("docs", filters={"fields": {"n": {"eq": 1}}})
    assert (result.best_coverage, result[0].coverage) == (0.0, 0.0)
    assert narsil.query("docs", "blue").best_coverage == 0.0
    assert narsil.query("docs", "red unicorn castle").best_coverage == 1 / 3
