"""narsilpy itself: in memory, and on disk."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import narsilpy
from benchmarks.corpus import Document
from benchmarks.engines.base import Engine, Found, Marked
from benchmarks.queries import Query
from narsilpy import Fuzzy, Narsil, Phrase, Prefix
from narsilpy.highlight.options import parse_highlight
from narsilpy.query.highlights import Highlighter
from narsilpy.query.options import QueryOptions
from narsilpy.query.plan import make_plan

__all__ = ["Narsilpy", "NarsilpyOnDisk"]

INDEX = "documents"
SCHEMA = {"body": "string", "tag": "enum", "num": "number"}     # the title is stored, not searched, as in the peers
HIGHLIGHT = {"fields": ["body"], "max_snippet_length": 200}


def as_dicts(documents: Sequence[Document]) -> Iterator[dict[str, Any]]:
    for document in documents:
        yield {
            "id": document.id, "title": document.title, "body": document.body, "tag": document.tag, "num": document.num,
        }


class Narsilpy(Engine):
    persists = False

    def version(self) -> str:
        return narsilpy.__version__

    def make(self, folder: str) -> Narsil:
        return Narsil()

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        self.engine = self.make(folder)
        self.engine.create_index(INDEX, schema=SCHEMA, language="english")
        result = self.engine.insert_batch(INDEX, as_dicts(documents))
        assert not result.failed, result.failed[:3]
        self.engine._core(INDEX).settle()       # what is sealed and merged in the background is part of the build

    def options(self, query: Query) -> tuple[Any, dict[str, Any]]:
        if query.kind == "and2":
            return query.text, {"term_match": "all"}
        if query.kind == "phrase2":
            return Phrase(query.text), {}
        if query.kind == "prefix":
            return Prefix(query.part), {}
        if query.kind == "fuzzy":
            return Fuzzy(query.part, tolerance=1), {}
        if query.kind == "filter_num":
            return query.text, {"filters": {"fields": {"num": {"between": [query.low, query.high]}}}}
        if query.kind == "filter_tag":
            return query.text, {"filters": {"fields": {"tag": {"eq": query.tag}}}}
        return query.text, {}

    def search(self, query: Query, k: int = 10) -> list[Found]:
        term, options = self.options(query)
        return [
            Found(hit.id, hit.score or 0.0, hit.document["body"])
            for hit in self.engine.query(INDEX, term, limit=k, **options).hits
        ]

    def highlight(self, query: Query, k: int = 10) -> list[Marked]:
        term, options = self.options(query)
        result = self.engine.query(INDEX, term, limit=k, highlight=HIGHLIGHT, **options)
        marked = []
        for hit in result.hits:
            highlight = hit.highlights["body"]
            marked.append(Marked(hit.id, highlight.snippet, highlight.positions))
        return marked

    def marker(self, query: Query, k: int = 10) -> tuple[Callable[[], object], int]:
        term, options = self.options(query)
        core, highlight = self.engine._core(INDEX), parse_highlight(HIGHLIGHT)
        native = make_plan(core, term, QueryOptions(**options)).query
        assert native is not None
        found = [(number, core.documents[number]) for number in native.top(k)[0]]

        def mark() -> object:
            highlighter = Highlighter(core, native, highlight)
            return [highlighter.of(number, stored) for number, stored in found]

        return mark, len(found)

    def replace(self, document: Document) -> None:
        (new,) = as_dicts([document])
        self.engine.upsert(INDEX, new)

    def close(self) -> None:
        self.engine.close()


class NarsilpyOnDisk(Narsilpy):
    persists = True

    def make(self, folder: str) -> Narsil:
        return Narsil(folder)

    def open(self, folder: str) -> None:
        self.engine = self.make(folder)
