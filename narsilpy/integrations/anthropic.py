"""Hits for models that cite: `search_result` content blocks with a text block for each sentence, and the way back.

The model's citation names a result and a range of its blocks; each block is a sentence whose place in the stored text
is known, so that the citation's place is arithmetic and not a search for its words. No package is needed: blocks are
dicts.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from narsilpy.citations.model import Citation
from narsilpy.citations.sources import place_of
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.highlight.sentences import Sentences
from narsilpy.query.highlights import language_of
from narsilpy.schema import freeze, text_of

if TYPE_CHECKING:
    from narsilpy.engine import Narsil
    from narsilpy.results import Hit

MAX_BLOCKS = 200        # sentences of one document; of a longer one those round its best match


class Source(NamedTuple):
    """What a block of sentences was made of: where each stands in `field` of a document."""

    doc_id: str
    field: str
    text: str
    places: list[tuple[int, int]]
    shift: int = 0      # of a chunk: where it starts in the document that it was cut out of, which is cited


class SearchResults:
    """The blocks of some hits, and the way back from what a model cites of them.

    Args:
        narsil, index: where the hits are from.
        hits: any of its hits or document ids, in the order in which the model sees them.
        field: the text field to show.
        title: a field whose text is the title; the id where it is None.
        source: how the model shall name a document, `"narsil:{index}/{id}"`.

    >>> from narsilpy import Narsil
    >>> narsil = Narsil()
    >>> narsil.create_index("rules", schema={"title": "string", "body": "string"})
    >>> _ = narsil.insert("rules", {"id": "CB-09", "title": "Instruments",
    ...                             "body": "A violin counts as the cabin bag. A cello needs a seat of its own."})
    >>> results = SearchResults(narsil, "rules", narsil.query("rules", "cello"), field="body", title="title")
    >>> block = results.blocks[0]
    >>> block["title"], [part["text"] for part in block["content"]]
    ('Instruments', ['A violin counts as the cabin bag. ', 'A cello needs a seat of its own.'])
    >>> citation = results.citation({"type": "search_result_location", "search_result_index": 0, "start_block_index": 1,
    ...                              "end_block_index": 2, "cited_text": "A cello needs a seat of its own.",
    ...                              "source": block["source"], "title": "Instruments"})
    >>> citation.start, citation.end, citation.quote
    (34, 66, 'A cello needs a seat of its own.')
    """

    def __init__(self, narsil: Narsil, index: str, hits: Iterable[Hit | str], *, field: str, title: str | None = None,
                 source: str = "narsil:{index}/{id}") -> None:
        self.index = index
        self.sources: list[Source] = []
        self.blocks: list[dict[str, Any]] = []
        language = language_of(narsil._core(index), field)
        for hit in hits:
            doc_id = hit if isinstance(hit, str) else hit.id
            document = narsil.get(index, doc_id)
            text = None if document is None else text_of(freeze(document), tuple(field.split(".")))
            if document is None or not isinstance(text, str) or not text.strip():
                continue        # removed meanwhile, or nothing to show
            best = None if isinstance(hit, str) else hit.quote(field)
            cited_id, shift, _ = place_of(freeze(document), doc_id, field, 0, 0)
            places = _pieces(text, language, 0 if best is None else best.start - shift)
            named = None if title is None else text_of(freeze(document), tuple(title.split(".")))
            self.sources.append(Source(cited_id, field, text, places, shift))
            self.blocks.append({
                "type": "search_result", "source": source.format(index=index, id=doc_id),
                "title": named if isinstance(named, str) and named.strip() else doc_id,
                "content": [{"type": "text", "text": text[start:end]} for start, end in places],
                "citations": {"enabled": True}})

    def citation(self, location: Mapping[str, Any] | object, *, first_result: int = 0) -> Citation:
        """The `Citation` of a `search_result_location`, as a mapping or as the object that a client library gives.

        `first_result` is the number of results that the request held before these. White space at both ends of the
        cited sentences is left out. Raises `InvalidQuery` where the location names no sentence that was shown, or its
        words are not those of the sentences.
        """
        number, start, end = (_number(location, name) for name in (
            "search_result_index", "start_block_index", "end_block_index"))
        number -= first_result
        if not 0 <= number < len(self.sources):
            raise _refused(f"search_result_index: there are {len(self.sources)} results")
        found = self.sources[number]
        if not 0 <= start < end <= len(found.places):
            raise _refused(f"start_block_index and end_block_index: the result has {len(found.places)} blocks")
        first, last = found.places[start][0], found.places[end - 1][1]
        cited = _member(location, "cited_text")
        if isinstance(cited, str) and "".join(cited.split()) not in "".join(found.text[first:last].split()):
            raise _refused("cited_text: its words are not in the blocks that it names")
        while first < last and found.text[first].isspace():
            first += 1
        while last > first and found.text[last - 1].isspace():
            last -= 1
        return Citation(self.index, found.doc_id, found.field, first + found.shift, last + found.shift,
                        found.text[first:last])


def _pieces(text: str, language: str, around: int) -> list[tuple[int, int]]:
    """The sentences of a text, white space behind them included; those round an offset where they are too many."""
    starts = [start for start, end in Sentences(text, language) if text[start:end].strip()] or [0]
    starts[0] = 0
    places = list(zip(starts, [*starts[1:], len(text)], strict=True))
    if len(places) <= MAX_BLOCKS:
        return places
    at = next((number for number, (_, end) in enumerate(places) if end > around), 0)
    first = max(0, min(at - MAX_BLOCKS // 2, len(places) - MAX_BLOCKS))
    return places[first:first + MAX_BLOCKS]


def _member(location: Any, name: str) -> Any:
    return location.get(name) if isinstance(location, Mapping) else getattr(location, name, None)


def _number(location: Any, name: str) -> int:
    value = _member(location, name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refused(f"{name} is a whole number, not {value!r}")
    return value


def _refused(why: str) -> InvalidQuery:
    return InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"not a citation of these results: {why}", {})
