"""Bridges to agents and their frameworks: each a module of its own, imported when it is wanted, with an extra where it
needs a package (`pip install "narsilpy[mcp]"`).

    toolkit     the same tools for every agent: search, get, verify_quote, list_indexes
    openai      the tools in the form that OpenAI-style models call
    anthropic   hits as `search_result` blocks, a sentence a block, and the way back from a citation
    mcp         a server of the Model Context Protocol
    langchain, llamaindex, haystack     retrievers and a document store
"""
from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, extra: str) -> Any:
    """A module of an extra. Raises an ImportError that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f'{module} is missing: pip install "narsilpy[{extra}]"') from error
