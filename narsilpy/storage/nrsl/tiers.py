"""The original's filesystem tiers, to import an index from its directory, and the snapshot tier to write one.

Files by key: `<index>/meta` (settings), then either `<index>/snapshot` (all partitions in one bundle), or
`<index>/manifest` naming segment files, newer ones replacing documents of older ones, and `<index>/wal/<p>/` with
the log of what came after. From segments and log only the documents are taken: their postings are made anew by
whoever imports them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from narsilpy.errors import ErrorCode, IndexCorrupted, StorageFailed
from narsilpy.storage.msgpack import MalformedData, pack_trusted, unpack, unpack_as
from narsilpy.storage.nrsl.envelope import VERSION_SNAPSHOT, read_envelope, write_envelope
from narsilpy.storage.nrsl.model import IndexData, Partition, StoredDocument, flatten_schema
from narsilpy.storage.nrsl.partition import read_partition, write_partition
from narsilpy.storage.nrsl.settings import SNAKE, drop_vectors, settings_of, settings_wire
from narsilpy.storage.nrsl.snapshot import add_partitions
from narsilpy.storage.nrsl.wal import documents_of, read_log, read_marker

Files = Mapping[str, bytes]
_META_STRUCTURE: Final = frozenset({"index_name", "partition_count", "created_at", "engine_version", "document_count"})
_LOG_FILE: Final = re.compile(r"\d{16}")


class _Checkpoint(msgspec.Struct, rename="camel"):
    partition_id: int
    last_seq_no: int


class _SegmentRef(msgspec.Struct):
    key: str


class _PartitionRef(msgspec.Struct, rename="camel"):
    partition_id: int
    segments: list[_SegmentRef]
    vectors: list[Any] = []


class _Manifest(msgspec.Struct):
    partitions: list[_PartitionRef]
    checkpoint: list[_Checkpoint] = []


class _Segment(msgspec.Struct):
    payload: bytes
    tombstones: list[str] = []


class _Bundle(msgspec.Struct):
    partitions: list[bytes]
    vector_indexes: Any = msgspec.field(name="vectorIndexes", default=None)


_manifest = msgspec.msgpack.Decoder(_Manifest)
_segment = msgspec.msgpack.Decoder(_Segment)
_bundle = msgspec.msgpack.Decoder(_Bundle)


def list_directory(source: str | os.PathLike[str] | Files) -> list[str]:
    """Names of the indexes in a directory of the original (or in a mapping of keys to bytes), sorted."""
    keys = source if isinstance(source, Mapping) else _keys(Path(source))
    return sorted(key.removesuffix("/meta") for key in keys if key.endswith("/meta"))


def read_directory(source: str | os.PathLike[str] | Files, name: str) -> IndexData:
    """The index `name` of a directory of the original, whichever tier wrote it.

    Raises `IndexCorrupted` (PERSISTENCE_LOAD_FAILED if files are missing or contradict each other, the envelope's codes
    otherwise), `IncompatibleIndex`, `StorageFailed` if the directory cannot be read.
    """
    files: Files = source if isinstance(source, Mapping) else _load(Path(source), name)
    try:
        index = _read_meta(files, name)
        if f"{name}/manifest" in files:
            _read_segments(index, files, name)
        elif f"{name}/snapshot" in files:
            envelope = read_envelope(files[f"{name}/snapshot"])
            bundle = unpack_as(envelope.payload, _bundle, _Bundle)
            add_partitions(index, bundle.partitions)
            drop_vectors(index, present=bool(bundle.vector_indexes))
        else:
            raise MalformedData("there is neither a snapshot nor a manifest")
    except MalformedData as error:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_LOAD_FAILED, f"the index {name!r} cannot be read: {error}", {"index": name}
        ) from error
    return index


def write_directory_files(index: IndexData, *, created_at_ms: int = 0) -> dict[str, bytes]:
    """The files of the snapshot tier by key (`<index>/meta`, `<index>/snapshot`)."""
    flat = flatten_schema(index.schema)
    meta = {
        "index_name": index.name,
        **settings_wire(index, SNAKE, flat),
        **index.settings,
        "partition_count": len(index.partitions),
        "created_at": created_at_ms,
        "engine_version": "0.1.0",
    }
    meta.setdefault("bm25_params", {"k1": 1.2, "b": 0.75})
    bundle: dict[str, object] = {"version": 1, "schema": flat, "language": index.language}
    if index.analysis_revision is not None:
        bundle["analysis_revision"] = index.analysis_revision
    if index.stop_words is not None:
        bundle["stop_word_list"] = index.stop_words
    bundle |= {
        "partitions": [write_partition(partition) for partition in index.partitions],
        "vectorIndexes": {},
        "checkpoint": [{"partitionId": i, "lastSeqNo": 0, "primaryTerm": 1} for i in range(len(index.partitions))],
    }
    return {
        f"{index.name}/meta": write_envelope(pack_trusted(meta)),
        f"{index.name}/snapshot": write_envelope(pack_trusted(bundle), format_version=VERSION_SNAPSHOT),
    }


def _read_meta(files: Files, name: str) -> IndexData:
    if f"{name}/meta" not in files:
        raise MalformedData("its meta file is missing")
    raw = unpack(read_envelope(files[f"{name}/meta"]).payload)
    if not isinstance(raw, dict):
        raise MalformedData("its meta file holds no map")
    index = settings_of(raw, SNAKE, structure=_META_STRUCTURE)
    index.name = name
    return index


def _read_segments(index: IndexData, files: Files, name: str) -> None:
    manifest = unpack_as(read_envelope(files[f"{name}/manifest"]).payload, _manifest, _Manifest)
    reached = {mark.partition_id: mark.last_seq_no for mark in manifest.checkpoint}
    owner: dict[str, int] = {}
    for ref in manifest.partitions:
        documents: dict[str, StoredDocument] = {}
        for segment in ref.segments:
            _apply_segment(documents, files, segment.key)
        _replay(documents, files, f"{name}/wal/{ref.partition_id}/", reached.get(ref.partition_id, 0))
        for doc_id in documents:
            if owner.setdefault(doc_id, ref.partition_id) != ref.partition_id:
                raise MalformedData(f"the document {doc_id!r} stands in two partitions")
        index.partitions.append(
            Partition(
                index_name=name,
                partition_id=ref.partition_id,
                total_partitions=len(manifest.partitions),
                language=index.language,
                schema=flatten_schema(index.schema),
                documents=documents,
            )
        )
    drop_vectors(index, present=any(ref.vectors for ref in manifest.partitions))


def _apply_segment(documents: dict[str, StoredDocument], files: Files, key: str) -> None:
    if key not in files:
        raise MalformedData(f"the segment file {key!r} is missing")
    segment = unpack_as(read_envelope(files[key]).payload, _segment, _Segment)
    for doc_id in segment.tombstones:
        documents.pop(doc_id, None)
    for doc_id, document in read_partition(segment.payload).documents.items():
        documents.pop(doc_id, None)
        documents[doc_id] = document


def _replay(documents: dict[str, StoredDocument], files: Files, prefix: str, reached: int) -> None:
    marker = read_marker(files.get(f"{prefix}commit", b""))
    if marker is None:
        return
    logs = {
        int(key[len(prefix) :]): key
        for key in files
        if key.startswith(prefix) and _LOG_FILE.fullmatch(key, len(prefix))
    }
    highest = reached
    for number, key in sorted(logs.items()):
        if number > marker.active_file:
            continue
        entries = read_log(files[key], marker.durable_bytes if number == marker.active_file else None)
        fresh = [entry for entry in entries if entry.seq_no > highest]
        for doc_id, fields in documents_of(fresh):
            documents.pop(doc_id, None)
            if fields is not None:
                documents[doc_id] = StoredDocument(fields, {})
        highest = max([highest, *(entry.seq_no for entry in entries)])
    if highest < marker.highest_sequence:
        raise MalformedData(
            f"the log ends at entry {highest}, before entry {marker.highest_sequence} that was acknowledged"
        )


# --- files -------------------------------------------------------------------------------------------------------


def _keys(root: Path) -> list[str]:
    try:
        return [path.relative_to(root).as_posix().removesuffix(".nrsl") for path in root.rglob("*") if path.is_file()]
    except OSError as error:
        raise StorageFailed(ErrorCode.PERSISTENCE_LOAD_FAILED, f"the directory cannot be read: {error}") from error


def _load(root: Path, name: str) -> Files:
    # the name comes from the caller, the keys from the directory: nothing outside `root` is ever opened
    files: dict[str, bytes] = {}
    try:
        for path in root.rglob("*"):
            key = path.relative_to(root).as_posix().removesuffix(".nrsl")
            if path.is_file() and key.startswith(f"{name}/"):
                files[key] = path.read_bytes()
    except OSError as error:
        raise StorageFailed(ErrorCode.PERSISTENCE_LOAD_FAILED, f"the directory cannot be read: {error}") from error
    return files
