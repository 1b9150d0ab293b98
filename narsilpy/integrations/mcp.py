"""A server of the Model Context Protocol over an engine: `narsilpy mcp PATH`, or `server(narsil).run()`.

Its tools are those of `toolkit`: search, get, verify_quote, list_indexes. All of them only read; output is structured
and bounded; a fault is a tool error with the library's message. Calls run in a thread of their own, so that a long
query does not hold up the protocol.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from narsilpy import __version__
from narsilpy.errors import NarsilError
from narsilpy.integrations import needed
from narsilpy.integrations.toolkit import (
    MAX_DOCUMENT,
    DocumentFound,
    IndexFound,
    QuoteChecked,
    SearchFound,
    Toolkit,
)

if TYPE_CHECKING:
    from narsilpy.engine import Narsil

INSTRUCTIONS = (
    "Search documents and cite them exactly. Every hit has the sentence round its best match with its offsets. "
    "Before you quote a document, call verify_quote and publish the stored words that it returns. Where best_coverage "
    "is below 0.5, no document covers the question: say so.")


def server(narsil: Narsil, *, index: str | None = None, name: str = "narsilpy") -> Any:
    """An `MCPServer` with the tools, over all indexes or one. Raises ImportError without `narsilpy[mcp]`."""
    mcp = needed("mcp.server", "mcp")
    annotations = needed("mcp.types", "mcp").ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    tools = Toolkit(narsil, index)
    made = mcp.MCPServer(name=name, version=__version__, instructions=INSTRUCTIONS)

    async def search(query: str, index: str | None = None, limit: int = 5, offset: int = 0,
                     fields: list[str] | None = None, filters: dict[str, Any] | None = None) -> SearchFound:
        found: SearchFound = await _run(partial(tools.search, query, index, limit, offset, fields, filters))
        return found

    async def get(id: str, index: str | None = None, offset: int = 0, max_chars: int = MAX_DOCUMENT) -> DocumentFound:
        found: DocumentFound = await _run(partial(tools.get, id, index, offset, max_chars))
        return found

    async def verify_quote(id: str, quote: str, index: str | None = None, match: str = "folded") -> QuoteChecked:
        found: QuoteChecked = await _run(partial(tools.verify_quote, id, quote, index, match))
        return found

    async def list_indexes() -> list[IndexFound]:
        found: list[IndexFound] = await _run(tools.list_indexes)
        return found

    for tool in (search, get, verify_quote, list_indexes):
        made.tool(name=tool.__name__, description=getattr(Toolkit, tool.__name__).__doc__, annotations=annotations,
                  structured_output=True)(tool)
    return made


async def _run(call: Callable[[], Any]) -> Any:
    from anyio import to_thread

    try:
        return await to_thread.run_sync(call)
    except NarsilError as error:
        fault = needed("mcp.server.mcpserver.exceptions", "mcp").ToolError
        raise fault(f"{error.code.value}: {error.message}") from None
