from collections.abc import Callable, Iterable

from narsilpy._lexicon import Lexicon

UNICODE_VERSION: str
INNER_APOSTROPHES: int
INNER_HYPHENS: int
IDENTIFIERS: int

Policy = Callable[[str, bool], tuple[str, str] | None]
Tokenizer = Callable[[str], Iterable[tuple[str, int, int]]]

class TokenBuffer:
    n: int
    def __len__(self) -> int: ...
    def clear(self) -> None: ...
    def tolist(self) -> list[tuple[int, int, int, int]]: ...

class Scanner:
    lexicon: Lexicon
    surfaces: Lexicon
    policy: Policy
    inner: int
    def __init__(self, lexicon: Lexicon, surfaces: Lexicon, policy: Policy, inner: int = ...) -> None: ...
    def tokens(self, text: str) -> list[tuple[str, int, int, int]]: ...

class CallableScanner(Scanner):
    def __init__(self, lexicon: Lexicon, surfaces: Lexicon, policy: Tokenizer, inner: int = 0) -> None: ...

def parts(text: str, inner: int = ...) -> list[tuple[int, int, int, bool]]: ...
def checked_tokens(tokenizer: Tokenizer, text: str) -> list[tuple[str, int, int]]: ...
