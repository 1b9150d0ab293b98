"""Highlights of one hit: spans from the index, or from the same scanner where the index keeps none."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narsilpy._ingest import item_starts
from narsilpy._spans import SpanArray
from narsilpy.highlight.build import build_highlight
from narsilpy.highlight.model import Highlight
from narsilpy.schema import text_of

if TYPE_CHECKING:
    from narsilpy._query import Query
    from narsilpy.highlight.options import HighlightPlan
    from narsilpy.index import IndexCore


def highlight_hit(core: IndexCore, query: Query, number: int, stored: Any, plan: HighlightPlan) -> dict[str, Highlight]:
    """A `Highlight` for each requested field that holds text in this document."""
    highlights = {}
    for name, parts, options in plan.plans:
        value = text_of(stored, parts)
        if value is not None:
            highlights[name] = build_highlight(value, field_spans(core, query, number, name, value), options)
    return highlights


def field_spans(core: IndexCore, query: Query, number: int, name: str, value: str | list[str]) -> SpanArray:
    """The spans of a query in one field of one of its documents."""
    field = core.field_numbers.get(name)
    if field is not None and core.settings.track_positions and query.searches(field):
        return query.spans(number, field, None if isinstance(value, str) else item_starts(value))
    return scanned_spans(core, query, value)


def scanned_spans(core: IndexCore, query: Query, value: str | list[str]) -> SpanArray:
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
