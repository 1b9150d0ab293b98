"""The twin of the native lexicon: a list, a sorted copy of it, and the textbook edit distance."""
from __future__ import annotations


def edits(left: str, right: str) -> int:
    """Insertions, deletions and replacements of code points that turn one word into the other."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        above, row = row, [i]
        for j, b in enumerate(right, 1):
            row.append(min(above[j - 1] + (a != b), above[j] + 1, row[j - 1] + 1))
    return row[-1]


class Lexicon:
    """Terms numbered as they come."""

    def __init__(self) -> None:
        self.terms: list[str] = []

    def intern(self, term: str) -> int:
        if term not in self.terms:
            self.terms.append(term)
        return self.terms.index(term)

    def find(self, term: str) -> int | None:
        return self.terms.index(term) if term in self.terms else None

    def sorted_ids(self) -> list[int]:
        return sorted(range(len(self.terms)), key=lambda number: self.terms[number])

    def prefix_range(self, prefix: str) -> list[int]:
        return [number for number in self.sorted_ids() if self.terms[number].startswith(prefix)]

    def fuzzy(self, term: str, max_edits: int, prefix_length: int = 0) -> list[tuple[int, int]]:
        agreed = term[:prefix_length] if len(term) >= prefix_length else ""
        found = [(number, edits(term, self.terms[number])) for number in self.prefix_range(agreed)]
        return [(number, distance) for number, distance in found if distance <= max_edits]
