"""What an index knows by document number or id, read from its store instead of kept in memory.

They stand in for the lists and the dict of an index in memory. What was written since the last checkpoint is kept here
as it came (`fresh`), so that a new document costs no read; everything else is read from the journal when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from narsilpy.schema import freeze, thaw
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.msgpack import unpack

# Documents that hits were made from lately, in stored form; counted as they are packed on disk.
CACHE_BYTES: Final = 8 << 20
CACHED_IDS: Final = 1 << 14


class StoredDocuments:
    """Documents in stored form, by number; those removed too, as long as a query may still reach them."""

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._fresh: dict[int, Any] = {}
        self._cache: dict[int, Any] = {}
        self._cached_bytes = 0
        self._next = index.next_doc_no

    def __getitem__(self, number: int) -> Any:
        stored = self._fresh.get(number)
        if stored is None:
            stored = self._cache.get(number)
            if stored is None:
                stored = self._read(number)
        return stored

    def _read(self, number: int) -> Any:
        data = self._index.read(number)
        stored = freeze(unpack(data))
        if len(data) <= CACHE_BYTES // 16:
            if self._cached_bytes + len(data) > CACHE_BYTES:  # numbers are never used twice: nothing here goes stale
                self._cache, self._cached_bytes = {}, 0
            self._cache[number] = stored
            self._cached_bytes += len(data)
        return stored

    def document(self, number: int) -> dict[str, Any]:
        """A document as its own copy: `thaw(self[number])`, without the form in between."""
        fresh = self._fresh.get(number)
        document: dict[str, Any] = unpack(self._index.read(number)) if fresh is None else thaw(fresh)
        return document

    def __setitem__(self, number: int, nothing: None) -> None:
        self._fresh.pop(number, None)

    def __len__(self) -> int:
        return self._next

    def append(self, stored: Any) -> None:
        self._fresh[self._next] = stored
        self._next += 1

    def sealed(self) -> None:
        """Everything is in segments: read it from disk from now on."""
        self._fresh = {}


class StoredIds:
    """Document ids, by number."""

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._fresh: dict[int, str] = {}
        self._cache: dict[int, str] = {}
        self._next = index.next_doc_no

    def __getitem__(self, number: int) -> str:
        doc_id = self._fresh.get(number)
        if doc_id is None:
            doc_id = self._cache.get(number)
            if doc_id is None:
                doc_id = self._index.read_id(number)
                if len(self._cache) >= CACHED_IDS:
                    self._cache = {}
                self._cache[number] = doc_id
        return doc_id

    def __len__(self) -> int:
        return self._next

    def append(self, doc_id: str) -> None:
        self._fresh[self._next] = doc_id
        self._next += 1

    def sealed(self) -> None:
        self._fresh = {}


class StoredNumbers:
    """Numbers of the live documents, by id. `_changes` holds what the store does not know yet."""

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._changes: dict[str, int | None] = {}
        self._n = len(index)

    def get(self, doc_id: str, default: int | None = None) -> int | None:
        changes = self._changes
        number = changes[doc_id] if doc_id in changes else self._index.find(doc_id)
        return default if number is None else number

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self.get(doc_id) is not None

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[str]:
        changes = dict(self._changes)
        for number in self._index.numbers():
            doc_id = self._index.doc_id(number)
            if doc_id is not None and doc_id not in changes:
                yield doc_id
        for doc_id, changed in changes.items():
            if changed is not None:
                yield doc_id

    def values(self) -> Iterator[int]:
        for doc_id in self:
            number = self.get(doc_id)
            if number is not None:
                yield number

    def __setitem__(self, doc_id: str, number: int) -> None:
        self._changes[doc_id] = number
        self._n += 1

    def __delitem__(self, doc_id: str) -> None:
        self._changes[doc_id] = None
        self._n -= 1

    def stored(self) -> None:
        """The store has everything."""
        self._changes = {}
        self._n = len(self._index)
