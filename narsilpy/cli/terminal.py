"""What a person sees: JSON that any terminal can print, and passages underlined in their text."""
from __future__ import annotations

import json
import os
import re
from typing import Any, TextIO

__all__ = ["dump_json", "excerpt", "is_terminal", "uses_ansi"]

UNDERLINE, PLAIN = "\x1b[4m", "\x1b[24m"
# A document is data: an escape sequence in it must not reach the terminal. C0 and C1 controls but tab and line feed.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def is_terminal(stream: TextIO) -> bool:
    return stream.isatty()


def uses_ansi(stream: TextIO) -> bool:
    """Whether to style: on a terminal, unless NO_COLOR is set to anything (no-color.org) or the terminal is dumb."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def dump_json(value: Any, stream: TextIO) -> None:
    """Print `value` as indented JSON, in ASCII escapes where the stream cannot encode the characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    stream.write(text + "\n")


def excerpt(text: str, start: int, end: int, *, ansi: bool, context: int = 400) -> str:
    """The passage `text[start:end]` marked, with up to `context` characters of the text on either side.

    >>> excerpt("One folding pushchair. Two bags.", 0, 22, ansi=False)
    '[[One folding pushchair.]] Two bags.'
    """
    first, last = max(0, start - context), min(len(text), end + context)
    before, after = (UNDERLINE, PLAIN) if ansi else ("[[", "]]")
    parts = (text[first:start], text[start:end], text[end:last])
    lead, passage, rest = (_CONTROL.sub("\N{REPLACEMENT CHARACTER}", part) for part in parts)
    left, right = "..." if first else "", "..." if last < len(text) else ""
    return f"{left}{lead}{before}{passage}{after}{rest}{right}"
