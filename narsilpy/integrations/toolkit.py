"""What an agent may do with an engine: search, read, check a quotation. Plain JSON in and out, nothing is written.

Answers are bounded, so that one call cannot fill a model's context: at most 25 hits a page, snippets of 300 code
points, quotes of 1,000, documents of about 40,000 with the rest of a text to be read from an offset; every item of
a list and member of an object counts as well. What was cut is said.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from narsilpy.citations.sources import own_start
from narsilpy.errors import DocumentNotFound, ErrorCode, IndexNotFound, InvalidQuery

if TYPE_CHECKING:
    from typing import TypedDict

    from narsilpy.engine import Narsil
    from narsilpy.results import Hit
else:
    try:
        from typing_extensions import TypedDict  # the one whose members schemas can be made of before Python 3.12
    except ImportError:
        from typing import TypedDict

MAX_HITS = 25
MAX_SNIPPET = 300
MAX_QUOTE = 1_000
MAX_DOCUMENT = 40_000
MAX_SPANS = 50
MAX_FIELDS = 50
ITEM = 4              # what an item of a list or a member of an object costs beside its value


class QuoteFound(TypedDict):
    """A sentence of a stored field: `[start, end)`, in code points; in an array field, of element `value`."""

    field: str
    text: str
    start: int
    end: int
    value: int | None


class HitFound(TypedDict):
    """One document of a search. A span is `[start, end]`, in an array field `[start, end, element]`."""

    id: str
    score: float
    coverage: float
    field: str | None
    snippet: str
    spans: list[list[int]]
    quote: QuoteFound | None


class SearchFound(TypedDict):
    """One page of a search."""

    index: str
    query: str
    count: int
    best_coverage: float
    hits: list[HitFound]
    next_offset: int | None


class DocumentFound(TypedDict):
    """A stored document, or the part of it that fits."""

    index: str
    id: str
    document: dict[str, Any]
    cut_fields: dict[str, int]


class CitationFound(TypedDict):
    """A passage with its place: `quote` is the stored text of `field` at `[start, end)`."""

    index: str
    doc_id: str
    field: str
    start: int
    end: int
    quote: str
    value: int | None


class QuoteChecked(TypedDict):
    """Whether a quotation stands in a document, and where; else the nearest stored words."""

    verified: bool
    citation: CitationFound | None
    nearest: CitationFound | None
    message: str


class IndexFound(TypedDict):
    """One index that can be searched."""

    name: str
    documents: int
    text_fields: list[str]
    fields: dict[str, str]


class Toolkit:
    """The tools over one engine.

    Args:
        narsil: the engine; it may be written to meanwhile.
        index: the only index to use; None for all of them.

    >>> from narsilpy import Narsil
    >>> narsil = Narsil()
    >>> narsil.create_index("rules", schema={"title": "string", "body": "string"})
    >>> _ = narsil.insert("rules", {"id": "CB-09", "title": "Instruments", "body": "A violin counts as the cabin bag."})
    >>> tools = Toolkit(narsil)
    >>> found = tools.search("violins")
    >>> found["hits"][0]["quote"]
    {'field': 'body', 'text': 'A violin counts as the cabin bag.', 'start': 0, 'end': 33, 'value': None}
    >>> tools.verify_quote("CB-09", "Violins travel free.")["verified"]
    False
    """

    def __init__(self, narsil: Narsil, index: str | None = None) -> None:
        self.narsil = narsil
        self.only = index
        if index is not None:
            narsil.index(index)

    def list_indexes(self) -> list[IndexFound]:
        """The indexes that can be searched, with their fields."""
        found: list[IndexFound] = []
        for name in self.narsil.list_indexes() if self.only is None else [self.only]:
            schema = self.narsil._core(name).schema
            found.append({"name": name, "documents": self.narsil.count_documents(name),
                          "text_fields": [field.path for field in schema.text_fields][:MAX_FIELDS],
                          "fields": dict(list(schema.types().items())[:MAX_FIELDS])})
        return found

    def search(self, query: str, index: str | None = None, limit: int = 5, offset: int = 0,
               fields: list[str] | None = None, filters: Mapping[str, Any] | None = None) -> SearchFound:
        """Search documents by words. Each hit has the sentence round its best match, with exact offsets to cite.

        Args:
            query: words; quotes, -word, field:word and word* work as in a search box.
            index: which index; needed where there are several.
            limit: hits of this page, at most 25.
            offset: hits to pass over; `next_offset` of the page before.
            fields: text fields to search; all where it is left out.
            filters: conditions on fields, {"fields": {"year": {"gte": 2020}}}.

        A `coverage` of 1.0 says that the document holds every word of the query, and a `best_coverage` below 0.5 that
        no document covers the question: say so rather than cite a weak match.
        """
        from narsilpy.query.parse import parse_query

        if not isinstance(query, str):
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"query is a str, not {type(query).__name__}", {})
        name = self._index(index)
        core = self.narsil._core(name)
        size = max(1, min(MAX_HITS, _whole("limit", limit)))
        shown = fields or core.field_names[:MAX_FIELDS]
        result = self.narsil.query(
            name, parse_query(query), limit=size, offset=_whole("offset", offset), fields=fields, filters=filters,
            document=False, highlight={"fields": list(shown), "max_snippet_length": MAX_SNIPPET, "no_match": "none",
                                       "pre_tag": "**", "post_tag": "**", "escape": False, "boundary": "word"})
        hits = [self._hit(hit) for hit in result]
        reached = max(0, _whole("offset", offset)) + len(hits)
        return {"index": name, "query": query, "count": result.count, "best_coverage": result.best_coverage,
                "hits": hits, "next_offset": reached if hits and reached < result.count else None}

    def get(self, id: str, index: str | None = None, offset: int = 0, max_chars: int = MAX_DOCUMENT) -> DocumentFound:
        """Read a stored document. A text longer than what is left of `max_chars` (40,000 at most) is cut.

        `cut_fields` has the whole length of each field that was cut; `offset` starts every text later, to read on.
        """
        name = self._index(index)
        document = self.narsil.get(name, id) if isinstance(id, str) else None
        if document is None:
            raise DocumentNotFound(ErrorCode.DOC_NOT_FOUND, f'index "{name}" holds no document "{id}"', {"doc_id": id})
        cut: dict[str, int] = {}
        left = max(0, min(MAX_DOCUMENT, _whole("max_chars", max_chars)))
        start = max(0, _whole("offset", offset))
        shown = _cut(document, "", start, left, cut)[0]
        return {"index": name, "id": id, "document": shown, "cut_fields": cut}

    def verify_quote(self, id: str, quote: str, index: str | None = None, match: str = "folded") -> QuoteChecked:
        """Check that words stand in a document before they are published. Always do this with a quotation.

        `match` "exact" takes the words as they are, "folded" forgives white space, quotation marks, dashes and case.
        What comes back as `citation.quote` is the stored text; where the words do not stand, `nearest` has what comes
        closest.
        """
        name = self._index(index)
        checked = self.narsil.verify_quote(name, id, quote, match=match, explain=True)  # type: ignore[call-overload]  # checked there
        if checked.citation is not None:
            return {"verified": True, "citation": checked.citation.to_dict(), "nearest": None,
                    "message": "the words stand in the document"}
        if not self.narsil.has(name, id):
            message = "there is no such document"
        elif checked.nearest is None:
            message = "nothing like it stands in the document"
        else:
            message = ("the words do not stand in the document; the nearest differ from character "
                       f"{checked.differs_at} on")
        nearest = None if checked.nearest is None else checked.nearest.to_dict()
        if nearest is not None and len(nearest["quote"]) > MAX_QUOTE:
            nearest["end"] = nearest["start"] + MAX_QUOTE
            nearest["quote"] = nearest["quote"][:MAX_QUOTE]
        return {"verified": False, "citation": None, "nearest": nearest, "message": message}

    def _index(self, name: str | None) -> str:
        if name is None:
            names = self.narsil.list_indexes() if self.only is None else [self.only]
            if len(names) != 1:
                raise IndexNotFound(ErrorCode.INDEX_NOT_FOUND, "say which `index`: there are "
                                    f"{', '.join(names) or 'none'}", {})
            return names[0]
        if self.only is not None and name != self.only:
            raise IndexNotFound(ErrorCode.INDEX_NOT_FOUND, f"there is no index {name!r} here", {"index": name})
        self.narsil.index(name)
        return name

    def _hit(self, hit: Hit) -> HitFound:
        """The field with most matches shows its snippet; its best sentence is the quote."""
        best = max(hit.highlights.items(), key=lambda item: len(item[1].positions), default=None)
        if best is None or not len(best[1].positions):
            return {"id": hit.id, "score": hit.score, "coverage": hit.coverage, "field": None, "snippet": "",
                    "spans": [], "quote": None}
        name, found = best
        spans = [[span.start, span.end] if span.value is None else [span.start, span.end, span.value]
                 for span, _ in zip(found.positions, range(MAX_SPANS), strict=False)]
        sentence = hit.quote(name)
        quote: QuoteFound | None = None
        if sentence is not None:
            text = sentence.text[:MAX_QUOTE]
            start = own_start(hit, name, sentence)
            quote = {"field": name, "text": text, "start": start, "end": start + len(text),
                     "value": sentence.value}
        return {"id": hit.id, "score": hit.score, "coverage": hit.coverage, "field": name, "snippet": found.snippet,
                "spans": spans, "quote": quote}


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"`{name}` is a whole number, not {value!r}",
                           {"option": name})
    return value


def _cut(value: Any, path: str, start: int, left: int, cut: dict[str, int]) -> tuple[Any, int]:
    """A value with its texts cut to what is left, and what is left after it."""
    if isinstance(value, str):
        shown = value[start:start + left]
        if len(shown) < len(value):
            cut[path] = len(value)
        return shown, left - len(shown)
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, item in value.items():
            if left <= 0 and path:
                cut[path] = len(value)
                break
            if left <= 0 and len(found) >= MAX_FIELDS:
                cut["*"] = len(value)
                break
            inner = 0 if key == "id" and not path else start
            found[key], left = _cut(item, f"{path}.{key}" if path else key, inner, left, cut)
            left -= len(key) + ITEM
        return found, max(0, left)
    if isinstance(value, list):
        items = []
        for number, item in enumerate(value):
            if left <= 0:
                cut[path] = len(value)
                break
            shown, left = _cut(item, f"{path}[{number}]", start, left, cut)
            left -= ITEM
            items.append(shown)
        return items, max(0, left)
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>", left
    return (value if value is None or isinstance(value, (bool, int, float)) else str(value)), max(0, left - 8)
