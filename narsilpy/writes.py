"""Batches of writes, over whatever takes single ones: an index, or an index with plugins round it."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from narsilpy.errors import ErrorCode, InvalidDocument

if TYPE_CHECKING:
    from narsilpy.results import BatchResult


class Batches:
    """`insert_batch` and its like, made of `insert` and its like."""

    if TYPE_CHECKING:
        def insert(self, document: Any, doc_id: str | None = None) -> str: ...

        def update(self, doc_id: str, document: Any) -> None: ...

        def remove(self, doc_id: str) -> None: ...

        def batch(self, items: Iterable[Any], apply: Callable[[Any], str], name: Callable[[Any], Any],
                  on_progress: Callable[[int], object] | None = None) -> BatchResult: ...

    def insert_batch(self, documents: Iterable[Any], on_progress: Callable[[int], object] | None = None) -> BatchResult:
        return self.batch(documents, self.insert, _own_id, on_progress)

    def update_batch(self, pairs: Iterable[tuple[str, Any]]) -> BatchResult:
        def update(pair: Any) -> str:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                                      "update_batch takes (doc_id, document) pairs", {})
            self.update(pair[0], pair[1])
            return str(pair[0])

        return self.batch(pairs, update, lambda pair: pair[0] if isinstance(pair, (tuple, list)) and pair else "")

    def remove_batch(self, doc_ids: Iterable[str]) -> BatchResult:
        def remove(doc_id: str) -> str:
            self.remove(doc_id)
            return doc_id

        return self.batch(doc_ids, remove, lambda doc_id: doc_id)


def _own_id(document: Any) -> Any:
    return document.get("id") if isinstance(document, dict) else ""
