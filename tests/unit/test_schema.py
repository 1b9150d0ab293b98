"""Schemas, document validation, names and projections: the rules one by one."""
from __future__ import annotations

import math
from datetime import UTC, date, datetime
from enum import IntEnum, StrEnum
from typing import Any

import pytest

from narsilpy.errors import IndexNotFound, InvalidConfig, InvalidDocument, InvalidQuery, InvalidSchema
from narsilpy.schema import (
    Schema,
    compile_projection,
    freeze,
    reach,
    text_of,
    thaw,
    validate_doc_id,
    validate_index_name,
)

ALL_TYPES = {
    "t": "string", "s": "string:sortable", "n": "number", "b": "boolean", "e": "enum", "g": "geopoint",
    "ts": "string[]", "ns": "number[]", "bs": "boolean[]", "es": "enum[]", "o": {"x": "string", "p": {"q": "number"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def schema() -> Schema:
    return Schema.compile(ALL_TYPES)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"d": value}
    return value


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        (None, "SCHEMA_INVALID_TYPE"),
        (["t"], "SCHEMA_INVALID_TYPE"),
        ({}, "SCHEMA_INVALID_TYPE"),
        ({"a": "text"}, "SCHEMA_INVALID_TYPE"),
        ({"a": 5}, "SCHEMA_INVALID_TYPE"),
        ({"a": None}, "SCHEMA_INVALID_TYPE"),
        ({"a": ["string"]}, "SCHEMA_INVALID_TYPE"),
        ({"a": "geopoint[]"}, "SCHEMA_INVALID_TYPE"),
        ({"a": "vector[3]"}, "SCHEMA_INVALID_TYPE"),
        ({"a-b": "string"}, "SCHEMA_INVALID_TYPE"),
        ({"a.b": "string"}, "SCHEMA_INVALID_TYPE"),
        ({"é": "string"}, "SCHEMA_INVALID_TYPE"),
        ({"a\n": "string"}, "SCHEMA_INVALID_TYPE"),
        ({"": "string"}, "SCHEMA_INVALID_TYPE"),
        ({5: "string"}, "SCHEMA_INVALID_TYPE"),
        ({"id": "string"}, "SCHEMA_INVALID_TYPE"),
        ({"a": {"prototype": "string"}}, "SCHEMA_INVALID_TYPE"),
        ({"a": {"b": {"c": {"d": {"e": "string"}}}}}, "SCHEMA_DEPTH_EXCEEDED"),
    ],
)
def test_a_bad_schema_is_refused(definition: Any, code: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        Schema.compile(definition)
    assert caught.value.code == code


def test_fields_keep_definition_order_and_number_the_text_fields(schema: Schema) -> None:
    assert " ".join(field.path for field in schema.fields) == "t s n b e g ts ns bs es o.x o.p.q"
    assert [field.path for field in schema.text_fields] == ["t", "s", "ts", "o.x"]
    assert [field.text for field in schema.text_fields] == [0, 1, 2, 3]
    assert [field.slot for field in schema.fields] == list(range(12))
    assert schema.field("o.p.q") is schema.fields[11]
    assert schema.field("o") is None
    assert Schema.compile({"a": {"id": "string"}, "e": {}, "f": {"b": {"c": {"d": "string"}}}}).types() == {
        "a.id": "string",
        "f.b.c.d": "string",
    }


@pytest.mark.parametrize("required", [["nope"], ["o"], "t", 5, [["t"]]])
def test_required_must_name_fields(required: Any) -> None:
    with pytest.raises(InvalidConfig) as caught:
        Schema.compile(ALL_TYPES, required=required)
    assert caught.value.code == "CONFIG_INVALID"


def test_read_fills_the_slots_and_copies_lists(schema: Schema) -> None:
    tags = ["x", "y"]
    document = {"id": "a", "t": "T", "n": 5, "g": {"lat": 1, "lon": 2.5}, "ts": tags, "o": {"p": {"q": 1.5}}}
    texts, values = schema.read(document)
    assert texts == ["T", None, ["x", "y"], None]
    assert values == ["T", None, 5, None, None, (1.0, 2.5), ["x", "y"], None, None, None, None, 1.5]
    tags.append("z")
    assert texts[2] == ["x", "y"]


class Tag(StrEnum):
    NEW = "new"


class Level(IntEnum):
    HIGH = 3


class Words(dict[str, Any]):
    pass


def test_read_takes_subclasses_as_their_plain_values(schema: Schema) -> None:
    _, values = schema.read(Words({"t": Tag.NEW, "n": Level.HIGH, "ts": (Tag.NEW,), "o": Words(x="y")}))
    assert [type(value) for value in (values[0], values[2], values[6][0])] == [str, int, str]
    stored = freeze(Words({"t": Tag.NEW, "n": Level.HIGH, "x": (1, 2), "raw": bytearray(b"ab")}))
    back = thaw(stored)
    assert back == {"t": "new", "n": 3, "x": [1, 2], "raw": b"ab"}
    assert [type(back[key]) for key in ("t", "n", "raw")] == [str, int, bytes]


@pytest.mark.parametrize(
    ("document", "code", "field"),
    [
        (None, "DOC_VALIDATION_FAILED", None),
        ([], "DOC_VALIDATION_FAILED", None),
        ("x", "DOC_VALIDATION_FAILED", None),
        ({1: 2}, "DOC_VALIDATION_FAILED", None),
        ({"t": 5}, "DOC_VALIDATION_FAILED", "t"),
        ({"n": "5"}, "DOC_VALIDATION_FAILED", "n"),
        ({"n": True}, "DOC_VALIDATION_FAILED", "n"),
        ({"n": math.nan}, "DOC_VALIDATION_FAILED", "n"),
        ({"n": 1 << 64}, "DOC_VALIDATION_FAILED", "n"),
        ({"b": "true"}, "DOC_VALIDATION_FAILED", "b"),
        ({"b": 1}, "DOC_VALIDATION_FAILED", "b"),
        ({"e": 1}, "DOC_VALIDATION_FAILED", "e"),
        ({"ts": "x"}, "DOC_VALIDATION_FAILED", "ts"),
        ({"ts": ["x", 1]}, "DOC_VALIDATION_FAILED", "ts"),
        ({"ts": [None]}, "DOC_VALIDATION_FAILED", "ts"),
        ({"ns": [1, math.nan]}, "DOC_VALIDATION_FAILED", "ns"),
        ({"bs": [0]}, "DOC_VALIDATION_FAILED", "bs"),
        ({"o": "x"}, "DOC_VALIDATION_FAILED", "o"),
        ({"o": []}, "DOC_VALIDATION_FAILED", "o"),
        ({"o": {"x": 1}}, "DOC_VALIDATION_FAILED", "o.x"),
        ({"g": [1, 2]}, "SCHEMA_INVALID_GEOPOINT", "g"),
        ({"g": {"lat": 1}}, "SCHEMA_INVALID_GEOPOINT", "g"),
        ({"g": {"lat": 91, "lon": 0}}, "SCHEMA_INVALID_GEOPOINT", "g"),
        ({"g": {"lat": 0, "lon": 181}}, "SCHEMA_INVALID_GEOPOINT", "g"),
        ({"g": {"lat": math.nan, "lon": 0}}, "SCHEMA_INVALID_GEOPOINT", "g"),
        ({"f": print}, "DOC_VALIDATION_FAILED", "f"),
        ({"f": object()}, "DOC_VALIDATION_FAILED", "f"),
        ({"f": {1, 2}}, "DOC_VALIDATION_FAILED", "f"),
        ({"f": 1 << 70}, "DOC_VALIDATION_FAILED", "f"),
        ({"f": [1, {"y": object()}]}, "DOC_VALIDATION_FAILED", "f[1].y"),
        ({"x": {"constructor": 1}}, "DOC_VALIDATION_FAILED", "x.constructor"),
        ({"o": {"__proto__": 1}}, "DOC_VALIDATION_FAILED", "o.__proto__"),
        ({"x": nested(40)}, "DOC_VALIDATION_FAILED", "x" + ".d" * 31),
        ({"x": nested(32)}, "DOC_VALIDATION_FAILED", "x" + ".d" * 31),
    ],
)
def test_a_bad_document_is_refused_with_its_field(schema: Schema, document: Any, code: str, field: str | None) -> None:
    with pytest.raises(InvalidDocument) as caught:
        schema.read(document)
    assert caught.value.code == code
    assert caught.value.details.get("field") == field


def test_a_document_that_holds_itself_is_refused(schema: Schema) -> None:
    loop: dict[str, Any] = {}
    loop["x"] = loop
    with pytest.raises(InvalidDocument):
        schema.read(loop)
    items: list[Any] = []
    items.append(items)
    with pytest.raises(InvalidDocument):
        schema.read({"y": items})


@pytest.mark.parametrize(
    "document",
    [
        {"t": None, "n": None, "o": None, "g": None},
        {"n": math.inf, "zzz": math.nan},
        {"x": nested(31)},
        {"when": datetime(2026, 1, 2, tzinfo=UTC), "day": date(2026, 1, 2), "raw": b"\0\xff"},
        {"n": -(1 << 63), "big": (1 << 64) - 1, "t": "\ud800"},
        {"o": {"x": "y", "more": [[], {}]}, "": {"": []}},
    ],
)
def test_a_good_document_is_read_and_comes_back_equal(schema: Schema, document: dict[str, Any]) -> None:
    schema.read(document)
    assert repr(thaw(freeze(document))) == repr(document)


def test_strict_lists_every_extra_field_and_lets_id_pass() -> None:
    schema = Schema.compile({"t": "string", "o": {"x": "string"}}, strict=True)
    schema.read({"id": "b", "t": "x"})
    with pytest.raises(InvalidDocument) as caught:
        schema.read({"id": "a", "t": "x", "zzz": 1, "o": {"x": "a", "y": 1}})
    assert caught.value.details["fields"] == ["zzz", "o.y"]
    assert "zzz, o.y" in str(caught.value)


@pytest.mark.parametrize("document", [{}, {"t": "x"}, {"t": "x", "o": {"x": None}}, {"t": "x", "o": None}])
def test_required_fields_must_hold_a_value(document: dict[str, Any]) -> None:
    schema = Schema.compile({"t": "string", "o": {"x": "string"}}, required=["t", "o.x"])
    with pytest.raises(InvalidDocument) as caught:
        schema.read(document)
    assert caught.value.code == "DOC_MISSING_REQUIRED_FIELD"
    schema.read({"t": "", "o": {"x": "y"}})


@pytest.mark.parametrize("name", ["", "a b", "-a", "a..b", "é", "a\n", "x" * 256, 5, None])
def test_a_bad_index_name_is_refused(name: Any) -> None:
    with pytest.raises(IndexNotFound):
        validate_index_name(name)


def test_document_ids_are_measured_in_utf16_units() -> None:
    for good in ("a", "x" * 512, "\U0001f600" * 256, "\ud800"):
        assert validate_doc_id(good) == good
    for bad in ("", "a\0b", "x" * 513, "\U0001f600" * 256 + "x", 5, None, b"a"):
        with pytest.raises(InvalidDocument) as caught:
            validate_doc_id(bad)
        assert caught.value.code == "DOC_VALIDATION_FAILED"


def test_what_the_caller_changes_later_never_shows(schema: Schema) -> None:
    document: dict[str, Any] = {"t": "x", "tags": ["a", {"k": [1]}], "raw": bytearray(b"ab")}
    stored = freeze(document)
    document["tags"][1]["k"].append(2)
    document["tags"].append("b")
    document["raw"][0] = 0
    document["new"] = 1
    assert thaw(stored) == {"t": "x", "tags": ["a", {"k": [1]}], "raw": b"ab"}
    first = thaw(stored)
    first["tags"][1]["k"].append(3)
    assert thaw(stored) == {"t": "x", "tags": ["a", {"k": [1]}], "raw": b"ab"}


def test_text_of_reads_one_field() -> None:
    stored = freeze({"t": "x", "ts": ["a", "b"], "none": None, "o": {"x": "y", "l": []}, "mixed": ["a", 1]})
    assert text_of(stored, ("t",)) == "x"
    assert text_of(stored, ("ts",)) == ["a", "b"]
    assert text_of(stored, ("o", "x")) == "y"
    assert text_of(stored, ("o", "l")) == []
    for nowhere in (("none",), ("o",), ("t", "x"), ("ts", "0"), ("zzz",), ("mixed",)):
        assert text_of(stored, nowhere) is None
    assert reach(stored, ("mixed",)) == (None, "a", 1)


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (True, {"id": "p3", "title": "T", "meta": {"author": "Cid", "year": 2019}, "l": [{"a": 1}]}),
        (False, {}),
        ({"include": ["title", "meta.year"]}, {"title": "T", "meta": {"year": 2019}}),
        ({"exclude": ["title", "meta.author", "l"]}, {"id": "p3", "meta": {"year": 2019}}),
        ({"include": ["meta", "title"], "exclude": ["meta.year"]}, {"title": "T", "meta": {"author": "Cid"}}),
        ({"include": ["meta.year", "meta"]}, {"meta": {"author": "Cid", "year": 2019}}),
        ({"include": ["meta", "meta.year"]}, {"meta": {"author": "Cid", "year": 2019}}),
        ({"include": ["nope", "meta.nope", "title.x", "l.a"]}, {}),
        ({"include": []}, {"id": "p3", "title": "T", "meta": {"author": "Cid", "year": 2019}, "l": [{"a": 1}]}),
        ({"exclude": ["meta"]}, {"id": "p3", "title": "T", "l": [{"a": 1}]}),
    ],
)
def test_projections(option: Any, expected: dict[str, Any]) -> None:
    stored = freeze({"id": "p3", "title": "T", "meta": {"author": "Cid", "year": 2019}, "l": [{"a": 1}]})
    assert compile_projection(option).apply(stored) == expected


@pytest.mark.parametrize("option", ["x", 1, [], {"only": []}, {"include": "title"}, {"include": [1]}, {"exclude": {}}])
def test_a_bad_projection_is_refused(option: Any) -> None:
    with pytest.raises(InvalidQuery) as caught:
        compile_projection(option)
    assert caught.value.code == "SEARCH_INVALID_OPTION"
