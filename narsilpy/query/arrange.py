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
from typing import TYPE_CHECKING, Any, NamedTuple

from narsilpy._groups import group_numbers
from narsilpy._order import Order, added, at_least, boosted
from narsilpy._proximity import Nearness
from narsilpy.ids import utf8_id
from narsilpy.query.answer import best_coverage
from narsilpy.query.boosting import parse_boost_by, parse_proximity
from narsilpy.query.cursors import Cursor, cursor_fault, decode_cursor, encode_cursor
from narsilpy.query.facets import parse_facets
from narsilpy.query.grouping import parse_group
from narsilpy.query.options import QueryOptions, flag_option
from narsilpy.query.pinning import Found, parse_pinned, with_pins
from narsilpy.query.plan import ALL_SCORES, Plan, make_plan
from narsilpy.query.sorting import OrderKey, parse_sort
from narsilpy.results import Group, QueryResult
from narsilpy.schema import reach, thaw

if TYPE_CHECKING:
    from narsilpy.index import IndexCore
    from narsilpy.query.search import HitMaker


class Matches(NamedTuple):
    """Every match: document numbers, ascending, their scores where they are wanted, and how many they are."""

    docs: array[int]
    scores: array[float] | None
    total: int | Callable[[], int]


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
        self.proximity = parse_proximity(options.proximity, term, core.settings.track_positions)
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
        maker.use(plan.query)
        matches = self.matches(plan)
        groups: list[list[int]] = []
        found: list[Found] = []
        with plan.columns.lock:
            facets = {name: request.facet(plan.columns, matches.docs) for name, request in self.facets.items()}
            if plan.query is not None:
                found = self.first(plan, matches, offset + limit + len(self.pins) + 1)
                groups = self.gather(plan, matches)
        pins = [(pin.position, plan.pins[pin.doc_id]) for pin in self.pins if pin.doc_id in plan.pins]
        if pins:
            pinned = {number for _, number in pins}
            found = [item for item in found if item.number not in pinned]
        start, n_pinned = (0, 0) if self.cursor is None else (self.cursor.position, self.cursor.n_pinned)
        shown, more = with_pins(found, pins, n_pinned, start, offset + limit)
        hits = tuple([maker.hit(item.number, item.score) for item in shown[offset:]])
        cursor = None
        if more and hits:
            n_pinned += sum(item.pinned for item in shown)
            last = next((item for item in reversed(shown) if not item.pinned), None)
            cursor = encode_cursor(self.cursor_at(plan, last, start + len(shown), n_pinned), self.question)
        return QueryResult(hits, matches.total, perf_counter() - started, cursor, facets,
                           tuple([self.group(maker, matches, group) for group in groups]),
                           lambda: best_coverage(plan))

    def matches(self, plan: Plan) -> Matches:
        """What the options need of the matches: with nothing but the best to show, that is left to the query."""
        if self.by_score(plan) and not self.facets and self.grouping is None:
            return Matches(array("I"), None, plan.count)
        docs, scores = plan.matches(self.scored and not (self.by_score(plan) and self.grouping is None))
        if self.changes_scores and scores is not None and plan.query is not None:
            if self.proximity and plan.positions:
                nearness = Nearness(plan.query, plan.positions).of_documents(docs)
                scores = added(scores, nearness, self.proximity)
            if self.boost is not None:
                with plan.columns.lock:
                    values = plan.columns.transformed(self.boost.field, self.boost.function)
                    scores = boosted(docs, scores, values, self.boost.weight)
            if plan.min_score > ALL_SCORES:
                docs, scores = at_least(docs, scores, plan.min_score)
        return Matches(docs, scores if self.scored else None, len(docs))

    def by_score(self, plan: Plan) -> bool:
        """Whether the query itself finds the first matches: by score, as it computes it."""
        return not self.sort and not self.changes_scores and not plan.everything and plan.query is not None

    @property
    def changes_scores(self) -> bool:
        """Whether a score is more than what the query computes."""
        return self.boost is not None or self.proximity > 0

    def order(self, plan: Plan, matches: Matches) -> Order:
        """The order of the matches: by the sort, else by score, else by id. The lock of the columns is held."""
        assert plan.query is not None, "nothing to order"
        keys: list[OrderKey] = []
        if self.sort:
            keys = [key.order_key(plan.columns) for key in self.sort]
        elif matches.scores is not None:
            keys = [(matches.scores, None, True)]
        return Order(plan.query, matches.docs, keys)

    def first(self, plan: Plan, matches: Matches, wanted: int) -> list[Found]:
        """The first matches behind the cursor. The lock of the columns is held."""
        assert plan.query is not None, "nothing to order"
        cursor = self.cursor if self.cursor is not None and self.cursor.doc_id is not None else None
        if self.by_score(plan):
            anchor = None if cursor is None else (cursor.score or 0.0, utf8_id(cursor.doc_id or ""))
            numbers, best = plan.query.top(wanted, plan.min_score, anchor)
            return [Found(number, score) for number, score in zip(numbers, best, strict=True)]
        after = None
        if cursor is not None:
            keys: tuple[float, ...] = ()
            if self.sort:
                keys = tuple([key.place(plan.columns, value)
                              for key, value in zip(self.sort, cursor.values, strict=True)])
            elif matches.scores is not None:
                keys = (-(cursor.score or 0.0),)
            after = keys, utf8_id(cursor.doc_id or "")
        scores = matches.scores
        return [Found(matches.docs[match], 0.0 if scores is None else scores[match])
                for match in self.order(plan, matches).first(wanted, after)]

    def cursor_at(self, plan: Plan, last: Found | None, position: int, n_pinned: int) -> Cursor:
        """The cursor of a page whose last match is `last`; where only pinned documents were shown, that of the page
        before stays."""
        if last is None:
            before = Cursor(0, 0, None, None, []) if self.cursor is None else self.cursor
            return Cursor(position, n_pinned, before.doc_id, before.score, before.values)
        doc_id = self.core.doc_ids[last.number]
        if not self.sort:
            return Cursor(position, n_pinned, doc_id, None if plan.everything else last.score, [])
        with plan.columns.lock:
            values = [_finite(plan.columns.column(key.field, ()).value(last.number)) for key in self.sort]
        return Cursor(position, n_pinned, doc_id, None, values)

    def gather(self, plan: Plan, matches: Matches) -> list[list[int]]:
        """The matches of each group that are shown, groups by their first. The lock of the columns is held."""
        if self.grouping is None:
            return []
        columns = [plan.columns.column(field, ()) for field in self.grouping.fields]
        numbers, firsts = group_numbers(matches.docs, columns)
        order = self.order(plan, matches)
        return [matched for _, matched in order.groups(numbers, len(firsts), self.grouping.max_per_group)]

    def group(self, maker: HitMaker, matches: Matches, matched: list[int]) -> Group:
        """One group of its matches."""
        assert self.grouping is not None, "asked for with a grouping alone"
        docs, scores, reduce = matches.docs, matches.scores, self.grouping.reduce
        stored = self.core.documents[docs[matched[0]]]
        values = {}
        for field in self.grouping.fields:
            value = reach(stored, field.parts)
            if value is not None:
                values[field.path] = thaw(value) if isinstance(value, tuple) else value
        hits = tuple([maker.hit(docs[match], 0.0 if scores is None else scores[match]) for match in matched])
        return Group(values, hits, None if reduce is None else reduce(hits))


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
