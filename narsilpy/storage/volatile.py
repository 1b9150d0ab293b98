"""What an index in memory asks of its storage: nothing. `DurableIndex` overrides all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from narsilpy.errors import NarsilError
from narsilpy.schema import thaw

if TYPE_CHECKING:
    from narsilpy.index import IndexCore


class Volatile:
    """An index in memory: nothing is stored. `durable.py` says what each method is for."""

    index: Any = None  # the `IndexStore` of an index on disk

    def containers(self) -> tuple[Any, Any, Any]:
        return [], [], {}

    def put(self, number: int, key: str, stored: Any, replaces: int | None) -> None: ...

    def remove(self, number: int, key: str) -> None: ...

    def applied(self, core: IndexCore) -> None: ...

    def document(self, core: IndexCore, number: int) -> dict[str, Any]:
        document: dict[str, Any] = thaw(core.documents[number])
        return document

    def chunks(self, items: Iterable[Any]) -> Iterable[Iterable[Any]]:
        return (items,)

    @contextmanager
    def transaction(self, core: IndexCore) -> Iterator[None]:
        yield

    def load(self, core: IndexCore) -> None: ...

    def load_vocabulary(self, core: IndexCore) -> None: ...

    def optimized(self, core: IndexCore) -> None: ...

    def clear(self, core: IndexCore) -> None: ...

    def is_broken(self, error: NarsilError) -> bool:
        return False

    def disk_bytes(self) -> int:
        return 0

    def checkpoint(self, core: IndexCore) -> None: ...

    def refresh(self, core: IndexCore) -> bool:
        return False

    def close(self, core: IndexCore) -> None: ...
