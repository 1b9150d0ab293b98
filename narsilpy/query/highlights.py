"""Highlights of one hit: spans from the index, or from the same scanner where the index keeps none."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narsilpy._ingest import item_starts
from narsilpy._spans import SpanArray
from narsilpy.highlight.build import build_highlight
from narsilpy.highlight.model import Highlight
from narsilpy.schema import reach

if TYPE_CHECKING:
    from narsilpy.highlight.options import HighlightPlan
    from narsilpy.index import IndexCore
    from narsilpy.query.plan import Plan


def highlight_hit(core: IndexCore, plan: Plan, number: int, stored: Any, options: HighlightPlan) -> dict[str, Highlight]:
    """A `Highlight` for each requested field that holds text in this document."""
    highlights = {}
    for name, parts, field_options in options.plans:
        value = reach(stored, parts)
        if isinstance(value, str):
            spans = field_spans(core, plan, number, name, value, None)
        elif isinstance(value, tuple) and all(isinstance(item, str) for item in value):
            value = list(value)
            spans = field_spans(core, plan, number, name, value, item_starts(value))
        else:
            continue
        highlights[name] = build_highlight(value, spans, field_options)
    return highlights


def field_spans(core: IndexCore, plan: Plan, number: int, name: str, value: str | list[str],
                starts: list[int] | None) -> SpanArray:
    """The spans of a query in one field of one of its hits."""
    field = core.field_numbers.get(name)
    query = plan.query
    assert query is not None, "a hit comes from a query"
    if field is not None and core.settings.track_positions:
        return query.spans(number, field, starts)
    return scanned_spans(core, query, value)


def scanned_spans(core: IndexCore, query: Any, value: str | list[str]) -> SpanArray:
    """Spans of text that the index keeps none for: the same analyzer, the same terms."""
    matches = query.match_table()
    by_term = {match.term: number for number, match in reversed(list(enumerate(matches)))}
    records = []
    for item, text in enumerate([value] if isinstance(value, str) else value):
        for token in core.settings.analyzer.analyze(text):
            match = by_term.get(token.term)
            if match is not None:
                records.append((token.start, token.end, match, -1 if isinstance(value, str) else item))
    return SpanArray(records, matches)
