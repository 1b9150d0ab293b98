"""The analyzers of one index, each with the text fields that it reads and the spellings that it found in them."""
from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from narsilpy._lexicon import Lexicon
from narsilpy._surfaces import Surfaces
from narsilpy.analysis import Analyzer
from narsilpy.storage.msgpack import pack, unpack


class Analysis:
    """One analyzer at work.

    Attributes:
        analyzer: what splits, folds and stems.
        numbers: the text fields that it reads.
        fields: the same as a set, None where it reads them all.
        spellings: the lexicon of words before stemming; `surfaces` counts them, None without `surface_forms`.
    """

    def __init__(self, analyzer: Analyzer, numbers: list[int], reads_all: bool, surface_forms: bool) -> None:
        self.analyzer = analyzer
        self.numbers = numbers
        self.fields = None if reads_all else frozenset(numbers)
        self.spellings = Lexicon()
        self.surfaces = Surfaces(self.spellings) if surface_forms else None


def make_analyses(analyzers: Sequence[Analyzer], default: Analyzer, surface_forms: bool) -> list[Analysis]:
    """An `Analysis` for each different analyzer of the text fields, in the order of their first fields.

    Analyzers that make the same terms of every text are one, whatever they are called.
    """
    numbers: dict[object, list[int]] = {}
    for number, analyzer in enumerate(analyzers):
        key = id(analyzer) if analyzer.tokenizer is not None else repr(analyzer.reading)
        numbers.setdefault(key, []).append(number)
    if not numbers:
        return [Analysis(default, [], True, surface_forms)]
    return [Analysis(analyzers[fields[0]], fields, len(numbers) == 1, surface_forms) for fields in numbers.values()]


class SurfaceSets:
    """The spellings of several analyzers, in the manner of `Surfaces`: a spelling has a term in each of them."""

    def __init__(self, analyses: list[Analysis]) -> None:
        self._parts = [(analysis.surfaces, analysis.numbers) for analysis in analyses if analysis.surfaces is not None]

    def add(self, buffers: list[Any]) -> None:
        for surfaces, numbers in self._parts:
            surfaces.add([buffers[number] for number in numbers])

    def spellings(self, buffers: list[Any]) -> list[array[int]]:
        return [surfaces.spellings([buffers[number] for number in numbers]) for surfaces, numbers in self._parts]

    def remove(self, spellings: list[array[int]]) -> None:
        for (surfaces, _), taken in zip(self._parts, spellings, strict=True):
            surfaces.remove(taken)

    def changes(self, terms: Lexicon, everything: bool = False) -> bytes:
        found = [surfaces.changes(terms, everything) for surfaces, _ in self._parts]
        return pack(found) if any(found) else b""

    def is_stored(self) -> None:
        for surfaces, _ in self._parts:
            surfaces.is_stored()

    def load(self, data: bytes | memoryview, terms: Lexicon, signed: bool = True) -> None:
        stored = unpack(data)
        if not isinstance(stored, list) or len(stored) != len(self._parts):
            raise ValueError("the stored spellings are corrupt")
        for (surfaces, _), part in zip(self._parts, stored, strict=True):
            surfaces.load(part, terms, signed)

    @property
    def nbytes(self) -> int:
        return sum(surfaces.nbytes for surfaces, _ in self._parts)
