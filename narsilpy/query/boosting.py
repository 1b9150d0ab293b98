"""The `boost_by=` and `proximity=` options: scores changed by a stored number, and by how near the words stand.

`{"field": "popularity", "function": "log1p", "weight": 0.5}` makes of a score s(d) the score s(d) * (1 + weight *
log1p(popularity)). Functions: `linear`, `log1p`, `sqrt` and `reciprocal` (1 / (1 + value)). A document without the
number (or with an infinite one) keeps its score, negative numbers count as 0. Where two documents match equally well,
the greater number comes first; a document that does not match is never lifted in.

`proximity=0.5` adds, for each two neighbouring words of a plain query and each field that holds both, 0.5 * boost of
the field * the smaller of their idfs / (1 + d)^2, where d is by how many words the nearest pair of their places differs
from standing as in the query. It looks at every match, and at the places of its words.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.query.options import number_option
from narsilpy.schema import Field, Schema

KEYS = ("field", "function", "weight")
FUNCTIONS = ("linear", "log1p", "sqrt", "reciprocal")


class ScoreBoost(NamedTuple):
    """The checked form of a `boost_by` option."""

    field: Field
    function: str
    weight: float

    def factor(self, value: Any) -> float:
        """What the score of a document with this number is multiplied by: the twin of `_order.transform`."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return 1.0
        number = max(float(value), 0.0)
        if self.function == "log1p":
            number = math.log1p(number)
        elif self.function == "sqrt":
            number = math.sqrt(number)
        elif self.function == "reciprocal":
            number = 1.0 / (1.0 + number)
        return 1.0 + self.weight * number


def parse_boost_by(option: Any, schema: Schema) -> ScoreBoost | None:
    """The checked form of a `boost_by` option. Raises `InvalidQuery`."""
    if option is None:
        return None
    if not isinstance(option, Mapping) or "field" not in option:
        raise _refused('`boost_by` is a mapping such as {"field": "popularity", "function": "log1p", "weight": 0.5}')
    unknown = [key for key in option if key not in KEYS]
    if unknown:
        raise _refused(f"`boost_by` knows {', '.join(KEYS)}, not {unknown[0]!r}")
    name = option["field"]
    field = schema.field(name) if isinstance(name, str) else None
    if field is None or field.type != "number":
        why = "is not a field of this index" if field is None else f"is of type {field.type}, not number"
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD, f"`boost_by`: {str(name)[:80]!r} {why}",
                           {"field": str(name)[:80]})
    function = option.get("function", "linear")
    if function not in FUNCTIONS:
        raise _refused(f"`boost_by`: function is one of {', '.join(FUNCTIONS)}, not {function!r}")
    weight = number_option("boost_by.weight", option.get("weight", 1.0))
    if weight < 0:
        raise _refused(f"`boost_by`: weight is at least 0, not {weight}")
    return ScoreBoost(field, function, weight)


def parse_proximity(option: Any, term: Any, has_positions: bool) -> float:
    """The checked weight of a `proximity` option; 0.0 where there is none. Raises `InvalidQuery`."""
    if option is None:
        return 0.0
    weight = number_option("proximity", option)
    if weight < 0:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"`proximity` is at least 0, not {weight}",
                           {"option": "proximity"})
    if weight and term is not None and not isinstance(term, str):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, "`proximity` goes with plain text; in a query object, say "
                           "how near words stand with Phrase(..., slop=...)", {"option": "proximity"})
    if weight and not has_positions:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, "`proximity` needs positions, and this index was created "
                           "with track_positions=False", {"option": "proximity"})
    return weight


def _refused(message: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, message, {"option": "boost_by"})
