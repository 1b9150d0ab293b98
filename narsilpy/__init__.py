"""Embedded full-text search with exact character offsets.

Open an engine with `Narsil()`, make an index with `create_index`, add documents with `insert_batch`, ask with `query`.
Every match carries `(start, end)` in code points of the stored text.
"""
from __future__ import annotations

TYPE_CHECKING = False       # type checkers take it for typing's own, whose import is a quarter of an engine's

if TYPE_CHECKING:
    from typing import Any

    from narsilpy import analysis as analysis
    from narsilpy import citations as citations
    from narsilpy import errors as errors
    from narsilpy import highlight as highlight
    from narsilpy import query as query
    from narsilpy import results as results
    from narsilpy._highlight import Highlight
    from narsilpy.analysis import Analyzer, list_languages
    from narsilpy.analysis.synonyms import Synonyms
    from narsilpy.chunks import Chunk, chunk
    from narsilpy.citations import Citation, Verification
    from narsilpy.citations.quotes import sentence_at
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
    from narsilpy.query.parse import parse_query
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
    from narsilpy.query.synonyms import with_synonyms
    from narsilpy.rendering import render
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

# Where each name is defined: its module is imported when the name is first asked for, so that a program which imports
# the package at its top and searches in one of its commands pays for it there. The names are those imported above.
_HOMES = {
    "_highlight": "Highlight",
    "analysis": "Analyzer list_languages",
    "analysis.synonyms": "Synonyms",
    "chunks": "Chunk chunk",
    "citations": "Citation Verification",
    "citations.quotes": "sentence_at",
    "engine": "Narsil",
    "errors": "DocumentAlreadyExists DocumentNotFound EngineClosed EngineLocked EngineReadOnly ErrorCode "
              "IncompatibleIndex IndexAlreadyExists IndexCorrupted IndexNotFound InvalidAnalyzer InvalidConfig "
              "InvalidDocument InvalidQuery InvalidSchema LanguageNotSupported NarsilError StorageFailed",
    "handle": "Index",
    "highlight.model": "Passage Quote Span",
    "highlight.options": "HighlightOptions",
    "query.objects": "And Boost Fuzzy Maybe Not Or Phrase Prefix Term",
    "query.options": "QueryOptions",
    "query.parse": "parse_query",
    "query.shapes": "BM25 BoostBy DocumentParts FacetOptions FacetRange Filters GroupOptions Pinned SortBy",
    "query.synonyms": "with_synonyms",
    "rendering": "render",
    "results": "BatchFailure BatchResult Entry Explanation Facet Group Hit IndexStats Page Preflight QueryResult "
               "ScoreComponents Suggestions",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
_MODULES = frozenset({"analysis", "citations", "errors", "highlight", "query", "results"})


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"narsilpy.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"narsilpy.{_HOME_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


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
