"""Who still reads: removed documents are kept until no query can reach them."""
from __future__ import annotations


class Reading:
    """Counts the queries that may still read removed documents: `active` holds an entry for each."""

    def __init__(self) -> None:
        self.active: list[None] = []

    def __enter__(self) -> None:
        self.active.append(None)

    def __exit__(self, *error: object) -> None:
        self.active.pop()
