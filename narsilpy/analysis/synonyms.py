"""Synonyms of words and phrases, applied to queries: the index stays as it is, and the rules may change at any time.

A rule is matched by terms, not by letters, so "Cars" meets a rule for "car". The longest phrase wins, from left to
right; what a rule put in place is not looked at again. What comes back are places in the query's text with other
wordings for each: how they are asked for (any of them, all, in a phrase) is the query's.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from narsilpy.analysis.analyzer import Analyzer
from narsilpy.errors import ErrorCode, InvalidConfig

MAX_VARIANTS = 64       # wordings of one query text


class Slot(NamedTuple):
    """A word or phrase of a query's text, at `[start, end)` in code points, and other wordings for it."""

    text: str
    start: int
    end: int
    alternatives: tuple[str, ...]

    @property
    def wordings(self) -> tuple[str, ...]:
        return (self.text, *self.alternatives)


class Synonyms:
    """Rules of synonyms under one analyzer.

    Args:
        groups: each an iterable of words and phrases that stand for one another.
        one_way: from a word or phrase to those that it finds too, but that do not find it.
        analyzer: the index's; its language decides which words a rule matches.

    Raises:
        InvalidConfig: a rule is no text, or has no word left after analysis.

    >>> synonyms = Synonyms([["NY", "New York"]], one_way={"dog": ["poodle"]})
    >>> [(slot.text, slot.alternatives) for slot in synonyms.slots("Dogs in new york")]
    [('Dogs', ('poodle',)), ('new york', ('NY',))]
    >>> synonyms.variants("pizza in NY")
    ['pizza in NY', 'pizza in New York']
    """

    def __init__(self, groups: Iterable[Iterable[str]] = (), *, one_way: Mapping[str, Iterable[str]] | None = None,
                 analyzer: Analyzer | None = None) -> None:
        self.analyzer = analyzer or Analyzer()
        self.definition: dict[str, Any] = {"groups": [], "one_way": {}}      # what to make the same rules of
        self._rules: dict[tuple[str, ...], list[str]] = {}
        for group in groups:
            words = _texts(group)
            self.definition["groups"].append(words)
            for word in words:
                self._add(word, [other for other in words if other != word])
        for word, others in (one_way or {}).items():
            self.definition["one_way"][word] = _texts(others)
            self._add(_texts([word])[0], self.definition["one_way"][word])
        self._longest = max(map(len, self._rules), default=0)

    def _add(self, word: str, others: list[str]) -> None:
        key = self._key(word)
        known = self._rules.setdefault(key, [])
        known += [other for other in others if other not in known and self._key(other) != key]

    def _key(self, text: str) -> tuple[str, ...]:
        terms = tuple(token.term for token in self.analyzer.analyze(text))
        if not terms:
            raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                                f"the synonym {text!r} has no word that is searched for: stop words and punctuation "
                                "alone cannot be matched", {"synonym": text})
        return terms

    def slots(self, text: str) -> list[Slot]:
        """The words of a text in order, phrases of the rules as one; those without a rule have no alternatives."""
        tokens = self.analyzer.analyze(text)
        terms = [token.term for token in tokens]
        found: list[Slot] = []
        at = replaced = 0
        while at < len(tokens):
            start, n = tokens[at].start, 1
            others: list[str] = []
            if start >= replaced:       # pairs of characters overlap: what a rule replaces is not replaced again
                for n in range(min(self._longest, len(tokens) - at), 0, -1):
                    others = self._rules.get(tuple(terms[at:at + n]), [])
                    if others:
                        break
            end = max(token.end for token in tokens[at:at + n])
            if others:
                replaced = end
            found.append(Slot(text[start:end], start, end, tuple(others)))
            at += n
        return found

    def variants(self, text: str, *, limit: int = MAX_VARIANTS) -> list[str]:
        """The text in every wording, itself first, `limit` of them at most.

        Each is a whole text, so the words of a phrase made from it stand where they must.
        """
        slots = [slot for slot in self.slots(text) if slot.alternatives]
        found: list[str] = []
        for wordings in product(*(slot.wordings for slot in slots)):
            if len(found) == limit:
                break
            parts, last = [], 0
            for slot, wording in zip(slots, wordings, strict=True):
                parts += [text[last:slot.start], wording]
                last = slot.end
            found.append("".join([*parts, text[last:]]))
        return found


def _texts(words: Any) -> list[str]:
    """The words of a rule, checked."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                            f"a rule of synonyms is a list of words and phrases, not {words!r}", {"option": "synonyms"})
    found = list(words)
    if not found or not all(isinstance(word, str) for word in found):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, f"a rule of synonyms holds str and at least one, not {found!r}",
                            {"option": "synonyms"})
    return found
