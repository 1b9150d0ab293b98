"""Xapian: every term stemmed, with positions; the document's data is its JSON. Often only in the system's Python."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import xapian

from benchmarks.corpus import FUNCTION_WORDS, Document
from benchmarks.engines.base import ALL_KINDS, Engine, Found, Marked
from benchmarks.queries import Query

__all__ = ["Xapian"]


class Xapian(Engine):
    kinds = ALL_KINDS - {"fuzzy"}

    def version(self) -> str:
        return str(xapian.version_string())

    def terms(self) -> Any:
        self.stem, self.stopper = xapian.Stem("en"), xapian.SimpleStopper()
        for word in FUNCTION_WORDS:
            self.stopper.add(word)
        generator = xapian.TermGenerator()
        generator.set_stemmer(self.stem)
        generator.set_stemming_strategy(generator.STEM_ALL_Z)
        generator.set_stopper(self.stopper)
        generator.set_stopper_strategy(generator.STOP_ALL)
        return generator

    def convert(self, document: Document) -> Any:
        converted = xapian.Document()
        self.generator.set_document(converted)
        self.generator.set_termpos(0)
        self.generator.index_text(document.body)
        converted.set_data(json.dumps(document, ensure_ascii=False))
        converted.add_boolean_term("Q" + document.id)
        converted.add_boolean_term("XT" + document.tag)
        converted.add_value(0, xapian.sortable_serialise(document.num))
        return converted

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        self.generator = self.terms()
        writer = xapian.WritableDatabase(folder, xapian.DB_CREATE_OR_OVERWRITE)
        for document in documents:
            writer.add_document(self.convert(document))
        writer.commit()
        writer.close()
        self.open(folder)

    def open(self, folder: str) -> None:
        self.folder, self.generator = folder, self.terms()
        self.writer: Any = None
        self.database = xapian.Database(folder)

    def parse(self, query: Query) -> Any:
        make = xapian.Query
        if query.kind == "prefix":
            return make(make.OP_WILDCARD, "Z" + query.part, 0, make.WILDCARD_LIMIT_ERROR, make.OP_SYNONYM)
        stems = [b"Z" + self.stem(word) for word in query.words]
        if query.kind in ("and2", "phrase2"):
            return make(make.OP_AND if query.kind == "and2" else make.OP_PHRASE, stems)
        words = make(make.OP_OR, stems)
        if query.kind == "filter_num":
            bounds = (xapian.sortable_serialise(query.low), xapian.sortable_serialise(query.high))
            return make(make.OP_FILTER, words, make(make.OP_VALUE_RANGE, 0, *bounds))
        if query.kind == "filter_tag":
            return make(make.OP_FILTER, words, make("XT" + query.tag))
        return words

    def matches(self, query: Query, k: int) -> Any:
        enquire = xapian.Enquire(self.database)
        enquire.set_query(self.parse(query))
        return enquire.get_mset(0, k)

    def search(self, query: Query, k: int = 10) -> list[Found]:
        found = []
        for match in self.matches(query, k):
            doc_id, _, body, *_ = json.loads(match.document.get_data())
            found.append(Found(doc_id, match.weight, body))
        return found

    def highlight(self, query: Query, k: int = 10) -> list[Marked]:
        matches, marked = self.matches(query, k), []
        for match in matches:
            doc_id, _, body, *_ = json.loads(match.document.get_data())
            marked.append(Marked(doc_id, matches.snippet(body, 200, self.stem).decode(), None))
        return marked

    def marker(self, query: Query, k: int = 10) -> tuple[Callable[[], object], int]:
        matches = self.matches(query, k)
        bodies = [json.loads(match.document.get_data())[2] for match in matches]
        return lambda: [matches.snippet(body, 200, self.stem).decode() for body in bodies], len(bodies)

    def replace(self, document: Document) -> None:
        if self.writer is None:
            self.writer = xapian.WritableDatabase(self.folder, xapian.DB_OPEN)
        self.writer.replace_document("Q" + document.id, self.convert(document))
        self.writer.commit()
        self.database.reopen()
