"""`.nrsl`: the original engine's files as plain data, read and written.

`read_partition_file` / `write_partition_file`   one partition in its envelope (payload version 1)
`read_partition` / `write_partition`             a bare payload, version 1 (rows) or 2 (columns)
`read_snapshot` / `write_snapshot`               the bytes of `snapshot()`: a bare MessagePack map
`read_directory` / `list_directory`              its filesystem tiers (snapshot files, or segments and log), to import
`write_directory_files`                          the two files of the snapshot tier
`IndexBuilder`                                   documents and their tokens in, an `IndexData` out

What is read is `IndexData`: settings, and partitions of documents, postings and field values. Vectors are left out,
and `IndexData.notes` says so.
"""

from __future__ import annotations

from narsilpy.storage.nrsl.build import IndexBuilder
from narsilpy.storage.nrsl.envelope import Envelope, read_envelope, write_envelope
from narsilpy.storage.nrsl.model import (
    FieldIndexes,
    IndexData,
    Partition,
    StoredDocument,
    TermPostings,
    flatten_schema,
    nest_schema,
)
from narsilpy.storage.nrsl.partition import read_partition, write_partition
from narsilpy.storage.nrsl.snapshot import (
    read_partition_file,
    read_snapshot,
    write_partition_file,
    write_snapshot,
)
from narsilpy.storage.nrsl.tiers import list_directory, read_directory, write_directory_files

__all__ = [
    "Envelope",
    "FieldIndexes",
    "IndexBuilder",
    "IndexData",
    "Partition",
    "StoredDocument",
    "TermPostings",
    "flatten_schema",
    "list_directory",
    "nest_schema",
    "read_directory",
    "read_envelope",
    "read_partition",
    "read_partition_file",
    "read_snapshot",
    "write_directory_files",
    "write_envelope",
    "write_partition",
    "write_partition_file",
    "write_snapshot",
]
