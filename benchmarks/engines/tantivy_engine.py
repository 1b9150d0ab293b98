"""tantivy: simple tokenizer, lower case, English stop words and stemmer, positions; stored fields."""
from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from typing import Any

import tantivy

from benchmarks.corpus import Document
from benchmarks.engines.base import Engine, Found, Marked
from benchmarks.queries import Query

__all__ = ["Tantivy"]

ANALYZER = "english_like_ours"


class Tantivy(Engine):
    threads_can_be_set = True

    def version(self) -> str:
        return importlib.metadata.version("tantivy")

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        schema = tantivy.SchemaBuilder()
        for name in ("id", "title", "tag"):
            schema.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
        schema.add_text_field("body", stored=True, tokenizer_name=ANALYZER, index_option="position")
        schema.add_integer_field("num", stored=True, indexed=True, fast=True)
        self.use(tantivy.Index(schema.build(), path=folder, reuse=False))
        writer = self.index.writer(heap_size=128_000_000, num_threads=threads)
        for document in documents:
            writer.add_document(self.convert(document))
        writer.commit()
        writer.wait_merging_threads()
        self.refresh()

    def use(self, index: Any) -> None:
        self.index = index
        steps = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.remove_long(60))
        for step in (tantivy.Filter.lowercase(), tantivy.Filter.stopword("english"), tantivy.Filter.stemmer("english")):
            steps = steps.filter(step)
        index.register_tokenizer(ANALYZER, steps.build())
        self.writer: Any = None
        self.refresh()

    def refresh(self) -> None:
        self.index.reload()
        self.searcher = self.index.searcher()

    def open(self, folder: str) -> None:
        self.use(tantivy.Index.open(folder))

    def convert(self, document: Document) -> Any:
        return tantivy.Document(
            id=document.id, title=document.title, body=document.body, tag=document.tag, num=document.num
        )

    def parse(self, query: Query) -> Any:
        index, schema, make = self.index, self.index.schema, tantivy.Query
        if query.kind == "and2":
            return index.parse_query(query.text, ["body"], conjunction_by_default=True)
        if query.kind == "phrase2":
            return index.parse_query(f'"{query.text}"', ["body"])
        if query.kind == "prefix":
            return make.regex_query(schema, "body", query.part + ".*")
        if query.kind == "fuzzy":
            return make.fuzzy_term_query(schema, "body", query.part, distance=1)
        words = index.parse_query(query.text, ["body"])
        if query.kind == "filter_num":
            only = make.range_query(schema, "num", tantivy.FieldType.Integer, query.low, query.high)
        elif query.kind == "filter_tag":
            only = make.term_query(schema, "tag", query.tag, index_option="basic")
        else:
            return words
        must = tantivy.Occur.Must
        return make.boolean_query([(must, words), (must, make.const_score_query(only, 0.0))])

    def search(self, query: Query, k: int = 10) -> list[Found]:
        found = []
        # without the count, so that block-max pruning works
        for score, address in self.searcher.search(self.parse(query), k, count=False).hits:
            stored = self.searcher.doc(address)
            found.append(Found(stored["id"][0], score, stored["body"][0]))
        return found

    def highlight(self, query: Query, k: int = 10) -> list[Marked]:
        parsed, marked = self.parse(query), []
        snippets = tantivy.SnippetGenerator.create(self.searcher, parsed, self.index.schema, "body")
        snippets.set_max_num_chars(200)
        for _, address in self.searcher.search(parsed, k, count=False).hits:
            stored = self.searcher.doc(address)
            snippet = snippets.snippet_from_doc(stored)
            marked.append(Marked(stored["id"][0], snippet.to_html(), snippet.highlighted()))
        return marked

    def marker(self, query: Query, k: int = 10) -> tuple[Callable[[], object], int]:
        parsed = self.parse(query)
        stored = [self.searcher.doc(address) for _, address in self.searcher.search(parsed, k, count=False).hits]

        def mark() -> object:
            snippets = tantivy.SnippetGenerator.create(self.searcher, parsed, self.index.schema, "body")
            snippets.set_max_num_chars(200)
            made = [snippets.snippet_from_doc(document) for document in stored]
            return [(snippet.to_html(), snippet.highlighted()) for snippet in made]

        return mark, len(stored)

    def replace(self, document: Document) -> None:
        if self.writer is None:
            self.writer = self.index.writer(heap_size=50_000_000, num_threads=1)
        self.writer.delete_documents_by_term("id", document.id)
        self.writer.add_document(self.convert(document))
        self.writer.commit()
        self.refresh()
