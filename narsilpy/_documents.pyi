from collections.abc import Iterable
from typing import Any, final

@final
class Node:
    kind: int
    slot: int
    text: int
    children: dict[str, Node] | None
    def __init__(self, kind: int, slot: int, text: int, children: dict[str, Node] | None) -> None: ...

@final
class Reader:
    def __init__(
        self,
        root: dict[str, Node],
        reserved: Iterable[str],
        n_values: int,
        n_texts: int,
        required: tuple[int, ...],
        strict: bool,
    ) -> None: ...
    def read(self, document: object) -> tuple[list[Any], list[Any]] | None: ...

def freeze(value: object) -> Any: ...
def has_dates(stored: Any) -> bool: ...
def thaw(stored: Any) -> Any: ...
def reach(stored: Any, parts: tuple[str, ...]) -> Any: ...
def text_of(stored: Any, parts: tuple[str, ...]) -> str | list[str] | None: ...
def pick(
    stored: Any, keep: dict[str, Any] | None, drop: dict[str, Any] | None
) -> dict[str, Any]: ...
