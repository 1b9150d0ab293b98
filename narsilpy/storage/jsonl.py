"""Documents as JSON lines, without loss: one document a line, readable by anything that reads JSON.

A line is the document; where its `id` property is not its id, the line is `{"$id": id, "$document": document}`. What
JSON cannot say is an object with one key: `{"$bytes": base64}`, `{"$datetime": ISO 8601}`, `{"$date": ISO 8601}`,
`{"$float": "inf" | "-inf" | "nan"}`; an object of the document that has just one key, which begins with "$", is
written as `{"$object": object}`.
"""

from __future__ import annotations

import base64
import datetime as dt
import gzip
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from narsilpy.errors import ErrorCode, InvalidDocument
from narsilpy.storage.disk import Disk, typed

_CHUNK_BYTES: Final = 1 << 20


def to_line(doc_id: str, document: dict[str, Any]) -> bytes:
    """One document as a line, without the line end.

    >>> to_line("7", {"id": "7", "title": "Belt"})
    b'{"id":"7","title":"Belt"}'
    >>> to_line("8", {"raw": b"x"})
    b'{"$id":"8","$document":{"raw":{"$bytes":"eA=="}}}'
    """
    value: dict[str, Any] = document if document.get("id") == doc_id else {"$id": doc_id, "$document": document}
    try:
        text = _dumps(value)
        if '"$' in text:  # a key, or a string, that could be mistaken for an extension
            text = _dumps(value if value is document and not _has_dollar(document) else _plain_line(value, document))
    except (TypeError, ValueError):
        text = _dumps(_plain_line(value, document))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates: JSON can only escape them
        return json.dumps(json.loads(text), separators=(",", ":")).encode("ascii")


def from_line(line: bytes | str) -> tuple[str | None, dict[str, Any]]:
    """`(doc_id, document)` of a line; the id is None where the document says it itself.

    Raises `InvalidDocument` if the line is no JSON object, or holds an extension that is not one of those above.
    """
    try:
        value = json.loads(line)
        if (b'"$' if isinstance(line, bytes) else '"$') in line:  # type: ignore[operator]  # same type on both sides
            return _revive_line(value)
    except (ValueError, RecursionError) as error:
        raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, f"the line cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise InvalidDocument(
            ErrorCode.DOC_VALIDATION_FAILED, f"a line holds a JSON object, not {type(value).__name__}"
        )
    return None, value


def write_jsonl(
    path: str | os.PathLike[str], documents: Iterable[tuple[str, dict[str, Any]]], *, disk: Disk | None = None
) -> int:
    """Write `documents` to the file `path` (gzip if it ends in ".gz"); returns how many.

    The file appears under its name once it is complete and on the device. Raises `StorageFailed`.
    """
    disk = disk or Disk()
    goal = Path(path).absolute()
    partial = goal.with_name(goal.name + ".partial")
    disk.remove(partial)
    n = 0
    with typed(partial, saving=True):
        try:
            with partial.open("xb") as file:
                out: Any = gzip.GzipFile(fileobj=file, mode="wb", mtime=0) if goal.suffix == ".gz" else file
                for doc_id, document in documents:
                    out.write(to_line(doc_id, document) + b"\n")
                    n += 1
                if out is not file:
                    out.close()
                file.flush()
                disk.sync(file.fileno(), partial)
            disk.rename(partial, goal)
        except BaseException:
            disk.remove(partial)
            raise
    return n


def scan_jsonl(path: str | os.PathLike[str]) -> Iterator[tuple[str | None, dict[str, Any] | InvalidDocument]]:
    """`(doc_id, document)` of each line of `path` (gzip if it ends in ".gz"); blank lines are skipped.

    A line that cannot be read gives the `InvalidDocument`, which names it, in place of a document. Raises
    `StorageFailed` if the file cannot be read, `InvalidDocument` if it is compressed and cut off.
    """
    source = Path(path)
    with typed(source, saving=False), source.open("rb") as file:
        lines: Any = gzip.GzipFile(fileobj=file) if source.suffix == ".gz" else file
        try:
            for number, line in enumerate(lines, start=1):
                if line.isspace():
                    continue
                try:
                    yield from_line(line)
                except InvalidDocument as error:
                    where = {"path": str(source), "line": number}
                    yield None, InvalidDocument(error.code, f"{source}, line {number}: {error.message}", where)
        except EOFError as error:
            raise InvalidDocument(
                ErrorCode.DOC_VALIDATION_FAILED, f"{source}: the compressed file is cut off", {"path": str(source)}
            ) from error


def read_jsonl(path: str | os.PathLike[str]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Like `scan_jsonl`, but a line that cannot be read raises."""
    for doc_id, document in scan_jsonl(path):
        if isinstance(document, InvalidDocument):
            raise document
        yield doc_id, document


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain_line(value: dict[str, Any], document: dict[str, Any]) -> Any:
    if value is document:
        return _plain(document, top=True)
    return {"$id": value["$id"], "$document": _plain(document, top=True)}


def _plain(value: Any, *, top: bool = False) -> Any:
    if isinstance(value, dict):
        plain = {key: _plain(item) for key, item in value.items()}
        marked = len(plain) == 1 and next(iter(plain)).startswith("$")
        if top:  # the line itself: only its two wrapping keys could be mistaken for our own
            marked = marked or plain.keys() == {"$id", "$document"}
        return {"$object": plain} if marked else plain
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes | bytearray):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, dt.datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, dt.date):
        return {"$date": value.isoformat()}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"$float": str(value)}
    return value


def _has_dollar(value: Any) -> bool:
    if isinstance(value, dict):
        return any(key.startswith("$") or _has_dollar(item) for key, item in value.items())
    return isinstance(value, list | tuple) and any(map(_has_dollar, value))


def _revive_line(value: Any) -> tuple[str | None, dict[str, Any]]:
    doc_id = None
    if isinstance(value, dict) and value.keys() == {"$id", "$document"}:
        doc_id, value = value["$id"], value["$document"]
        if not isinstance(doc_id, str):
            raise ValueError("$id is a string")
    document = _revive(value)
    if not isinstance(document, dict):
        raise ValueError("a line holds an object")
    return doc_id, document


def _revive(value: Any) -> Any:
    if isinstance(value, list):
        return [_revive(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, item),) = value.items()
        if key == "$object" and isinstance(item, dict):
            return {name: _revive(inner) for name, inner in item.items()}
        if key.startswith("$"):
            return _extension(key, item)
    return {key: _revive(item) for key, item in value.items()}


def _extension(key: str, item: Any) -> Any:
    if not isinstance(item, str):
        raise ValueError(f"{key} takes a string")
    if key == "$bytes":
        return base64.b64decode(item, validate=True)
    if key == "$datetime":
        return dt.datetime.fromisoformat(item)
    if key == "$date":
        return dt.date.fromisoformat(item)
    if key == "$float" and item in ("inf", "-inf", "nan"):
        return float(item)
    raise ValueError(f"{key} is not known")
