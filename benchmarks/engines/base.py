"""What an engine must do to be measured. Standard library only: an engine may run under another interpreter."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.corpus import Document
from benchmarks.queries import KINDS, Query

__all__ = ["ALL_KINDS", "Engine", "Found", "Marked"]

ALL_KINDS = frozenset(KINDS)


class Found(NamedTuple):
    """One hit with the stored body fetched into Python."""

    id: str
    score: float
    body: str


class Marked(NamedTuple):
    id: str
    snippet: str
    positions: Any      # whatever the engine gives for the places of the matches, None where it gives none


class Engine(ABC):
    kinds: frozenset[str] = ALL_KINDS
    highlights = True
    persists = True             # what `build` leaves in the folder, `open` opens in another process
    threads_can_be_set = False

    @abstractmethod
    def version(self) -> str: ...

    @abstractmethod
    def build(self, documents: Sequence[Document], folder: str, threads: int) -> None:
        """Index the documents; on return they can be searched. `threads`: 1, or 0 for the engine's default."""

    def open(self, folder: str) -> None:
        raise NotImplementedError

    @abstractmethod
    def search(self, query: Query, k: int = 10) -> list[Found]: ...

    def highlight(self, query: Query, k: int = 10) -> list[Marked]:
        """The same search, stored documents fetched as well, with a marked snippet of about 200 characters."""
        raise NotImplementedError

    def marker(self, query: Query, k: int = 10) -> tuple[Callable[[], object], int] | None:
        """What marks the hits of a search that is done, their documents at hand, and how many they are.

        None where the engine marks inside of its search: what that costs is then the difference between both.
        """
        return None

    def replace(self, document: Document) -> None:
        """Replace the document of that id; on return the next search sees it."""
        raise NotImplementedError

    def close(self) -> None:  # noqa: B027  # most engines have nothing to close
        pass
