"""`narsilpy demo`: an agent's answer with a citation that holds, over the baggage rules or the user's documents."""
from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from narsilpy.cli.jsonl import InputError
from narsilpy.cli.terminal import dump_json, excerpt, is_terminal, uses_ansi

if TYPE_CHECKING:
    from narsilpy.demo import Outcome

__all__ = ["add"]

DESCRIPTION = """\
Without options: a scripted model answers a passenger's question, first with no source, then with a quote that it
made up, then with a rule's own words; only what stands in the rules is published. With --docs and --query: the
sentences of your own documents that answer the query, each checked against the stored text.
Prints JSON (question, answer, refused, published) and, on a terminal, the cited passage in its text."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "demo", help="search, cite and check a quotation", description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--docs", metavar="FILE", help='JSON lines, gzip or not ("-": standard input)')
    parser.add_argument("--query", metavar="TEXT", help="what to look for in --docs")
    parser.add_argument("--field", metavar="NAME", help="the text field to search (default: body)")
    parser.add_argument("--language", metavar="NAME", default="english", help="of the documents (default: english)")
    parser.add_argument("--limit", metavar="N", type=_positive, default=3, help="passages to cite (default: 3)")
    parser.add_argument("--json", action="store_true", help="print the JSON alone, also on a terminal")
    parser.set_defaults(run=run)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_positive.__name__ = "positive number"  # argparse names the type in its message


def run(arguments: argparse.Namespace) -> int:
    from narsilpy.demo import cite_documents, play_scene  # loads the engine: not for `narsilpy --help`

    if arguments.docs is None and arguments.query is None and arguments.field is None:
        outcome = play_scene()
    elif arguments.docs is None or arguments.query is None:
        raise InputError("--docs FILE and --query TEXT belong together (and --field NAME says where to search)")
    else:
        outcome = cite_documents(
            arguments.docs, arguments.query, field=arguments.field or "body", language=arguments.language,
            limit=arguments.limit,
        )
    show(outcome, json_only=arguments.json)
    return 0


def show(outcome: Outcome, *, json_only: bool) -> None:
    people_read = is_terminal(sys.stdout) and not json_only
    if people_read:
        for line in outcome.transcript:
            print(line)
        print()
    dump_json(outcome.to_dict(), sys.stdout)
    if people_read:
        for published, text in zip(outcome.published, outcome.texts, strict=True):
            print(f"\n{published['reference']} [{published['start']}:{published['end']}]")
            print(excerpt(text, published["start"], published["end"], ansi=uses_ansi(sys.stdout)))
