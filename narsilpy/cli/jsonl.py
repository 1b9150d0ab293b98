"""Documents from JSON lines: one object a line, plain or gzip, faults told with the number of their line."""
from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["InputError", "read_documents"]

GZIP_MAGIC = b"\x1f\x8b"


class InputError(Exception):
    """A file that the user named cannot be used; the message is complete."""


def read_documents(name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield `(line number, document)` from the file `name`; "-" is standard input. Blank lines are skipped.

    Raises `InputError` when the file cannot be read, is damaged, or holds a line that is not a JSON object.
    """
    try:
        if name == "-":
            yield from _parse(sys.stdin.buffer, "standard input")
            return
        with Path(name).open("rb") as file:
            zipped = file.peek(2)[:2] == GZIP_MAGIC
            yield from _parse(gzip.GzipFile(fileobj=file) if zipped else file, name)
    except FileNotFoundError:
        raise InputError(f"there is no file {name!r}") from None
    except (OSError, EOFError) as error:  # EOFError: a gzip file that was cut short
        raise InputError(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}") from error


def _parse(lines: BinaryIO | gzip.GzipFile, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            raise InputError(f"{name}, line {number}: not UTF-8 at byte {error.start}") from error
        except (ValueError, RecursionError) as error:  # RecursionError: nested thousands of levels deep
            reason = str(error)
            if isinstance(error, json.JSONDecodeError):
                reason = f"{error.msg} at character {error.pos + 1}"
            raise InputError(f"{name}, line {number}: not JSON: {reason}") from error
        if not isinstance(document, dict):
            raise InputError(f"{name}, line {number}: a JSON object is needed, not {type(document).__name__}")
        yield number, document
