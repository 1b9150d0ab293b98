"""`Citation`: a stored passage with its place, to carry away, publish, and find again."""
from __future__ import annotations

from typing import Any

import msgspec

from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.highlight.model import utf8_length, utf16_length

CONTEXT_CHARS = 32      # of a TextQuoteSelector, before and after


class Citation(msgspec.Struct, frozen=True):
    """Words of a stored document: `quote` is the stored text of `field` at `[start:end]`, in code points.

    `value` is the element of an array field, None for a plain string.

    >>> citation = Citation("rules", "CB-09", "body", 2, 8, "violin")
    >>> Citation.from_json(citation.to_json()) == citation
    True
    >>> citation.to_text_fragment("https://example.org/rules")
    'https://example.org/rules#:~:text=violin'
    """

    index: str
    doc_id: str
    field: str
    start: int
    end: int
    quote: str
    value: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)

    def _repr_html_(self) -> str:
        from narsilpy.notebook import citation_html

        return citation_html(self)

    def to_json(self) -> str:
        """A JSON object of the fields."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, data: str | bytes) -> Citation:
        """The inverse of `to_json`. Raises `InvalidQuery` for anything else."""
        try:
            return msgspec.json.decode(data, type=cls)
        except msgspec.MsgspecError as error:
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"not the JSON of a citation: {error}", {}) from None

    def to_utf16(self, text: str) -> tuple[int, int]:
        """`(start, end)` in UTF-16 code units of the stored `text`, as browsers count."""
        start = utf16_length(text, 0, self.start)
        return start, start + utf16_length(text, self.start, self.end)

    def to_utf8(self, text: str) -> tuple[int, int]:
        """`(start, end)` in UTF-8 bytes of the stored `text`."""
        start = utf8_length(text[:self.start])
        return start, start + utf8_length(text[self.start:self.end])

    def to_web_annotation(self, text: str) -> list[dict[str, Any]]:
        """The selectors of a W3C Web Annotation: by position (code points) and by the words with what is round them."""
        return [
            {"type": "TextPositionSelector", "start": self.start, "end": self.end},
            {"type": "TextQuoteSelector", "exact": self.quote,
             "prefix": text[max(0, self.start - CONTEXT_CHARS):self.start],
             "suffix": text[self.end:self.end + CONTEXT_CHARS]},
        ]

    def to_text_fragment(self, url: str) -> str:
        """`url` with a text fragment, at which browsers scroll to the words and mark them."""
        from urllib.parse import quote as percent  # 5 ms that a program without links need not pay

        encoded = percent(self.quote, safe="", errors="replace").replace("-", "%2D")
        return f"{url}{'' if '#' in url else '#'}:~:text={encoded}"


class Verification(msgspec.Struct, frozen=True):
    """Why a quote holds or does not.

    Attributes:
        citation: the stored words, or None where the quote does not stand there.
        nearest: else the stored sentence that shares most words with it, where one does.
        differs_at: the offset in the quote where it first departs from `nearest` (white space, case and marks apart).
    """

    citation: Citation | None
    nearest: Citation | None = None
    differs_at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"citation": None if self.citation is None else self.citation.to_dict(),
                "nearest": None if self.nearest is None else self.nearest.to_dict(), "differs_at": self.differs_at}
