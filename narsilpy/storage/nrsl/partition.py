"""Partition payloads: version 1 (one map a posting) and version 2 (one column a property)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from narsilpy.errors import ErrorCode, IndexCorrupted, StorageFailed
from narsilpy.storage.msgpack import MalformedData, UnsupportedValue, extension, pack, pack_trusted, unpack_as
from narsilpy.storage.nrsl.model import FieldIndexes, Number, Partition, StoredDocument, TermPostings

_ONE_BYTE_FIELDS: Final = 256


class _Document(msgspec.Struct):
    fields: dict[str, Any]
    field_lengths: dict[str, int] = {}


class _Posting(msgspec.Struct):
    doc_id: str
    term_freq: int
    field: str
    positions: list[int] = []


class _Rows(msgspec.Struct):
    doc_freq: int
    postings: list[_Posting] = []


class _Columns(msgspec.Struct):
    df: int
    ids: list[str]
    tf: list[int]
    fi: bytes | list[int]
    pos: list[list[int]] | None = None


class _ColumnIndex(msgspec.Struct):
    field_names: list[str] = []
    entries: dict[str, _Columns] = {}


class _NumericEntry(msgspec.Struct):
    value: Number
    doc_id: str


class _BooleanEntry(msgspec.Struct):
    true_docs: list[str] = []
    false_docs: list[str] = []


class _GeoEntry(msgspec.Struct):
    lat: Number
    lon: Number
    doc_id: str


class _FieldIndexes(msgspec.Struct):
    numeric: dict[str, list[_NumericEntry]] = {}
    boolean: dict[str, _BooleanEntry] = {}
    enum: dict[str, dict[str, list[str]]] = {}
    geopoint: dict[str, list[_GeoEntry]] = {}


class _Payload(msgspec.Struct):
    """What the two versions share. Statistics are left unread: they follow from the documents."""

    index_name: str
    partition_id: int = 0
    total_partitions: int = 1
    language: str = "english"
    schema: dict[str, str] = {}
    doc_count: Number = 0
    documents: dict[str, _Document] = {}
    field_indexes: _FieldIndexes = msgspec.field(default_factory=_FieldIndexes)
    surface_forms: dict[str, Any] | None = None


class _PayloadV1(_Payload):
    inverted_index: dict[str, _Rows] = {}


class _PayloadV2(_Payload):
    inverted_index: _ColumnIndex = msgspec.field(default_factory=_ColumnIndex)


class _Probe(msgspec.Struct):
    v: int = 1


_probe = msgspec.msgpack.Decoder(_Probe)
_v1 = msgspec.msgpack.Decoder(_PayloadV1, ext_hook=extension)
_v2 = msgspec.msgpack.Decoder(_PayloadV2, ext_hook=extension)


def read_partition(payload: bytes | bytearray | memoryview) -> Partition:
    """A partition payload of either version. Raises `IndexCorrupted` (PERSISTENCE_LOAD_FAILED)."""
    try:
        version = unpack_as(payload, _probe, _Probe).v
        if version == 2:
            columns = unpack_as(payload, _v2, _PayloadV2)
            partition = _partition(columns, _terms_of_columns(columns.inverted_index))
        elif version == 1:
            rows = unpack_as(payload, _v1, _PayloadV1)
            partition = _partition(rows, _terms_of_rows(rows.inverted_index))
        else:
            raise MalformedData(f"version {version} of the payload is not known")
        _check_references(partition)
    except MalformedData as error:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_LOAD_FAILED, f"the partition payload cannot be read: {error}"
        ) from error
    return partition


def write_partition(partition: Partition, *, version: int = 2) -> bytes:
    """The payload of `partition`, in the order the model gives."""
    try:
        if version == 2:
            return pack_trusted(_wire(partition, version, _columns_of_terms(partition)))
        return pack_trusted(_wire(partition, version, _rows_of_terms(partition.terms)))
    except UnsupportedValue as error:
        raise StorageFailed(
            ErrorCode.PERSISTENCE_SAVE_FAILED,
            f"the index cannot be written as .nrsl: {error.reason}",
            {"path": error.path},
        ) from error


# --- reading -----------------------------------------------------------------------------------------------------


def _partition(raw: _Payload, terms: dict[str, TermPostings]) -> Partition:
    indexes = raw.field_indexes
    surfaces = raw.surface_forms
    return Partition(
        index_name=raw.index_name,
        partition_id=raw.partition_id,
        total_partitions=raw.total_partitions,
        language=raw.language,
        schema=raw.schema,
        documents={key: StoredDocument(doc.fields, doc.field_lengths) for key, doc in raw.documents.items()},
        terms=terms,
        field_indexes=FieldIndexes(
            numeric={k: [(e.value, e.doc_id) for e in v] for k, v in indexes.numeric.items()},
            boolean={k: (v.true_docs, v.false_docs) for k, v in indexes.boolean.items()},
            enum=indexes.enum,
            geopoint={k: [(e.lat, e.lon, e.doc_id) for e in v] for k, v in indexes.geopoint.items()},
        ),
        surface_forms=None if surfaces is None else dict(_surface(k, v) for k, v in surfaces.items()),
    )


def _surface(surface: str, value: object) -> tuple[str, tuple[int, str]]:
    """The file says `count` where the term is spelt like the surface, `[count, term]` otherwise."""
    if isinstance(value, int):
        return surface, (value, surface)
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str):
        return surface, (value[0], value[1])
    raise MalformedData(f"the surface form {surface!r} has no count")


def _terms_of_rows(rows: dict[str, _Rows]) -> dict[str, TermPostings]:
    tracked = any(posting.positions for row in rows.values() for posting in row.postings)
    return {
        term: TermPostings(
            row.doc_freq,
            [posting.doc_id for posting in row.postings],
            [posting.field for posting in row.postings],
            [posting.term_freq for posting in row.postings],
            [posting.positions for posting in row.postings] if tracked else None,
        )
        for term, row in rows.items()
    }


def _terms_of_columns(index: _ColumnIndex) -> dict[str, TermPostings]:
    names = index.field_names
    terms = {}
    for term, column in index.entries.items():
        n = len(column.ids)
        if len(column.tf) != n or len(column.fi) != n or (column.pos is not None and len(column.pos) != n):
            raise MalformedData(f"the columns of term {term!r} differ in length")
        if n and not 0 <= min(column.fi) <= max(column.fi) < len(names):
            raise MalformedData(f"term {term!r} names a field beyond the {len(names)} of the payload")
        fields = [names[i] for i in column.fi]
        terms[term] = TermPostings(column.df, column.ids, fields, column.tf, column.pos)
    return terms


def _check_references(partition: Partition) -> None:
    documents = partition.documents
    indexes = partition.field_indexes

    def check(kind: str, name: str, doc_ids: Iterable[str]) -> None:
        for doc_id in doc_ids:
            if doc_id not in documents:
                raise MalformedData(f"the {kind} {name!r} names the document {doc_id!r}, which is not there")

    for term, postings in partition.terms.items():
        check("term", term, postings.doc_ids)
        if postings.document_frequency < 0 or any(n < 0 for n in postings.frequencies):
            raise MalformedData(f"the term {term!r} has a negative frequency")
    for field, numbers in indexes.numeric.items():
        check("numeric field", field, (entry[1] for entry in numbers))
    for field, (true_docs, false_docs) in indexes.boolean.items():
        check("boolean field", field, (*true_docs, *false_docs))
    for field, values in indexes.enum.items():
        for doc_ids in values.values():
            check("enum field", field, doc_ids)
    for field, points in indexes.geopoint.items():
        check("geopoint field", field, (entry[2] for entry in points))


# --- writing -----------------------------------------------------------------------------------------------------


def plain_number(value: Number) -> Number:
    """An integral float as the integer the original would write, so that statistics have one spelling."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    return value


def _wire(partition: Partition, version: int, inverted_index: object) -> dict[str, object]:
    totals: dict[str, int] = {}
    documents: dict[str, object] = {}
    for doc_id, document in partition.documents.items():
        fields = msgspec.Raw(pack(document.fields))
        documents[doc_id] = {"fields": fields, "field_lengths": document.field_lengths}
        for field, length in document.field_lengths.items():
            totals[field] = totals.get(field, 0) + length
    n = len(documents)
    averages = {field: total / n for field, total in totals.items()}
    wire: dict[str, object] = {"v": 2} if version == 2 else {}
    wire |= {
        "index_name": partition.index_name,
        "partition_id": partition.partition_id,
        "total_partitions": partition.total_partitions,
        "language": partition.language,
        "schema": partition.schema,
        "doc_count": n,
        "avg_doc_length": plain_number(sum(averages.values())),
        "documents": documents,
        "inverted_index": inverted_index,
        "field_indexes": _field_indexes_wire(partition.field_indexes),
    }
    if partition.surface_forms is not None:
        wire["surface_forms"] = {
            surface: count if term == surface else [count, term]
            for surface, (count, term) in partition.surface_forms.items()
        }
    wire["statistics"] = {
        "total_documents": len(documents),
        "total_field_lengths": totals,
        "average_field_lengths": {field: plain_number(value) for field, value in averages.items()},
        "doc_frequencies": {term: postings.document_frequency for term, postings in partition.terms.items()},
    }
    return wire


def _field_indexes_wire(indexes: FieldIndexes) -> dict[str, object]:
    return {
        "numeric": {k: [{"value": value, "doc_id": i} for value, i in v] for k, v in indexes.numeric.items()},
        "boolean": {k: {"true_docs": true, "false_docs": false} for k, (true, false) in indexes.boolean.items()},
        "enum": indexes.enum,
        "geopoint": {
            k: [{"lat": lat, "lon": lon, "doc_id": i} for lat, lon, i in v] for k, v in indexes.geopoint.items()
        },
    }


def _rows_of_terms(terms: dict[str, TermPostings]) -> dict[str, object]:
    return {
        term: {
            "doc_freq": postings.document_frequency,
            "postings": [
                {
                    "doc_id": doc_id,
                    "term_freq": postings.frequencies[i],
                    "field": postings.fields[i],
                    "positions": postings.positions[i] if postings.positions is not None else [],
                }
                for i, doc_id in enumerate(postings.doc_ids)
            ],
        }
        for term, postings in terms.items()
    }


def _columns_of_terms(partition: Partition) -> dict[str, object]:
    numbers = _field_numbers(partition)
    entries = {}
    for term, postings in partition.terms.items():
        fields = [numbers[field] for field in postings.fields]
        entries[term] = {
            "df": postings.document_frequency,
            "ids": postings.doc_ids,
            "tf": postings.frequencies,
            # the original stores one byte a field, and reads any indexable sequence: a list holds what a byte cannot
            "fi": bytes(fields) if len(numbers) <= _ONE_BYTE_FIELDS else fields,
            "pos": postings.positions,
        }
    return {"field_names": list(numbers), "entries": entries}


def _field_numbers(partition: Partition) -> dict[str, int]:
    """Fields in order of first appearance: in the lengths of the documents, then in the postings."""
    numbers: dict[str, int] = {}
    for document in partition.documents.values():
        for field in document.field_lengths:
            numbers.setdefault(field, len(numbers))
    for postings in partition.terms.values():
        for field in postings.fields:
            numbers.setdefault(field, len(numbers))
    return numbers
