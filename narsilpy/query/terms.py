"""Query text to the leaves of a native query: analysis, duplicates, expansions.

A leaf is one distinct query term; its expansions are the terms of the index that stand for it. Each expansion carries
a `Match`: the index's term, the query's own word, and how the two met.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

PREFIX_EXPANSIONS = 50      # completions of a prefix that are looked at, most frequent first (the original's number)


class Match(NamedTuple):
    """What a span of this expansion says of itself."""

    term: str
    query_term: str
    kind: str       # exact | stem | prefix | fuzzy | phrase


class QueryTerm(NamedTuple):
    """One word of a query: its term, as typed, and its place among the words."""

    term: str
    surface: str
    position: int
    folded: str     # the word as the analyzer sees it before stemming

    @property
    def kind(self) -> str:
        return "exact" if self.term == self.folded else "stem"


def utf8(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")


def query_terms(core: IndexCore, text: str) -> list[QueryTerm]:
    """The analysed words of a query, in order, duplicates included."""
    analyzer = core.settings.analyzer
    return [QueryTerm(token.term, text[token.start:token.end], token.position, analyzer.fold(text[token.start:token.end]))
            for token in analyzer.analyze(text)]


def typed_word(core: IndexCore, text: str) -> str | None:
    """The last word of a text as typed: folded, not stemmed, stop word or not; None where there is no word."""
    analyzer = core.settings.analyzer
    spans = analyzer.word_spans(text)
    return analyzer.fold(text[spans[-1][0]:spans[-1][1]]) or None if spans else None


def distinct(terms: list[QueryTerm]) -> list[QueryTerm]:
    """Each term once, where it stands first."""
    seen: dict[str, QueryTerm] = {}
    for term in terms:
        seen.setdefault(term.term, term)
    return list(seen.values())
