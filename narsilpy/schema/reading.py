"""The careful reader: what the native one leaves aside, it converts or refuses with a reason.

It gives what `narsilpy._documents.Reader` gives, slower, and takes more: subclasses of `str`, `int`, `float`,
`dict` and `list`, and tuples as lists. Everything that is wrong with a document is worded here.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final, NoReturn

from narsilpy.errors import ErrorCode, InvalidDocument

if TYPE_CHECKING:
    from narsilpy.schema.fields import Field

MAX_DEPTH: Final = 32
_NAMES: Final = {str: "string", bool: "boolean", int: "number", float: "number", dict: "object", list: "array"}


class CarefulReader:
    """Reads the documents of one schema; errors say which field, what it holds and what would fit."""

    def __init__(
        self,
        definition: dict[str, Any],
        by_path: Mapping[str, Field],
        reserved: Iterable[str],
        required: tuple[str, ...],
        strict: bool,
    ) -> None:
        self._definition = definition
        self._by_path = by_path
        self._reserved = frozenset(reserved)
        self._required = required
        self._strict = strict
        self._n_texts = sum(field.text is not None for field in by_path.values())

    def read(self, document: object) -> tuple[list[Any], list[Any]]:
        """(texts, values), as `Schema.read`."""
        if not isinstance(document, dict):
            _refuse(f"a document is a dict, not {type(document).__name__}", None)
        texts: list[Any] = [None] * self._n_texts
        values: list[Any] = [None] * len(self._by_path)
        extra: list[str] = []
        self._object(document, self._definition, "", 1, texts, values, extra)
        if extra and self._strict:
            listed = ", ".join(extra[:10]) + (", ..." if len(extra) > 10 else "")
            message = f"the schema is strict and has no {listed}; drop the fields or add them to the schema"
            raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, message, {"fields": extra})
        for path in self._required:
            if values[self._by_path[path].slot] is None:
                message = f"the document has no {path!r}, which the schema requires"
                raise InvalidDocument(ErrorCode.DOC_MISSING_REQUIRED_FIELD, message, {"field": path})
        return texts, values

    def _object(
        self,
        document: dict[Any, Any],
        definition: dict[str, Any] | None,
        above: str,
        depth: int,
        texts: list[Any],
        values: list[Any],
        extra: list[str],
    ) -> None:
        """Walk one object; `definition` is None where the schema says nothing about its keys."""
        _check_depth(depth, above)
        for key, value in document.items():
            path = self._key(key, above)
            kind = None if definition is None else definition.get(key)
            if kind is None:
                if definition is not None and path != "id":
                    extra.append(path)
                self._any(value, path, depth)
            elif value is None:
                continue
            elif isinstance(kind, dict):
                if not isinstance(value, dict):
                    _refuse(f"field {path!r} takes an object, not {_name(value)}", path)
                self._object(value, kind, path, depth + 1, texts, values, extra)
            else:
                self._field(self._by_path[path], value, depth, texts, values)

    def _key(self, key: object, above: str) -> str:
        if not isinstance(key, str):
            _refuse(f"keys of a document are strings, and one {_inside(above)} is {type(key).__name__}", above or None)
        path = f"{above}.{key}" if above else str.__str__(key)
        if key in self._reserved:
            _refuse(f"field {path!r} uses a reserved key; rename it", path)
        return path

    def _field(self, field: Field, value: object, depth: int, texts: list[Any], values: list[Any]) -> None:
        if field.base == "geopoint":
            found: Any = self._geopoint(value, field.path, depth)
        elif field.is_array:
            if not isinstance(value, (list, tuple)):
                _refuse(f"field {field.path!r} takes a list, not {_name(value)}", field.path)
            _check_depth(depth + 1, field.path)
            found = [_scalar(item, field.base, field.path, i) for i, item in enumerate(value)]
        else:
            found = _scalar(value, field.base, field.path, None)
        values[field.slot] = found
        if field.text is not None:
            texts[field.text] = found

    def _geopoint(self, value: object, path: str, depth: int) -> tuple[float, float]:
        if not isinstance(value, dict):
            _refuse_point(f"field {path!r} takes {{'lat': ..., 'lon': ...}}, not {_name(value)}", path)
        self._any(value, path, depth)
        numbers = []
        for name, limit in (("lat", 90.0), ("lon", 180.0)):
            number = value.get(name)
            if isinstance(number, bool) or not isinstance(number, (int, float)) or number != number:
                _refuse_point(f"field {path!r} takes a point with a numeric {name}", path)
            if not -limit <= number <= limit:
                _refuse_point(f"field {path!r}: {name} lies between {-limit:g} and {limit:g}", path)
            numbers.append(float(number))
        return numbers[0], numbers[1]

    def _any(self, value: object, path: str, depth: int) -> None:
        """Refuse what cannot be stored, wherever it stands."""
        if isinstance(value, dict):
            self._object(value, None, path, depth + 1, [], [], [])
        elif isinstance(value, (list, tuple)):
            _check_depth(depth + 1, path)
            for i, item in enumerate(value):
                self._any(item, f"{path}[{i}]", depth + 1)
        elif isinstance(value, int):
            _whole(value, path)
        elif not (
            value is None
            or isinstance(value, (str, float, bytes, bytearray))
            or type(value) in (datetime, date)
        ):
            _refuse(f"field {path!r} holds a {type(value).__name__}, which cannot be stored; convert it first", path)


def _scalar(value: object, base: str, path: str, index: int | None) -> Any:
    where = f"field {path!r}" if index is None else f"field {path!r}, element {index},"
    if base == "number":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            _refuse(f"{where} takes a number, not {_name(value)}", path)
        if value != value:
            _refuse(f"{where} takes a number, and NaN is none; use null for a missing value", path)
        return float.__float__(value) if isinstance(value, float) else _whole(value, path)
    if base == "boolean":
        if not isinstance(value, bool):
            _refuse(f"{where} takes true or false, not {_name(value)}", path)
        return value
    if not isinstance(value, str):
        _refuse(f"{where} takes a string, not {_name(value)}", path)
    return str.__str__(value)


def _whole(value: int, path: str) -> int:
    if not -(1 << 63) <= value < 1 << 64:
        _refuse(f"field {path!r} holds a whole number of more than 64 bits; store it as a string", path)
    return value if isinstance(value, bool) else int.__int__(value)


def _check_depth(depth: int, path: str) -> None:
    if depth > MAX_DEPTH:
        _refuse(f"the document nests deeper than {MAX_DEPTH} levels at {path[:200]!r}", path)


def _name(value: object) -> str:
    return "null" if value is None else _NAMES.get(type(value), type(value).__name__)


def _inside(path: str) -> str:
    return f"inside {path!r}" if path else "at its root"


def _refuse(message: str, path: str | None) -> NoReturn:
    details = {} if path is None else {"field": path}
    raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, message, details)


def _refuse_point(message: str, path: str) -> NoReturn:
    raise InvalidDocument(ErrorCode.SCHEMA_INVALID_GEOPOINT, message, {"field": path})
