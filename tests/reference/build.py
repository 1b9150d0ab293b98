"""The slow twin of the highlight builder: which stretch to show, where to cut it, how to print it, step by step."""
from __future__ import annotations

from narsilpy._highlight import Highlight
from narsilpy._spans import Positions, SpanArray, densest, snap_to_words, tag
from narsilpy.highlight.model import Passage, Span
from narsilpy.highlight.options import FieldPlan
from narsilpy.highlight.sentences import sentence_bounds
from tests.reference.graphemes import snap_to_graphemes
from tests.reference.passages import best_passages


def build_highlight(value: str | list[str], spans: SpanArray, plan: FieldPlan) -> Highlight:
    """What to show of a field: `value` is its text, or its elements; `spans` are all its matches."""
    text, first, stop = (value, 0, len(spans)) if isinstance(value, str) else _best_element(value, spans)
    matches = Positions(spans, 0, len(spans))
    if first == stop and plan.no_match == "none":
        return Highlight("", matches, (), matches)
    if plan.passages > 1 and first < stop and len(text) > plan.max_chars > 0:
        return _passages(text, spans, first, stop, plan, matches)
    start, end = _window(text, spans, first, stop, plan)
    shown = _inside(spans, *spans.within(start, end, first, stop), start, end)
    snippet = _tagged(text, start, end, shown, plan)
    left, right = start > 0, end < len(text)
    if left:
        snippet = plan.ellipsis + snippet
    if right:
        snippet += plan.ellipsis
    passage = Passage(text[start:end], start, end, shown, float(len(shown)), left, right)
    return Highlight(snippet, shown, (passage,), matches)


def _passages(text: str, spans: SpanArray, first: int, stop: int, plan: FieldPlan, matches: Positions) -> Highlight:
    """Several stretches, in text order, with an ellipsis wherever text is left out."""
    passages: list[Passage] = []
    pieces: list[str] = []
    reached = 0
    shown: list[Span] = []
    for start, end, inside_first, inside_stop, score in best_passages(
            text, spans, first, stop, plan.passages, plan.max_chars, plan.boundary, plan.language):
        inside = _inside(spans, inside_first, inside_stop, start, end)
        if text[reached:min(start, reached + plan.max_chars)].strip():      # a look at the gap's beginning is enough
            pieces.append(plan.ellipsis)
        elif pieces:
            pieces.append(" ")
        pieces.append(_tagged(text, start, end, inside, plan))
        passages.append(Passage(text[start:end], start, end, inside, score, start > 0, end < len(text)))
        shown.extend(inside)
        reached = end
    if text[reached:reached + plan.max_chars].strip():
        pieces.append(plan.ellipsis)
    return Highlight("".join(pieces), tuple(shown), tuple(passages), matches)


def _inside(spans: SpanArray, first: int, stop: int, start: int, end: int) -> tuple[Span, ...]:
    """Of the records [first, stop) those that do not reach out of the window: a token may hold others."""
    return tuple(span for span in spans.positions[first:stop] if start <= span.start and span.end <= end)


def _tagged(text: str, start: int, end: int, shown: tuple[Span, ...], plan: FieldPlan) -> str:
    array = SpanArray([(span.start, span.end, 0, -1) for span in shown], (("", "", "exact"),))
    return tag(text, start, end, array, 0, len(array), plan.pre_tag, plan.post_tag, plan.escape)


def _best_element(elements: list[str], spans: SpanArray) -> tuple[str, int, int]:
    """The element with most matches, the first of equals, and which records are its own."""
    best = ("", 0, 0) if not elements else (elements[0], *spans.of_value(0))
    for number in range(1, len(elements)):
        first, stop = spans.of_value(number)
        if stop - first > best[2] - best[1]:
            best = (elements[number], first, stop)
    return best


def _window(text: str, spans: SpanArray, first: int, stop: int, plan: FieldPlan) -> tuple[int, int]:
    """Which stretch of the text to show."""
    size = plan.max_chars
    if size <= 0 or len(text) <= size:
        return 0, len(text)
    start = 0 if first == stop else densest(spans, first, stop, len(text), size)
    if start < 0:
        # no match fits whole: a window that starts with the first one shows its beginning
        start = 0 if plan.boundary == "char" else min(spans.edges(first, stop)[0], len(text) - size)
        return snap_to_graphemes(text, start, start + size)
    end = start + size
    if first == stop:
        return snap_to_graphemes(text, *((0, end) if plan.boundary == "char" else snap_to_words(text, 0, end, 0, 0)))
    match_start, match_end = spans.edges(*spans.within(start, end, first, stop))
    if plan.boundary == "char":
        return snap_to_graphemes(text, start, end, match_start)
    if plan.boundary == "sentence":
        start, end = sentence_bounds(text, start, end, match_start, match_end, size, plan.language)
    return snap_to_graphemes(text, *snap_to_words(text, start, end, match_start, match_end), match_start)
