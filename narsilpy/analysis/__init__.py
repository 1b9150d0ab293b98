"""Analysis: from text to terms, the same for documents and queries."""
from __future__ import annotations

from narsilpy.analysis.analyzer import Analyzer, Token
from narsilpy.analysis.languages import list_languages

__all__ = ["Analyzer", "Token", "list_languages"]
