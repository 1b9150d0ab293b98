"""Expansions: the terms of the index that stand for a query word that is a prefix or may be misspelt.

Of the expansions of one word only the best counts in a document. Completions of a prefix share the inverse document
frequency of the most frequent one (the original's rule: a rare completion is no better guess) and count by how much of
them was typed. Misspellings likewise share the smallest idf, and count 1 / (1 + edits), so that in documents alike an
exact spelling never ranks below an edit.
"""
from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from narsilpy.query.terms import PREFIX_EXPANSIONS, Match, QueryTerm, utf8

if TYPE_CHECKING:
    from narsilpy._query import Query
    from narsilpy.analyses import Analysis
    from narsilpy.index import IndexCore

FUZZY_EXPANSIONS = 200      # closest first, then most frequent: a word with more neighbours than this is too short


def add_completions(core: IndexCore, query: Query, typed: str, word: QueryTerm | None, analysis: Analysis,
                    factor: float = 1.0, fields: Container[int] | None = None) -> None:
    """Expansions of the newest leaf: `typed` (unstemmed) as a prefix, and the analysed word, where there is one."""
    ranked = query.most_frequent(core.lexicon, core.completions(typed, analysis), PREFIX_EXPANSIONS)
    length = len(typed if word is None else word.term)
    blended = max((df for _, df in ranked), default=0)
    if word is not None and word.term not in dict(ranked):
        ranked.append((word.term, query.frequency(utf8(word.term))))
        blended = max(blended, ranked[-1][1])
    surface = typed if word is None else word.surface
    for term, _ in ranked:
        kind = word.kind if word is not None and term == word.term else "prefix"
        share = min(1.0, length / len(term))
        query.add_term(utf8(term), Match(term, surface, kind), factor * share, blended, fields)


def add_fuzzy(core: IndexCore, query: Query, word: QueryTerm, tolerance: int, prefix_length: int, factor: float = 1.0,
              fields: Container[int] | None = None) -> None:
    """Expansions of the newest leaf: terms within `tolerance` edits of the word's term."""
    found = []
    for number, edits in core.lexicon.fuzzy(word.term, tolerance, prefix_length):
        term = core.lexicon.term(number)
        df = query.frequency(utf8(term))
        if df > 0:
            found.append((edits, -df, term))
    found.sort()
    del found[FUZZY_EXPANSIONS:]
    blended = max((-df for _, df, _ in found), default=0)
    for edits, _, term in found:
        kind = word.kind if edits == 0 else "fuzzy"
        query.add_term(utf8(term), Match(term, word.surface, kind), factor / (1 + edits), blended, fields)
