"""Index settings as three kinds of file spell them: `snapshot()` (camelCase, nested schema), the metadata file and the
snapshot bundle (snake_case, flat schema)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from narsilpy.storage.msgpack import DECODE_FAULTS, MalformedData
from narsilpy.storage.nrsl.model import IndexData, Number, StoredDocument, nest_schema, vector_fields


class Settings(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The settings this library knows, under the names that `IndexData` gives them."""

    schema: dict[str, Any]
    language: str
    analysis_revision: str | None = None
    stop_words: list[str] | None = None
    stop_words_name: str | None = None
    tokenizer_name: str | None = None
    bm25: dict[str, Number] | None = None
    surface_forms: bool = True
    track_positions: bool | None = None
    strict: bool | None = None
    required: list[str] | None = None


# our name -> the file's, in the order the file keeps them
CAMEL: Final = {
    "schema": "schema",
    "language": "language",
    "analysis_revision": "analysisRevision",
    "tokenizer_name": "tokenizer",
    "stop_words_name": "stopWords",
    "stop_words": "stopWordList",
    "bm25": "bm25",
    "surface_forms": "surfaceForms",
    "track_positions": "trackPositions",
    "strict": "strict",
    "required": "required",
}
SNAKE: Final = {
    "schema": "schema",
    "language": "language",
    "bm25": "bm25_params",
    "surface_forms": "surface_forms_enabled",
    "analysis_revision": "analysis_revision",
    "tokenizer_name": "tokenizer",
    "stop_words_name": "stop_words",
    "stop_words": "stop_word_list",
    "track_positions": "track_positions",
    "strict": "strict",
    "required": "required",
}


def settings_of(raw: dict[str, Any], names: dict[str, str], *, structure: frozenset[str]) -> IndexData:
    """An `IndexData` without partitions from the map of a file; `structure` names what is no setting."""
    known = {ours: raw[theirs] for ours, theirs in names.items() if raw.get(theirs) is not None}
    try:
        settings = msgspec.convert(known, Settings)
        schema = nest_schema(settings.schema) if names is SNAKE else settings.schema
        _check_schema(schema)
    except DECODE_FAULTS as error:
        raise MalformedData(f"the settings cannot be read: {error}") from error
    data = IndexData(**{**msgspec.structs.asdict(settings), "schema": schema})
    spelled = set(names.values()) | structure
    data.settings = {key: value for key, value in raw.items() if key not in spelled}
    return data


def _check_schema(schema: dict[str, Any]) -> None:
    stack = [schema]
    while stack:
        for name, kind in stack.pop().items():
            if isinstance(kind, dict):
                stack.append(kind)
            elif not isinstance(kind, str) or not isinstance(name, str):
                raise MalformedData(f"the schema gives {name!r} no type")


def settings_wire(data: IndexData, names: dict[str, str], schema: dict[str, Any]) -> dict[str, Any]:
    """The settings of `data` under the file's names; what is not set is left out."""
    wire: dict[str, Any] = {}
    for ours, theirs in names.items():
        value = schema if ours == "schema" else getattr(data, ours)
        if value is not None:
            wire[theirs] = value
    return wire


def drop_vectors(data: IndexData, *, present: bool) -> None:
    """Take vector values out of the documents and say so; the schema keeps naming the fields."""
    paths = vector_fields(data.schema)
    for partition in data.partitions:
        for document in partition.documents.values():
            for path in paths:
                present |= _drop(document, path.split("."))
    if paths and present:
        data.notes.append(f"vectors were left out: {', '.join(paths)}")


def _drop(document: StoredDocument, path: list[str]) -> bool:
    level: Any = document.fields
    for name in path[:-1]:
        level = level.get(name) if isinstance(level, dict) else None
    return isinstance(level, dict) and level.pop(path[-1], None) is not None
