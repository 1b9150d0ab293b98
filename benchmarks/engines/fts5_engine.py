"""SQLite FTS5 from the standard library: external content, porter stemmer, no stop words; WAL, synchronous=NORMAL."""
from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpus import Document
from benchmarks.engines.base import ALL_KINDS, Engine, Found, Marked
from benchmarks.queries import Query

__all__ = ["Fts5"]

TABLES = """
CREATE TABLE documents(rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT, body TEXT, tag TEXT, num INTEGER);
CREATE VIRTUAL TABLE words USING fts5(body, content='documents', content_rowid='rowid', tokenize='porter unicode61');
"""
TRIGGER = """
CREATE TRIGGER changed AFTER UPDATE ON documents BEGIN
  INSERT INTO words(words, rowid, body) VALUES ('delete', old.rowid, old.body);
  INSERT INTO words(rowid, body) VALUES (new.rowid, new.body);
END;
CREATE INDEX by_num ON documents(num);
CREATE INDEX by_tag ON documents(tag);
"""
SELECT = (
    "SELECT d.id, words.rank, {what} FROM words JOIN documents d ON d.rowid = words.rowid "
    "WHERE words MATCH ?{more} ORDER BY words.rank LIMIT ?"
)
SNIPPET = "snippet(words, 0, char(2), char(3), '...', 30)"


class Fts5(Engine):
    kinds = ALL_KINDS - {"fuzzy"}

    def version(self) -> str:
        return sqlite3.sqlite_version

    def connect(self, folder: str) -> None:
        self.db = sqlite3.connect(Path(folder) / "fts5.db", isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "mmap_size=4294967296", "cache_size=-65536"):
            self.db.execute(f"PRAGMA {pragma}")

    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        self.connect(folder)
        self.db.executescript(TABLES)
        self.db.execute("BEGIN")
        self.db.executemany("INSERT INTO documents(id, title, body, tag, num) VALUES (?, ?, ?, ?, ?)", documents)
        self.db.execute("INSERT INTO words(words) VALUES ('rebuild')")
        self.db.execute("COMMIT")
        self.db.executescript(TRIGGER)

    def open(self, folder: str) -> None:
        self.connect(folder)

    def run(self, query: Query, k: int, what: str) -> list[tuple[str, float, str]]:
        quoted = [f'"{word}"' for word in query.words]
        match = (" AND " if query.kind == "and2" else " OR ").join(quoted)
        if query.kind == "phrase2":
            match = f'"{query.text}"'
        elif query.kind == "prefix":
            match = f'"{query.part}"*'
        more, values = "", [match]
        if query.kind == "filter_num":
            more, values = " AND d.num BETWEEN ? AND ?", [match, str(query.low), str(query.high)]
        elif query.kind == "filter_tag":
            more, values = " AND d.tag = ?", [match, query.tag]
        return self.db.execute(SELECT.format(what=what, more=more), (*values, k)).fetchall()

    def search(self, query: Query, k: int = 10) -> list[Found]:
        return [Found(*row) for row in self.run(query, k, "d.body")]

    def highlight(self, query: Query, k: int = 10) -> list[Marked]:
        return [Marked(doc_id, snippet, None) for doc_id, _, snippet in self.run(query, k, SNIPPET)]

    def replace(self, document: Document) -> None:
        self.db.execute(
            "UPDATE documents SET title = ?, body = ?, tag = ?, num = ? WHERE id = ?",
            (document.title, document.body, document.tag, document.num, document.id),
        )

    def close(self) -> None:
        self.db.close()
