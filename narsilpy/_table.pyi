from typing import Self

from narsilpy._guard import BlockGuard

def keyed_hash(data: bytes, key: bytes) -> int: ...

class TableIndex:
    def __new__(
        cls,
        guard: BlockGuard,
        locations: int,
        ends: int,
        ids: int,
        table: int,
        n_slots: int,
        id_bytes: int,
        n_hash: int,
    ) -> Self: ...
    def find(self, raw_id: bytes, hashed: int) -> int: ...
    def raw_id(self, slot: int) -> bytes: ...
    def location(self, slot: int) -> tuple[int, int, int] | None: ...
