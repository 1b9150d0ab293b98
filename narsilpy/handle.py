"""`Index`: one index of an engine, with the engine's verbs and without its name."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from narsilpy.citations.verbs import IndexCitationVerbs
from narsilpy.query.shapes import Filters
from narsilpy.results import BatchResult, Explanation, IndexStats, Page, Preflight, QueryResult, Suggestions
from narsilpy.storage.verbs import IndexStorageVerbs

if TYPE_CHECKING:
    from narsilpy.engine import Narsil


class Index(IndexStorageVerbs, IndexCitationVerbs):
    """One index of an engine: the engine's verbs without the name, and the protocols of a collection.

    `len(index)` counts documents, `"id" in index` asks for one, iterating gives the ids in code point order.
    """

    def __init__(self, narsil: Narsil, name: str) -> None:
        self.narsil = narsil
        self.name = name

    def __len__(self) -> int:
        return self.narsil.count_documents(self.name)

    def __contains__(self, doc_id: object) -> bool:
        return isinstance(doc_id, str) and self.narsil.has(self.name, doc_id)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.narsil._core(self.name).numbers))

    def __repr__(self) -> str:
        return f"Index({self.name!r})"

    def insert(self, document: Mapping[str, Any], doc_id: str | None = None) -> str:
        return self.narsil.insert(self.name, document, doc_id)

    def insert_batch(self, documents: Iterable[Mapping[str, Any]], *,
                     on_progress: Callable[[int], object] | None = None) -> BatchResult:
        return self.narsil.insert_batch(self.name, documents, on_progress=on_progress)

    def update(self, doc_id: str, document: Mapping[str, Any]) -> None:
        self.narsil.update(self.name, doc_id, document)

    def update_batch(self, pairs: Iterable[tuple[str, Mapping[str, Any]]]) -> BatchResult:
        return self.narsil.update_batch(self.name, pairs)

    def upsert(self, document: Mapping[str, Any], doc_id: str | None = None) -> str:
        return self.narsil.upsert(self.name, document, doc_id)

    def remove(self, doc_id: str) -> None:
        self.narsil.remove(self.name, doc_id)

    def remove_batch(self, doc_ids: Iterable[str]) -> BatchResult:
        return self.narsil.remove_batch(self.name, doc_ids)

    def get(self, doc_id: str) -> dict[str, Any] | None:
        return self.narsil.get(self.name, doc_id)

    def get_multiple(self, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        return self.narsil.get_multiple(self.name, ids)

    def has(self, doc_id: str) -> bool:
        return self.narsil.has(self.name, doc_id)

    def count_documents(self) -> int:
        return self.narsil.count_documents(self.name)

    def query(self, term: Any = None, **options: Any) -> QueryResult:
        return self.narsil.query(self.name, term, **options)

    def preflight(self, term: Any = None, **options: Any) -> Preflight:
        return self.narsil.preflight(self.name, term, **options)

    def list_documents(self, *, limit: int = 10, cursor: str | None = None,
                       filters: Mapping[str, Any] | Filters | None = None, sort: Any = None,
                       document: Any = True) -> Page:
        return self.narsil.list_documents(self.name, limit=limit, cursor=cursor, filters=filters, sort=sort,
                                          document=document)

    def suggest(self, prefix: str, *, limit: int = 10) -> Suggestions:
        return self.narsil.suggest(self.name, prefix, limit=limit)

    def explain(self, doc_id: str, term: Any, **options: Any) -> Explanation:
        return self.narsil.explain(self.name, doc_id, term, **options)

    def clear(self) -> None:
        self.narsil.clear(self.name)

    def optimize(self) -> None:
        self.narsil.optimize(self.name)

    def get_stats(self) -> IndexStats:
        return self.narsil.get_stats(self.name)
