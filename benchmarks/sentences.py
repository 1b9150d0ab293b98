"""How many sentence cases come out exactly, by language: `python -m benchmarks.sentences CASES.jsonl.gz`.

A line of the file is `{"lang": "en", "text": "...", "offsets": [[0, 10], ...]}`; lines without offsets are left out.
White space about a sentence is not compared. The cases are those of pragmatic_segmenter and pysbd (both MIT), made
into offsets; they are not part of this project. The segmenter alone stands beside it.
"""
from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from sentencex import segment

from narsilpy.highlight.sentences import Sentences

FLOOR = 890     # of 969: what was reached when this was last measured


def bare(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans without the white space about them; those of nothing else are left out."""
    found = []
    for start, end in spans:
        words = text[start:end].strip()
        if words:
            start += text[start:end].index(words)
            found.append((start, start + len(words)))
    return found


def segmenter_alone(text: str, language: str) -> list[tuple[int, int]]:
    spans, at = [], 0
    for sentence in segment(language, text):
        spans.append((at, at + len(sentence)))
        at += len(sentence)
    return spans


def main(path: str) -> int:
    n, ours, alone = Counter[str](), Counter[str](), Counter[str]()
    for line in gzip.decompress(Path(path).read_bytes()).decode().splitlines():
        case = json.loads(line)
        if not case.get("offsets"):
            continue
        text, language = case["text"], case["lang"]
        wanted = bare(text, [(start, end) for start, end in case["offsets"]])
        n[language] += 1
        ours[language] += bare(text, list(Sentences(text, language))) == wanted
        alone[language] += bare(text, segmenter_alone(text, language)) == wanted
    for language in sorted(n):
        print(f"{language:8} {n[language]:5} cases  {ours[language]:5} here  {alone[language]:5} sentencex alone")
    print(f"{'all':8} {n.total():5} cases  {ours.total():5} here  {alone.total():5} sentencex alone")
    return 0 if n.total() != 969 or ours.total() >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
