"""Embedded full-text search with exact character offsets.

Open an engine with `Narsil()`, make an index with `create_index`, add documents with `insert_batch`, ask with `query`.
Every match carries `(start, end)` in code points of the stored text.
"""
from __future__ import annotations

from narsilpy.analysis import Analyzer, list_languages
from narsilpy.analysis.synonyms import Synonyms
from narsilpy.citations import Citation, Verification, sentence_at
from narsilpy.engine import Index, Narsil
from narsilpy.errors import (
    DocumentAlreadyExists,
    DocumentNotFound,
    EngineClosed,
    EngineLocked,
    EngineReadOnly,
    ErrorCode,
    IncompatibleIndex,
    IndexAlreadyExists,
    IndexCorrupted,
    IndexNotFound,
    InvalidAnalyzer,
    InvalidConfig,
    InvalidDocument,
    InvalidQuery,
    InvalidSchema,
    LanguageNotSupported,
    NarsilError,
    StorageFailed,
)
from narsilpy.highlight.model import Highlight, Passage, Quote, Span
from narsilpy.highlight.options import HighlightOptions
from narsilpy.query.objects import And, Boost, Fuzzy, Not, Or, Phrase, Prefix, Term
from narsilpy.query.options import QueryOptions
from narsilpy.query.synonyms import with_synonyms
from narsilpy.results import BatchFailure, BatchResult, Hit, IndexStats, Preflight, QueryResult

__version__ = "0.1.0"

__all__ = [
    "Analyzer", "And", "BatchFailure", "BatchResult", "Boost", "Citation", "DocumentAlreadyExists", "DocumentNotFound",
    "EngineClosed", "EngineLocked", "EngineReadOnly", "ErrorCode", "Fuzzy", "Highlight", "HighlightOptions", "Hit",
    "IncompatibleIndex", "Index", "IndexAlreadyExists", "IndexCorrupted", "IndexNotFound", "IndexStats",
    "InvalidAnalyzer", "InvalidConfig", "InvalidDocument", "InvalidQuery", "InvalidSchema", "LanguageNotSupported",
    "Narsil", "NarsilError", "Not", "Or", "Passage", "Phrase", "Preflight", "Prefix", "QueryOptions", "QueryResult",
    "Quote",
    "Span", "StorageFailed", "Synonyms", "Term", "Verification",
    "list_languages", "sentence_at", "with_synonyms",
]
