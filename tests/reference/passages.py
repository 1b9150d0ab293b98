"""The slow twin of passages: candidates round each match, scored by counting the words in them."""
from __future__ import annotations

import math
from collections import Counter

from narsilpy._spans import SpanArray, snap_to_words
from narsilpy.highlight.sentences import sentence_span
from tests.reference.graphemes import grapheme_end, grapheme_start, snap_to_graphemes

K1, B, PIVOT = 1.2, 0.75, 87.0
MAX_CANDIDATES = 256        # passages that are scored in one field; matches beyond them are not looked at


def best_passages(text: str, spans: SpanArray, first: int, stop: int, n: int, max_chars: int,
                  boundary: str, language: str = "english") -> list[tuple[int, int, int, int, float]]:
    """`(start, end, first record, stop record, score)` of the best `n` passages, in text order. They do not overlap."""
    found: list[tuple[int, int, int, int, float]] = []
    at = first
    reached = 0
    while at < stop and len(found) < MAX_CANDIDATES:
        start, end = _stretch(text, *spans.edges(at, at + 1), max_chars, boundary, language)
        start = max(start, reached)
        inside_first, inside_stop = spans.within(start, end, at, stop)
        if inside_first == inside_stop:     # a match longer than a passage may be
            at += 1
            continue
        found.append((start, end, inside_first, inside_stop, _score(spans, inside_first, inside_stop, start, end)))
        reached = end
        at = inside_stop
        while at < stop and spans.edges(at, at + 1)[0] < end:
            at += 1
    found.sort(key=lambda passage: (-passage[4], passage[0]))
    return sorted(found[:n])


def _stretch(text: str, match_start: int, match_end: int, max_chars: int, boundary: str,
             language: str) -> tuple[int, int]:
    """The stretch round one match: its sentence, or words to both sides of it up to the length allowed."""
    if boundary == "sentence":
        start, end = sentence_span(text, match_start, language)
        start, end = grapheme_start(text, start), grapheme_end(text, max(end, match_end))
        if not max_chars or end - start <= max_chars:
            return start, end
    size = max_chars or round(2 * PIVOT)
    start = max(0, min((match_start + match_end - size) // 2, len(text) - size))
    window = snap_to_words(text, start, min(len(text), start + size), match_start, match_end)
    return snap_to_graphemes(text, *window, match_start)


def _score(spans: SpanArray, first: int, stop: int, start: int, end: int) -> float:
    counts = Counter(spans.positions[number].query_term for number in range(first, stop))
    norm = K1 * (1 - B + B * (end - start) / PIVOT)
    return (1 + 1 / math.log(PIVOT + start)) * sum(tf / (tf + norm) for tf in counts.values())
