"""The recorded faults of the original: the same codes for bad input, a typed error where it leaked a raw one."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from narsilpy import Narsil
from narsilpy.errors import NarsilError
from tests.conformance.differences import DIFFERENCES
from tests.conformance.recorded import load, options, value

FILE = "errors.json"
# What a case may do to be run here; the rest asks for what is not offered (vectors, partitions).
OPERATIONS = {"insert", "query", "count", "createIndex", "insertBatch", "get", "update", "remove", "has", "removeBatch",
              "updateBatch", "getMultiple", "preflight", "clear", "dropIndex", "listIndexes", "list", "suggest"}
SETTINGS = {"schema", "language", "required", "strict", "bm25", "stop_words", "tokenizer"}
QUERY = {"term", "fields", "filters", "boost", "term_match", "min_score", "limit", "offset", "document", "tolerance",
         "prefix_length", "prefix", "exact", "facets", "sort", "group", "pinned", "search_after", "include_scores"}


def supported(case: dict[str, Any]) -> bool:
    return ("ops" in case["expected"] and "vector" not in case["name"]
            and set(options(case.get("config") or {})) <= SETTINGS
            and all(operation["op"] in OPERATIONS and set(options(operation.get("query") or {})) <= QUERY
                    and set(options(operation.get("config") or {})) <= SETTINGS for operation in case["ops"]))


def settings(config: dict[str, Any]) -> dict[str, Any]:
    """`create_index` arguments, without the vector field that the recorded schema has beside the others."""
    found = options(config or {})
    if isinstance(found.get("schema"), dict) and len(found["schema"]) > 1:
        found["schema"] = {name: kind for name, kind in found["schema"].items() if kind != "vector[3]"}
    return found


def code_of(call: Callable[[], Any]) -> str | None:
    """The code of the error that a call raises, None where it works."""
    try:
        call()
    except NarsilError as error:
        return error.code.value
    return None


def operation(narsil: Narsil, step: dict[str, Any]) -> Callable[[], Any]:
    index = step.get("index", "docs")
    document, doc_id = value(step.get("doc")), value(step.get("docId"))
    calls: dict[str, Callable[[], Any]] = {
        "insert": lambda: narsil.insert(index, document, doc_id),
        "insertBatch": lambda: narsil.insert_batch(index, value(step["docs"])),
        "update": lambda: narsil.update(index, doc_id, document),
        "updateBatch": lambda: narsil.update_batch(
            index, [(item["docId"], item["document"]) for item in step["updates"]]),
        "remove": lambda: narsil.remove(index, doc_id),
        "removeBatch": lambda: narsil.remove_batch(index, step["docIds"]),
        "get": lambda: narsil.get(index, doc_id),
        "getMultiple": lambda: narsil.get_multiple(index, value(step["docIds"])),
        "has": lambda: narsil.has(index, doc_id),
        "count": lambda: narsil.count_documents(index),
        "clear": lambda: narsil.clear(index),
        "dropIndex": lambda: narsil.drop_index(index),
        "listIndexes": narsil.list_indexes,
        "query": lambda: narsil.query(index, **options(step["query"] or {})),
        "list": lambda: narsil.list_documents(index, **options(step.get("params") or {})),
        "suggest": lambda: narsil.suggest(index, **({"prefix": None} | options(step["suggest"] or {}))),
        "preflight": lambda: narsil.preflight(index, **options(step["query"])),
        "createIndex": lambda: narsil.create_index(index, **settings(step["config"])),
    }
    return calls[step["op"]]


def run(case: dict[str, Any]) -> list[Any]:
    """`(what happened, what was recorded)` of every step; "typed" stands for errors without a recorded code."""
    narsil = Narsil()
    recorded = case["expected"]
    pairs = []
    if case.get("config") is not None:
        wanted = recorded.get("createIndex")
        code = code_of(lambda: narsil.create_index("docs", **settings(case["config"])))
        pairs.append((code, wanted["error"]["code"] if isinstance(wanted, dict) and "error" in wanted else None))
        if code is not None:
            return pairs
    for step, wanted in zip(case["ops"], recorded["ops"], strict=True):
        code = code_of(operation(narsil, step))
        if isinstance(wanted, dict) and "error" in wanted:
            raw = wanted["error"]["code"] is None
            pairs.append(("typed" if raw and code else code, "typed" if raw else wanted["error"]["code"]))
        else:
            pairs.append((code, None))
    return pairs


CASES = {case["name"]: case for case in load(FILE)["cases"] if supported(case)}


@pytest.mark.parametrize("name", CASES)
def test_recorded_fault(name: str) -> None:
    pairs = run(CASES[name])
    if (FILE, name) in DIFFERENCES:
        assert any(found != recorded for found, recorded in pairs), "no longer a difference: take it off the table"
    else:
        assert [found for found, _ in pairs] == [recorded for _, recorded in pairs]
