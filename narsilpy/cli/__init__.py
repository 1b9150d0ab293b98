"""The command-line program: `narsilpy COMMAND ...`. One module a command, each with `add(commands)`."""
from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from narsilpy import __version__
from narsilpy.cli import demo, mcp, storage
from narsilpy.cli.jsonl import InputError
from narsilpy.errors import NarsilError

__all__ = ["main"]

COMMANDS = (demo, mcp, storage)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="narsilpy", description="Embedded full-text search with exact character offsets."
    )
    parser.add_argument("--version", action="version", version=f"narsilpy {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, 1 after an error (told on stderr), 2 for wrong usage."""
    arguments = build_parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has left (`| head`); the interpreter must not complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (NarsilError, InputError) as error:
        print(f"narsilpy: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status
