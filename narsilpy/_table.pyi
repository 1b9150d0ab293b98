from typing import Self

from narsilpy._guard import BlockGuard

class KeyedHash:
    def __new__(cls, key: bytes) -> Self: ...
    def __call__(self, data: bytes) -> int: ...

def table_sections(
    entries: list[tuple[int, bytes, tuple[int, int, int]]], hashed: KeyedHash
) -> tuple[int, int, int, int, tuple[bytearray, ...]]: ...

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
