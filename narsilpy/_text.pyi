from collections.abc import Callable, Iterable
from typing import Any, Self

from narsilpy._lexicon import Lexicon

UNICODE_VERSION: str
INNER_APOSTROPHES: int
INNER_HYPHENS: int
IDENTIFIERS: int

_Policy = Callable[[str, bool], tuple[str, str] | None]
_Tokenizer = Callable[[str], Iterable[tuple[str, int, int]]]

class TokenBuffer:
    n: int
    def __len__(self) -> int: ...
    def clear(self) -> None: ...
    def tolist(self) -> list[tuple[int, int, int, int]]: ...

class Scanner:
    lexicon: Lexicon
    surfaces: Lexicon
    policy: _Policy
    inner: int
    def __new__(
        cls, lexicon: Lexicon, surfaces: Lexicon, policy: _Policy, inner: int = ..., dropped: frozenset[str] = ...,
        stem: Callable[[Any], Any] | None = None, stems_bytes: bool = False,
    ) -> Self: ...
    def tokens(self, text: str) -> list[tuple[str, int, int, int]]: ...

class CallableScanner(Scanner):
    def __new__(cls, lexicon: Lexicon, surfaces: Lexicon, policy: _Tokenizer) -> Self: ...

def parts(text: str, inner: int = ...) -> list[tuple[int, int, int, bool]]: ...
def checked_tokens(tokenizer: _Tokenizer, text: str) -> list[tuple[str, int, int]]: ...
