"""The analyzer: everything that decides which terms a text has. One object serves documents and queries alike."""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import snowballstemmer

from narsilpy._lexicon import Lexicon
from narsilpy._text import IDENTIFIERS, INNER_HYPHENS, UNICODE_VERSION, CallableScanner, Scanner, checked_tokens, parts
from narsilpy.analysis.folding import fold, strip_diacritics
from narsilpy.analysis.languages import Language, find_language
from narsilpy.errors import ErrorCode, InvalidConfig

RULES = 1                   # raised when splitting, folding or a language changes: terms made before are stale then
CACHED_WORDS = 65_536       # spellings of queries and of scanned highlights whose analysis is remembered

Tokenizer = Callable[[str], Iterable[tuple[str, int, int]]]


class Token(NamedTuple):
    """A term in a text. `position` counts the parts of the text, dropped ones too; offsets are code points."""

    term: str
    position: int
    start: int
    end: int


class Analyzer:
    """Splits, folds, drops and stems.

    Args:
        language: see `list_languages()`.
        stop_words: None for the language's, an iterable for exactly these, a callable from the language's set to
            another, or a name in `registered`.
        tokenizer: a callable from text to `(term, start, end)` triples, in place of everything else.
        fold_diacritics: also drop accents, so that "creme" finds "crème"; off unless the language does so.
        identifiers: index what is joined by one of ``- . / : + @ &``, or has ``+`` or ``#`` behind it, as a whole too:
            "RFC-0011", "usb-c", "20.04", "node.js", "C++". The whole is one more token, at the position of its first
            part; it is folded, not stemmed, and at most 128 characters long.
        registered: named stop-word sets.

    >>> [tuple(token) for token in Analyzer().analyze("The dog's 3 İstanbul kennels")]
    [('dog', 1, 4, 9), ('3', 2, 10, 11), ('istanbul', 3, 12, 20), ('kennel', 4, 21, 28)]
    >>> [(token.term, token.position) for token in Analyzer(identifiers=True).analyze("USB-C in C++")]
    [('usb-c', 0), ('usb', 0), ('c', 1), ('c++', 3), ('c', 3)]
    """

    def __init__(self, *, language: str = "english", stop_words: Any = None, tokenizer: Tokenizer | None = None,
                 fold_diacritics: bool | None = None, identifiers: bool = False,
                 registered: Mapping[str, Iterable[str]] | None = None) -> None:
        self.language: Language = find_language(language)
        if tokenizer is not None and not callable(tokenizer):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                                f"`tokenizer` is a callable from text to (term, start, end) triples, not {tokenizer!r}",
                                {"option": "tokenizer"})
        if fold_diacritics is not None and not isinstance(fold_diacritics, bool):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, "`fold_diacritics` must be True, False or None",
                                {"option": "fold_diacritics"})
        if not isinstance(identifiers, bool):
            raise InvalidConfig(ErrorCode.CONFIG_INVALID, "`identifiers` must be True or False",
                                {"option": "identifiers"})
        self.tokenizer = tokenizer
        self.identifiers = identifiers
        self._inner = self.language.inner
        if identifiers:     # the parts of a whole are to be found too, so hyphens do not hold words together
            self._inner = (self._inner & ~INNER_HYPHENS) | IDENTIFIERS
        self.fold_diacritics = self.language.strips_diacritics if fold_diacritics is None else fold_diacritics
        self.stop_words = _stop_words(stop_words, self.language, registered or {})
        self._respell, self._strip = self.language.respell, self.language.strip
        algorithm = self.language.algorithm
        self._stem = _stem_function(algorithm) if algorithm else None
        self._lock = threading.Lock()       # stemmers keep state between calls
        self._cache: dict[tuple[str, bool], tuple[str, str] | None] = {}

    # ---------------------------------------------------------------------------------------------------------- words
    def word(self, surface: str, ngram: bool = False) -> tuple[str, str] | None:
        """`(term, folded form)` of one part of a text, or None where nothing of it is indexed.

        The scanner relies on it that ASCII words get one answer whatever their case, and that those without an
        apostrophe or a hyphen are lowered, dropped and stemmed and no more.
        """
        folded = surface.lower() if surface.isascii() else fold(surface)
        if not ngram:
            if self._respell is not None:
                folded = self._respell(folded)
            if self._strip is not None:
                folded = self._strip(folded)
        if not folded or folded in self.stop_words:
            return None
        if ngram:
            return folded, folded
        term = strip_diacritics(folded) if self.fold_diacritics else folded
        if self._stem is not None:
            with self._lock:
                term = self._stem(term)
        return (term, folded) if term else None

    def remembered(self, surface: str, ngram: bool = False) -> tuple[str, str] | None:
        """`word`, with the last answers kept."""
        key = (surface, ngram)
        try:
            return self._cache[key]
        except KeyError:
            answer = self.word(surface, ngram)
        if len(surface) <= 128:
            if len(self._cache) >= CACHED_WORDS:
                self._cache.clear()
            self._cache[key] = answer
        return answer

    # ---------------------------------------------------------------------------------------------------------- texts
    def analyze(self, text: str) -> list[Token]:
        """The tokens of a text, in order."""
        return [Token(term, position, start, end) for term, position, start, end, _ in self.words(text)]

    def words(self, text: str) -> list[tuple[str, int, int, int, str]]:
        """`(term, position, start, end, folded word)` of every token of a text, in order."""
        if self.tokenizer is not None:
            return [(term, position, start, end, term)
                    for position, (term, start, end) in enumerate(checked_tokens(self.tokenizer, text))]
        found = []
        for position, start, end, ngram in parts(text, self._inner):
            answer = self.remembered(text[start:end], ngram)
            if answer is not None:
                found.append((answer[0], position, start, end, answer[1]))
        return found

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        """Where the words of a text are, dropped ones too."""
        if self.tokenizer is not None:
            return [(start, end) for _, start, end in checked_tokens(self.tokenizer, text)]
        return [(start, end) for _, start, end, _ in parts(text, self._inner & ~IDENTIFIERS)]

    def fold(self, surface: str) -> str:
        """A word as it is before stemming."""
        if self.tokenizer is not None:
            return surface
        folded = fold(surface)
        if self._respell is not None:
            folded = self._respell(folded)
        return self._strip(folded) if self._strip is not None else folded

    def scanner(self, lexicon: Lexicon, surfaces: Lexicon) -> Scanner:
        """A native scanner for the writer of one index."""
        if self.tokenizer is not None:
            return CallableScanner(lexicon, surfaces, self.tokenizer)
        algorithm = self.language.algorithm
        stem = _stem_function(algorithm) if algorithm else None     # its own: the writer needs no lock then
        return Scanner(lexicon, surfaces, self.word, self._inner, self.stop_words, stem, _stems_bytes(stem))

    @property
    def options(self) -> dict[str, bool]:
        """The arguments, beside the language and its stop words, that make such an analyzer again."""
        wholes = {"identifiers": True} if self.identifiers else {}
        return {"fold_diacritics": self.fold_diacritics, **wholes}

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What an index's terms depend on: another fingerprint, other terms."""
        return {**self.reading, "stemmer": _stemmer_version() if self.language.algorithm else None}

    @property
    def reading(self) -> dict[str, Any]:
        """What tells this analyzer's terms from another's of the same process: asking for a release takes 30 ms."""
        wholes = {"identifiers": True} if self.identifiers else {}
        return {
            **wholes,
            "rules": RULES, "language": self.language.name, "algorithm": self.language.algorithm,
            "unicode": UNICODE_VERSION, "fold_diacritics": self.fold_diacritics, "stop_words": sorted(self.stop_words),
            "custom_tokenizer": self.tokenizer is not None}


def _stem_function(algorithm: str) -> Callable[[str], str]:
    """One word to its stem. Snowball's C code where it is installed, else the same algorithm in Python."""
    stemmer = snowballstemmer.stemmer(algorithm)
    if hasattr(stemmer, "maxCacheSize"):
        stemmer.maxCacheSize = 0        # evicting from its cache costs four times the stemming; the scanner has its own
    stem: Callable[[str], str] = stemmer.stemWord
    return stem


def _stems_bytes(stem: Callable[[Any], Any] | None) -> bool:
    """Whether a stem function takes UTF-8 as it is, which saves it from encoding and decoding: PyStemmer's does."""
    return stem is not None and hasattr(getattr(stem, "__self__", None), "maxCacheSize")


def _stemmer_version() -> str:
    """The release of the Snowball algorithms in use (PyStemmer where it is installed)."""
    found = _installed_pystemmer()
    if found is not None:
        return f"PyStemmer {found}"
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"PyStemmer {version('PyStemmer')}"
    except PackageNotFoundError:
        return f"snowballstemmer {version('snowballstemmer')}"


def _installed_pystemmer() -> str | None:
    """What importlib.metadata says of PyStemmer, from the name of the one directory that it would read; else None.

    Importing importlib.metadata was a third of the time that an engine on disk took to open.
    """
    from pathlib import Path

    try:
        import Stemmer

        names = [path.name for path in Path(Stemmer.__file__).parent.iterdir()]
    except (ImportError, OSError, TypeError, AttributeError):
        return None
    releases = [name[10:-10] for name in names if name.lower().startswith("pystemmer-") and name.endswith(".dist-info")]
    return releases[0] if len(releases) == 1 else None


def _stop_words(wanted: Any, language: Language, registered: Mapping[str, Iterable[str]]) -> frozenset[str]:
    if wanted is None:
        return language.stop_words
    if isinstance(wanted, str):
        if wanted not in registered:
            raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                                f'no stop-word set "{wanted}" is registered; registered: '
                                f"{sorted(registered) or 'none'}. For a single word pass a list",
                                {"stop_words": wanted})
        wanted = registered[wanted]
    elif callable(wanted):
        wanted = wanted(language.stop_words)
    if isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID,
                            f"`stop_words` is None, an iterable of words, a callable or a registered name, "
                            f"not {type(wanted).__name__}", {"option": "stop_words"})
    words = list(wanted)
    if not all(isinstance(word, str) for word in words):
        raise InvalidConfig(ErrorCode.CONFIG_INVALID, "`stop_words` holds something that is not a str",
                            {"option": "stop_words"})
    respell = language.respell or str
    return frozenset(respell(fold(word)) for word in words)
