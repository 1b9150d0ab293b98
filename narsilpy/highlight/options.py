"""The `highlight=` option, checked once per query and kept as one small plan a field."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from narsilpy.errors import ErrorCode, InvalidQuery

BOUNDARIES = ("word", "sentence", "char")
NO_MATCH = ("lead", "none")


class HighlightOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to show of each hit.

    Attributes:
        fields: names of fields (dotted paths), or a mapping from name to options that override these for that field.
        pre_tag, post_tag: put round every match. They are not escaped.
        max_snippet_length: code points of a snippet, without tags and ellipses; 0 = the whole field.
        boundary: where a snippet may be cut: "word", "sentence" or "char".
        escape: escape the text as HTML (`& < > " '`) before tags go in.
        passages: how many separate stretches a snippet may show.
        no_match: a field without a match shows its beginning ("lead") or nothing ("none").
        ellipsis: where text was cut off.
    """

    fields: Any = ()
    pre_tag: str = "<mark>"
    post_tag: str = "</mark>"
    max_snippet_length: int = 200
    boundary: Literal["word", "sentence", "char"] = "word"
    escape: bool = True
    passages: int = 1
    no_match: Literal["lead", "none"] = "lead"
    ellipsis: str = "..."


class FieldPlan(NamedTuple):
    """The options of one field."""

    pre_tag: str
    post_tag: str
    max_chars: int
    boundary: str
    escape: bool
    passages: int
    no_match: str
    ellipsis: str
    language: str = "english"    # of the index, for sentences


class HighlightPlan(NamedTuple):
    """All fields of one query: `(name, parts of the path, FieldPlan)`."""

    plans: tuple[tuple[str, tuple[str, ...], FieldPlan], ...]


CACHED_PLANS = 256
_PLANS: dict[tuple[Any, ...], HighlightPlan] = {}
_NAMES = tuple(name for name in HighlightOptions.__struct_fields__ if name != "fields")


def parse_highlight(option: Any) -> HighlightPlan:
    """The plan of a `highlight=` option: a mapping, a `HighlightOptions`, or a list of field names.

    >>> plan = parse_highlight({"fields": ["title", "body"], "max_snippet_length": 80})
    >>> [(name, parts, options.max_chars) for name, parts, options in plan.plans]
    [('title', ('title',), 80), ('body', ('body',), 80)]
    """
    key = _cache_key(option)
    if key is not None:
        plan = _PLANS.get(key)
        if plan is None:
            if len(_PLANS) >= CACHED_PLANS:
                _PLANS.clear()
            plan = _PLANS[key] = _parse(option)
        return plan
    return _parse(option)


def _cache_key(option: Any) -> tuple[Any, ...] | None:
    """What tells one plain option from another; None where it holds more than names, texts and numbers."""
    if type(option) is not dict or type(names := option.get("fields")) is not list:
        return None
    key: list[Any] = [type(name) is str and name for name in names]
    for name, value in option.items():
        if name != "fields":
            if type(value) not in (str, int, bool):
                return None
            key += (name, type(value), value)
    return None if False in key[:len(names)] else (len(names), *key)


def _parse(option: Any) -> HighlightPlan:
    if isinstance(option, HighlightOptions):
        given: dict[str, Any] = {name: getattr(option, name) for name in (*_NAMES, "fields")}
    elif isinstance(option, Mapping):
        given = dict(option)
    elif isinstance(option, (list, tuple)):
        given = {"fields": option}
    else:
        raise _refused("highlight", option, 'a mapping such as {"fields": ["body"]}')
    if "fields" not in given:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, '`highlight` names its fields: {"fields": ["body"]}',
                           {"option": "highlight.fields"})
    names = given.pop("fields")
    base = _checked(given, "highlight")
    overrides = names if isinstance(names, Mapping) else {}
    if isinstance(names, str) or not isinstance(names, (list, tuple, set, frozenset, Mapping)):
        raise _refused("highlight.fields", names, "a list of field names")
    plans = []
    for name in names:
        if not isinstance(name, str):
            raise _refused("highlight.fields", name, "a list of field names")
        own = overrides.get(name) or {}
        if not isinstance(own, Mapping):
            raise _refused(f"highlight.fields[{name!r}]", own, "a mapping of options")
        plan = _plan({**base, **_checked(dict(own), f"highlight.fields[{name!r}]")})
        plans.append((name, tuple(name.split(".")), plan))
    return HighlightPlan(tuple(plans))


def _checked(given: dict[str, Any], where: str) -> dict[str, Any]:
    for name, value in given.items():
        option = f"{where}.{name}"
        if name not in _NAMES:
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               f"`{where}` knows no option {name!r}; it knows fields, {', '.join(_NAMES)}",
                               {"option": option})
        if name in ("pre_tag", "post_tag", "ellipsis") and not isinstance(value, str):
            raise _refused(option, value, "a str")
        if name in ("max_snippet_length", "passages") and (isinstance(value, bool) or not isinstance(value, int)):
            raise _refused(option, value, "a whole number")
        if name == "passages" and value < 1:
            raise _refused(option, value, "a whole number of at least 1")
        if name == "escape" and not isinstance(value, bool):
            raise _refused(option, value, "True or False")
        if name == "boundary" and value not in BOUNDARIES:
            raise _refused(option, value, "one of " + ", ".join(BOUNDARIES))
        if name == "no_match" and value not in NO_MATCH:
            raise _refused(option, value, "one of " + ", ".join(NO_MATCH))
    return given


_DEFAULTS = {name: getattr(HighlightOptions(), name) for name in _NAMES}


def _plan(given: dict[str, Any]) -> FieldPlan:
    full = {**_DEFAULTS, **given}
    return FieldPlan(full["pre_tag"], full["post_tag"], max(0, full["max_snippet_length"]), full["boundary"],
                     full["escape"], full["passages"], full["no_match"], full["ellipsis"])


def _refused(option: str, value: object, wanted: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"`{option}` must be {wanted}, not {value!r}",
                        {"option": option})
