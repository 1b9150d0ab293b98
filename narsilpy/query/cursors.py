"""Cursors: where a page ended, for `search_after` and `list_documents(cursor=)`.

A cursor names the last document of its page by what the order compares of it (the score or the sorted values, and the
id), so that the next page costs as much as the first, at any depth. It is bound to its question: a cursor of another
index, query or order, or one that was changed on the way, is refused. Documents that are written meanwhile take their
place in the order as they come; what was shown is not shown again as long as its own place stays.
"""
from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from narsilpy.errors import ErrorCode, InvalidQuery

MAX_CHARS = 40_960      # the original's limit
CHECK_BYTES = 8


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """Where a page ended.

    Attributes:
        position: how many hits were shown so far, pinned ones included.
        n_pinned: how many of them were pinned.
        doc_id: the last document that was not pinned, None where there was none yet.
        score: its score, where matches are ordered by score.
        values: its values, where a sort orders them.
    """

    position: int
    n_pinned: int
    doc_id: str | None
    score: float | None
    values: list[str | float | bool | None]


def encode_cursor(cursor: Cursor, question: bytes) -> str:
    """The text of a cursor of a question (see `fingerprint`)."""
    data = json.dumps(msgspec.structs.astuple(cursor), separators=(",", ":")).encode("ascii")
    return base64.urlsafe_b64encode(_check(data, question) + data).decode("ascii")


def decode_cursor(text: Any, question: bytes, option: str = "search_after") -> Cursor | None:
    """The cursor of a text; None for None and "". Raises `InvalidQuery` (SEARCH_INVALID_CURSOR) for any other text."""
    if text is None or text == "":
        return None
    if not isinstance(text, str):
        raise _refused(option, f"a cursor is a str, not {type(text).__name__}")
    if len(text) > MAX_CHARS:
        raise _refused(option, f"a cursor holds at most {MAX_CHARS} characters, not {len(text)}")
    try:
        raw = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _refused(option, "it is not a cursor, or it was changed") from None
    check, data = raw[:CHECK_BYTES], raw[CHECK_BYTES:]
    if check != _check(data, question):
        raise _refused(option, "it belongs to another index, query or order, or it was changed")
    try:
        cursor = msgspec.convert(json.loads(data), Cursor)
    except (ValueError, RecursionError):      # msgspec's ValidationError is a ValueError
        raise _refused(option, "it is not a cursor of this library") from None
    return cursor


def fingerprint(*parts: Any) -> bytes:
    """What identifies a question: equal for equal options, in whatever order their mappings were written.

    >>> fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": (2,), "a": 1})
    True
    """
    return blake2b(repr(_canonical(parts)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return "{}", sorted(((repr(key), _canonical(item)) for key, item in value.items()), key=repr)
    if isinstance(value, (list, tuple)):
        return "[]", [_canonical(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return "set", sorted(map(repr, value))
    return value


def _check(data: bytes, question: bytes) -> bytes:
    return blake2b(data, key=question, digest_size=CHECK_BYTES).digest()


def cursor_fault(option: str) -> InvalidQuery:
    """The error for a cursor that holds other things than its question asks for."""
    return _refused(option, "it is not a cursor of this library")


def _refused(option: str, why: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_CURSOR, f"`{option}`: {why}; take the `cursor` of a result as it is",
                        {"option": option})
