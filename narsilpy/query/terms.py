"""Query text to the leaves of a native query: analysis, duplicates, expansions.

A leaf is one distinct query term; its expansions are the terms of the index that stand for it. Each expansion carries
a `Match`: the index's term, the query's own word, and how the two met.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from narsilpy.analyses import Analysis
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


class Part(NamedTuple):
    """A word of a query as one analyzer takes it, and the text fields that this analyzer reads (None: all)."""

    word: QueryTerm
    fields: frozenset[int] | None
    analysis: Analysis


def query_terms(core: IndexCore, text: str, number: int = 0) -> list[QueryTerm]:
    """The analysed words of a query, in order, duplicates included, under analyzer `number` of the index.

    The last texts are remembered.
    """
    cache = core.query_words
    found = cache.get((number, text))
    if found is None:
        analyzer = core.analyses[number].analyzer
        found = [QueryTerm(term, text[start:end], position, folded, end)
                 for term, position, start, end, folded in analyzer.words(text)]
        if len(text) <= CACHED_CHARS:
            if len(cache) >= CACHED_TEXTS:
                cache.clear()
            cache[number, text] = found
    return found


def query_parts(core: IndexCore, text: str, searched: tuple[int, ...] | None) -> list[list[Part]]:
    """The words of a query, in order, each as every analyzer takes it that reads a searched field.

    What two analyzers make of the same place of the text is one word; what only one of them sees (a stop word of the
    other's, say) is a word in its fields alone.
    """
    if len(core.analyses) == 1:
        only = core.analyses[0]
        return [[Part(word, None, only)] for word in query_terms(core, text)]
    found: dict[tuple[int, int], list[Part]] = {}
    for number, analysis in enumerate(core.analyses):
        if searched is None or not analysis.fields.isdisjoint(searched):    # type: ignore[union-attr]  # one of several
            for word in query_terms(core, text, number):
                parts = found.setdefault((word.end - len(word.surface), word.end), [])
                if not parts or parts[-1].analysis is not analysis:
                    parts.append(Part(word, analysis.fields, analysis))
    return [found[place] for place in sorted(found)]


def distinct_parts(words: list[list[Part]]) -> list[list[Part]]:
    """Each word once, where it stands first: words with the same terms are the same."""
    seen: dict[tuple[tuple[str, int], ...], list[Part]] = {}
    for parts in words:
        seen.setdefault(tuple([(part.word.term, id(part.analysis)) for part in parts]), parts)
    return list(seen.values())


def typed_word(analysis: Analysis, text: str) -> str | None:
    """The last word of a text as typed: folded, not stemmed, stop word or not; None where there is no word."""
    analyzer = analysis.analyzer
    spans = analyzer.word_spans(text)
    return analyzer.fold(text[spans[-1][0]:spans[-1][1]]) or None if spans else None


def distinct(terms: list[QueryTerm]) -> list[QueryTerm]:
    """Each term once, where it stands first."""
    seen: dict[str, QueryTerm] = {}
    for term in terms:
        seen.setdefault(term.term, term)
    return list(seen.values())
