"""Spans and a text to a `Highlight`, built natively: the one window of most highlights, or several passages.

Only slices of the text are made, of the length of what is shown: the cost does not grow with the document.
"""
from __future__ import annotations

from collections.abc import Callable

from narsilpy._highlight import Highlight, build, several
from narsilpy._spans import SpanArray
from narsilpy.highlight.options import FieldPlan
from narsilpy.highlight.passages import best_passages


def build_highlight(value: str | list[str], spans: SpanArray, plan: FieldPlan,
                    source: Callable[[], SpanArray] | None = None) -> Highlight:
    """What to show of a field: `value` is its text, or its elements; `spans` are its matches.

    `source`, where given, makes the array of every match: `spans` then holds the first of them alone.
    """
    if isinstance(value, str):
        text, first, stop = value, 0, spans.n
    else:
        text, first, stop = _best_element(value, spans)
    if plan.passages > 1 and first < stop and len(text) > plan.max_chars > 0:
        return _passages(text, spans, first, stop, plan, source)
    return build(text, spans, plan, first, stop, source)


def _passages(text: str, spans: SpanArray, first: int, stop: int, plan: FieldPlan,
              source: Callable[[], SpanArray] | None) -> Highlight:
    """Several stretches, in text order."""
    best = best_passages(text, spans, first, stop, plan.passages, plan.max_chars, plan.boundary, plan.language)
    if not best and source is not None:     # every passage reaches beyond what was read
        spans, source = source(), None
        best = best_passages(text, spans, 0, len(spans), plan.passages, plan.max_chars, plan.boundary, plan.language)
    return several(text, spans, plan, best, source)


def _best_element(elements: list[str], spans: SpanArray) -> tuple[str, int, int]:
    """The element with most matches, the first of equals, and which records are its own."""
    best = ("", 0, 0) if not elements else (elements[0], *spans.of_value(0))
    for number in range(1, len(elements)):
        first, stop = spans.of_value(number)
        if stop - first > best[2] - best[1]:
            best = (elements[number], first, stop)
    return best
