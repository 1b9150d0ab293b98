from collections.abc import Callable, Sequence
from typing import Any

from narsilpy._spans import SpanArray
from narsilpy.highlight.model import Passage, Span

class Highlight:
    @property
    def snippet(self) -> str: ...
    @property
    def positions(self) -> Sequence[Span]: ...
    @property
    def passages(self) -> tuple[Passage, ...]: ...
    @property
    def matches(self) -> Sequence[Span]: ...
    def __init__(
        self,
        snippet: str,
        positions: Sequence[Span] = (),
        passages: tuple[Passage, ...] = (),
        matches: Sequence[Span] = (),
        source: Callable[[], SpanArray] | None = None,
    ) -> None: ...
    def _repr_html_(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...

def build(
    value: str,
    spans: SpanArray,
    options: tuple[Any, ...],
    first: int = 0,
    stop: int = -1,
    source: Callable[[], SpanArray] | None = None,
) -> Highlight: ...
def several(
    value: str,
    spans: SpanArray,
    options: tuple[Any, ...],
    parts: list[tuple[int, int, int, int, float]],
    source: Callable[[], SpanArray] | None = None,
) -> Highlight: ...
def passages(
    text: str,
    spans: SpanArray,
    first: int,
    stop: int,
    max_chars: int,
    sentences: Callable[[str, int], tuple[int, int]] | None,
    most: int,
    n: int,
) -> list[tuple[int, int, int, int, float]]: ...
