"""What `.nrsl` files hold, free of their wire formats: the readers make it, the writers take it.

Everything is keyed by document id and field path ("author.name"), as in the files. Equal models write equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from narsilpy.storage.msgpack import MalformedData

Number = int | float


class StoredDocument(msgspec.Struct):
    """One document: its fields as inserted (nested, without vectors) and the token count of each text field."""

    fields: dict[str, Any]
    field_lengths: dict[str, int]


class TermPostings(msgspec.Struct):
    """The postings of one term in parallel columns, one entry for each (document, field) that holds it."""

    document_frequency: int
    doc_ids: list[str]
    fields: list[str]
    frequencies: list[int]
    positions: list[list[int]] | None = None


class FieldIndexes(msgspec.Struct):
    """Values of the fields that are not text, by field path."""

    numeric: dict[str, list[tuple[Number, str]]] = {}
    boolean: dict[str, tuple[list[str], list[str]]] = {}
    enum: dict[str, dict[str, list[str]]] = {}
    geopoint: dict[str, list[tuple[Number, Number, str]]] = {}


class Partition(msgspec.Struct, kw_only=True):
    """One partition payload. `schema` is flat ("author.name": "string")."""

    index_name: str
    partition_id: int = 0
    total_partitions: int = 1
    language: str = "english"
    schema: dict[str, str] = {}
    documents: dict[str, StoredDocument] = {}
    terms: dict[str, TermPostings] = {}
    field_indexes: FieldIndexes = msgspec.field(default_factory=FieldIndexes)
    surface_forms: dict[str, tuple[int, str]] | None = None


class IndexData(msgspec.Struct, kw_only=True):
    """A whole index: settings and partitions.

    `settings` holds what the file says beyond the named attributes, in the file's own spelling (partition limits,
    default scoring, embedding, ...). `notes` tells what a reader left out; it is empty for what we build ourselves.
    """

    name: str = ""
    schema: dict[str, Any]
    language: str = "english"
    analysis_revision: str | None = None
    stop_words: list[str] | None = None
    stop_words_name: str | None = None
    tokenizer_name: str | None = None
    bm25: dict[str, Number] | None = None
    surface_forms: bool = True
    track_positions: bool | None = None
    strict: bool | None = None
    required: list[str] | None = None
    settings: dict[str, Any] = {}
    partitions: list[Partition] = []
    notes: list[str] = []

    def documents(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """`(doc_id, fields)` of every partition, in the order of the file."""
        for partition in self.partitions:
            for doc_id, document in partition.documents.items():
                yield doc_id, document.fields

    def __len__(self) -> int:
        return sum(len(partition.documents) for partition in self.partitions)


def flatten_schema(schema: dict[str, Any]) -> dict[str, str]:
    """`{"author": {"name": "string"}}` as `{"author.name": "string"}`, in order.

    >>> flatten_schema({"title": "string", "author": {"name": "string"}})
    {'title': 'string', 'author.name': 'string'}
    """
    flat: dict[str, str] = {}
    stack: list[tuple[str, dict[str, Any]]] = [("", schema)]
    while stack:
        prefix, level = stack.pop()
        for i, (name, kind) in enumerate(level.items()):
            if isinstance(kind, dict):
                # the rest of this level waits until the nested one is done: that keeps the order of declaration
                stack.append((prefix, dict(list(level.items())[i + 1 :])))
                stack.append((f"{prefix}{name}.", kind))
                break
            flat[prefix + name] = str(kind)
    return flat


def nest_schema(flat: dict[str, str]) -> dict[str, Any]:
    """The reverse of `flatten_schema`; `MalformedData` where a name is both a field and an object."""
    nested: dict[str, Any] = {}
    for path, kind in flat.items():
        level = nested
        *parents, name = path.split(".")
        for parent in parents:
            level = level.setdefault(parent, {})
            if not isinstance(level, dict):
                raise MalformedData(f"the schema uses {parent!r} both as a field and as an object")
        if name in level:
            raise MalformedData(f"the schema declares {path!r} twice")
        level[name] = kind
    return nested


def vector_fields(schema: dict[str, Any]) -> list[str]:
    """Paths of the fields that hold vectors, which this library does not search."""
    return [path for path, kind in flatten_schema(schema).items() if kind.startswith("vector[")]
