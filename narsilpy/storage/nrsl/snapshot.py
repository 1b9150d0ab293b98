"""The bytes of `snapshot()`, and single partitions as `.nrsl` files.

A snapshot is a bare MessagePack map (no envelope, no checksum), version 2: settings in camelCase, a nested schema,
`partitions` as a list of version 2 payloads, vectors apart.
"""

from __future__ import annotations

from typing import Any, Final

from narsilpy.errors import ErrorCode, IndexCorrupted, StorageFailed
from narsilpy.storage.msgpack import MalformedData, UnsupportedValue, pack, unpack
from narsilpy.storage.nrsl.envelope import MAX_INFLATED_BYTES, VERSION_PARTITION, read_envelope, write_envelope
from narsilpy.storage.nrsl.model import IndexData, Partition
from narsilpy.storage.nrsl.partition import read_partition, write_partition
from narsilpy.storage.nrsl.settings import CAMEL, drop_vectors, settings_of, settings_wire

SNAPSHOT_VERSION: Final = 2
_STRUCTURE: Final = frozenset({"version", "partitions", "vectorIndexes"})


def read_partition_file(
    data: bytes | bytearray | memoryview, *, max_inflated_bytes: int = MAX_INFLATED_BYTES
) -> Partition:
    """One partition `.nrsl` file. Raises `IndexCorrupted` or `IncompatibleIndex`."""
    envelope = read_envelope(data, newest_version=VERSION_PARTITION, max_inflated_bytes=max_inflated_bytes)
    return read_partition(envelope.payload)


def write_partition_file(partition: Partition, *, compress: bool = False, checksum: bool = True) -> bytes:
    """One partition as a `.nrsl` file, envelope and payload version 1."""
    return write_envelope(write_partition(partition, version=1), compress=compress, checksum=checksum)


def read_snapshot(data: bytes | bytearray | memoryview) -> IndexData:
    """The index in the bytes of a `snapshot()`.

    Raises `IndexCorrupted`: DOC_VALIDATION_FAILED if the bytes are no snapshot, PERSISTENCE_LOAD_FAILED if a partition
    inside is damaged or two partitions hold the same document.
    """
    try:
        raw = unpack(data)
        if not isinstance(raw, dict):
            raise MalformedData("they hold no map")
        if raw.get("version") not in (1, 2):
            raise MalformedData(f"version {raw.get('version')!r} is not known; 1 and 2 are")
        payloads = raw.get("partitions")
        if not isinstance(payloads, list) or not all(isinstance(payload, bytes) for payload in payloads):
            raise MalformedData("they hold no list of partitions")
        index = settings_of(raw, CAMEL, structure=_STRUCTURE)
    except MalformedData as error:
        raise IndexCorrupted(ErrorCode.DOC_VALIDATION_FAILED, f"the bytes are no Narsil snapshot: {error}") from error
    add_partitions(index, payloads)
    drop_vectors(index, present=bool(raw.get("vectorIndexes")))
    return index


def add_partitions(index: IndexData, payloads: list[bytes]) -> None:
    """Read `payloads` into `index.partitions`; the first one names the index."""
    seen: set[str] = set()
    for payload in payloads:
        partition = read_partition(payload)
        twice = seen & partition.documents.keys()
        if twice:
            raise IndexCorrupted(
                ErrorCode.PERSISTENCE_LOAD_FAILED, f"the document {min(twice)!r} stands in two partitions"
            )
        seen |= partition.documents.keys()
        index.partitions.append(partition)
    if index.partitions and not index.name:
        index.name = index.partitions[0].index_name


def write_snapshot(index: IndexData) -> bytes:
    """`index` as the original's `restore` reads it. Equal indexes give equal bytes."""
    wire: dict[str, Any] = {"version": SNAPSHOT_VERSION}
    settings = settings_wire(index, CAMEL, index.schema)
    # the original puts the limits and the scoring mode before the rest; nothing depends on it, but equal files compare
    late = {key: settings.pop(key) for key in ("trackPositions", "strict", "required") if key in settings}
    wire |= settings | index.settings | late
    wire["partitions"] = [write_partition(partition) for partition in index.partitions]
    wire["vectorIndexes"] = {}
    try:
        return pack(wire)
    except UnsupportedValue as error:
        raise StorageFailed(
            ErrorCode.PERSISTENCE_SAVE_FAILED, f"a setting cannot be written: {error.reason}", {"path": error.path}
        ) from error
