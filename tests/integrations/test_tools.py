"""Tool definitions, and what a tool answers to whatever a model sends."""
from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy import InvalidConfig, Narsil
from narsilpy.integrations.openai import as_tool, as_tools
from tests.integrations.engine import rules_engine

NARSIL = rules_engine()
TOOLS = {tool.name: tool for tool in as_tools(NARSIL)}


def test_definitions_are_complete() -> None:
    assert list(TOOLS) == ["search", "get", "verify_quote", "list_indexes"]
    for tool in TOOLS.values():
        definition = json.loads(json.dumps(tool.definition))["function"]
        assert definition["description"]
        assert set(definition["parameters"]["required"]) <= set(definition["parameters"]["properties"])
    assert TOOLS["search"].parameters["required"] == ["query"]
    with pytest.raises(InvalidConfig):
        as_tool(NARSIL, "drop_index")


NAMES = ["query", "index", "limit", "offset", "fields", "filters", "id", "quote", "match", "max_chars", "x"]
values = (st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
          | st.lists(st.integers(), max_size=2))


@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(st.sampled_from(NAMES), values, max_size=5))
def test_whatever_a_model_sends_has_an_answer(name: str, arguments: dict[str, Any]) -> None:
    answer = TOOLS[name](arguments)
    json.dumps(answer)
    assert isinstance(answer, dict)


@pytest.mark.parametrize("arguments", ["{", "[1]", "5", "null", '{"query": "x", "sql": 1}', "[" * 100_000])
def test_arguments_that_are_none_are_told_so(arguments: str) -> None:
    assert TOOLS["search"](arguments)["error"]["code"] == "INVALID_ARGUMENTS"


def test_pages_follow_each_other() -> None:
    first = TOOLS["search"]({"query": "free of charge", "limit": 1})
    second = TOOLS["search"](json.dumps({"query": "free of charge", "limit": 1, "offset": first["next_offset"]}))
    assert first["hits"][0]["id"] != second["hits"][0]["id"]
    assert as_tool(NARSIL, index="rules")({"query": "violin"})["best_coverage"] == 1.0


@pytest.mark.parametrize("many", [
    {f"k{number}": number for number in range(60_000)}, [[] for _ in range(60_000)], [""] * 60_000,
    [{} for _ in range(60_000)]])
def test_a_document_of_many_small_values_is_cut_too(many: Any) -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string"})
    narsil.insert("docs", {"id": "1", "body": "a violin", "many": many})
    answer = as_tool(narsil, "get")({"id": "1"})
    assert len(json.dumps(answer)) < 200_000
    assert answer["cut_fields"]["many"] == len(many)


def test_offsets_in_an_array_name_their_element() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"tags": "string[]"})
    tags = ["red apple", "the green needle here, a needle"]
    narsil.insert("docs", {"id": "1", "tags": tags})
    (hit,) = as_tool(narsil)({"query": "needle"})["hits"]
    assert [tags[value][start:end] for start, end, value in hit["spans"]] == ["needle", "needle"]
    quote = hit["quote"]
    assert tags[quote["value"]][quote["start"]:quote["end"]] == quote["text"]
