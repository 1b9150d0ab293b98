"""Whether the words of a quote stand in a text, and where. Pure functions over strings."""
from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category

from narsilpy._quotes import fold_quote, folded_places
from narsilpy._text import parts

AROUND = 64     # code points beside a cut in which the word it may split is looked for
APOSTROPHES = "'\u2019\u02bc"
IN_NUMBERS = ".,:/'\u2019\u066b\u066c"       # between digits they belong to the number: 1.50, 10:30, 1'000
HYPHENS = "-\u2010\u2011\u00ad"
SIGNS = "-+\u2212"


def find_quote(text: str, quote: str, match: str = "exact") -> Iterator[tuple[int, int]]:
    """The places of `quote` in `text`, in order. A place never starts or ends inside a word.

    >>> list(find_quote("unable to fly, able to fly", "able to fly"))
    [(15, 26)]
    >>> list(find_quote("It\\u2019s \\u201cfree\\u201d", "it's   \\"free\\"", "folded"))
    [(0, 11)]
    """
    if not _says_something(quote):
        return iter(())
    places = _exact(text, quote) if match == "exact" else folded_places(text, fold_quote(quote)[0].strip())
    return (place for place in places if not splits_word(text, place[0]) and not splits_word(text, place[1]))


def _exact(text: str, quote: str) -> Iterator[tuple[int, int]]:
    at = text.find(quote)
    while at >= 0:
        yield at, at + len(quote)
        at = text.find(quote, at + 1)


def _says_something(quote: str) -> bool:
    """Whether there is a letter, a digit or a pictograph in it: marks alone are no quote."""
    return any(char.isalnum() or (char > "\x7f" and category(char) == "So") for char in quote)


def splits_word(text: str, at: int) -> bool:
    """Whether a cut falls between two characters of one word (scripts without spaces have no words to split).

    >>> splits_word("I can't", 5), splits_word("costs 1.50", 7), splits_word("at -5 C", 4), splits_word("'free'", 5)
    (True, True, True, False)
    """
    if not 0 < at < len(text) or text[at - 1].isspace() or text[at].isspace():
        return False
    if _changes_meaning(text, at):
        return True
    low = max(0, at - AROUND)
    return any(start < at - low < end and not ngram and "'" not in text[at - 1] + text[at]
               for _, start, end, ngram in parts(text[low:at + AROUND]))


def _changes_meaning(text: str, at: int) -> bool:
    """Whether what the cut leaves out belongs to the word: the end of "can't", a "non-", cents, a minus sign."""
    before, after = text[at - 1], text[at]
    left = text[at - 2] if at > 1 else " "
    right = text[at + 1] if at + 1 < len(text) else " "
    if after in APOSTROPHES and before.isalpha() and right.isalpha():
        return True
    if before in APOSTROPHES and left.isalpha() and after.isalpha():
        return True
    if after in HYPHENS and _compound(before, right):
        return True
    if before in HYPHENS and _compound(left, after):
        return True
    if after in IN_NUMBERS and before.isdecimal() and right.isdecimal():
        return True
    if after.isdecimal() and before in IN_NUMBERS and left.isdecimal():
        return True
    return before in SIGNS and after.isdecimal() and not left.isalnum()


def _compound(left: str, right: str) -> bool:
    """Whether a hyphen between these makes one word of two: "non-refundable", "COVID-19", but not "5-10"."""
    return left.isalnum() and right.isalnum() and (left.isalpha() or right.isalpha())


def nearest_sentence(text: str, quote: str, language: str = "english") -> tuple[int, int, int] | None:
    """`(start, end, differs_at)` of the sentence that shares most words with a quote; None where none shares any."""
    from narsilpy.highlight.sentences import Sentences  # patterns that a check does not need

    wanted = set(fold_quote(quote)[0].split())
    best: tuple[int, int] | None = None
    best_shared = 0
    for start, end in Sentences(text, language):
        shared = len(wanted.intersection(fold_quote(text[start:end])[0].split()))
        if shared > best_shared:
            best, best_shared = (start, end), shared
    return None if best is None else (*best, first_difference(text[best[0]:best[1]], quote))


def first_difference(stored: str, quote: str) -> int:
    """The offset in `quote` at which it departs from `stored`."""
    ours, _ = fold_quote(stored)
    theirs, starts = fold_quote(quote)
    same = 0
    while same < len(ours) and same < len(theirs) and ours[same] == theirs[same]:
        same += 1
    return starts[same]
