"""Sorts, facets, groups and filters beside tantivy and SQLite, in one run:

    python -m benchmarks.arranging --size 100000

Guards: none of these questions is slower here than in tantivy or SQLite. Every engine holds the same synthetic
documents (4 to 40 words of 5,000, every third with "common"; an enum of 20 values, a string of 20,000, a number), the
query is "common", and each returns ten documents or the whole count. Medians of interleaved rounds, each the best of
four in a row.
"""
from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from narsilpy import Narsil

__all__ = ["main"]

Questions = dict[str, Callable[[], object]]
RANGES = [(None, 500), (500, 1000), (1000, None)]


def documents(size: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(4)
    words = [f"w{number}" for number in range(5_000)]
    for number in range(size):
        text = " ".join(chance.choices(words, k=chance.randint(4, 40))) + (" common" if number % 3 == 0 else "")
        yield {"id": f"d{number:08}", "body": text, "kind": f"kind{chance.randrange(20)}",
               "brand": f"brand{chance.randrange(20_000)}", "price": chance.randrange(10_000) / 4,
               "stock": chance.random() < 0.5}


def narsilpy(size: int) -> Questions:
    engine = Narsil()
    engine.create_index("docs", schema={"body": "string", "kind": "enum", "brand": "string:sortable", "price": "number",
                                        "stock": "boolean"})
    engine.insert_batch("docs", documents(size))
    low = iter(range(10**9))        # every range is a new one: remembered filters do not count

    def ask(**options: Any) -> Callable[[], object]:
        return lambda: engine.query("docs", "common", **options)

    return {
        "sort by a number": ask(sort={"price": "asc"}), "sort by a string": ask(sort={"brand": "asc"}),
        "facet of 20 values": ask(facets=["kind"]), "facet of 20,000 values": ask(facets={"brand": {"limit": 10}}),
        "facet of ranges": ask(facets={"price": {"ranges": [{"from": low, "to": high} if low and high else
                                                            {"to": high} if high else {"from": low}
                                                            for low, high in RANGES]}}),
        "one of each of 20 groups": ask(group={"fields": ["kind"], "max_per_group": 1}),
        "a range of numbers": lambda: engine.query(
            "docs", "common", filters={"fields": {"price": {"between": [100 + next(low) / 1e6, 600]}}}),
        "a boost by a number": ask(boost_by={"field": "price", "function": "log1p"}),
        "the filtered count": lambda: engine.preflight(
            "docs", "common", filters={"fields": {"price": {"gte": 2_000 + next(low) / 1e6}}}).count,
    }


def tantivy(size: int) -> Questions:
    import tantivy as module

    schema = module.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    schema.add_text_field("body", stored=True, tokenizer_name="en_stem", index_option="position")
    for name in ("kind", "brand"):
        schema.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic", fast=True)
    schema.add_float_field("price", stored=True, indexed=True, fast=True)
    schema.add_boolean_field("stock", stored=True, indexed=True, fast=True)
    index = module.Index(schema.build())
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    for document in documents(size):
        writer.add_document(module.Document(**document))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    query = index.parse_query("common", ["body"])
    low = iter(range(10**9))

    def shown(**options: Any) -> Callable[[], object]:
        return lambda: [searcher.doc(address).to_dict()
                        for _, address in searcher.search(options.get("query", query), 10, **options).hits]

    def counted(wanted: dict[str, Any]) -> Callable[[], object]:
        return lambda: (shown()(), searcher.aggregate(query, {"facet": wanted}))

    def between() -> object:
        wanted = module.Query.boolean_query([
            (module.Occur.Must, query),
            (module.Occur.Must, module.Query.range_query(index.schema, "price", module.FieldType.Float,
                                                         100 + next(low) / 1e6, 600.0))])
        return [searcher.doc(address).to_dict() for _, address in searcher.search(wanted, 10).hits]

    return {
        "sort by a number": shown(order_by_field="price", order=module.Order.Asc),
        "sort by a string": shown(order_by_field="brand", order=module.Order.Asc),
        "facet of 20 values": counted({"terms": {"field": "kind", "size": 20}}),
        "facet of 20,000 values": counted({"terms": {"field": "brand", "size": 10}}),
        "facet of ranges": counted({"range": {"field": "price", "ranges": [
            {**({"from": low} if low else {}), **({"to": high} if high else {})} for low, high in RANGES]}}),
        "a range of numbers": between,
        "a boost by a number": shown(weight_by_field="price"),
    }


def sqlite(size: int) -> Questions:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE words USING fts5(body, tokenize='porter unicode61')")
    base.execute("CREATE TABLE docs (rowid INTEGER PRIMARY KEY, id TEXT, kind TEXT, brand TEXT, price REAL, stock INT)")
    for number, document in enumerate(documents(size), 1):
        base.execute("INSERT INTO words(rowid, body) VALUES (?, ?)", (number, document["body"]))
        base.execute("INSERT INTO docs VALUES (?, ?, ?, ?, ?, ?)", (
            number, *(document[name] for name in ("id", "kind", "brand", "price", "stock"))))
    base.execute("CREATE INDEX by_price ON docs(price)")
    base.execute("ANALYZE")
    joined = "FROM words JOIN docs ON docs.rowid = words.rowid WHERE words MATCH 'common'"
    low = iter(range(10**9))

    def rows(query: str, *arguments: Any) -> Callable[[], object]:
        return lambda: base.execute(query, arguments).fetchall()

    return {
        "sort by a number": rows(f"SELECT docs.*, body {joined} ORDER BY price LIMIT 10"),
        "sort by a string": rows(f"SELECT docs.*, body {joined} ORDER BY brand LIMIT 10"),
        "facet of 20 values": rows(f"SELECT kind, count(*) {joined} GROUP BY kind ORDER BY 2 DESC"),
        "facet of 20,000 values": rows(f"SELECT brand, count(*) {joined} GROUP BY brand ORDER BY 2 DESC LIMIT 10"),
        "facet of ranges": rows(
            f"SELECT sum(price < 500), sum(price >= 500 AND price < 1000), sum(price >= 1000) {joined}"),
        "one of each of 20 groups": rows(f"SELECT max(-rank), docs.* {joined} GROUP BY kind"),
        "a range of numbers": lambda: base.execute(
            f"SELECT docs.*, body {joined} AND price BETWEEN ? AND 600 ORDER BY rank LIMIT 10",
            (100 + next(low) / 1e6,)).fetchall(),
        "a boost by a number": rows(f"SELECT docs.*, body {joined} ORDER BY rank * (1 + ln(1 + price)) LIMIT 10"),
        "the filtered count": lambda: base.execute(
            f"SELECT count(*) {joined} AND price >= ?", (2_000 + next(low) / 1e6,)).fetchone(),
    }


ENGINES: dict[str, Callable[[int], Questions]] = {"narsilpy": narsilpy, "tantivy": tantivy, "sqlite": sqlite}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    ready: dict[str, Questions] = {}
    for name, build in ENGINES.items():
        try:
            ready[name] = build(options.size)
        except ImportError:
            print(f"{name} is not installed")
    kinds = list(ready["narsilpy"])
    times: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in kinds for name in ready}
    for _ in range(options.rounds):
        for kind in kinds:
            for name, questions in ready.items():
                if kind in questions:       # the best of a few in a row, as the other benchmarks: caches are warm
                    taken = []
                    for _ in range(4):
                        started = time.perf_counter()
                        questions[kind]()
                        taken.append(time.perf_counter() - started)
                    times[kind, name].append(min(taken))
    print(f"| {options.size:,} documents, median ms | " + " | ".join(ready) + " |")
    print("|---|" + "--:|" * len(ready))
    for kind in kinds:
        medians = [f"{1e3 * statistics.median(times[kind, name][1:]):.2f}" if times[kind, name] else ""
                   for name in ready]
        print(f"| {kind} | " + " | ".join(medians) + " |")


if __name__ == "__main__":
    main()
