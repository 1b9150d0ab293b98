"""Query options: checked once, kept in one small record.

Wrong types are refused with the option's name; numbers that make no sense as a count are clamped as the original does
(a negative `limit` is 0, 2.7 is 2).
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from narsilpy.errors import ErrorCode, InvalidQuery

RESULT_WINDOW = 10_000      # offset + limit: the original's limit
DEFAULT_LIMIT = 10


class QueryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one query; every field is an option of `query` of the same name.

    Attributes:
        fields: names of the text fields to search; None for all.
        filters: which documents may match, see `narsilpy.query.filters`; without a term all that pass are matches.
        boost: factors by text field, 1.0 where none is named.
        term_match: how many different words of a plain query a document must hold: "any", "all" or a number.
        min_score: the least score of a match.
        tolerance: edits within which words match; prefix_length: code points that must agree.
        prefix: the last word is one that is still being typed.
        exact: neither tolerance nor prefix, whatever else is given.
        highlight: see `HighlightOptions`.
        facets: counts of values over all matches, `{"kind": {"limit": 10}}`, see `narsilpy.query.facets`.
        sort: order by stored values, `{"price": "asc"}`, see `narsilpy.query.sorting`.
        group: all matches by what they have in common, `{"fields": ["kind"], "max_per_group": 3}`.
        pinned: documents with a place of their own, `[{"doc_id": "a", "position": 0}]`.
        search_after: the `cursor` of the page before.
        include_scores: scores of a sorted query, too.
        include_score_components: frequencies, lengths and idfs on each hit.
        boost_by: scores multiplied by a stored number, `{"field": "sold", "function": "log1p", "weight": 0.5}`.
        proximity: weight of how near neighbouring words of a plain query stand to each other, see
            `narsilpy.query.boosting`; 0.0 and None for none.
        synonyms: rules for this query in place of the index's, False for none; see `create_index`.
        bm25: `{"k1": 1.2, "b": 0.75}` for this query; what is not named is the index's.
        limit: hits of a page, 10; offset: hits before it. Together at most 10,000.
        document: True for whole documents, False for none, `{"include": [...], "exclude": [...]}` for parts.
    """

    fields: Any = None
    filters: Any = None
    boost: Mapping[str, float] | None = None
    term_match: Any = "any"
    min_score: float | None = None
    tolerance: int = 0
    prefix_length: int = 2
    prefix: bool = False
    exact: bool = False
    highlight: Any = None
    facets: Any = None
    sort: Any = None
    group: Any = None
    pinned: Any = None
    search_after: Any = None
    include_scores: bool = False
    include_score_components: bool = False
    boost_by: Any = None
    proximity: float | None = None
    bm25: Any = None
    synonyms: Any = None
    limit: Any = DEFAULT_LIMIT
    offset: Any = 0
    document: Any = True


def needs_arranging(term: Any, options: QueryOptions) -> bool:
    """Whether a query asks for more than the best of its matches."""
    return (options.sort is not None or options.facets is not None or options.group is not None
            or options.pinned is not None or options.search_after is not None
            or options.boost_by is not None or options.proximity is not None or options.include_scores is not False
            or (term is None and options.filters is not None))


def refuse(option: str, value: object, wanted: str) -> InvalidQuery:
    """The error for an option of a wrong type or value."""
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                        f"`{option}` must be {wanted}, not {type(value).__name__} {_short(value)}",
                        {"option": option})


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def count_option(option: str, value: Any, default: int) -> int:
    """A number of things: rounded down, at least 0; None and non-finite numbers give the default."""
    if type(value) is int:
        return value if value > 0 else 0
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refuse(option, value, "a number")
    if isinstance(value, float) and not math.isfinite(value):
        return default
    return max(0, math.floor(value))


def window(options: QueryOptions) -> tuple[int, int]:
    """`(limit, offset)`, refused where their sum passes the result window."""
    limit = count_option("limit", options.limit, DEFAULT_LIMIT)
    offset = count_option("offset", options.offset, 0)
    if limit + offset > RESULT_WINDOW:
        raise InvalidQuery(ErrorCode.SEARCH_RESULT_WINDOW_EXCEEDED,
                           f"offset + limit is {offset + limit}, more than {RESULT_WINDOW}; "
                           "narrow the query instead of paging deeper",
                           {"offset": offset, "limit": limit, "max": RESULT_WINDOW})
    return limit, offset


def number_option(option: str, value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise refuse(option, value, "a finite number")
    return float(value)


def flag_option(option: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise refuse(option, value, "True or False")
    return value


def whole_option(option: str, value: Any) -> int:
    """A whole number; below 0 it counts as 0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise refuse(option, value, "a whole number")
    return max(0, value)


def needed_terms(term_match: Any, n_terms: int) -> int:
    """How many of a query's distinct terms a document must hold; more than there are means that nothing matches.

    An unknown word matches nothing, as in the original; numbers of 0 and below ask for nothing.
    """
    if term_match == "any":
        return 1
    if term_match == "all":
        return n_terms
    if isinstance(term_match, str):
        return n_terms + 1
    if isinstance(term_match, bool) or not isinstance(term_match, (int, float)):
        raise refuse("term_match", term_match, '"any", "all" or a number')
    return max(1, math.ceil(term_match)) if term_match == term_match else 1
