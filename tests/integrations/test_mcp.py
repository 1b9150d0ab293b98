"""The server of the Model Context Protocol, through real client sessions: in memory, and over pipes to a process."""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from narsilpy import Narsil
from tests.integrations.engine import rules_engine

mcp = pytest.importorskip("mcp")
anyio = pytest.importorskip("anyio")

from narsilpy.integrations.mcp import server  # noqa: E402  # after the check for the extra


def ask(target: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of some tool calls in one session."""
    async def session() -> list[Any]:
        async with mcp.Client(target, raise_exceptions=False) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"search", "get", "verify_quote", "list_indexes"}
            assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools.values())
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    found: list[Any] = anyio.run(session)
    return found


def test_a_client_searches_reads_and_checks() -> None:
    search, read, true, invented, listed = ask(
        server(rules_engine()), ("search", {"query": "folding pushchair", "limit": 1}), ("get", {"id": "CB-04"}),
        ("verify_quote", {"id": "CB-09", "quote": "a violin or a GUITAR in a soft case counts as the cabin bag."}),
        ("verify_quote", {"id": "CB-04", "quote": "A folding pushchair travels free of charge on every fare."}),
        ("list_indexes", {}))
    hit = search.structured_content["hits"][0]
    assert (hit["id"], hit["quote"]["start"], hit["quote"]["end"]) == ("CB-04", 0, 143)
    assert search.structured_content["next_offset"] is None or search.structured_content["count"] > 1
    assert json.loads(search.content[0].text)["hits"][0]["id"] == "CB-04"
    body = read.structured_content["document"]["body"]
    assert [body[start:end] for start, end in hit["spans"]] == ["folding", "pushchair", "pushchair", "fold"]
    assert true.structured_content["verified"]
    assert true.structured_content["citation"]["quote"] == (
        "A violin or a guitar in a soft case counts as the cabin bag.")
    assert not invented.structured_content["verified"]
    assert invented.structured_content["nearest"]["doc_id"] == "CB-04"
    assert listed.structured_content["result"][0]["name"] == "rules"


@pytest.mark.parametrize(("tool", "arguments", "part"), [
    ("search", {"query": "x", "index": "nowhere"}, "INDEX_NOT_FOUND"), ("get", {"id": "CB-99"}, "DOC_NOT_FOUND"),
    ("search", {"query": "x", "filters": {"fields": {"n": {"like": 1}}}}, "SEARCH_INVALID_FILTER"),
    ("search", {"query": "x", "fields": ["nope"]}, "SEARCH_INVALID_FIELD"),
    ("verify_quote", {"id": "CB-04", "quote": "x", "match": "soundex"}, "SEARCH_INVALID_OPTION"),
    ("search", {}, "query"), ("get", {"id": 5}, "id")])
def test_a_fault_is_a_tool_error_with_our_words(tool: str, arguments: dict[str, Any], part: str) -> None:
    (result,) = ask(server(rules_engine()), (tool, arguments))
    assert result.is_error
    assert part in result.content[0].text
    assert "Traceback" not in result.content[0].text


def test_output_is_bounded() -> None:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string", "tags": "string[]"})
    narsil.insert_batch("docs", ({"id": str(number), "body": "needle " + "hay " * 50_000, "tags": ["needle"] * 5_000}
                                 for number in range(40)))
    search, read, rest = ask(server(narsil), ("search", {"query": "needle", "limit": 1_000}), ("get", {"id": "1"}),
                             ("get", {"id": "1", "offset": 200_000}))
    assert len(search.structured_content["hits"]) == 25
    assert search.structured_content["next_offset"] == 25
    assert len(search.content[0].text) < 100_000
    assert len(read.content[0].text) < 60_000
    assert read.structured_content["cut_fields"]["body"] == 200_007
    assert rest.structured_content["document"]["body"].strip().endswith("hay")


@pytest.mark.parametrize("kind", ["directory", "file"])
def test_a_process_serves_over_pipes(tmp_path: Path, kind: str) -> None:
    if kind == "directory":
        with Narsil(tmp_path / "engine") as narsil:
            narsil.create_index("rules", schema={"body": "string"})
            narsil.insert("rules", {"id": "CB-09", "body": "A violin counts as the cabin bag."})
        path = tmp_path / "engine"
    else:
        path = tmp_path / "rules.jsonl"
        path.write_text('{"id": "CB-09", "body": "A violin counts as the cabin bag.", "n": 1}\n', "utf-8")
    command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "narsilpy", "mcp", str(path)])
    (result,) = ask(command, ("search", {"query": "violins"}))
    assert result.structured_content["hits"][0]["quote"]["text"] == "A violin counts as the cabin bag."
