"""Highlights of one hit: spans from the index, or from the same scanner where the index keeps none."""
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from narsilpy._highlight import Highlight, build
from narsilpy._ingest import item_starts
from narsilpy._spans import SpanArray
from narsilpy.highlight.build import build_highlight
from narsilpy.schema import text_of

if TYPE_CHECKING:
    from narsilpy._query import Query
    from narsilpy.analysis import Analyzer
    from narsilpy.highlight.options import HighlightPlan
    from narsilpy.index import IndexCore


ALL_PLACES = 0xFFFFFFFF
SEARCHED_PLACES = 64            # of each word in a field, among which the window to show is looked for
SEARCHED_FOR_PASSAGES = 1_024   # the same for several passages


class Highlighter:
    """Makes the highlights of a query's hits: what is the same for all of them is looked up once."""

    __slots__ = ("_core", "_fields", "_query")

    def __init__(self, core: IndexCore, query: Query, plan: HighlightPlan) -> None:
        self._core = core
        self._query = query
        # name, path, number of the text field whose spans the index keeps, options, places to read of each word
        self._fields = [
            (name, parts, indexed_field(core, query, name), options._replace(language=language_of(core, name)),
             SEARCHED_PLACES if options.passages == 1 else SEARCHED_FOR_PASSAGES)
            for name, parts, options in plan.plans]

    def of(self, number: int, stored: Any) -> dict[str, Highlight]:
        """A `Highlight` for each requested field that holds text in this document."""
        highlights = {}
        for name, parts, field, options, limit in self._fields:
            value = text_of(stored, parts)
            if value is None:
                continue
            if field is None or not isinstance(value, str):
                spans = field_spans(self._core, self._query, number, name, value)
                highlights[name] = build_highlight(value, spans, options)
                continue
            spans = self._query.spans(number, field, None, limit)
            every = None if spans.complete else partial(self._query.spans, number, field)
            if options.passages > 1:
                highlights[name] = build_highlight(value, spans, options, every)
            else:
                highlights[name] = build(value, spans, options, 0, -1, every)
        return highlights


def language_of(core: IndexCore, name: str) -> str:
    """The language of a field's sentences: of its own analyzer, else of the index."""
    field = core.field_numbers.get(name)
    return core.settings.language if field is None else core.settings.analyzers[field].language.name


def indexed_field(core: IndexCore, query: Query, name: str) -> int | None:
    """The number of a text field whose spans the index keeps for this query."""
    field = core.field_numbers.get(name)
    return field if field is not None and core.settings.track_positions and query.searches(field) else None


def field_spans(core: IndexCore, query: Query, number: int, name: str, value: str | list[str]) -> SpanArray:
    """The spans of a query in one field of one of its documents."""
    field = indexed_field(core, query, name)
    if field is not None:
        return query.spans(number, field, None if isinstance(value, str) else item_starts(value))
    text_field = core.field_numbers.get(name)
    analyzer = core.settings.analyzer if text_field is None else core.analyzers[text_field]
    return scanned_spans(analyzer, query, value)


def scanned_spans(analyzer: Analyzer, query: Query, value: str | list[str]) -> SpanArray:
    """Spans of text that the index keeps none for: the same analyzer, the same terms."""
    matches = query.match_table()
    by_term = {match.term: number for number, match in reversed(list(enumerate(matches)))}
    records = []
    for item, text in enumerate([value] if isinstance(value, str) else value):
        for token in analyzer.analyze(text):
            match = by_term.get(token.term)
            if match is not None:
                records.append((token.start, token.end, match, -1 if isinstance(value, str) else item))
    return SpanArray(records, matches)
