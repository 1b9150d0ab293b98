"""Query text to the leaves of a native query: analysis, duplicates, expansions.

A leaf is one distinct query term; its expansions are the terms of the index that stand for it. Each expansion carries
a `Match`: the index's term, the query's own word, and how the two met.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

CACHED_TEXTS = 1_024        # query texts whose words an index remembers, of at most
CACHED_CHARS = 256          # code points each
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
    end: int        # where the word ends in the query, in code points

    @property
    def kind(self) -> str:
        return "exact" if self.term == self.folded else "stem"


def utf8(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")


def query_terms(core: IndexCore, text: str) -> list[QueryTerm]:
    """The analysed words of a query, in order, duplicates included. The last texts are remembered."""
    cache = core.query_words
    found = cache.get(text)
    if found is None:
        analyzer = core.settings.analyzer
        found = [QueryTerm(term, text[start:end], position, folded, end)
                 for term, position, start, end, folded in analyzer.words(text)]
        if len(text) <= CACHED_CHARS:
            if len(cache) >= CACHED_TEXTS:
                cache.clear()
            cache[text] = found
    return found


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
