"""bm25s: scores computed ahead in numpy; PyStemmer and English stop words; documents from its own corpus file."""
from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import Stemmer

from benchmarks.corpus import Document
from benchmarks.engines.base import Engine, Found
from benchmarks.queries import Query

__all__ = ["Bm25s"]

logging.getLogger("bm25s").setLevel(logging.ERROR)


class Bm25s(Engine):
    kinds = frozenset(("rare", "common", "or2", "or4", "filter_num", "filter_tag"))
    highlights = False

    def version(self) -> str:
        return str(bm25s.__version__)

    def tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        retriever.index(self.tokens([document.body for document in documents]), show_progress=False)
        retriever.save(folder, corpus=[document._asdict() for document in documents], show_progress=False)
        num, tag = (np.array([getattr(document, name) for document in documents]) for name in ("num", "tag"))
        np.savez(Path(folder) / "columns.npz", num=num, tag=tag)
        self.open(folder)

    def open(self, folder: str) -> None:
        self.retriever = bm25s.BM25.load(folder, load_corpus=True, mmap=True, show_progress=False)
        columns = np.load(Path(folder) / "columns.npz")
        self.num, self.tag = columns["num"], columns["tag"]

    def search(self, query: Query, k: int = 10) -> list[Found]:
        mask = None
        if query.kind == "filter_num":
            mask = ((self.num >= query.low) & (self.num <= query.high)).astype(np.float32)
        elif query.kind == "filter_tag":
            mask = (self.tag == query.tag).astype(np.float32)
        documents, scores = self.retriever.retrieve(
            self.tokens([query.text]), k=min(k, len(self.num)), show_progress=False, n_threads=0, weight_mask=mask
        )
        return [
            Found(document["id"], float(score), document["body"])
            for document, score in zip(documents[0], scores[0], strict=True)
            if score > 0
        ]
