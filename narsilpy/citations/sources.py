"""Documents stored in chunks, and the way from a chunk to its place in the source.

A chunk is an ordinary document: the source's other fields, the text of the chunk, and, under `chunk_of`,
where it is from. So it is kept, moved and restored like any other, and nothing beside it has to agree with it:

    {"id": "CB-04#2", "body": "...",
     "chunk_of": {"id": "CB-04", "field": "body", "start": 801, "end": 1490, "number": 2, "count": 7, "crc32": 912345}}

Chunks tile the source, so its text can be put together from them. A chunk whose text is no longer the one that was cut
out (its length or checksum differs) counts as a document of its own.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from narsilpy.errors import DocumentAlreadyExists, ErrorCode, InvalidDocument
from narsilpy.ids import new_id
from narsilpy.schema import reach, text_of

if TYPE_CHECKING:
    from narsilpy.chunks import By
    from narsilpy.highlight.model import Quote
    from narsilpy.index import IndexCore
    from narsilpy.results import BatchResult, Hit

CHUNK_OF = "chunk_of"
_NUMBERS = ("start", "end", "number", "count", "crc32")


class Origin(NamedTuple):
    """Where the text of a chunk stands: in `field` of the document `doc_id`, from `start` on."""

    doc_id: str
    field: str
    start: int
    number: int
    n_chunks: int


def origin_of(stored: Any) -> Origin | None:
    """Where a stored document was cut out of; None for one that is no chunk, or not any more."""
    doc_id = reach(stored, (CHUNK_OF, "id"))
    if type(doc_id) is not str:
        return None
    field = reach(stored, (CHUNK_OF, "field"))
    numbers = [reach(stored, (CHUNK_OF, name)) for name in _NUMBERS]
    if type(field) is not str or not all(
            type(number) is int or (type(number) is float and number.is_integer()) for number in numbers):
        return None
    start, end, number, count, checksum = map(int, numbers)
    text = reach(stored, tuple(field.split(".")))
    if not isinstance(text, str) or not 0 <= start <= end or end - start != len(text) or checksum != _checksum(text):
        return None
    return Origin(doc_id, field, start, number, count)


def place_of(stored: Any, doc_id: str, field: str, start: int, end: int) -> tuple[str, int, int]:
    """`(doc_id, start, end)` in the source, where the document is a chunk: by addition, nothing is searched for."""
    origin = None if stored is None else origin_of(stored)
    if origin is None:
        return doc_id, start, end
    shift = origin.start if field == origin.field else 0
    return origin.doc_id, start + shift, end + shift


def own_start(hit: Hit, field: str, quote: Quote) -> int:
    """Where a quote of a hit starts in the hit's own field, as its spans count, chunk or not."""
    origin = origin_of(hit._source[3])
    return quote.start if origin is None or origin.field != field else quote.start - origin.start


def chunk_id(doc_id: str, number: int) -> str:
    """The id of a source's chunk.

    >>> chunk_id("CB-04", 2)
    'CB-04#2'
    """
    return f"{doc_id}#{number}"


def chunks_of(core: IndexCore, doc_id: str) -> list[Any]:
    """The stored chunks of a source, in order; [] unless all of them are there and tile it."""
    found: list[Any] = []
    origins: list[Origin] = []
    count = 1
    while len(found) < count:
        stored = core.stored(chunk_id(doc_id, len(found)))
        origin = None if stored is None else origin_of(stored)
        if origin is None or (origin.doc_id, origin.number) != (doc_id, len(found)):
            return []
        if origins and (origin.field, origin.n_chunks) != (origins[0].field, count):
            return []
        count = origin.n_chunks
        found.append(stored)
        origins.append(origin)
    return found


def source_texts(chunks: list[Any], names: list[str]) -> Iterator[tuple[str, Any]]:
    """`(field, value)` of a source that is stored in chunks: the chunked field put together, the others as they are."""
    first = origin_of(chunks[0])
    for name in names:
        if first is not None and name == first.field:
            text = _joined(chunks)
            if text is not None:
                yield name, text
        else:
            yield name, text_of(chunks[0], tuple(name.split(".")))


def _joined(chunks: list[Any]) -> str | None:
    pieces: list[str] = []
    at = 0
    for stored in chunks:
        origin = origin_of(stored)
        if origin is None or origin.start > at:
            return None         # a piece is missing
        text: str = reach(stored, tuple(origin.field.split(".")))
        pieces.append(text[at - origin.start:])
        at = max(at, origin.start + len(text))
    return "".join(pieces)


def _checksum(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


class ChunkVerbs:
    """The engine's verbs for documents in chunks."""

    if TYPE_CHECKING:
        def _core(self, name: str) -> IndexCore: ...
        def insert_batch(self, index: str, documents: Any) -> BatchResult: ...
        def remove_batch(self, index: str, doc_ids: Any) -> BatchResult: ...

    def insert_chunks(self, index: str, document: Mapping[str, Any], doc_id: str | None = None, *, field: str,
                      max_chars: int = 1_000, overlap: int = 0, by: By = "sentence") -> list[str]:
        """Add a long document as one document for each chunk of `field`, and return their ids: "ID#0", "ID#1", ...

        Every chunk has the other fields of the document, and an object `chunk_of` with the `id` of the source and the
        `start` and `end` of the chunk in it. Quotes and citations of a chunk name the source and its offsets;
        `verify_quote` and `resolve` take the id of the source as well. `max_chars`, `overlap` and `by` are those of
        `chunk`; the language is that of the field. In a strict schema declare `chunk_of`.

        Raises `DocumentAlreadyExists` where the source or its chunks are there, `InvalidDocument` where the field holds
        no text or a chunk does not fit the schema; nothing stays in the index then. `InvalidConfig` for the options.

        >>> from narsilpy import Narsil
        >>> narsil = Narsil()
        >>> narsil.create_index("rules", schema={"body": "string"})
        >>> rule = {"id": "CB-04", "body": "One bag is free. Two are not. A violin counts as a bag."}
        >>> narsil.insert_chunks("rules", rule, field="body", max_chars=32)
        ['CB-04#0', 'CB-04#1']
        >>> citation = narsil.verify_quote("rules", "CB-04#1", "A violin")
        >>> citation.doc_id, rule["body"][citation.start:citation.end]
        ('CB-04', 'A violin')
        """
        from narsilpy.chunks import chunk
        from narsilpy.query.highlights import language_of

        core = self._core(index)
        text, source_id = _source(document, doc_id, field)
        chunks = chunk(text, max_chars=max_chars, overlap=overlap, by=by, language=language_of(core, field))
        for taken in (source_id, chunk_id(source_id, 0)):
            if taken in core.numbers:
                raise DocumentAlreadyExists(ErrorCode.DOC_ALREADY_EXISTS,
                                            f'index "{index}" already holds a document "{taken}"; '
                                            "remove_chunks removes a document in chunks",
                                            {"index": index, "doc_id": taken})
        documents = []
        for number, piece in enumerate(chunks):
            part = _with_text(document, field.split("."), piece.text)
            part["id"] = chunk_id(source_id, number)
            part[CHUNK_OF] = {"id": source_id, "field": field, "start": piece.start, "end": piece.end, "number": number,
                              "count": len(chunks), "crc32": _checksum(piece.text)}
            documents.append(part)
        result = self.insert_batch(index, documents)
        if result.failed:
            self.remove_batch(index, result.succeeded)
            raise result.failed[0].error
        return result.succeeded

    def remove_chunks(self, index: str, doc_id: str) -> int:
        """Remove the chunks of a document, given the id of the source; how many there were."""
        core = self._core(index)
        ids: list[str] = []
        while (stored := core.stored(chunk_id(doc_id, len(ids)))) is not None:
            if reach(stored, (CHUNK_OF, "id")) != doc_id:
                break
            ids.append(chunk_id(doc_id, len(ids)))
        return len(self.remove_batch(index, ids).succeeded)

    def source_text(self, index: str, doc_id: str, field: str) -> str | None:
        """The text that citations of a document have offsets in: of the field, put together where it is in chunks.

        None where there is no such text, or a chunk of it was removed or changed.
        """
        core = self._core(index)
        stored = core.stored(doc_id)
        parts = tuple(field.split("."))
        if stored is not None:
            origin = origin_of(stored)
            if origin is None:
                value = reach(stored, parts)
                return value if isinstance(value, str) else None
            doc_id = origin.doc_id
        chunks = chunks_of(core, doc_id)
        value = next((value for _, value in source_texts(chunks, [field])), None) if chunks else None
        return value if isinstance(value, str) else None


class IndexChunkVerbs:
    """The same verbs on a handle, without the index's name."""

    if TYPE_CHECKING:
        narsil: Any
        name: str

    def insert_chunks(self, document: Mapping[str, Any], doc_id: str | None = None, *, field: str,
                      max_chars: int = 1_000, overlap: int = 0, by: By = "sentence") -> list[str]:
        found: list[str] = self.narsil.insert_chunks(self.name, document, doc_id, field=field, max_chars=max_chars,
                                                     overlap=overlap, by=by)
        return found

    def remove_chunks(self, doc_id: str) -> int:
        removed: int = self.narsil.remove_chunks(self.name, doc_id)
        return removed

    def source_text(self, doc_id: str, field: str) -> str | None:
        text: str | None = self.narsil.source_text(self.name, doc_id, field)
        return text


def _source(document: Any, doc_id: object, field: object) -> tuple[str, str]:
    """`(text, id)` of a document to cut up, checked."""
    if not isinstance(document, Mapping):
        raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                              f"a document is a mapping, not {type(document).__name__}", {})
    if CHUNK_OF in document:
        raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                              f"the document has a field {CHUNK_OF!r} of its own; that name says where a chunk is from",
                              {"field": CHUNK_OF})
    value: Any = document
    for part in field.split(".") if isinstance(field, str) else ():
        value = value.get(part) if isinstance(value, Mapping) else None
    if not isinstance(value, str) or not value:
        raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, f"the document has no text in field {field!r}",
                              {"field": field})
    if doc_id is None:
        doc_id = document.get("id")
    if doc_id is None:
        return value, new_id()
    if not isinstance(doc_id, str) or not doc_id:
        raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED, f"a document's id is a str, not {doc_id!r}", {})
    return value, doc_id


def _with_text(document: Mapping[str, Any], parts: list[str], text: str) -> dict[str, Any]:
    """A copy of a document with another text in one field; what is not on the way to it is shared."""
    result = dict(document)
    at = result
    for part in parts[:-1]:
        at[part] = inner = dict(at[part])
        at = inner
    at[parts[-1]] = text
    return result
