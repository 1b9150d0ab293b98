"""The tools in the form that OpenAI-style models call: a name, a description, a JSON schema, and a callable.

>>> from narsilpy import Narsil
>>> narsil = Narsil()
>>> narsil.create_index("rules", schema={"body": "string"})
>>> _ = narsil.insert("rules", {"id": "CB-09", "body": "A violin counts as the cabin bag."})
>>> tool = as_tool(narsil)
>>> tool.definition["function"]["name"]
'search'
>>> tool('{"query": "violins"}')["hits"][0]["id"]      # what the model sent, as it came
'CB-09'
>>> tool({"query": "violins", "index": "nowhere"})["error"]["code"]
'INDEX_NOT_FOUND'
"""
from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from narsilpy.errors import ErrorCode, InvalidConfig, NarsilError
from narsilpy.integrations.toolkit import MAX_DOCUMENT, MAX_HITS, Toolkit

if TYPE_CHECKING:
    from narsilpy.engine import Narsil

_INDEX = {"type": "string", "description": "which index; needed where there are several"}
_ID = {"type": "string", "description": "the document's id"}
SCHEMAS: dict[str, dict[str, Any]] = {
    "search": {
        "query": {"type": "string", "description": "words; \"a phrase\", -word, field:word and word* work"},
        "index": _INDEX,
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_HITS, "default": 5},
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "next_offset of the page before"},
        "fields": {"type": "array", "items": {"type": "string"}, "description": "text fields to search"},
        "filters": {"type": "object", "description": 'conditions, {"fields": {"year": {"gte": 2020}}}'}},
    "get": {
        "id": _ID, "index": _INDEX,
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "where every text starts"},
        "max_chars": {"type": "integer", "minimum": 0, "maximum": MAX_DOCUMENT, "default": MAX_DOCUMENT}},
    "verify_quote": {
        "id": _ID, "quote": {"type": "string", "description": "the words to check"}, "index": _INDEX,
        "match": {"type": "string", "enum": ["exact", "folded"], "default": "folded"}},
    "list_indexes": {}}


class Tool:
    """One tool: call it with the arguments of a model, as a mapping or as the JSON that it wrote.

    Attributes:
        name, description: what the model reads.
        parameters: the JSON schema of the arguments.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.description = " ".join((inspect.getdoc(function) or "").split("\n\nArgs:")[0].split())
        properties = SCHEMAS[name]
        required = [parameter.name for parameter in inspect.signature(function).parameters.values()
                    if parameter.default is parameter.empty]
        self.parameters: dict[str, Any] = {
            "type": "object", "properties": properties, "required": required, "additionalProperties": False}
        self._function = function

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as an entry of a request's `tools`."""
        return {"type": "function", "function": {
            "name": self.name, "description": self.description, "parameters": self.parameters}}

    def __call__(self, arguments: Mapping[str, Any] | str | None = None) -> dict[str, Any]:
        """The answer as plain values ready for JSON. What goes wrong is an answer as well: `{"error": {...}}`."""
        try:
            given = json.loads(arguments) if isinstance(arguments, str) and arguments.strip() else arguments or {}
        except (ValueError, RecursionError) as error:
            return _fault("INVALID_ARGUMENTS", f"the arguments are not JSON: {error}")
        if not isinstance(given, Mapping):
            return _fault("INVALID_ARGUMENTS", f"the arguments are a JSON object, not {type(given).__name__}")
        given = {name: value for name, value in given.items() if value is not None}     # null: left out
        known, required = self.parameters["properties"], self.parameters["required"]
        unknown = [str(name) for name in given if name not in known]
        missing = [name for name in required if name not in given]
        if unknown or missing:
            return _fault("INVALID_ARGUMENTS", f"{self.name} takes {', '.join(known) or 'nothing'}"
                          + (f", and needs {', '.join(missing)}" if missing else f", not {', '.join(unknown)}"))
        try:
            found = self._function(**given)
        except NarsilError as error:
            return _fault(error.code.value, error.message)
        return {"indexes": found} if isinstance(found, list) else dict(found)


def as_tool(narsil: Narsil, tool: str = "search", *, index: str | None = None) -> Tool:
    """One tool over an engine: "search", "get", "verify_quote" or "list_indexes", of one index where `index` names it.

    Raises `InvalidConfig` for another name, `IndexNotFound`.
    """
    if tool not in SCHEMAS:
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"the tools are {', '.join(SCHEMAS)}, not {tool!r}",
                            {"tool": tool})
    return Tool(tool, getattr(Toolkit(narsil, index), tool))


def as_tools(narsil: Narsil, *, index: str | None = None) -> list[Tool]:
    """Every tool over an engine."""
    return [as_tool(narsil, name, index=index) for name in SCHEMAS]


def _fault(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
