"""The model's part. `ScriptedModel` plays it from a script; a class around a real model with the same two methods
takes its place: `play_scene(MyModel())`."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from narsilpy.demo.rules import INVENTED, SEARCH

__all__ = ["Claim", "Draft", "Model", "ScriptedModel", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One search hit as the model gets to see it: which document, and its best sentence."""

    doc_id: str
    title: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Claim:
    """These words, the model says, stand in that document."""

    doc_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that has not been checked, and the claims it rests on."""

    text: str
    claims: tuple[Claim, ...] = ()


class Model(Protocol):
    def search_words(self, question: str) -> str:
        """What to search for (a real model: the arguments of its tool call)."""

    def answer(self, question: str, sources: Sequence[Source], refusals: Sequence[str]) -> Draft:
        """An answer from `sources` (none yet: from memory). `refusals` say why earlier drafts were refused."""


class ScriptedModel:
    """Answers from memory without a source, then cites words that it made up, then, refused, the rule's own words."""

    def search_words(self, question: str) -> str:
        return SEARCH

    def answer(self, question: str, sources: Sequence[Source], refusals: Sequence[str]) -> Draft:
        if not sources:
            return Draft(f"Yes. {INVENTED}")
        best = sources[0]
        quote = best.sentence if refusals else INVENTED
        return Draft(f"Rule {best.doc_id}, {best.title}, says: '{quote}'", (Claim(best.doc_id, quote),))
