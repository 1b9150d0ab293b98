"""The audit journal: what an agent asked, and what it saw.

One JSON object a line for each query: `id` (ids of later entries sort later), `time` (UTC), `index`, `term`,
`options`, `elapsed` in seconds, and `hits`, each with `id`, `score`, and where highlights were asked for `snippets`
and `spans`, by field: the exact `[start, end)` of the stored text that the snippet marks. A file that would pass
`max_bytes` is renamed `PATH.1`, the one before `PATH.2` and so on, `keep` of them; a line is written whole or not at
all.
"""
from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narsilpy.errors import ErrorCode, InvalidConfig
from narsilpy.ids import new_id

if TYPE_CHECKING:
    from narsilpy.results import Hit, QueryResult

DEFAULT_MAX_BYTES = 64_000_000
DEFAULT_KEEP = 5


class AuditJournal:
    """A plugin that keeps every query with its hits and spans.

    Args:
        path: the file to append to; its directory exists.
        max_bytes: the size at which a new file is begun.
        keep: how many earlier files stay.

    An answer that cannot be recorded (a full disk) is not given: the query raises the `OSError`.

    >>> import tempfile
    >>> from narsilpy import Narsil
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = AuditJournal(folder.name + "/queries.jsonl")
    >>> with Narsil(plugins=[journal]) as narsil:
    ...     narsil.create_index("rules", schema={"body": "string"})
    ...     _ = narsil.insert("rules", {"id": "CB-09", "body": "A violin counts as the cabin bag."})
    ...     _ = narsil.query("rules", "violins", highlight={"fields": ["body"]})
    >>> (entry,) = journal.entries(doc_id="CB-09")
    >>> entry["term"], entry["hits"][0]["id"], entry["hits"][0]["spans"]
    ('violins', 'CB-09', {'body': [[2, 8]]})
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, max_bytes: int = DEFAULT_MAX_BYTES,
                 keep: int = DEFAULT_KEEP) -> None:
        for name, value, least in (("max_bytes", max_bytes, 1), ("keep", keep, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"{name} is a whole number of at least {least}, "
                                    f"not {value!r}", {"option": name})
        self.path = Path(path)
        self.max_bytes = max_bytes
        self.keep = keep
        self._lock = threading.Lock()

    def after_search(self, index: str, term: Any, options: Mapping[str, Any], result: QueryResult) -> None:
        """Append an entry."""
        entry = {
            "id": new_id(), "time": datetime.now(UTC).isoformat(), "index": index,
            "term": term if term is None or isinstance(term, str) else repr(term),
            "options": {name: _plain(value) for name, value in options.items()},
            "elapsed": result.elapsed, "hits": [_seen(hit) for hit in result.hits],
        }
        line = json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n"
        with self._lock:
            self._append(line)

    def entries(self, *, doc_id: str | None = None, index: str | None = None) -> Iterator[dict[str, Any]]:
        """The entries that are kept, oldest first; of those, only queries that showed a document or asked an index."""
        with self._lock:
            files = [path for path in (*(self._rotated(number) for number in range(self.keep, 0, -1)), self.path)
                     if path.exists()]
            texts = [path.read_bytes() for path in files]
        for text in texts:
            for entry in _entries(text):
                if (index is None or entry["index"] == index) and (
                        doc_id is None or any(hit["id"] == doc_id for hit in entry["hits"])):
                    yield entry

    def _append(self, line: bytes) -> None:
        size = self.path.stat().st_size if self.path.exists() else 0
        if size and size + len(line) > self.max_bytes:
            for number in range(self.keep, 1, -1):
                if self._rotated(number - 1).exists():
                    self._rotated(number - 1).replace(self._rotated(number))
            if self.keep:
                self.path.replace(self._rotated(1))
            else:
                self.path.unlink()
            size = 0
        with self.path.open("ab", buffering=0) as file:
            try:
                if file.write(line) != len(line):
                    raise OSError(f"{self.path}: a line of the journal was cut short")
            except OSError:
                file.truncate(size)     # a line is there whole or not at all
                raise

    def _rotated(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")


def read_journal(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The entries of one file of a journal, in order; a last line without an end is being written and passed over."""
    yield from _entries(Path(path).read_bytes())


def _entries(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n")[:-1]:
        yield json.loads(line)


def _seen(hit: Hit) -> dict[str, Any]:
    seen: dict[str, Any] = {"id": hit.id, "score": hit.score}
    if hit.highlights:
        seen["snippets"] = {field: found.snippet for field, found in hit.highlights.items()}
        seen["spans"] = {field: [[*span] if span.value is None else [*span, span.value] for span in found.positions]
                         for field, found in hit.highlights.items()}
    return seen


def _plain(value: Any) -> Any:
    """An option as JSON can hold it; what it cannot hold is shown."""
    if value is None or isinstance(value, (str, int, bool)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    to_dict = getattr(value, "to_dict", None)
    return _plain(to_dict()) if callable(to_dict) else repr(value)
