"""Writes tests/golden/engine-v<n>, once and for all: run it only to make a folder for a new format, under a new name.

python -m tests.golden.make_engine TARGET
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from narsilpy import Narsil
from narsilpy.storage.store import LOCK

SCHEMA = {
    "title": "string",
    "body": "string",
    "tags": "string[]",
    "price": "number",
    "kind": "enum",
    "meta": {"by": "string"},
}
WORDS = [
    "fox",
    "foxes",
    "hound",
    "running",
    "runs",
    "the",
    "straße",
    "e\u0301cole",
    "東京都",
    "baggage",
    "it’s",
    "İstanbul",
]
QUERIES: list[dict[str, Any]] = [
    {"term": "foxes running", "limit": 30},
    {"term": "école straße", "term_match": "all"},
    {"term": "bag", "prefix": True},
    {"term": "hounf", "tolerance": 1},
    {"term": "istanbul 東京", "fields": ["body", "tags"], "highlight": {"fields": ["body"]}},
]


def document(i: int) -> dict[str, Any]:
    words = [WORDS[(i * k + k // 3) % len(WORDS)] for k in range(1, 13)]
    return {
        "id": f"d{i:03}",
        "title": " ".join(words[:3]),
        "body": " ".join(words[2:]) + ".",
        "tags": words[:2],
        "price": i / 4,
        "kind": "abc"[i % 3],
        "meta": {"by": words[-1]},
    }


def answers(narsil: Narsil) -> list[Any]:
    """What the folder answers, as JSON holds it."""
    found = []
    for query in QUERIES:
        result = narsil.query("rules", **query)
        hits = []
        for hit in result:
            spans = {field: [list(span) for span in shown.positions] for field, shown in hit.highlights.items()}
            hits.append([hit.id, hit.score, spans])
        found.append([result.count, hits])
    return found


def main(target: str) -> None:
    with Narsil(target) as narsil:
        narsil.create_index("rules", schema=SCHEMA, bm25={"k1": 1.4, "b": 0.6}, stop_words=["the"])
        core = narsil._indexes["rules"]
        narsil.insert_batch("rules", [document(i) for i in range(60)])
        core.storage.checkpoint(core)
        narsil.insert_batch("rules", [document(i) for i in range(60, 80)])
        narsil.remove_batch("rules", ["d003", "d017"])
        core.storage.checkpoint(core)
        narsil.remove("rules", "d020")
        narsil.update("rules", "d021", {**document(100), "id": "d021"})
        narsil.insert("rules", document(90))
        recorded = answers(narsil)
    (Path(target) / LOCK).unlink()
    (Path(target).with_suffix(".json")).write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
