"""Spans, passages, highlights and quotes: what a citation is made of. Offsets are code points of the stored string."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec


class Span(msgspec.Struct, frozen=True):
    """A match: `text[start:end]` of the stored field (of the element `value`, in an array field).

    Attributes:
        start, end: offsets in code points, `start < end`.
        term: the index's term that matched.
        query_term: the word of the query that it stands for, as typed.
        kind: how they met: "exact", "stem", "prefix", "fuzzy" or "phrase".
        value: the element of an array field, None for a plain string.

    Unpacks as `(start, end)`.
    """

    start: int
    end: int
    term: str = ""
    query_term: str = ""
    kind: str = "exact"
    value: int | None = None

    def __iter__(self) -> Iterator[int]:
        return iter((self.start, self.end))

    def to_utf16(self, text: str) -> tuple[int, int]:
        """The span in UTF-16 code units of `text`, as JavaScript and LSP count.

        >>> Span(2, 5).to_utf16("\\U0001f600 fox"), Span(2, 5).to_utf8("\\U0001f600 fox")
        ((3, 6), (5, 8))
        """
        return utf16_length(text, 0, self.start), utf16_length(text, 0, self.end)

    def to_utf8(self, text: str) -> tuple[int, int]:
        """The span in UTF-8 bytes of `text`."""
        return utf8_length(text[:self.start]), utf8_length(text[:self.end])

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


def utf16_length(text: str, start: int, end: int) -> int:
    """UTF-16 code units of `text[start:end]`."""
    return end - start + sum(char > "\uffff" for char in text[start:end])


def utf8_length(text: str) -> int:
    """UTF-8 bytes of a text; a lone surrogate counts 3, as in the common lenient encodings."""
    return len(text.encode("utf-8", "surrogatepass"))


class Passage(msgspec.Struct, frozen=True):
    """A stretch of a field: `text` is the field's `[start:end]`, its matches are `spans` (offsets of the field)."""

    text: str
    start: int
    end: int
    spans: Sequence[Span]
    score: float
    truncated_left: bool
    truncated_right: bool

    def to_dict(self) -> dict[str, Any]:
        result = msgspec.structs.asdict(self)
        result["spans"] = [span.to_dict() for span in self.spans]
        return result


class Quote(msgspec.Struct, frozen=True):
    """A sentence of a stored field: `text` is the field's `[start:end]` (of the element `value`, in an array field).

    Of a document that is a chunk, `source` is the id of the document it was cut out of, and the offsets are those of
    that document's field; else it is None.
    """

    text: str
    start: int
    end: int
    value: int | None = None
    source: str | None = None

    def to_dict(self) -> dict[str, Any]:
        result = msgspec.structs.asdict(self)
        if self.source is None:
            del result["source"]
        return result
