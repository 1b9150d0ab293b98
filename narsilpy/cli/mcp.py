"""`narsilpy mcp PATH`: a server of the Model Context Protocol on standard input and output."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from narsilpy.cli.jsonl import InputError, read_documents

__all__ = ["add"]

DESCRIPTION = """\
Serves search, get, verify_quote and list_indexes to an agent, over an engine's directory (opened read-only) or a file
of JSON lines (indexed in memory; every text is searched). Nothing is written.
Needs: pip install "narsilpy[mcp]"."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("mcp", help="serve an engine or a file to agents", description=DESCRIPTION)
    parser.add_argument("path", metavar="PATH", help="an engine's directory, or JSON lines (gzip or not)")
    parser.add_argument("--index", metavar="NAME", help="the only index to serve")
    parser.add_argument("--language", metavar="NAME", default="english", help="of a file's texts (default: english)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from narsilpy import Narsil

    try:
        from narsilpy.integrations.mcp import server

        path = Path(arguments.path)
        if path.is_dir():
            narsil = Narsil(path, read_only=True)
        else:
            narsil = of_file(arguments.path, arguments.language)
        with narsil:
            server(narsil, index=arguments.index).run("stdio")
    except ImportError as error:
        print(f"narsilpy: error: {error}", file=sys.stderr)
        return 1
    return 0


def of_file(name: str, language: str) -> Any:
    """An engine in memory with the documents of a file in the index "documents"."""
    from narsilpy import Narsil

    documents = [document for _, document in read_documents(name)]
    texts = sorted({key for document in documents for key, value in document.items()
                    if isinstance(value, str) and key != "id"})
    if not texts:
        raise InputError(f"{name}: no document has a text")
    narsil = Narsil()
    narsil.create_index("documents", schema=dict.fromkeys(texts, "string"), language=language)
    result = narsil.insert_batch("documents", (
        {key: value for key, value in document.items() if key not in texts or isinstance(value, str)}
        for document in documents))
    for failure in result.failed:
        print(f"narsilpy: warning: {failure.doc_id or 'a document'}: {failure.error.message}", file=sys.stderr)
    return narsil
