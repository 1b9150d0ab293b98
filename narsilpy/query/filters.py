"""The `filters=` option: an expression over the values of fields, to the documents that satisfy it.

    {"fields": {"price": {"between": [10, 100]}}, "and": [...], "or": [...], "not": {...}}

Everything given must hold. A value that is missing (absent or null) satisfies no comparison; `not` is the complement
over all documents, so it holds where the value is missing. An expression is checked whole before anything is evaluated.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from narsilpy._bits import Bits
from narsilpy._columns import Column
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.schema import Field, Schema

COMPARISONS = ("eq", "ne", "gt", "lt", "gte", "lte", "between")
LISTS = ("in", "nin", "contains_all", "matches_any")
FLAGS = ("exists", "not_exists", "is_empty", "is_not_empty")
OPERATORS = (*COMPARISONS, *LISTS, *FLAGS, "starts_with", "ends_with", "size", "radius", "polygon")
UNITS_M = {"m": 1.0, "km": 1_000.0, "mi": 1_609.344}
MAX_DEPTH = 32
GREATEST = 2**1023      # numbers beyond it are no finite floats


class Scope:
    """What an expression is evaluated over: documents below `n`, and where the column of a field comes from."""

    def __init__(self, n: int, column: Callable[[Field], Column]) -> None:
        self.n = n
        self.column = column

    def everything(self) -> Bits:
        return Bits(self.n, True)


Node = Callable[[Scope], Bits]


class Filter:
    """A checked expression."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def evaluate(self, scope: Scope) -> Bits:
        """The documents that satisfy it, removed ones included."""
        return self._node(scope)


def compile_filter(expression: Any, schema: Schema) -> Filter:
    """The checked form of a filter expression. Raises `InvalidQuery` (SEARCH_INVALID_FILTER) that names the fault."""
    return Filter(_expression(expression, schema, 0))


def _expression(expression: Any, schema: Schema, depth: int) -> Node:
    if not isinstance(expression, Mapping):
        raise _refused(f'a filter is a mapping such as {{"fields": {{...}}}}, not {type(expression).__name__}')
    if depth > MAX_DEPTH:
        raise _refused(f"filters nest at most {MAX_DEPTH} deep")
    nodes: list[Node] = []
    for key, part in expression.items():
        if key == "fields":
            if not isinstance(part, Mapping):
                raise _refused("`fields` is a mapping from field to operators")
            nodes += [_condition(path, operators, schema) for path, operators in part.items()]
        elif key in ("and", "or"):
            if not isinstance(part, (list, tuple)):
                raise _refused(f"`{key}` is a list of filters, not {type(part).__name__}")
            parts = [_expression(item, schema, depth + 1) for item in part]
            if parts:       # an empty list asks for nothing
                nodes.append(_all(parts) if key == "and" else _any(parts))
        elif key == "not":
            inner = _expression(part, schema, depth + 1)
            nodes.append(_negation(inner))
        else:
            raise _refused(f"a filter knows the keys fields, and, or, not; {key!r} is none of them")
    return _all(nodes)


def _all(nodes: list[Node]) -> Node:
    if len(nodes) == 1:
        return nodes[0]

    def evaluate(scope: Scope) -> Bits:
        found = scope.everything() if not nodes else nodes[0](scope)
        for node in nodes[1:]:
            found = found.intersection(node(scope))
        return found

    return evaluate


def _any(nodes: list[Node]) -> Node:
    def evaluate(scope: Scope) -> Bits:
        found = nodes[0](scope) if nodes else Bits(scope.n)
        for node in nodes[1:]:
            found = found.union(node(scope))
        return found

    return evaluate


def _negation(node: Node) -> Node:
    return lambda scope: scope.everything().difference(node(scope))


def _condition(path: Any, operators: Any, schema: Schema) -> Node:
    if not isinstance(path, str):
        raise _refused(f"a field is named by a str, not {type(path).__name__}")
    if not isinstance(operators, Mapping):
        raise _refused(f'`{path}` takes a mapping of operators such as {{"eq": 1}}, not {operators!r}', path)
    field = schema.field(path)
    nodes: list[Node] = []
    for name, operand in operators.items():
        if name not in OPERATORS:
            raise _refused(f"`{path}`: there is no operator {name!r}; there are {', '.join(OPERATORS)}", path)
        _check_operand(path, name, operand, field)
        if field is None:
            holds = name in FLAGS and (name in ("not_exists", "is_empty")) == operand
            nodes.append(_everything if holds else _nothing)
        else:
            nodes.append(_operator(field, name, operand))
    return _all(nodes)


def _everything(scope: Scope) -> Bits:
    return scope.everything()


def _nothing(scope: Scope) -> Bits:
    return Bits(scope.n)


def _check_operand(path: str, name: str, operand: Any, field: Field | None) -> None:
    if name == "between" and not (isinstance(operand, (list, tuple)) and len(operand) == 2):
        raise _refused(f"`{path}`: between takes a pair [low, high], not {operand!r}", path)
    if name in LISTS and not isinstance(operand, (list, tuple, set, frozenset)):
        raise _refused(f"`{path}`: {name} takes a list of values, not {operand!r}", path)
    if name in ("eq", "ne", "gt", "lt", "gte", "lte", "starts_with", "ends_with") and isinstance(
            operand, (list, tuple, set, frozenset, Mapping)):
        raise _refused(f"`{path}`: {name} takes one value, not {type(operand).__name__}", path)
    if name in FLAGS and not isinstance(operand, bool):
        raise _refused(f"`{path}`: {name} takes True or False, not {operand!r}", path)
    if name == "size":
        sizes = operand if isinstance(operand, Mapping) else {"eq": operand}
        for comparison, size in sizes.items():
            if comparison not in COMPARISONS or not (_is_number(size) or (comparison == "between" and _is_pair(size))):
                raise _refused(f'`{path}`: size takes a number, or comparisons such as {{"gte": 2}}', path)
    if name in ("radius", "polygon"):
        if field is not None and field.base != "geopoint":
            raise _refused(f"`{path}` is of type {field.type}; {name} asks about a geopoint", path)
        _check_area(path, name, operand)


def _check_area(path: str, name: str, operand: Any) -> None:
    if not isinstance(operand, Mapping):
        raise _refused(f"`{path}`: {name} takes a mapping", path)
    if not isinstance(operand.get("inside", True), bool) or not isinstance(operand.get("high_precision", False), bool):
        raise _refused(f"`{path}`: inside and high_precision are True or False", path)
    if name == "radius":
        if not all(_is_number(operand.get(key)) for key in ("lat", "lon", "distance")):
            raise _refused(f"`{path}`: radius takes the numbers lat, lon and distance", path)
        if operand.get("unit", "m") not in UNITS_M:
            raise _refused(f"`{path}`: the unit of a radius is one of {', '.join(UNITS_M)}", path)
    elif not isinstance(operand.get("points"), (list, tuple)) or not all(
            isinstance(point, Mapping) and _is_number(point.get("lat")) and _is_number(point.get("lon"))
            for point in operand["points"]):
        raise _refused(f'`{path}`: polygon takes points, a list of {{"lat": ..., "lon": ...}}', path)


def _operator(field: Field, name: str, operand: Any) -> Node:
    if name in FLAGS:
        return _flag(field, name, operand)
    if name in ("radius", "polygon"):
        return _area(field, name, operand)
    if name == "size":
        return _sizes(field, operand if isinstance(operand, Mapping) else {"eq": operand})
    if name in ("starts_with", "ends_with"):
        return _affix(field, name, operand)
    if name in ("gt", "lt", "gte", "lte", "between"):
        return _range(field, name, operand)
    if name in ("ne", "nin"):
        if field.base == "boolean" and name == "ne":      # with arrays: one that has the other value
            return _values(field, [not operand] if isinstance(operand, bool) else [True, False])
        with_it = _values(field, [operand] if name == "ne" else list(operand))
        # an array without elements has none that is unequal to anything
        return lambda scope: scope.column(field).present(scope.n, not field.is_array).difference(with_it(scope))
    if name == "contains_all":
        parts = [_values(field, [value]) for value in operand]
        return _all([_present_array(field), *parts])
    return _values(field, [operand] if name == "eq" else list(operand))


def _values(field: Field, wanted: list[Any]) -> Node:
    """Documents with any of these values (as an element, in an array); a value of another type is nobody's."""
    if field.base == "number":
        numbers = [_bound(value) for value in wanted
                   if _is_number(value) and (isinstance(value, float) or abs(value) <= GREATEST)]
        return _any([_between(field, number, number) for number in numbers])
    kind = bool if field.base == "boolean" else str
    known = [value for value in wanted if isinstance(value, kind)]

    def holding(scope: Scope) -> Bits:
        column = scope.column(field)
        return column.holding(scope.n, [column.ordinals[value] for value in known if value in column.ordinals])

    return holding


def _between(field: Field, low: float, high: float, with_low: bool = True, with_high: bool = True) -> Node:
    return lambda scope: scope.column(field).between(scope.n, low, high, with_low, with_high)


def _present_array(field: Field) -> Node:
    return (lambda scope: scope.column(field).present(scope.n)) if field.is_array else _nothing


def _range(field: Field, name: str, operand: Any) -> Node:
    low, high = -math.inf, math.inf
    if name == "between":
        if not _is_pair(operand):
            return _nothing
        low, high = _bound(operand[0]), _bound(operand[1])
    elif not _is_number(operand):
        return _nothing
    elif name in ("gt", "gte"):
        low = _bound(operand)
    else:
        high = _bound(operand)
    if field.base != "number":
        return _nothing
    return _between(field, low, high, name != "gt", name != "lt")


def _affix(field: Field, name: str, operand: Any) -> Node:
    if field.base not in ("string", "enum") or not isinstance(operand, str):
        return _nothing
    test = str.startswith if name == "starts_with" else str.endswith

    def holding(scope: Scope) -> Bits:
        column = scope.column(field)
        return column.holding(scope.n, [ordinal for value, ordinal in column.ordinals.items()
                                        if isinstance(value, str) and test(value, operand)])

    return holding


def _sizes(field: Field, comparisons: Mapping[str, Any]) -> Node:
    if not field.is_array:
        return _nothing
    return _all([_size(field, name, operand) for name, operand in comparisons.items()] or [_present_array(field)])


def _size(field: Field, name: str, operand: Any) -> Node:
    if name == "ne":
        equal = _size(field, "eq", operand)
        return lambda scope: scope.column(field).present(scope.n).difference(equal(scope))
    low, high = -math.inf, math.inf
    if name == "between":
        low, high = _bound(operand[0]), _bound(operand[1])
    elif name == "eq":
        low = high = _bound(operand)
    elif name in ("gt", "gte"):
        low = _bound(operand)
    else:
        high = _bound(operand)
    return lambda scope: scope.column(field).sized(scope.n, low, high, name != "gt", name != "lt")


def _flag(field: Field, name: str, operand: bool) -> Node:
    def filled(scope: Scope) -> Bits:
        return scope.column(field).present(scope.n, name in ("exists", "not_exists"))

    return filled if (name in ("exists", "is_not_empty")) == operand else _negation(filled)


def _area(field: Field, name: str, operand: Mapping[str, Any]) -> Node:
    inside = operand.get("inside", True)
    if name == "radius":
        metres = _bound(operand["distance"]) * UNITS_M[operand.get("unit", "m")]
        lat, lon, exact = _bound(operand["lat"]), _bound(operand["lon"]), bool(operand.get("high_precision"))
        return lambda scope: scope.column(field).around(scope.n, lat, lon, metres, inside, exact)
    corners = [(_bound(point["lat"]), _bound(point["lon"])) for point in operand["points"]]
    return lambda scope: scope.column(field).within(scope.n, corners, inside)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def _bound(value: Any) -> float:
    """A bound as a float; a whole number beyond all floats is infinite."""
    if isinstance(value, float) or abs(value) <= GREATEST:
        return float(value)
    return math.inf if value > 0 else -math.inf


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_is_number, value))


def _refused(message: str, path: str | None = None) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_FILTER, f"filters: {message}", {} if path is None else {"field": path})
