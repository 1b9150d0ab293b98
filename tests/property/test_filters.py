"""Filters against their twin, with any history of writes before them."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import ErrorCode, InvalidQuery, Narsil
from tests.reference.filters import holds

TYPES = {"s": "string", "e": "enum", "n": "number", "b": "boolean", "ss": "string[]", "ns": "number[]",
         "bs": "boolean[]", "es": "enum[]"}
words = st.sampled_from(["", "a", "ab", "b", "ba"])
numbers = st.sampled_from([-1, 0, 1, 1.5, 2])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "s": words, "e": words, "n": numbers, "b": st.booleans(), "ss": st.lists(words, max_size=3),
    "ns": st.lists(numbers, max_size=3), "bs": st.lists(st.booleans(), max_size=2), "es": st.lists(words, max_size=3)}
documents = st.fixed_dictionaries({}, optional={name: values | st.none() for name, values in VALUES.items()})
anything = words | numbers | st.booleans()
OPERANDS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("eq", "ne", "gt", "lt", "gte", "lte", "starts_with", "ends_with"), anything),
    "between": st.lists(numbers, min_size=2, max_size=2), "size": st.integers(0, 3),
    **dict.fromkeys(("in", "nin", "contains_all", "matches_any"), st.lists(anything, max_size=3)),
    **dict.fromkeys(("exists", "not_exists", "is_empty", "is_not_empty"), st.booleans())}
conditions = st.sampled_from(sorted(OPERANDS)).flatmap(lambda name: OPERANDS[name].map(lambda value: {name: value}))
leaves = st.dictionaries(st.sampled_from(sorted(TYPES)), conditions, max_size=2).map(lambda fields: {"fields": fields})
expressions = st.recursive(leaves, lambda inner: st.one_of(
    st.lists(inner, max_size=3).map(lambda parts: {"and": parts}),
    st.lists(inner, max_size=3).map(lambda parts: {"or": parts}),
    inner.map(lambda part: {"not": part})), max_leaves=5)


@given(st.lists(documents, max_size=12), st.lists(st.tuples(st.integers(0, 11), documents | st.none()), max_size=5),
       st.lists(expressions, min_size=1, max_size=4), st.booleans())
def test_filters_equal_the_twin(first: list[dict[str, Any]], changes: list[tuple[int, dict[str, Any] | None]],
                                wanted: list[dict[str, Any]], ask_before: bool) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={**TYPES, "body": "string"})
    model = {f"d{number:02}": document for number, document in enumerate(first)}
    for doc_id, document in model.items():
        narsil.insert("docs", {**document, "body": "fox"}, doc_id)
    if ask_before:      # columns exist before the changes come
        narsil.query("docs", filters=wanted[0])
    for number, change in changes:
        doc_id = f"d{number:02}"
        if change is not None:
            narsil.upsert("docs", {**change, "body": "fox"}, doc_id)
            model[doc_id] = change
        elif model.pop(doc_id, None) is not None:
            narsil.remove("docs", doc_id)
    for expression in wanted:
        expected = sorted(doc_id for doc_id, document in model.items() if holds(expression, document, TYPES))
        result = narsil.query("docs", filters=expression, limit=100)
        assert [hit.id for hit in result] == expected
        assert result.count == len(expected)
        searched = narsil.query("docs", "fox", filters=expression, limit=100)
        assert sorted(hit.id for hit in searched) == expected
        assert searched.count == len(expected)


@pytest.mark.parametrize("filters", [
    5, [], {"any": []}, {"fields": []}, {"fields": {"n": 5}}, {"fields": {"n": {"like": 1}}},
    {"fields": {"n": {"between": 5}}}, {"fields": {"n": {"between": [1]}}}, {"fields": {"n": {"in": "abc"}}},
    {"and": {}}, {"or": 5}, {"not": []}, {"fields": {"n": {"exists": "yes"}}},
    {"fields": {"ss": {"size": {"like": 1}}}}, {"fields": {"n": {"eq": [1]}}}, {"fields": {"s": {"ne": {}}}},
    {"fields": {"n": {"radius": {"lat": 0, "lon": 0, "distance": 1}}}}, {"fields": {"x": {"polygon": {}}}}])
def test_a_malformed_filter_is_refused_even_where_nothing_is_asked(filters: Any) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema=TYPES)
    for term in (None, "", "fox"):
        with pytest.raises(InvalidQuery) as caught:
            narsil.query("docs", term, filters=filters)
        assert caught.value.code == ErrorCode.SEARCH_INVALID_FILTER


def test_numbers_beyond_all_floats_are_bounds_like_others() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"n": "number"})
    for number in (1, float("inf")):
        narsil.insert("docs", {"n": number})
    for operators, count in (({"lt": 10**400}, 1), ({"gt": -(10**400)}, 2), ({"eq": 10**400}, 0),
                             ({"eq": float("inf")}, 1), ({"between": [-(10**400), 5]}, 1)):
        assert narsil.query("docs", filters={"fields": {"n": operators}}).count == count, operators
