"""Whoosh (whoosh-reloaded): pure Python, BM25F, stemming analyzer, positions."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whoosh import index, scoring
from whoosh import query as wq
from whoosh.analysis import StemmingAnalyzer
from whoosh.fields import ID, NUMERIC, STORED, TEXT, Schema
from whoosh.highlight import ContextFragmenter
from whoosh.qparser import OrGroup, QueryParser

from benchmarks.corpus import Document
from benchmarks.engines.base import Engine, Found, Marked
from benchmarks.queries import Query

__all__ = ["Whoosh"]


class Whoosh(Engine):
    def version(self) -> str:
        import whoosh

        return ".".join(map(str, whoosh.__version__))

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        text = TEXT(analyzer=StemmingAnalyzer(), stored=True, phrase=True)
        schema = Schema(
            id=ID(unique=True, stored=True), title=STORED, body=text, tag=ID(stored=True), num=NUMERIC(stored=True)
        )
        writer = index.create_in(folder, schema).writer(limitmb=256)
        for document in documents:
            writer.add_document(**document._asdict())
        writer.commit()
        self.open(folder)

    def open(self, folder: str) -> None:
        self.index = index.open_dir(folder)
        self.refresh()

    def refresh(self) -> None:
        self.searcher = self.index.searcher(weighting=scoring.BM25F(B=0.75, K1=1.2))
        self.any = QueryParser("body", self.index.schema, group=OrGroup)
        self.all = QueryParser("body", self.index.schema)

    def run(self, query: Query, k: int) -> Any:
        only = None
        if query.kind == "and2":
            parsed = self.all.parse(query.text)
        elif query.kind == "phrase2":
            parsed = self.all.parse(f'"{query.text}"')
        elif query.kind == "prefix":
            parsed = wq.Prefix("body", query.part)
        elif query.kind == "fuzzy":
            parsed = wq.FuzzyTerm("body", query.part, maxdist=1, prefixlength=2)
        else:
            parsed = self.any.parse(query.text)
            if query.kind == "filter_num":
                only = wq.NumericRange("num", query.low, query.high)
            elif query.kind == "filter_tag":
                only = wq.Term("tag", query.tag)
        return self.searcher.search(parsed, limit=k, filter=only)

    def search(self, query: Query, k: int = 10) -> list[Found]:
        return [Found(hit["id"], hit.score, hit["body"]) for hit in self.run(query, k)]

    def highlight(self, query: Query, k: int = 10) -> list[Marked]:
        results = self.run(query, k)
        results.fragmenter = ContextFragmenter(maxchars=200, surround=60, charlimit=None)
        return [Marked(hit["id"], hit.highlights("body", top=1), None) for hit in results]

    def replace(self, document: Document) -> None:
        writer = self.index.writer()
        writer.update_document(**document._asdict())
        writer.commit()
        self.refresh()
