"""The sentence round an offset, without reading the whole text.

A text is cut into *pieces*, each decided by the text near it alone, and each piece into sentences by `sentencex` and
the corrections of `corrections.py`. So the answer is the same whether one line is asked for or the whole text is read,
and the cost of one line has a bound that the length of the text does not move:

- A blank line, a form feed or a paragraph separator ends a piece: a *block*.
- A block longer than 2,048 code points is also cut at *anchors*: in each stretch of 1,024 code points of the text the
  first end of a sentence that leaves no doubt; where there is none, the first white space; else the stretch's edge.
  A quotation or a list that goes across an anchor is read as two, and no sentence is longer than two stretches.

Pieces are short enough for the segmenter to keep its offsets: texts beyond 10,000 code points it reads in parts of its
own, and white space between two of them may be missing from what it gives back.
"""
from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from narsilpy._sentences import piece_of
from narsilpy.errors import ErrorCode, LanguageNotSupported

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_BLOCK = 2_048       # code points of a block that is not cut, and of the longest sentence
_NOT_SPACE = re.compile(r"\S")
_SURROGATE = re.compile("[\ud800-\udfff]")

CODES = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "burmese": "my", "catalan": "ca", "chinese": "zh", "czech": "cs",
    "danish": "da", "dutch": "nl", "dutch_porter": "nl", "english": "en", "esperanto": "eo", "estonian": "et",
    "finnish": "fi", "french": "fr", "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu",
    "indonesian": "id", "irish": "ga", "italian": "it", "japanese": "ja",
    "khmer": "km", "korean": "ko", "lao": "lo", "lithuanian": "lt",
    "nepali": "ne", "norwegian": "no", "persian": "fa", "polish": "pl", "porter": "en",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "sesotho": "st", "spanish": "es",
    "swedish": "sv", "tamil": "ta", "thai": "th", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
    "yiddish": "yi",
}
_CODE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


@cache
def language_code(language: str) -> str:
    """The ISO 639 code of a language: a name of `list_languages()`, or such a code itself ("am", "pt-BR").

    Raises:
        LanguageNotSupported: it is neither.
    """
    code = CODES.get(language)
    if code is None and _CODE.fullmatch(language):
        code = language.partition("-")[0]
    if code is None:
        raise LanguageNotSupported(ErrorCode.LANGUAGE_NOT_SUPPORTED,
                                   f"`language` {language!r} is no name of `list_languages()` and no ISO 639 code",
                                   {"language": language})
    return code


class Sentences:
    """The sentences of one text. Keeps the piece it looked at last, since what is asked next is often near."""

    __slots__ = ("_high", "_low", "_starts", "code", "text")

    def __init__(self, text: str, language: str = "english") -> None:
        self.text = text
        self.code = language_code(language)
        self._low = self._high = 0
        self._starts: list[int] = []

    def span(self, offset: int) -> tuple[int, int]:
        """The sentence that holds an offset, without the white space about it (an offset in white space excepted)."""
        text = self.text
        if not text:
            return 0, 0
        if not self._low <= offset < self._high:
            self._low, self._high = piece_of(text, offset)
            self._starts = starts_of(text[self._low:self._high], self.code)
        starts = self._starts
        number = bisect_right(starts, offset - self._low)
        start = self._low + starts[number - 1]
        end = self._low + starts[number] if number < len(starts) else self._high
        while start < offset and text[start].isspace():
            start += 1
        while end > offset + 1 and text[end - 1].isspace():
            end -= 1
        return start, end

    def of(self, text: str, offset: int) -> tuple[int, int]:
        """`span`, for whoever names the text again."""
        return self.span(offset)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """All sentences in order, white space left out."""
        text = self.text
        found = _NOT_SPACE.search(text)
        while found is not None:
            low, high = piece_of(text, found.start())
            starts = starts_of(text[low:high], self.code)
            for start, end in zip(starts, [*starts[1:], high - low], strict=True):
                sentence = text[low + start:low + end]
                bare = sentence.strip()
                if bare:
                    begin = low + start + sentence.index(bare[0])
                    yield begin, begin + len(bare)
            found = _NOT_SPACE.search(text, high)


def sentence_span(text: str, offset: int, language: str = "english") -> tuple[int, int]:
    """The sentence round an offset, without the white space about it."""
    return Sentences(text, language).span(offset)


def sentence_bounds(text: str, start: int, end: int, match_start: int, match_end: int, size: int,
                    language: str = "english") -> tuple[int, int]:
    """A window of whole sentences round the matches where they fit into `size`, else the window given."""
    sentences = Sentences(text, language)
    first = sentences.span(match_start)
    last = first if match_end <= first[1] else sentences.span(match_end - 1)
    if last[1] - first[0] <= size:
        return first[0], last[1]
    if first[1] - first[0] <= size:
        return first
    return start, end


def starts_of(piece: str, code: str) -> list[int]:
    """Where the sentences of a piece start, the first at 0. Every code point belongs to one of them."""
    from narsilpy.highlight.corrections import corrected

    line_ends = piece.replace("\r\n", " \n").replace("\r", "\n") if "\r" in piece else piece
    try:
        sentences = _segmenter()(code, line_ends)
    except UnicodeEncodeError:      # lone surrogates, which the segmenter cannot take
        sentences = _segmenter()(code, _SURROGATE.sub("\ufffd", line_ends))
    starts = [0, *accumulate(map(len, sentences))]
    if starts.pop() != len(piece):
        starts = [0]        # the segmenter lost count: better one long sentence than a wrong offset
    return corrected(line_ends, starts or [0], code)


@cache
def _segmenter() -> Callable[[str, str], list[str]]:
    from sentencex import segment  # 10 ms that a program without sentences need not pay

    result: Callable[[str, str], list[str]] = segment
    return result
