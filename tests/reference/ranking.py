"""The slow, obvious twin of search: every document read again for every question, BM25 as it is written in books."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

K1, B = 1.2, 0.75

# text -> [(term, position, start, end)]
Analyze = Callable[[str], Sequence[tuple[str, int, int, int]]]


class Twin:
    """A collection of `id -> [text of each field]`, searched by reading it."""

    def __init__(self, documents: dict[str, list[str]], n_fields: int, analyze: Analyze) -> None:
        self.documents = documents
        self.n_fields = n_fields
        self.tokens = {doc_id: [list(analyze(text)) for text in texts] for doc_id, texts in documents.items()}

    def average(self, field: int) -> float:
        total = sum(len(tokens[field]) for tokens in self.tokens.values())
        return total / len(self.tokens) if self.tokens else 0.0

    def df(self, term: str) -> int:
        return sum(any(term == token[0] for field in tokens for token in field) for tokens in self.tokens.values())

    def contribution(self, doc_id: str, term: str, field: int, boost: float = 1.0) -> float:
        tf = sum(token[0] == term for token in self.tokens[doc_id][field])
        if tf == 0:
            return 0.0
        n, df, average = len(self.tokens), self.df(term), self.average(field)
        idf = math.log((n - df + 0.5) / (df + 0.5) + 1.0)
        length = len(self.tokens[doc_id][field])
        # grouped as the engine groups it, so that results are equal to the bit
        return (boost * 1.0 * idf * (K1 + 1.0)) * tf / (tf + (K1 * (1.0 - B) + K1 * B / average * length))

    def matched(self, doc_id: str, term: str) -> bool:
        return any(token[0] == term for field in self.tokens[doc_id] for token in field)

    def search(self, terms: Sequence[str], need: int = 1,
               boosts: Sequence[float] | None = None) -> list[tuple[float, str]]:
        """Every match, best first, ties by id in code point order."""
        boosts = boosts or [1.0] * self.n_fields
        found = []
        for doc_id in self.documents:
            if sum(self.matched(doc_id, term) for term in terms) < need:
                continue
            score = 0.0
            for term in terms:
                for field in range(self.n_fields):
                    if any(token[0] == term for token in self.tokens[doc_id][field]):
                        score += self.contribution(doc_id, term, field, boosts[field])
            found.append((score, doc_id))
        return sorted(found, key=lambda hit: (-hit[0], hit[1]))

    def spans(self, doc_id: str, field: int, terms: Sequence[str]) -> list[tuple[int, int]]:
        return sorted((token[2], token[3]) for token in self.tokens[doc_id][field] if token[0] in terms)

    def phrase_spans(self, doc_id: str, field: int, terms: Sequence[str], offsets: Sequence[int],
                     slop: int) -> list[tuple[int, int]]:
        """Spans of the words of every instance of a phrase: all combinations are tried."""
        choices = [[token for token in self.tokens[doc_id][field] if token[0] == term] for term in terms]
        marked = set()
        for places in product(*choices):
            shifts = [token[1] - offset for token, offset in zip(places, offsets, strict=True)]
            distinct = len({token[:2] for token in places}) == len(places)
            if distinct and max(shifts) - min(shifts) <= slop:
                marked.update((token[2], token[3]) for token in places)
        return sorted(marked)
