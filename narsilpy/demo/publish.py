"""The check before publishing: a claim goes out only with the document's own words, their place and a reference."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from narsilpy import Narsil
from narsilpy.demo.model import Claim

__all__ = ["Outcome", "Published", "Refused", "publish"]

Published = dict[str, Any]
Refused = dict[str, Any]


@dataclass(slots=True)
class Outcome:
    """What came of a question. `texts[i]` is the stored field that `published[i]` cites; `transcript` is for people."""

    question: str
    answer: str | None = None
    refused: list[Refused] = field(default_factory=list)
    published: list[Published] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    transcript: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The four parts that the program prints as JSON."""
        return {"question": self.question, "answer": self.answer, "refused": self.refused, "published": self.published}


def reference_of(doc_id: str, document: dict[str, Any], noun: str) -> str:
    title = document.get("title")
    return f"{noun} {doc_id}, {title}" if isinstance(title, str) and title else f"{noun} {doc_id}"


def publish(
    engine: Narsil, index: str, claims: Sequence[Claim], *, text_field: str = "body", noun: str = "Rule"
) -> tuple[list[Published], list[Refused]]:
    """Check each claim against the stored documents: (those that hold, with their place; the others, with why)."""
    published: list[Published] = []
    refused: list[Refused] = []
    for claim in claims:
        document = engine.get(index, claim.doc_id)
        if document is None:
            reason = f"there is no {noun.lower()} {claim.doc_id}"
            refused.append({"doc_id": claim.doc_id, "quote": claim.quote, "reason": reason})
            continue
        citation = engine.verify_quote(index, claim.doc_id, claim.quote, field=text_field)
        if citation is None:
            reason = f"these words do not stand in the {text_field} of {noun.lower()} {claim.doc_id}"
            refused.append({"doc_id": claim.doc_id, "quote": claim.quote, "reason": reason})
            continue
        published.append({
            "reference": reference_of(claim.doc_id, document, noun),
            "doc_id": citation.doc_id,
            "field": citation.field,
            "start": citation.start,
            "end": citation.end,
            "quote": citation.quote,
        })
    return published, refused
