"""Answers that look at every match: sorts, facets, groups, pinned documents, boosts by a number, cursors, and filters
without a term.

Matches are an array of document numbers (and their scores, where something asks for them); `_order.Order` finds the
first of them by keys, facets and groups count over them.
"""
from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from narsilpy._order import Order, at_least, boosted, group_numbers
from narsilpy.ids import utf8_id
from narsilpy.query.answer import best_coverage
from narsilpy.query.boosting import parse_boost_by
from narsilpy.query.cursors import Cursor, cursor_fault, decode_cursor, encode_cursor
from narsilpy.query.facets import parse_facets
from narsilpy.query.grouping import Grouping, parse_group
from narsilpy.query.options import QueryOptions, flag_option
from narsilpy.query.pinning import Found, parse_pinned, with_pins
from narsilpy.query.plan import ALL_SCORES, Plan, make_plan
from narsilpy.query.sorting import OrderKey, parse_sort
from narsilpy.results import Facet, Group, QueryResult
from narsilpy.schema import reach, thaw

if TYPE_CHECKING:
    from narsilpy.index import IndexCore
    from narsilpy.query.search import HitMaker


def needs_arranging(term: Any, options: QueryOptions) -> bool:
    """Whether a query asks for more than the best of its matches."""
    return (options.sort is not None or options.facets is not None or options.group is not None
            or options.pinned is not None or options.search_after is not None
            or options.boost_by is not None or (term is None and options.filters is not None)
            or options.include_scores is not False)


class Arrangement:
    """One query with its options checked: what its matches are ordered by and counted for."""

    def __init__(self, core: IndexCore, term: Any, options: QueryOptions, question: bytes, browse: bool = False,
                 cursor_option: str = "search_after") -> None:
        schema = core.schema
        self.core = core
        self.term = term
        self.options = options
        self.question = question
        self.browse = browse
        self.sort = parse_sort(options.sort, schema)
        self.facets = parse_facets(options.facets, schema)
        self.grouping = parse_group(options.group, schema)
        self.pins = parse_pinned(options.pinned)
        self.boost = parse_boost_by(options.boost_by, schema)
        self.scored = flag_option("include_scores", options.include_scores) or not self.sort
        self.cursor = decode_cursor(options.search_after, question, cursor_option)
        if self.cursor is not None and self.cursor.doc_id is not None and (
                len(self.cursor.values) != len(self.sort)):
            raise cursor_fault(cursor_option)

    def plan(self, only: str | None = None) -> Plan:
        """The plan of the query, with every column that the options read; over the document `only`, where given."""
        fields = [key.field for key in self.sort] + [request.field for request in self.facets.values()]
        if self.grouping is not None:
            fields += self.grouping.fields
        if self.boost is not None:
            fields.append(self.boost.field)
        pinned = [pin.doc_id for pin in self.pins]
        return make_plan(self.core, self.term, self.options, fields, pinned, self.browse, only)

    def answer(self, maker: HitMaker, limit: int, offset: int, started: float) -> QueryResult:
        """The answer; the index is being read."""
        plan = self.plan()
        maker.query = plan.query
        found, more, last, count, facets, groups = self.find(plan, limit, offset, maker)
        hits = tuple([maker.hit(item.number, item.score) for item in found])
        cursor = None
        if more and hits:
            position = (0 if self.cursor is None else self.cursor.position) + offset + len(hits)
            cursor = encode_cursor(self.cursor_at(plan, last, position), self.question)
        return QueryResult(hits, count, perf_counter() - started, cursor, facets, groups, lambda: best_coverage(plan))

    def find(self, plan: Plan, limit: int, offset: int, maker: HitMaker | None = None) -> tuple[
            list[Found], bool, Found | None, int | Callable[[], int], dict[str, Facet], tuple[Group, ...]]:
        """`(hits to be, whether more follow, the last match shown, count, facets, groups)`."""
        simple = not self.sort and self.boost is None and not plan.everything and plan.query is not None
        ordered = simple and self.grouping is None
        docs, scores = (array("I"), None) if simple and ordered and not self.facets else plan.matches(
            self.scored and not ordered)
        count: int | Callable[[], int] = plan.count if simple and ordered and not self.facets else len(docs)
        pins = [(pin.position, plan.pins[pin.doc_id]) for pin in self.pins if pin.doc_id in plan.pins]
        wanted = offset + limit + len(pins) + 1
        with plan.columns.lock:
            if self.boost is not None and scores is not None and plan.query is not None:
                column = plan.columns.column(self.boost.field, ())
                scores = boosted(docs, scores, column, self.boost.function, self.boost.weight)
                if plan.min_score > ALL_SCORES:
                    docs, scores = at_least(docs, scores, plan.min_score)
                count = len(docs)
            facets = {name: request.facet(plan.columns, docs) for name, request in self.facets.items()}
            if ordered and plan.query is not None:
                anchor = None
                if self.cursor is not None and self.cursor.doc_id is not None:
                    anchor = (self.cursor.score or 0.0, utf8_id(self.cursor.doc_id))
                numbers, best = plan.query.top(wanted, plan.min_score, anchor)
                matches = [Found(number, score) for number, score in zip(numbers, best, strict=True)]
                order = None
            elif plan.query is None:
                matches, order = [], None
            else:
                order = Order(plan.query, docs, self.keys(plan, scores))
                matches = [Found(docs[match], 0.0 if scores is None or not self.scored else scores[match], match=match)
                           for match in order.first(wanted, self.anchor(plan))]
            grouped = []
            if self.grouping is not None and order is not None:
                grouped = self.gather(plan, order, docs)
        if pins:
            pinned = {number for _, number in pins}
            matches = [found for found in matches if found.number not in pinned]
        start = 0 if self.cursor is None else self.cursor.position
        shown, more = with_pins(matches, pins, start, offset + limit)
        last = next((found for found in reversed(shown) if not found.pinned), None)
        groups: tuple[Group, ...] = ()
        if self.grouping is not None and maker is not None:
            groups = tuple([self.group(maker, self.grouping, docs, scores, matched) for matched in grouped])
        return shown[offset:], more, last, count, facets, groups

    def keys(self, plan: Plan, scores: array[float] | None) -> list[OrderKey]:
        """What the matches are ordered by; without any, by id. The lock of the columns is held."""
        if self.sort:
            return [key.order_key(plan.columns) for key in self.sort]
        return [] if scores is None else [(scores, None, True)]

    def anchor(self, plan: Plan) -> tuple[tuple[float, ...], bytes] | None:
        """The keys and id that the page comes after. The lock of the columns is held."""
        cursor = self.cursor
        if cursor is None or cursor.doc_id is None:
            return None
        keys: tuple[float, ...] = ()
        if self.sort:
            keys = tuple([key.place(plan.columns, value) for key, value in zip(self.sort, cursor.values, strict=True)])
        elif not plan.everything:
            keys = (-(cursor.score or 0.0),)
        return keys, utf8_id(cursor.doc_id)

    def cursor_at(self, plan: Plan, last: Found | None, position: int) -> Cursor:
        """The cursor of a page that ends with a match; of one with pinned documents alone, the last page's."""
        if last is None:
            before = self.cursor
            return Cursor(position, None, None, []) if before is None else Cursor(
                position, before.doc_id, before.score, before.values)
        doc_id = self.core.doc_ids[last.number]
        if not self.sort:
            return Cursor(position, doc_id, None if plan.everything else last.score, [])
        with plan.columns.lock:
            values = [_finite(plan.columns.column(key.field, ()).value(last.number)) for key in self.sort]
        return Cursor(position, doc_id, None, values)

    def gather(self, plan: Plan, order: Order, docs: array[int]) -> list[list[int]]:
        """The matches of each group that are shown, groups by their first. The lock of the columns is held."""
        assert self.grouping is not None, "asked for with a grouping alone"
        columns = [plan.columns.column(field, ()) for field in self.grouping.fields]
        numbers, keys = group_numbers(docs, list(columns))
        return [matched for _, matched in order.groups(numbers, len(keys), self.grouping.max_per_group)]

    def group(self, maker: HitMaker, grouping: Grouping, docs: array[int], scores: array[float] | None,
              matched: list[int]) -> Group:
        """One group of its matches."""
        stored = self.core.documents[docs[matched[0]]]
        values = {}
        for field in grouping.fields:
            value = reach(stored, field.parts)
            if value is not None:
                values[field.path] = thaw(value) if isinstance(value, tuple) else value
        hits = tuple([maker.hit(docs[match], 0.0 if scores is None or not self.scored else scores[match])
                      for match in matched])
        return Group(values, hits, None if grouping.reduce is None else grouping.reduce(hits))


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
