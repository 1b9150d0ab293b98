"""Embedded full-text search with exact character offsets.

Open an engine with `Narsil()`, make an index with `create_index`, add documents with `insert_batch`, ask with `query`.
Every match carries `(start, end)` in code points of the stored text.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narsilpy._highlight import Highlight
from narsilpy.analysis import Analyzer, list_languages
from narsilpy.citations import Citation, Verification
from narsilpy.engine import Narsil
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
from narsilpy.handle import Index
from narsilpy.highlight.model import Passage, Quote, Span
from narsilpy.highlight.options import HighlightOptions
from narsilpy.query.objects import And, Boost, Fuzzy, Maybe, Not, Or, Phrase, Prefix, Term
from narsilpy.query.options import QueryOptions
from narsilpy.query.shapes import (
    BM25,
    BoostBy,
    DocumentParts,
    FacetOptions,
    FacetRange,
    Filters,
    GroupOptions,
    Pinned,
    SortBy,
)
from narsilpy.results import (
    BatchFailure,
    BatchResult,
    Entry,
    Explanation,
    Facet,
    Group,
    Hit,
    IndexStats,
    Page,
    Preflight,
    QueryResult,
    ScoreComponents,
    Suggestions,
)

if TYPE_CHECKING:
    from narsilpy.analysis.synonyms import Synonyms
    from narsilpy.chunks import Chunk, chunk
    from narsilpy.citations.quotes import sentence_at
    from narsilpy.query.parse import parse_query
    from narsilpy.query.synonyms import with_synonyms
    from narsilpy.rendering import render

# what few programs use, imported when it is first asked for: importing the package is a cost, too
_LATER = {
    "Chunk": "narsilpy.chunks",
    "Synonyms": "narsilpy.analysis.synonyms",
    "chunk": "narsilpy.chunks",
    "parse_query": "narsilpy.query.parse",
    "render": "narsilpy.rendering",
    "sentence_at": "narsilpy.citations.quotes",
    "with_synonyms": "narsilpy.query.synonyms",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = globals()[name] = getattr(import_module(_LATER[name]), name)
    return found


__version__ = "0.1.0"

__all__ = [
    "Analyzer", "And", "BM25", "BatchFailure", "BatchResult", "Boost", "BoostBy", "Chunk", "Citation",
    "DocumentAlreadyExists", "DocumentNotFound", "DocumentParts", "EngineClosed", "EngineLocked",
    "EngineReadOnly", "Entry", "ErrorCode", "Explanation", "Facet", "FacetOptions", "FacetRange", "Filters",
    "Fuzzy", "Group", "GroupOptions", "Highlight", "HighlightOptions", "Hit", "IncompatibleIndex", "Index",
    "IndexAlreadyExists", "IndexCorrupted", "IndexNotFound", "IndexStats", "InvalidAnalyzer", "InvalidConfig",
    "InvalidDocument", "InvalidQuery", "InvalidSchema", "LanguageNotSupported", "Maybe", "Narsil",
    "NarsilError", "Not", "Or", "Page", "Passage", "Phrase", "Pinned", "Prefix", "Preflight", "QueryOptions",
    "QueryResult", "Quote", "ScoreComponents", "SortBy", "Span", "StorageFailed", "Suggestions", "Synonyms",
    "Term", "Verification", "chunk", "list_languages", "parse_query", "render", "sentence_at", "with_synonyms",
]
