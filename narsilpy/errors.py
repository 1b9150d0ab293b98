"""Errors: one root, `NarsilError`, whose leaves also subclass the natural builtin.

Catch `NarsilError` for everything the library raises on purpose, a leaf for one kind of fault, or the builtin
(`KeyError`, `ValueError`, `OSError`) where the calling code already does. `code` is stable and meant for programs;
the message is meant for people: it names the field, the value and what to do.
"""
from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """The stable codes. A code never changes its meaning between versions."""

    CONFIG_INVALID = "CONFIG_INVALID"
    LANGUAGE_NOT_SUPPORTED = "LANGUAGE_NOT_SUPPORTED"
    INDEX_NOT_FOUND = "INDEX_NOT_FOUND"
    INDEX_ALREADY_EXISTS = "INDEX_ALREADY_EXISTS"
    SCHEMA_INVALID_TYPE = "SCHEMA_INVALID_TYPE"
    SCHEMA_DEPTH_EXCEEDED = "SCHEMA_DEPTH_EXCEEDED"
    SCHEMA_INVALID_GEOPOINT = "SCHEMA_INVALID_GEOPOINT"
    DOC_NOT_FOUND = "DOC_NOT_FOUND"
    DOC_ALREADY_EXISTS = "DOC_ALREADY_EXISTS"
    DOC_VALIDATION_FAILED = "DOC_VALIDATION_FAILED"
    DOC_MISSING_REQUIRED_FIELD = "DOC_MISSING_REQUIRED_FIELD"
    PARTITION_CAPACITY_EXCEEDED = "PARTITION_CAPACITY_EXCEEDED"
    SEARCH_INVALID_FIELD = "SEARCH_INVALID_FIELD"
    SEARCH_INVALID_FILTER = "SEARCH_INVALID_FILTER"
    SEARCH_INVALID_CURSOR = "SEARCH_INVALID_CURSOR"
    SEARCH_INVALID_OPTION = "SEARCH_INVALID_OPTION"
    SEARCH_INVALID_MODE = "SEARCH_INVALID_MODE"
    SEARCH_RESULT_WINDOW_EXCEEDED = "SEARCH_RESULT_WINDOW_EXCEEDED"
    ANALYZER_INVALID_OUTPUT = "ANALYZER_INVALID_OUTPUT"
    ENGINE_CLOSED = "ENGINE_CLOSED"
    ENGINE_READ_ONLY = "ENGINE_READ_ONLY"
    ENGINE_LOCKED = "ENGINE_LOCKED"
    ENVELOPE_INVALID_MAGIC = "ENVELOPE_INVALID_MAGIC"
    ENVELOPE_VERSION_MISMATCH = "ENVELOPE_VERSION_MISMATCH"
    PERSISTENCE_LOAD_FAILED = "PERSISTENCE_LOAD_FAILED"
    PERSISTENCE_SAVE_FAILED = "PERSISTENCE_SAVE_FAILED"
    PERSISTENCE_CRC_MISMATCH = "PERSISTENCE_CRC_MISMATCH"


class NarsilError(Exception):
    """The root of every error this library raises on purpose.

    Attributes:
        code: an `ErrorCode`; stable, for programs.
        message: one or two sentences for people: what is wrong, and what to do.
        details: the names and values behind the message (field, doc_id, limit, ...).

    >>> error = NarsilError(ErrorCode.INDEX_NOT_FOUND, 'there is no index "books"', {"index": "books"})
    >>> error.code, str(error)
    (<ErrorCode.INDEX_NOT_FOUND: 'INDEX_NOT_FOUND'>, 'there is no index "books"')
    """

    def __init__(self, code: ErrorCode | str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(code, message, dict(details or {}))
        self.code = ErrorCode(code)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code.value}: {self.message})"


class InvalidConfig(NarsilError, ValueError):
    """A setting of the engine or of an index is not usable."""


class LanguageNotSupported(NarsilError, LookupError):
    """`language` names none that this library knows; `list_languages()` has them all."""


class InvalidSchema(NarsilError, ValueError):
    """A schema names an unknown type, a reserved or malformed field, or nests too deep."""


class IndexNotFound(NarsilError, KeyError):
    """No index of that name."""


class IndexAlreadyExists(NarsilError, ValueError):
    """`create_index` on a name that is taken."""


class DocumentNotFound(NarsilError, KeyError):
    """`update` or `remove` of an id that the index does not hold."""


class DocumentAlreadyExists(NarsilError, ValueError):
    """`insert` of an id that the index holds; `upsert` replaces instead."""


class InvalidDocument(NarsilError, ValueError):
    """A document or its id does not fit the schema or the limits."""


class InvalidQuery(NarsilError, ValueError):
    """A query option has a wrong type, names an unknown field, or asks for more than a query may return."""


class InvalidAnalyzer(NarsilError, TypeError):
    """A custom tokenizer, stemmer or stop-word source did not return what it must."""


class EngineClosed(NarsilError, RuntimeError):
    """The engine was closed."""


class EngineReadOnly(NarsilError, PermissionError):
    """A write on an engine that was opened with `read_only=True`."""


class EngineLocked(NarsilError, TimeoutError):
    """Another process writes to this directory."""


class StorageFailed(NarsilError, OSError):
    """The operating system refused a read or a write (disk full, permissions, ...)."""


class IndexCorrupted(NarsilError, OSError):
    """Stored bytes fail their checksum or contradict each other."""


class IncompatibleIndex(NarsilError, OSError):
    """Stored bytes were written by a format this version does not read."""
