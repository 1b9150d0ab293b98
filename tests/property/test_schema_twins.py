"""The native reader against the careful one, and the stored form against deep copies."""
from __future__ import annotations

import copy
from datetime import date, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narsilpy.errors import InvalidDocument
from narsilpy.schema import Schema, compile_projection, freeze, reach, thaw
from tests.reference.documents import projected, value_at

DEFINITION = {
    "t": "string", "n": "number", "b": "boolean", "e": "enum", "g": "geopoint", "ts": "string[]", "ns": "number[]",
    "bs": "boolean[]", "o": {"t": "string:sortable", "o": {"n": "number"}},
}  # fmt: skip
SCHEMAS = [
    Schema.compile(DEFINITION),
    Schema.compile(DEFINITION, strict=True),
    Schema.compile(DEFINITION, required=["t", "o.t"]),
]

keys = st.sampled_from(["t", "n", "b", "e", "g", "ts", "ns", "bs", "o", "id", "x", "constructor"])
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=3)
    | st.just(datetime(2026, 1, 1)) | st.just(date(2026, 1, 1))
)  # fmt: skip
latitudes, longitudes = st.floats(-100, 100), st.integers(-200, 200)
points = st.fixed_dictionaries({}, optional={"lat": latitudes, "lon": longitudes, "x": st.none()})
values = st.recursive(
    scalars | points | st.lists(st.text(max_size=2), max_size=3) | st.lists(st.booleans() | st.floats(), max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(keys, values, max_size=6)
paths = st.lists(st.lists(keys, min_size=1, max_size=3).map(".".join), max_size=4)


def outcome(read: Any, document: Any) -> Any:
    try:
        return repr(read(document))
    except InvalidDocument as error:
        return error.code, error.message


@given(documents, st.sampled_from(SCHEMAS))
def test_the_native_reader_is_the_careful_reader(document: dict[str, Any], schema: Schema) -> None:
    careful = outcome(schema._careful.read, document)
    assert outcome(schema.read, document) == careful
    native = schema._native.read(document)
    if native is not None:
        assert repr(native) == careful


@given(documents)
def test_a_stored_document_comes_back_as_it_was(document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    stored = freeze(document)
    assert repr(thaw(stored)) == repr(before)
    hash(stored)  # immutable all the way down
    assert repr(document) == repr(before)


@given(documents, st.lists(keys, max_size=3).map(tuple))
def test_reach_is_a_walk_down_the_document(document: dict[str, Any], parts: tuple[str, ...]) -> None:
    assert repr(thaw(reach(freeze(document), parts))) == repr(value_at(document, parts))


@given(documents, paths, paths)
def test_a_projection_is_the_leaves_it_names(document: dict[str, Any], include: list[str], exclude: list[str]) -> None:
    got = compile_projection({"include": include, "exclude": exclude}).apply(freeze(document))
    assert repr(_without_empty(got)) == repr(_without_empty(projected(document, include, exclude)))


def _without_empty(document: Any) -> Any:
    """Objects that a projection emptied may stay or go: the rules do not say."""
    if not isinstance(document, dict):
        return document
    inner = {key: _without_empty(value) for key, value in document.items()}
    return {key: value for key, value in inner.items() if value != {}}
