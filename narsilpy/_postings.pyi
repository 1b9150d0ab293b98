from typing import Any, Self

from narsilpy._lexicon import Lexicon

class MemorySegment:
    lexicon: Lexicon
    first_doc: int
    n_docs: int
    n_fields: int
    has_spans: bool
    n_occurrences: int
    nbytes: int
    def __new__(cls, lexicon: Lexicon, first_doc: int, n_fields: int, has_spans: bool = True) -> Self: ...
    def add(self, doc_id: bytes, buffers: list[Any]) -> int: ...
    def document_frequency(self, term: int) -> int: ...
    def length(self, field: int, doc: int) -> int: ...
    @property
    def is_full(self) -> bool: ...
