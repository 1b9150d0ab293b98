"""Field types, and the schema that is compiled from a definition."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from narsilpy._documents import Node, Reader
from narsilpy.errors import ErrorCode, IndexNotFound, InvalidConfig, InvalidDocument, InvalidSchema
from narsilpy.schema.reading import CarefulReader

MAX_NESTING: Final = 4
MAX_TEXT_FIELDS: Final = 65_535
MAX_ID_UNITS: Final = 512
MAX_INDEX_NAME: Final = 255

RESERVED_KEYS: Final = ("__proto__", "constructor", "prototype")
_BASES: Final = ("string", "number", "boolean", "enum")
TYPES: Final = ("string", "string:sortable", "number", "boolean", "enum", "geopoint", *(f"{base}[]" for base in _BASES))

# The numbers of _documents.pyx; enum and string read alike.
_OBJECT = 0
_KINDS: Final = {
    "string": 1, "string:sortable": 1, "enum": 1, "number": 2, "boolean": 3, "geopoint": 4,
    "string[]": 5, "enum[]": 5, "number[]": 6, "boolean[]": 7,
}  # fmt: skip

_FIELD_NAME = re.compile(r"[A-Za-z0-9_]+")
_INDEX_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]*")


class Field(msgspec.Struct, frozen=True):
    """One field of a schema.

    Attributes:
        path: the dotted path, as options name the field.
        parts: the same path, split.
        type: as the definition gives it, for example "string[]".
        base: the type of the value or of each element: "string", "number", "boolean", "enum" or "geopoint".
        slot: the field's index in `Schema.fields` and in the values of a read document.
        text: its number among the searchable fields, None when it is not searchable.
    """

    path: str
    parts: tuple[str, ...]
    type: str
    base: str
    slot: int
    text: int | None

    @property
    def is_array(self) -> bool:
        return self.type.endswith("[]")

    @property
    def is_sortable(self) -> bool:
        """Whether a sort may order by this field's values."""
        return self.type in ("string:sortable", "number", "boolean", "enum")


class Schema:
    """A compiled schema: its fields, and the reader of its documents.

    Attributes:
        definition: the nested definition, as given.
        fields: every field, in definition order.
        text_fields: the searchable ones; a field's index here is its text field number.
        required: the paths every document must fill.
        strict: whether fields outside the schema are refused.
    """

    __slots__ = ("_by_path", "_careful", "_native", "definition", "fields", "required", "strict", "text_fields")

    def __init__(
        self, definition: dict[str, Any], fields: tuple[Field, ...], required: tuple[str, ...], strict: bool
    ) -> None:
        self.definition = definition
        self.fields = fields
        self.text_fields = tuple(field for field in fields if field.text is not None)
        self.required = required
        self.strict = strict
        self._by_path = {field.path: field for field in fields}
        slots = tuple(self._by_path[path].slot for path in required)
        self._native = Reader(
            _nodes(definition, "", self._by_path), RESERVED_KEYS, len(fields), len(self.text_fields), slots, strict
        )
        self._careful = CarefulReader(definition, self._by_path, RESERVED_KEYS, required, strict)

    @classmethod
    def compile(cls, definition: object, *, required: object = (), strict: bool = False) -> Schema:
        """The schema of a definition such as {"title": "string", "author": {"name": "string:sortable"}}.

        Raises `InvalidSchema` for unknown types, reserved or malformed names and nesting beyond 4 levels, and
        `InvalidConfig` when `required` names a field that the definition lacks.

        >>> schema = Schema.compile({"title": "string", "meta": {"year": "number"}}, required=["title"])
        >>> [(field.path, field.type) for field in schema.fields]
        [('title', 'string'), ('meta.year', 'number')]
        >>> schema.read({"title": "Belt", "meta": {"year": 2020}})
        (['Belt'], ['Belt', 2020])
        """
        if not isinstance(definition, Mapping):
            raise _refused(f"a schema is a dict of field names and types, not {type(definition).__name__}", None)
        if not definition:
            raise _refused("a schema defines at least one field", None)
        copy = _copied(definition, "", 1)
        fields = tuple(_flat(copy, ()))
        n_texts = sum(field.text is not None for field in fields)
        if n_texts > MAX_TEXT_FIELDS:
            raise _refused(f"a schema holds at most {MAX_TEXT_FIELDS:,} text fields, not {n_texts:,}", None)
        if not isinstance(strict, bool):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, "strict takes True or False", {"option": "strict"})
        return cls(copy, fields, _required(required, {field.path for field in fields}), strict)

    def read(self, document: object) -> tuple[list[Any], list[Any]]:
        """(texts, values) of a document that fits the schema, None where it has nothing.

        `texts` has one entry a text field (str, or list of str), `values` one a field; lists in them are copies and
        geopoints are (lat, lon). Raises `InvalidDocument`.
        """
        found = self._native.read(document)
        return found if found is not None else self._careful.read(document)

    def field(self, path: str) -> Field | None:
        """The field at a dotted path, None when the schema has none there."""
        return self._by_path.get(path)

    def types(self) -> dict[str, str]:
        """Dotted path -> type, in definition order."""
        return {field.path: field.type for field in self.fields}


def validate_index_name(name: object) -> str:
    """The name itself when an index may carry it: letters, digits, `.`, `_`, `-`, at most 255, no `..`.

    >>> validate_index_name("rules-2026")
    'rules-2026'
    """
    if not isinstance(name, str):
        problem = f"an index name is a string, not {type(name).__name__}"
    elif not name:
        problem = "an index name must not be empty"
    elif len(name) > MAX_INDEX_NAME:
        problem = f"an index name holds at most {MAX_INDEX_NAME} characters, and this one has {len(name)}"
    elif not _INDEX_NAME.fullmatch(name):
        problem = f"index name {name!r}: use ASCII letters, digits, '.', '_' and '-', and begin with a letter or digit"
    elif ".." in name:
        problem = f"index name {name!r} must not contain '..'"
    else:
        return name
    raise IndexNotFound(ErrorCode.INDEX_NOT_FOUND, problem, {"index": name if isinstance(name, str) else None})


def validate_doc_id(doc_id: object) -> str:
    """The id itself when a document may carry it: 1 to 512 UTF-16 units, no NUL.

    >>> validate_doc_id("CB-04")
    'CB-04'
    """
    if type(doc_id) is str and 0 < len(doc_id) <= MAX_ID_UNITS // 2 and "\0" not in doc_id:
        return doc_id
    if not isinstance(doc_id, str):
        problem = f"a document id is a string, not {type(doc_id).__name__}"
    elif not doc_id:
        problem = "a document id must not be empty"
    elif len(doc_id) + sum(char > "\uffff" for char in doc_id) > MAX_ID_UNITS:
        problem = f"a document id holds at most {MAX_ID_UNITS} UTF-16 units, and this one has {len(doc_id)} characters"
    elif "\0" in doc_id:
        problem = "a document id must not contain NUL"
    else:
        return str.__str__(doc_id)
    raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, problem, {"field": "id"})


def _copied(definition: Mapping[Any, Any], above: str, depth: int) -> dict[str, Any]:
    if depth > MAX_NESTING:
        message = f"the schema nests deeper than {MAX_NESTING} levels at {above!r}; flatten it there"
        details = {"path": above, "max_depth": MAX_NESTING}
        raise InvalidSchema(ErrorCode.SCHEMA_DEPTH_EXCEEDED, message, details)
    copy: dict[str, Any] = {}
    for name, kind in definition.items():
        path = f"{above}.{name}" if above else str(name)
        if not isinstance(name, str) or not _FIELD_NAME.fullmatch(name):
            raise _refused(f"field name {name!r}: use ASCII letters, digits and underscores only", path)
        if name in RESERVED_KEYS or path == "id":
            raise _refused(f"field name {path!r} is reserved; choose another", path)
        if isinstance(kind, Mapping):
            copy[name] = _copied(kind, path, depth + 1)
        elif not isinstance(kind, str):
            raise _refused(f"field {path!r}: a type is one of {', '.join(TYPES)}, or a nested dict", path)
        elif kind not in TYPES:
            if kind.startswith("vector"):
                raise _refused(f"field {path!r}: vector fields are not supported; keep them in a vector store", path)
            raise _refused(f"field {path!r} has the unknown type {kind!r}; the types are {', '.join(TYPES)}", path)
        else:
            copy[name] = str.__str__(kind)
    return copy


def _flat(definition: dict[str, Any], above: tuple[str, ...]) -> Iterator[Field]:
    slot = text = 0
    stack = [(above, iter(definition.items()))]
    while stack:
        parents, items = stack[-1]
        for name, kind in items:
            parts = (*parents, name)
            if isinstance(kind, dict):
                stack.append((parts, iter(kind.items())))
                break
            base = kind.removesuffix("[]").removesuffix(":sortable")
            yield Field(".".join(parts), parts, kind, base, slot, text if base == "string" else None)
            slot += 1
            text += base == "string"
        else:
            stack.pop()


def _nodes(definition: dict[str, Any], above: str, by_path: dict[str, Field]) -> dict[str, Node]:
    nodes = {}
    for name, kind in definition.items():
        path = f"{above}.{name}" if above else name
        if isinstance(kind, dict):
            nodes[name] = Node(_OBJECT, -1, -1, _nodes(kind, path, by_path))
        else:
            field = by_path[path]
            nodes[name] = Node(_KINDS[kind], field.slot, -1 if field.text is None else field.text, None)
    return nodes


def _required(required: object, known: set[str]) -> tuple[str, ...]:
    if required is None:
        return ()
    if isinstance(required, (str, bytes, Mapping)) or not isinstance(required, Iterable):
        message = "required takes a list of field paths"
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, message, {"option": "required"})
    paths = tuple(required)
    for path in paths:
        if not isinstance(path, str) or path not in known:
            message = f"required names {path!r}, which is no field of the schema"
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, message, {"option": "required", "field": path})
    return tuple(dict.fromkeys(paths))


def _refused(message: str, path: str | None) -> InvalidSchema:
    return InvalidSchema(ErrorCode.SCHEMA_INVALID_TYPE, message, {} if path is None else {"field": path})
