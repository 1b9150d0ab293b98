"""DuckDB with its fts extension (from PyPI). The index does not follow changes: a replacement rebuilds it."""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from duckdb_extensions import import_extension

from benchmarks.corpus import Document
from benchmarks.engines.base import ALL_KINDS, Engine, Found
from benchmarks.queries import Query

__all__ = ["DuckDb"]

CREATE = "PRAGMA create_fts_index('documents', 'id', 'body', stemmer='english', stopwords='english', overwrite=1)"
SELECT = (
    "SELECT id, score, body FROM (SELECT *, fts_main_documents.match_bm25(id, ?, fields := 'body'{how}) AS score "
    "FROM documents{where}) WHERE score IS NOT NULL ORDER BY score DESC LIMIT {k}"
)


class DuckDb(Engine):
    kinds = ALL_KINDS - {"phrase2", "prefix", "fuzzy"}
    highlights = False

    def version(self) -> str:
        return str(duckdb.__version__)

    def open(self, folder: str) -> None:
        import_extension("fts")
        self.db: Any = duckdb.connect(str(Path(folder) / "documents.duckdb"))
        self.db.execute("LOAD fts")

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        self.open(folder)
        if threads:
            self.db.execute(f"SET threads = {threads}")
        self.db.execute("CREATE TABLE documents(id VARCHAR, title VARCHAR, body VARCHAR, tag VARCHAR, num INTEGER)")
        for first in range(0, len(documents), 100_000):
            part = documents[first : first + 100_000]
            columns = {
                name: np.array(values, dtype=np.int32 if name == "num" else object)
                for name, values in zip(Document._fields, zip(*part, strict=True), strict=True)
            }
            self.db.register("part", columns)
            self.db.execute("INSERT INTO documents SELECT id, title, body, tag, num FROM part")
            self.db.unregister("part")
        self.db.execute(CREATE)
        self.db.execute("CHECKPOINT")

    def search(self, query: Query, k: int = 10) -> list[Found]:
        how = ", conjunctive := 1" if query.kind == "and2" else ""
        where, values = "", [query.text]
        if query.kind == "filter_num":
            where, values = " WHERE num BETWEEN ? AND ?", [query.text, str(query.low), str(query.high)]
        elif query.kind == "filter_tag":
            where, values = " WHERE tag = ?", [query.text, query.tag]
        rows = self.db.execute(SELECT.format(how=how, where=where, k=k), values).fetchall()
        return [Found(*row) for row in rows]

    def replace(self, document: Document) -> None:
        self.db.execute(
            "UPDATE documents SET title = ?, body = ?, tag = ?, num = ? WHERE id = ?",
            [document.title, document.body, document.tag, document.num, document.id],
        )
        self.db.execute(CREATE)

    def close(self) -> None:
        self.db.close()
