"""Relevance over a collection in the common form: nDCG@10, MAP and recall@100.

    python -m benchmarks.relevance DIR [--k1 1.2 --b 0.75] [--at-least 0.684]

DIR holds corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (query-id, corpus-id, score), each
plain or gzip. Title and text are one field, as in the published figures. With the extra `relevance` installed the
measures are computed by ir-measures as well, and must agree.
"""
from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from narsilpy import Narsil

__all__ = ["evaluate", "measures", "search_all"]

DEPTH = 1000


def lines(folder: Path, name: str) -> Iterator[str]:
    """The lines of `folder/name`, or of `folder/name.gz`."""
    path = folder / name
    zipped = path.with_name(name + ".gz")
    with gzip.open(zipped, "rt", encoding="utf-8") if zipped.exists() else path.open(encoding="utf-8") as file:
        yield from file


def documents(folder: Path) -> Iterator[dict[str, Any]]:
    for line in lines(folder, "corpus.jsonl"):
        record = json.loads(line)
        yield {"id": record["_id"], "text": f"{record.get('title') or ''} {record['text']}".strip()}


def judgements(folder: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines(folder, "qrels.tsv")):
        query, document, grade = line.split("\t")
        if number or grade.strip().lstrip("-").isdigit():     # the first line is a header
            judged.setdefault(query, {})[document] = int(grade)
    return judged


def search_all(folder: Path, *, k1: float = 1.2, b: float = 0.75) -> dict[str, list[tuple[str, float]]]:
    """The ranked answers to every query of the collection."""
    with Narsil() as engine:
        engine.create_index("collection", schema={"text": "string"}, language="english", bm25={"k1": k1, "b": b})
        failed = engine.insert_batch("collection", documents(folder)).failed
        assert not failed, failed[:3]
        run = {}
        for line in lines(folder, "queries.jsonl"):
            query = json.loads(line)
            result = engine.query("collection", term=query["text"], limit=DEPTH, document=False)
            run[query["_id"]] = [(hit.id, hit.score or 0.0) for hit in result.hits]
    return run


def measures(judged: Mapping[str, int], ranked: Sequence[str]) -> tuple[float, float, float]:
    """(nDCG@10, average precision, recall@100) of one ranking.

    >>> measures({"a": 1, "b": 1}, ["a", "x", "b"])
    (0.9197207891481876, 0.8333333333333333, 1.0)
    """
    relevant = {document for document, grade in judged.items() if grade > 0}

    def gain(grades: Sequence[int]) -> float:
        return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades[:10]))

    ideal = gain(sorted((grade for grade in judged.values() if grade > 0), reverse=True))
    ndcg = gain([max(0, judged.get(document, 0)) for document in ranked[:10]]) / ideal if ideal else 0.0
    found, precision = 0, 0.0
    for rank, document in enumerate(ranked[:DEPTH], start=1):
        if document in relevant:
            found += 1
            precision += found / rank
    recall = len(relevant.intersection(ranked[:100]))
    n_relevant = max(1, len(relevant))
    return ndcg, precision / n_relevant, recall / n_relevant


def evaluate(
    judged: Mapping[str, Mapping[str, int]], run: Mapping[str, Sequence[tuple[str, float]]]
) -> dict[str, float]:
    """The means over the queries that have a relevant document."""
    rows = [
        measures(grades, [document for document, _ in run.get(query, ())])
        for query, grades in judged.items()
        if any(grade > 0 for grade in grades.values())
    ]
    names = ("nDCG@10", "MAP", "recall@100")
    return {name: sum(column) / len(rows) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def evaluate_with_ir_measures(
    judged: Mapping[str, Mapping[str, int]], run: Mapping[str, Sequence[tuple[str, float]]]
) -> dict[str, float] | None:
    """The same by ir-measures; None where it is not installed. Scores are replaced by ranks, so that ties stay ours."""
    try:
        import ir_measures
    except ImportError:
        return None
    ranks = {
        query: {document: float(DEPTH - rank) for rank, (document, _) in enumerate(hits)} for query, hits in run.items()
    }
    wanted = {"nDCG@10": ir_measures.nDCG @ 10, "MAP": ir_measures.AP, "recall@100": ir_measures.R @ 100}
    kept = {query: dict(grades) for query, grades in judged.items() if any(grade > 0 for grade in grades.values())}
    found = ir_measures.calc_aggregate(wanted.values(), kept, ranks)
    return {name: float(found[measure]) for name, measure in wanted.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--k1", type=float, default=1.2)
    parser.add_argument("--b", type=float, default=0.75)
    parser.add_argument("--at-least", type=float, default=0.0, help="fail below this nDCG@10")
    arguments = parser.parse_args()
    judged = judgements(arguments.folder)
    run = search_all(arguments.folder, k1=arguments.k1, b=arguments.b)
    own, other = evaluate(judged, run), evaluate_with_ir_measures(judged, run)
    print(f"{arguments.folder.name}: " + ", ".join(f"{name} {value:.4f}" for name, value in own.items()))
    if other is not None:
        differing = [name for name in own if abs(own[name] - other[name]) > 1e-6]
        print("ir-measures agrees" if not differing else f"ir-measures differs: {other}")
        if differing:
            return 1
    return int(own["nDCG@10"] < arguments.at_least)


if __name__ == "__main__":
    sys.exit(main())
