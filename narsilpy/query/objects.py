"""Query objects: what plain text cannot say, composed with `&`, `|` and `~`.

>>> Phrase("free of charge") & ~Term("wheelchair")
And(Phrase('free of charge'), Not(Term('wheelchair')))
>>> Boost(Term("violin", field="title"), 2.0) | Prefix("instr")
Or(Boost(Term('violin', field='title'), 2.0), Prefix('instr'))
"""
from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from narsilpy.errors import ErrorCode, InvalidQuery

MAX_SLOP = 99       # below the distance that elements of an array field are kept apart
MAX_TOLERANCE = 4   # edits: more turn any short word into any other
MAX_DEPTH = 32


class Node:
    """A query object. `a & b`: both; `a | b`: either; `~a`: not."""

    __slots__: tuple[str, ...] = ()
    _shown: tuple[str, ...] = ()

    def __and__(self, other: Node) -> Node:
        return And(self, other)

    def __or__(self, other: Node) -> Node:
        return Or(self, other)

    def __invert__(self) -> Node:
        return Not(self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), self._parts()))

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __repr__(self) -> str:
        shown = [repr(getattr(self, name)) for name in self._shown]
        shown += [f"{name}={getattr(self, name)!r}" for name in self.__slots__
                  if name not in self._shown and name[0] != "_" and getattr(self, name) not in (None, 0)]
        return f"{type(self).__name__}({', '.join(shown)})"


def _text(value: object, kind: str) -> str:
    if not isinstance(value, str):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"{kind} takes a str, not {type(value).__name__}",
                           {"option": kind})
    return value


def _whole(value: object, name: str, greatest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= greatest:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                           f"`{name}` must be a whole number from 0 to {greatest}, not {value!r}", {"option": name})
    return value


def _field(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD, f"`field` is the name of a text field, not {value!r}",
                           {"field": repr(value)})
    return value


class Term(Node):
    """Documents with any of the words of `text`, analysed as the index's own; in `field` only, where given."""

    __slots__ = ("_typed", "field", "text")
    _shown = ("text",)

    def __init__(self, text: str, *, field: str | None = None) -> None:
        self.text = _text(text, "Term")
        self.field = _field(field)
        self._typed: str | None = None      # the words that this stands for, where a rule of synonyms put it in


class Phrase(Node):
    """Documents where the words of `text` stand together, in one field.

    `slop` is by how much their distances may differ from those in the phrase, in words: 0 for exactly as written (stop
    words leave gaps), 2 lets two neighbours change places. A phrase scores as its words do.
    """

    __slots__ = ("_typed", "field", "slop", "text")
    _shown = ("text",)

    def __init__(self, text: str, slop: int = 0, *, field: str | None = None) -> None:
        self.text = _text(text, "Phrase")
        self.slop = _whole(slop, "slop", MAX_SLOP)
        self.field = _field(field)
        self._typed: str | None = None


class Prefix(Node):
    """Documents with a word that starts with the last word of `text`, as typed; with any of the words before it."""

    __slots__ = ("field", "text")
    _shown = ("text",)

    def __init__(self, text: str, *, field: str | None = None) -> None:
        self.text = _text(text, "Prefix")
        self.field = _field(field)


class Fuzzy(Node):
    """Documents with a word within `tolerance` edits of a word of `text`, after stemming.

    An edit inserts, deletes or replaces one code point. The first `prefix_length` code points must agree: 0 finds more
    and looks at more. An exact spelling counts in full, one edit half, two edits a third.
    """

    __slots__ = ("field", "prefix_length", "text", "tolerance")
    _shown = ("text",)

    def __init__(self, text: str, tolerance: int = 1, prefix_length: int = 2, *, field: str | None = None) -> None:
        self.text = _text(text, "Fuzzy")
        self.tolerance = _whole(tolerance, "tolerance", MAX_TOLERANCE)
        self.prefix_length = _whole(prefix_length, "prefix_length", 1_000)
        self.field = _field(field)


class _Many(Node):
    __slots__ = ("nodes",)
    nodes: tuple[Node, ...]

    def __init__(self, *nodes: Node) -> None:
        flat: list[Node] = []
        for node in nodes:
            if not isinstance(node, Node):
                raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                                   f"{type(self).__name__} takes query objects, not {type(node).__name__}; "
                                   "wrap text in Term(...)", {"option": type(self).__name__})
            flat.extend(node.nodes if isinstance(node, type(self)) else (node,))
        self.nodes = tuple(flat)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.nodes))})"


class And(_Many):
    """Documents that all of the nodes match."""

    __slots__ = ()

    def _parts(self) -> tuple[Any, ...]:
        return self.nodes


class Or(_Many):
    """Documents that any of the nodes match; their scores add up."""

    __slots__ = ()

    def _parts(self) -> tuple[Any, ...]:
        return self.nodes


class Not(Node):
    """Documents that the node does not match. It narrows what stands beside it and scores nothing."""

    __slots__ = ("node",)
    _shown = ("node",)

    def __init__(self, node: Node) -> None:
        if not isinstance(node, Node):
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               f"Not takes a query object, not {type(node).__name__}", {"option": "Not"})
        self.node = node


class Maybe(Node):
    """Every document: those that the node matches score for it. It lifts what stands beside it and asks for nothing.

    >>> Term("pushchair") & Maybe(Term("folding"))
    And(Term('pushchair'), Maybe(Term('folding')))
    """

    __slots__ = ("node",)
    _shown = ("node",)

    def __init__(self, node: Node) -> None:
        if not isinstance(node, Node):
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               f"Maybe takes a query object, not {type(node).__name__}", {"option": "Maybe"})
        self.node = node


class Scoped(Node):
    """`node` where the index has the text field `field`, `otherwise` where it has not."""

    __slots__ = ("field", "node", "otherwise")
    _shown = ("field", "node", "otherwise")

    def __init__(self, field: str, node: Node, otherwise: Node) -> None:
        self.field = field
        self.node = node
        self.otherwise = otherwise


class Lenient(Node):
    """`node`, or `otherwise` where the index makes more words of it than a boolean query holds."""

    __slots__ = ("node", "otherwise")
    _shown = ("node", "otherwise")

    def __init__(self, node: Node, otherwise: Node) -> None:
        self.node = node
        self.otherwise = otherwise


class Boost(Node):
    """The node, its score multiplied by `factor`."""

    __slots__ = ("factor", "node")
    _shown = ("node", "factor")

    def __init__(self, node: Node, factor: float) -> None:
        if not isinstance(node, Node):
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               f"Boost takes a query object, not {type(node).__name__}", {"option": "Boost"})
        if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not math.isfinite(factor):
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"Boost takes a finite factor, not {factor!r}",
                               {"option": "Boost"})
        self.node = node
        self.factor = float(factor)


def typed_as(node: Term | Phrase) -> str | None:
    """The words of a query that a synonym stands for."""
    return node._typed


def stand_in(node: Term | Phrase, typed: str) -> Term | Phrase:
    """The node, standing for other words of a query: its spans name those."""
    node._typed = typed
    return node


def children(node: Node) -> Iterable[Node]:
    """The nodes directly below a node."""
    if isinstance(node, _Many):
        return node.nodes
    if isinstance(node, (Not, Boost, Maybe)):
        return (node.node,)
    if isinstance(node, (Scoped, Lenient)):
        return (node.node, node.otherwise)
    return ()
