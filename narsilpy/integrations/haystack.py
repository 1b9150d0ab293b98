"""A Haystack document store and retriever: `NarsilDocumentStore("folder")`, `NarsilRetriever(store)`.

Documents are kept in one index: their text is searched, everything else is stored as it is. Filters of Haystack are
evaluated over the stored metadata, by Haystack's rules. Needs `narsilpy[haystack]`.
"""
from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

from narsilpy.engine import Narsil
from narsilpy.errors import DocumentAlreadyExists, DocumentNotFound
from narsilpy.integrations import needed
from narsilpy.query.parse import parse_query
from narsilpy.schema import thaw

needed("haystack", "haystack")

from haystack import Document, component, default_from_dict, default_to_dict  # noqa: E402  # after the check
from haystack.document_stores.errors import DuplicateDocumentError  # noqa: E402
from haystack.document_stores.types import DuplicatePolicy  # noqa: E402
from haystack.utils.filters import document_matches_filter  # noqa: E402


class NarsilDocumentStore:
    """Haystack documents in an engine.

    Args:
        path: a directory; None for memory.
        index: the name of the index.
        language: of the texts.
    """

    def __init__(self, path: str | None = None, *, index: str = "haystack", language: str = "english") -> None:
        self.path, self.index, self.language = path, index, language
        self.narsil = Narsil(path)
        if index not in self.narsil.list_indexes():
            self.narsil.create_index(index, schema={"content": "string"}, language=language)

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = default_to_dict(self, path=self.path, index=self.index, language=self.language)
        return found

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NarsilDocumentStore:
        store: NarsilDocumentStore = default_from_dict(cls, data)
        return store

    def count_documents(self) -> int:
        return self.narsil.count_documents(self.index)

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The documents that satisfy Haystack's filters, in the order in which they were written."""
        with self.narsil._core(self.index).reading_stored() as stored:
            found = [_restored(thaw(document)) for _, document in stored]
        return [document for document in found if not filters or document_matches_filter(filters, document)]

    def write_documents(self, documents: list[Document],
                        policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Store documents; returns how many. Without a policy an id that is there is a `DuplicateDocumentError`."""
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise ValueError("write_documents takes a list of Documents")
        n_written = 0
        for document in documents:
            stored = {"content": document.content, "haystack": _packed(document)}
            try:
                if policy == DuplicatePolicy.OVERWRITE:
                    self.narsil.upsert(self.index, stored, document.id)
                else:
                    self.narsil.insert(self.index, stored, document.id)
                n_written += 1
            except DocumentAlreadyExists:
                if policy != DuplicatePolicy.SKIP:
                    raise DuplicateDocumentError(f"a document {document.id!r} is there already") from None
        return n_written

    def delete_documents(self, document_ids: list[str]) -> None:
        """Remove documents; ids that are not there are passed over."""
        for doc_id in document_ids:
            try:
                self.narsil.remove(self.index, doc_id)
            except DocumentNotFound:
                continue

    def search(self, query: str, *, top_k: int, filters: dict[str, Any] | None = None,
               parse: bool = False) -> list[Document]:
        """The best documents for a query, with scores; `filters` narrow them."""
        term: Any = parse_query(query) if parse else query
        found: list[Document] = []
        cursor = None
        while len(found) < top_k:
            size = max(top_k, 50) if filters else top_k
            result = self.narsil.query(self.index, term, limit=size, search_after=cursor)
            for hit in result:
                document = _restored(hit.document)
                if not filters or document_matches_filter(filters, document):
                    quote = hit.quote("content")
                    meta = {**document.meta, "quote": None if quote is None else quote.to_dict()}
                    found.append(replace(document, score=hit.score, meta=meta))
            cursor = result.cursor
            if cursor is None:
                break
        return found[:top_k]


@component
class NarsilRetriever:
    """The best documents of a `NarsilDocumentStore`, each with the sentence round its best match in `meta["quote"]`."""

    def __init__(self, document_store: NarsilDocumentStore, *, top_k: int = 10,
                 filters: dict[str, Any] | None = None, parse: bool = False) -> None:
        self.document_store, self.top_k, self.filters, self.parse = document_store, top_k, filters, parse

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = default_to_dict(
            self, document_store=self.document_store.to_dict(), top_k=self.top_k, filters=self.filters,
            parse=self.parse)
        return found

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NarsilRetriever:
        given = data["init_parameters"]
        given["document_store"] = NarsilDocumentStore.from_dict(given["document_store"])
        retriever: NarsilRetriever = default_from_dict(cls, data)
        return retriever

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        return {"documents": self.document_store.search(
            query, top_k=self.top_k if top_k is None else top_k, filters=self.filters if filters is None else filters,
            parse=self.parse)}


def _packed(document: Document) -> str:
    """A document as JSON; bytes in it as base64."""
    return json.dumps(document.to_dict(flatten=False), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}
    raise TypeError(f"a document of Haystack with {type(value).__name__} in it cannot be stored")


def _restored(stored: dict[str, Any]) -> Document:
    def bytes_back(value: dict[str, Any]) -> Any:
        return base64.b64decode(value["$bytes"]) if value.keys() == {"$bytes"} else value

    return Document.from_dict(json.loads(stored["haystack"], object_hook=bytes_back))
