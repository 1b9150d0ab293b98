"""What an index knows by document number or id, read from its store instead of kept in memory.

They stand in for the lists and the dict of an index in memory. What was written since the last checkpoint is kept here
as it came (`fresh`), so that a new document costs no read; everything else is read from the journal when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from narsilpy.schema import freeze
from narsilpy.storage.index_store import IndexStore
from narsilpy.storage.msgpack import unpack


class StoredDocuments:
    """Documents in stored form, by number; those removed too, as long as a query may still reach them."""

    def __init__(self, index: IndexStore) -> None:
        self._index = index
        self._fresh: dict[int, Any] = {}
        self._next = index.next_doc_no

    def __getitem__(self, number: int) -> Any:
        fresh = self._fresh.get(number)
        return freeze(unpack(self._index.read(number))) if fresh is None else fresh

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
        self._next = index.next_doc_no

    def __getitem__(self, number: int) -> str:
        fresh = self._fresh.get(number)
        return self._index.read_id(number) if fresh is None else fresh

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
