"""Sorts, facets, groups, cursors and pinned documents against their twin, with any history of writes before them."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import (
    BM25,
    BoostBy,
    DocumentParts,
    ErrorCode,
    FacetOptions,
    FacetRange,
    Filters,
    GroupOptions,
    InvalidQuery,
    Narsil,
    Pinned,
    SortBy,
)
from tests.reference.arranging import facet, grouped, in_order, with_pins

TYPES = {"s": "string:sortable", "e": "enum", "n": "number", "b": "boolean", "ss": "string[]", "ns": "number[]",
         "es": "enum[]"}
words = st.sampled_from(["", "a", "A", "ab", "B", "ß", "ss", "İ", "z" * 600, "z" * 600 + "a"])
numbers = st.sampled_from([-1, 0, 1, 1.5, 2, float("inf")])
documents = st.fixed_dictionaries({}, optional={
    "s": words | st.none(), "e": words, "n": numbers | st.none(), "b": st.booleans(),
    "ss": st.lists(words, max_size=3), "ns": st.lists(numbers, max_size=3), "es": st.lists(words, max_size=3)})
histories = st.lists(st.tuples(st.sampled_from("abcdefgh").map(lambda name: name + "é"), documents | st.none()),
                     max_size=20)
sorts = st.dictionaries(st.sampled_from(["s", "e", "n", "b"]), st.sampled_from(["asc", "desc"]), min_size=1)


def build(history: list[tuple[str, dict[str, Any] | None]],
          seal_after: int) -> tuple[Narsil, dict[str, dict[str, Any]]]:
    """An engine and its model; columns are made half-way through."""
    narsil = Narsil()
    narsil.create_index("docs", schema={**TYPES, "body": "string"})
    model: dict[str, dict[str, Any]] = {}
    for step, (doc_id, document) in enumerate(history):
        if document is not None:
            narsil.upsert("docs", {**document, "body": "fox " * (1 + step % 3)}, doc_id)
            model[doc_id] = document
        elif model.pop(doc_id, None) is not None:
            narsil.remove("docs", doc_id)
        if step == seal_after:
            narsil.query("docs", "fox", sort=dict.fromkeys("senb", "asc"), facets=list(TYPES))
            narsil.optimize("docs")
    return narsil, model


@given(histories, st.integers(0, 20), sorts, st.integers(1, 4))
def test_sorted_pages_equal_the_twin(history: Any, seal_after: int, sort: dict[str, str], limit: int) -> None:
    narsil, model = build(history, seal_after)
    expected = in_order(list(model), model, sort)
    assert [hit.id for hit in narsil.query("docs", "fox", sort=sort, limit=50)] == expected
    assert [hit.id for hit in narsil.query("docs", "fox", sort=sort, limit=limit, offset=2)] == expected[2:2 + limit]
    shown: list[str] = []
    listed: list[str] = []
    cursor = page = None
    while True:
        result = narsil.query("docs", "fox", sort=sort, limit=limit, search_after=cursor)
        shown += [hit.id for hit in result]
        cursor = result.cursor
        if cursor is None:
            break
    while True:
        entries = narsil.list_documents("docs", sort=sort, limit=limit, cursor=page)
        listed += [entry.id for entry in entries.documents]
        page = entries.cursor
        if page is None:
            break
    assert shown == listed == expected
    assert entries.total == len(model)


@given(histories, st.integers(0, 20), st.lists(st.tuples(
    st.sampled_from("abcdefgh").map(lambda name: name + "é") | st.just("nobody"), st.integers(0, 9)),
    max_size=4, unique_by=lambda pin: pin[0]), st.integers(1, 4), st.booleans())
def test_pages_with_pinned_documents_show_each_hit_once(history: Any, seal_after: int, pins: Any, limit: int,
                                                        by_offset: bool) -> None:
    narsil, model = build(history, seal_after)
    plain = [hit.id for hit in narsil.query("docs", "fox", limit=50)]
    expected = with_pins(plain, pins, model)
    pinned = [{"doc_id": doc_id, "position": position} for doc_id, position in pins]
    shown: list[str] = []
    cursor = None
    while True:
        if by_offset:
            result = narsil.query("docs", "fox", limit=limit, offset=len(shown), pinned=pinned)
        else:
            result = narsil.query("docs", "fox", limit=limit, search_after=cursor, pinned=pinned)
        shown += [hit.id for hit in result]
        cursor = result.cursor
        assert result.count == len(plain)
        if cursor is None:
            break
    assert shown == expected


@given(histories, st.integers(0, 20), st.integers(0, 3))
def test_facets_equal_the_twin(history: Any, seal_after: int, limit: int) -> None:
    narsil, model = build(history, seal_after)
    names = list(TYPES)
    for term, filters in (("fox", None), (None, {"fields": {"n": {"gte": 0}}})):
        result = narsil.query("docs", term, filters=filters, facets=names, limit=1)
        ids = [hit.id for hit in narsil.query("docs", term, filters=filters, limit=50)]
        assert result.count == len(ids)
        for name, kind in TYPES.items():
            expected = facet(ids, model, name, kind)
            assert result.facets[name].values == expected
            ordered = sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))
            assert list(result.facets[name].values.items()) == ordered
            short = narsil.query("docs", term, filters=filters, facets={name: {"limit": limit}}).facets[name]
            assert list(short.values.items()) == ordered[:limit]
    ranges = narsil.query("docs", "fox", facets={"ns": {"ranges": [{"from": 0, "to": 2}, {"to": 0}]}}).facets["ns"]
    assert ranges.values == {
        "0-2": sum(any(0 <= n < 2 for n in document.get("ns") or ()) for document in model.values()),
        "*-0": sum(any(n < 0 for n in document.get("ns") or ()) for document in model.values())}


@given(histories, st.integers(0, 20), st.lists(st.sampled_from(["s", "e", "n", "b"]), unique=True, max_size=3),
       st.integers(1, 3), sorts | st.none())
def test_groups_equal_the_twin(history: Any, seal_after: int, names: list[str], most: int,
                               sort: dict[str, str] | None) -> None:
    narsil, model = build(history, seal_after)
    result = narsil.query("docs", "fox", group={"fields": names, "max_per_group": most, "reduce": len}, sort=sort)
    ordered = [hit.id for hit in narsil.query("docs", "fox", sort=sort, limit=50)]
    expected = grouped(ordered, model, names, most)
    assert [(group.values, [hit.id for hit in group.hits]) for group in result.groups] == expected
    assert [group.reduced for group in result.groups] == [len(ids) for _, ids in expected]
    if sort is None:
        best = {hit.id: hit.score for hit in narsil.query("docs", "fox", limit=50)}
        assert all(hit.score == best[hit.id] for group in result.groups for hit in group.hits)


@given(histories, st.integers(0, 20), st.sampled_from(["linear", "log1p", "sqrt", "reciprocal"]),
       st.sampled_from([0.0, 0.5, 3.0]), st.integers(1, 4))
def test_boosted_scores_equal_the_twin(history: Any, seal_after: int, function: str, weight: float, limit: int) -> None:
    from narsilpy.query.boosting import parse_boost_by

    narsil, model = build(history, seal_after)
    option = {"field": "n", "function": function, "weight": weight}
    boost = parse_boost_by(option, narsil._core("docs").schema)
    assert boost is not None
    plain = narsil.query("docs", "fox", limit=50)
    expected = sorted((-hit.score * boost.factor(model[hit.id].get("n")), hit.id) for hit in plain)
    shown: list[tuple[float, str]] = []
    cursor = None
    while True:
        result = narsil.query("docs", "fox", boost_by=option, limit=limit, search_after=cursor)
        shown += [(-hit.score, hit.id) for hit in result]
        cursor = result.cursor
        if cursor is None:
            break
    assert shown == expected
    for score, doc_id in expected:
        assert narsil.explain("docs", doc_id, "fox", boost_by=option).value == -score


@pytest.mark.parametrize(("options", "code"), [
    ({"sort": "n"}, ErrorCode.SEARCH_INVALID_OPTION), ({"sort": {"n": "up"}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"sort": {"body": "asc"}}, ErrorCode.SEARCH_INVALID_FIELD),
    ({"sort": {"x": "asc"}}, ErrorCode.SEARCH_INVALID_FIELD),
    ({"sort": [5]}, ErrorCode.SEARCH_INVALID_OPTION), ({"sort": {5: "asc"}}, ErrorCode.SEARCH_INVALID_FIELD),
    ({"facets": 5}, ErrorCode.SEARCH_INVALID_OPTION), ({"facets": {"x": {}}}, ErrorCode.SEARCH_INVALID_FIELD),
    ({"facets": {"n": None}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"facets": {"n": {"top": 3}}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"facets": {"e": {"ranges": []}}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"facets": {"n": {"ranges": [{"from": "a"}]}}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"facets": {"n": {"ranges": [{"to": 1}, {"to": 1}]}}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"group": []}, ErrorCode.SEARCH_INVALID_OPTION), ({"group": {"fields": ["ss"]}}, ErrorCode.SEARCH_INVALID_FIELD),
    ({"group": {"fields": ["e"], "reduce": 5}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"pinned": {}}, ErrorCode.SEARCH_INVALID_OPTION), ({"pinned": [{"doc_id": "a"}]}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"pinned": [{"doc_id": "a", "position": -1}]}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"pinned": [{"doc_id": 5, "position": 1}]}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"boost_by": {}}, ErrorCode.SEARCH_INVALID_OPTION), ({"boost_by": {"field": "e"}}, ErrorCode.SEARCH_INVALID_FIELD),
    ({"boost_by": {"field": "n", "function": "exp"}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"boost_by": {"field": "n", "weight": -1}}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"bm25": {"k1": -1}}, ErrorCode.SEARCH_INVALID_OPTION), ({"bm25": 5}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"include_scores": 1}, ErrorCode.SEARCH_INVALID_OPTION),
    ({"search_after": 5}, ErrorCode.SEARCH_INVALID_CURSOR), ({"search_after": "é"}, ErrorCode.SEARCH_INVALID_CURSOR),
    ({"search_after": "A" * 50_000}, ErrorCode.SEARCH_INVALID_CURSOR),
    ({"search_after": "AAAAAAAAAAA="}, ErrorCode.SEARCH_INVALID_CURSOR)])
def test_bad_options_are_refused_even_where_nothing_is_asked(options: dict[str, Any], code: ErrorCode) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={**TYPES, "body": "string"})
    for term in (None, "", "fox"):
        with pytest.raises(InvalidQuery) as caught:
            narsil.query("docs", term, **options)
        assert caught.value.code == code


def test_a_cursor_is_bound_to_its_question() -> None:
    narsil = Narsil()
    for name in ("docs", "other"):
        narsil.create_index(name, schema={**TYPES, "body": "string"})
        for number in range(5):
            narsil.insert(name, {"id": str(number), "body": "fox den", "n": number})
    cursor = narsil.query("docs", "fox", limit=2).cursor
    assert cursor is not None
    assert len(narsil.query("docs", "fox", limit=2, search_after=cursor)) == 2
    # what does not change the order may change from page to page
    assert len(narsil.query("docs", "fox", limit=3, search_after=cursor, highlight={"fields": ["body"]})) == 3
    foreign: list[tuple[str, str, dict[str, Any]]] = [
        ("other", "fox", {}), ("docs", "den", {}), ("docs", "fox", {"sort": {"n": "asc"}}),
        ("docs", "fox", {"min_score": 0.001}), ("docs", "fox", {"filters": {"fields": {"n": {"gte": 0}}}})]
    for name, term, options in foreign:
        with pytest.raises(InvalidQuery) as caught:
            narsil.query(name, term, search_after=cursor, **options)
        assert caught.value.code == ErrorCode.SEARCH_INVALID_CURSOR
    for at in range(len(cursor)):
        damaged = cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1:]
        with pytest.raises(InvalidQuery):
            narsil.query("docs", "fox", search_after=damaged)
    with pytest.raises(InvalidQuery):
        narsil.list_documents("docs", cursor=cursor)


def test_option_records_are_options() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={**TYPES, "body": "string"}, bm25=BM25(k1=1.5))
    for number in range(6):
        narsil.insert("docs", {"id": str(number), "body": "fox den", "n": number, "e": "ab"[number % 2]})
    records = narsil.query(
        "docs", "fox", filters=Filters(fields={"n": {"gte": 1}}, not_=Filters(fields={"n": {"eq": 4}})),
        sort=[SortBy(field="n", direction="desc")], group=GroupOptions(fields=["e"], max_per_group=1),
        facets={"e": FacetOptions(limit=1), "n": FacetOptions(ranges=[FacetRange(end=3, label="few")])},
        pinned=[Pinned(doc_id="0", position=0)], document=DocumentParts(include=["n"]), include_scores=True,
        bm25=BM25(b=0.0), boost_by=BoostBy(field="n"))
    plain = narsil.query(
        "docs", "fox", filters={"fields": {"n": {"gte": 1}}, "not": {"fields": {"n": {"eq": 4}}}}, sort={"n": "desc"},
        group={"fields": ["e"], "max_per_group": 1}, pinned=[{"doc_id": "0", "position": 0}],
        facets={"e": {"limit": 1}, "n": {"ranges": [{"to": 3, "label": "few"}]}}, document={"include": ["n"]},
        include_scores=True, bm25={"k1": 1.2, "b": 0.0}, boost_by={"field": "n"})
    assert [hit.id for hit in plain] == ["0", "5", "3", "2", "1"]
    assert {**records.to_dict(), "elapsed": 0} == {**plain.to_dict(), "elapsed": 0}
    listed = narsil.list_documents("docs", filters=Filters(fields={"n": {"lt": 2}}), sort=[SortBy(field="n")])
    assert [entry.id for entry in listed.documents] == ["0", "1"]
