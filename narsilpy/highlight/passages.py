"""Several passages of one field: which stretches to show, best first chosen, in text order shown."""
from __future__ import annotations

from narsilpy._highlight import passages
from narsilpy._spans import SpanArray

MAX_CANDIDATES = 256        # passages that are scored in one field; matches beyond them are not looked at


def best_passages(text: str, spans: SpanArray, first: int, stop: int, n: int, max_chars: int,
                  boundary: str, language: str = "english") -> list[tuple[int, int, int, int, float]]:
    """`(start, end, first record, stop record, score)` of the best `n` passages, in text order. They do not overlap."""
    sentences = None
    if boundary == "sentence":
        from narsilpy.highlight.sentences import Sentences  # patterns that a window of words does not need

        sentences = Sentences(text, language).of
    return passages(text, spans, first, stop, max_chars, sentences, MAX_CANDIDATES, n)
