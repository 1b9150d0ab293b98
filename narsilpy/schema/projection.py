"""The `document=` option: how much of each stored document a hit carries."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.schema.stored import pick, thaw

Tree = dict[str, Any]


class Projection:
    """A compiled `document=` option.

    Attributes:
        kind: "all" (whole documents), "none" (empty ones) or "some".
    """

    __slots__ = ("_exclude", "_include", "kind")

    def __init__(self, kind: Literal["all", "none", "some"], include: Tree | None, exclude: Tree | None) -> None:
        self.kind = kind
        self._include = include
        self._exclude = exclude

    def apply(self, stored: Any) -> dict[str, Any]:
        """A fresh dict of what the option asks for."""
        if self.kind == "all":
            return cast(dict[str, Any], thaw(stored))
        if self.kind == "none":
            return {}
        return pick(stored, self._include, self._exclude)


ALL = Projection("all", None, None)
NONE = Projection("none", None, None)


def compile_projection(option: object = True) -> Projection:
    """The projection of a `document=` option: True, False, or {"include": [...], "exclude": [...]} with dotted paths.

    Paths are included first, then excluded; an empty or missing `include` includes everything; paths that lead nowhere
    are no error, documents differ. Raises `InvalidQuery` for anything else.

    >>> from narsilpy.schema import freeze
    >>> stored = freeze({"id": "a", "title": "Belt", "meta": {"year": 2020, "author": "Ann"}})
    >>> compile_projection({"include": ["title", "meta"], "exclude": ["meta.year"]}).apply(stored)
    {'title': 'Belt', 'meta': {'author': 'Ann'}}
    """
    if option is True or option is None:
        return ALL
    if option is False:
        return NONE
    if not isinstance(option, Mapping):
        include, exclude = getattr(option, "include", None), getattr(option, "exclude", None)
        if include is None and exclude is None:
            raise _refused("document takes True, False, or a dict with include and exclude")
    else:
        unknown = [key for key in option if key not in ("include", "exclude")]
        if unknown:
            raise _refused(f"document knows include and exclude, not {unknown[0]!r}")
        include, exclude = option.get("include"), option.get("exclude")
    included, excluded = _tree(include, "include"), _tree(exclude, "exclude")
    if included is None and excluded is None:
        return ALL
    return Projection("some", included, excluded)


def _tree(paths: object, name: str) -> Tree | None:
    if paths is None:
        return None
    if isinstance(paths, (str, bytes, Mapping)) or not isinstance(paths, Iterable):
        raise _refused(f"document[{name!r}] takes a list of field paths")
    tree: Tree = {}
    for path in paths:
        if not isinstance(path, str) or not path:
            raise _refused(f"document[{name!r}] takes field paths, and one of them is {type(path).__name__}")
        *parents, last = path.split(".")
        node = tree
        for part in parents:
            below = node.setdefault(part, {})
            if below is True:  # a wider path already covers this one
                break
            node = below
        else:
            node[last] = True
    return tree or None


def _refused(message: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, message, {"option": "document"})
