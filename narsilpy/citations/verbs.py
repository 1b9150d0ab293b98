"""The engine's verbs for quotes: the check between what a model says and what is published."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, overload

from narsilpy.citations.model import Citation, Verification
from narsilpy.citations.sources import ChunkVerbs, IndexChunkVerbs, chunks_of, place_of, source_texts
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.highlight.model import Quote
from narsilpy.query.highlights import field_spans, language_of
from narsilpy.query.objects import And, Phrase, Term
from narsilpy.query.options import QueryOptions
from narsilpy.query.plan import make_plan
from narsilpy.query.terms import query_terms
from narsilpy.schema import text_of

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

MatchMode = Literal["exact", "folded"]
MAX_PHRASE_WORDS = 32       # words of a quote that narrow the search; the text itself is checked afterwards in full


class CitationVerbs(ChunkVerbs):
    """Mixed into the engine."""

    if TYPE_CHECKING:
        def _core(self, name: str) -> IndexCore: ...

    def quotes(self, index: str, doc_id: str, field: str, term: Any, *, limit: int = 3) -> list[Quote]:
        """The sentences of a field that match a query, best first: most different words, then most matches."""
        from narsilpy.citations.quotes import in_source, ranked_quotes  # what a search does not need

        core = self._core(index)
        with core.reading:
            number = core.numbers.get(doc_id) if isinstance(doc_id, str) else None
            plan = make_plan(core, term, QueryOptions())
            stored = None if number is None else core.documents[number]
            value = None if stored is None else text_of(stored, tuple(field.split(".")))
            if plan.query is None or number is None or value is None:
                return []
            spans = field_spans(core, plan.query, number, field, value)
            found = ranked_quotes(value, spans, limit, language_of(core, field))
        return [in_source(stored, field, quote) for quote in found]

    @overload
    def verify_quote(self, index: str, doc_id: str, quote: str, *, field: str | None = None,
                     match: MatchMode = "exact", occurrence: int = 0,
                     explain: Literal[False] = False) -> Citation | None: ...
    @overload
    def verify_quote(self, index: str, doc_id: str, quote: str, *, field: str | None = None,
                     match: MatchMode = "exact", occurrence: int = 0, explain: Literal[True]) -> Verification: ...
    def verify_quote(self, index: str, doc_id: str, quote: str, *, field: str | None = None,
                     match: MatchMode = "exact", occurrence: int = 0,
                     explain: bool = False) -> Citation | Verification | None:
        """The stored words that a quote claims to be, with their place; None where they do not stand there.

        Args:
            field: the field to look in; None = all text fields, in schema order.
            match: "exact", or "folded": white space, quote marks, dashes, ellipses, case and canonical Unicode form are
                forgiven. What comes back is the stored text either way.
            occurrence: which one, where the words stand more than once.
            explain: answer with a `Verification`, which names the nearest stored wording where the quote does not hold.

        A quote is whole words: "able to fly" does not stand in "unable to fly".

        >>> from narsilpy import Narsil
        >>> narsil = Narsil()
        >>> narsil.create_index("rules", schema={"body": "string"})
        >>> _ = narsil.insert("rules", {"id": "a", "body": "A violin counts as the cabin bag. A cello does not."})
        >>> narsil.verify_quote("rules", "a", "A violin counts as the cabin bag.")  # doctest: +NORMALIZE_WHITESPACE
        Citation(index='rules', doc_id='a', field='body', start=0, end=33,
                 quote='A violin counts as the cabin bag.', value=None)
        >>> narsil.verify_quote("rules", "a", "A cello counts as the cabin bag.") is None
        True
        """
        from narsilpy.citations.match import find_quote

        _check(quote, match, occurrence)
        core = self._core(index)
        stored, texts = _stored_texts(core, doc_id, field)
        seen = 0
        for name, value, text in texts:
            for start, end in find_quote(text, quote, match):
                if seen == occurrence:
                    citation = _cited(index, doc_id, stored, name, start, end, text, value)
                    return Verification(citation) if explain else citation
                seen += 1
        return _explanation(core, doc_id, stored, texts, quote) if explain else None

    def locate_quote(self, index: str, quote: str, *, match: MatchMode = "exact", limit: int = 10) -> list[Citation]:
        """Which documents hold these words, in order of ids: one citation a document, its first place.

        A document in chunks counts as one; words that no chunk holds whole are not found in it.
        """
        _check(quote, match, 0)
        core = self._core(index)
        found: list[Citation] = []
        sources: set[str] = set()
        for doc_id in _candidates(core, quote):
            if len(found) == limit:
                break
            citation = self.verify_quote(index, doc_id, quote, match=match)
            if citation is not None and citation.doc_id != doc_id:      # a chunk: the first place in the whole
                if citation.doc_id in sources:
                    continue
                sources.add(citation.doc_id)
                citation = self.verify_quote(index, citation.doc_id, quote, match=match) or citation
            if citation is not None:
                found.append(citation)
        return found

    def resolve(self, citation: Citation) -> Citation | None:
        """The citation's words in the document as it is now: at the place nearest to the old one; None = gone."""
        from narsilpy.citations.match import find_quote

        core = self._core(citation.index)
        stored, texts = _stored_texts(core, citation.doc_id, citation.field)
        places = []
        for _, value, text in texts:
            for low, high in find_quote(text, citation.quote):
                doc_id, start, end = place_of(stored, citation.doc_id, citation.field, low, high)
                places.append((value != citation.value, abs(start - citation.start), start, end, value, doc_id))
        if not places:
            return None
        _, _, start, end, value, doc_id = min(places, key=lambda place: place[:4])
        return Citation(citation.index, doc_id, citation.field, start, end, citation.quote, value)


class IndexCitationVerbs(IndexChunkVerbs):
    """The same verbs on a handle, without the index's name."""

    if TYPE_CHECKING:
        narsil: Any
        name: str

    def quotes(self, doc_id: str, field: str, term: Any, *, limit: int = 3) -> list[Quote]:
        found: list[Quote] = self.narsil.quotes(self.name, doc_id, field, term, limit=limit)
        return found

    def verify_quote(self, doc_id: str, quote: str, **options: Any) -> Citation | Verification | None:
        found: Citation | Verification | None = self.narsil.verify_quote(self.name, doc_id, quote, **options)
        return found

    def resolve(self, citation: Citation) -> Citation | None:
        found: Citation | None = self.narsil.resolve(citation)
        return found

    def locate_quote(self, quote: str, *, match: MatchMode = "exact", limit: int = 10) -> list[Citation]:
        found: list[Citation] = self.narsil.locate_quote(self.name, quote, match=match, limit=limit)
        return found


def _check(quote: object, match: object, occurrence: object) -> None:
    if not isinstance(quote, str):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"a quote is a str, not {type(quote).__name__}",
                           {"option": "quote"})
    if match not in ("exact", "folded"):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f'`match` is "exact" or "folded", not {match!r}',
                           {"option": "match"})
    if isinstance(occurrence, bool) or not isinstance(occurrence, int) or occurrence < 0:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"`occurrence` counts from 0, not {occurrence!r}",
                           {"option": "occurrence"})


def _cited(index: str, doc_id: str, stored: Any, field: str, start: int, end: int, text: str,
           value: int | None) -> Citation:
    """A place in a stored document as a citation: of the source, where the document is a chunk."""
    source, low, high = place_of(stored, doc_id, field, start, end)
    return Citation(index, source, field, low, high, text[start:end], value)


def _stored_texts(core: IndexCore, doc_id: str, field: str | None) -> tuple[Any, list[tuple[str, int | None, str]]]:
    """The stored document, None for a source in chunks, and `(field, element, text)` of a field or of all of them."""
    names = list(core.field_names) if field is None else [field] if isinstance(field, str) else []
    stored = core.stored(doc_id)
    if stored is not None:
        return stored, list(_elements((name, text_of(stored, tuple(name.split(".")))) for name in names))
    chunks = chunks_of(core, doc_id) if isinstance(doc_id, str) else []
    return None, list(_elements(source_texts(chunks, names))) if chunks else []


def _elements(values: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, int | None, str]]:
    for name, value in values:
        if isinstance(value, str):
            yield name, None, value
        elif isinstance(value, list):
            for number, item in enumerate(value):
                if isinstance(item, str):
                    yield name, number, item


def _explanation(core: IndexCore, doc_id: str, stored: Any, texts: list[tuple[str, int | None, str]],
                 quote: str) -> Verification:
    from narsilpy.citations.match import nearest_sentence

    best: Verification = Verification(None)
    for name, value, text in texts:
        nearest = nearest_sentence(text, quote, language_of(core, name))
        if nearest is not None and (best.differs_at is None or nearest[2] > best.differs_at):
            start, end, differs_at = nearest
            best = Verification(None, _cited(core.name, doc_id, stored, name, start, end, text, value), differs_at)
    return best


def _candidates(core: IndexCore, quote: str) -> list[str]:
    """Ids of the documents that may hold a quote, sorted: by a phrase of its words, or all where it has none."""
    words = query_terms(core, quote)[:MAX_PHRASE_WORDS]
    with core.reading:
        if not words:
            return sorted(core.numbers)
        if core.settings.track_positions:
            node: Any = Phrase(quote[:words[-1].end])
        else:
            node = And(*[Term(word.surface) for word in words])
        query = make_plan(core, node, QueryOptions()).query
        return [] if query is None else sorted(core.doc_ids[number] for number in query.all(scored=False)[0])
