"""Sentences round matches: the quote of a hit, and the ranked sentences of a document."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narsilpy.citations.sources import origin_of
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.highlight.model import Quote, Span
from narsilpy.query.highlights import field_spans, language_of
from narsilpy.schema import text_of

if TYPE_CHECKING:
    from narsilpy._spans import SpanArray

MAX_SENTENCES = 16      # sentences with matches that are looked at in one field, so that a long one costs no more


def sentence_at(text: str, offset: int, *, language: str = "english") -> Span:
    """The span of the sentence that holds an offset, without the white space about it.

    An offset in white space belongs to the sentence before it, and that white space stays in the span. `language` is a
    name of `list_languages()` or an ISO 639 code. However long the text is, a few thousand code points are read; no
    sentence is longer than 2,048. Raises `InvalidQuery` where `offset` lies outside the text, `LanguageNotSupported`.

    >>> text = "It costs 4.5 euros. Dr. Smith paid."
    >>> tuple(sentence_at(text, 0)), tuple(sentence_at(text, 21))
    ((0, 19), (20, 35))
    """
    if not isinstance(text, str) or type(offset) is not int or not isinstance(language, str):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, "sentence_at takes a str, a whole number, a language", {})
    if not 0 <= offset < max(1, len(text)):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                           f"offset {offset} lies outside a text of {len(text)} code points", {"option": "offset"})
    from narsilpy.highlight.sentences import sentence_span  # patterns that a search does not need

    return Span(*sentence_span(text, offset, language))


def ranked_quotes(value: Any, spans: SpanArray, limit: int, language: str) -> list[Quote]:
    """Sentences with matches, those with most different words of the query first, then those with most matches."""
    from narsilpy.highlight.sentences import Sentences

    elements = [value] if isinstance(value, str) else value
    found: list[tuple[int, int, int, Quote]] = []
    at = 0
    positions = spans.positions
    sentences = Sentences("", language)
    while at < len(positions) and len(found) < MAX_SENTENCES:
        span = positions[at]
        text = elements[span.value or 0]
        if text is not sentences.text:
            sentences = Sentences(text, language)
        start, end = sentences.span(span.start)
        words = set()
        n_matches = 0
        while at < len(positions) and positions[at].value == span.value and positions[at].start < end:
            words.add(positions[at].query_term.lower())
            n_matches += 1
            at += 1
        found.append((-len(words), -n_matches, len(found), Quote(text[start:end], start, end, span.value)))
    found.sort(key=lambda item: item[:3])
    return [quote for _, _, _, quote in found[:limit]]


def quote_of_hit(source: Any, field: str) -> Quote | None:
    """The best sentence of one field of a hit."""
    if source is None or not isinstance(field, str):
        return None
    core, query, number, stored = source
    value = text_of(stored, tuple(field.split(".")))
    if value is None:
        return None
    found = ranked_quotes(value, field_spans(core, query, number, field, value), 1, language_of(core, field))
    return in_source(stored, field, found[0]) if found else None


def in_source(stored: Any, field: str, quote: Quote) -> Quote:
    """A quote of a chunk with the offsets of the source; any other as it is."""
    origin = origin_of(stored)
    if origin is None:
        return quote
    shift = origin.start if field == origin.field else 0
    return Quote(quote.text, quote.start + shift, quote.end + shift, quote.value, origin.doc_id)
