"""The segments of one index: which documents live where, and when memory is sealed and neighbours are merged.

An index numbers its documents in the order they come; a replaced document gets a new number. `Segments` keeps the runs
of numbers (sealed ones first, the memory segment last), the live documents of each, and the live statistics that
ranking needs. Sealing and merging change the layout and nothing that a query can see.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from narsilpy._bits import Bits
from narsilpy._lexicon import Lexicon
from narsilpy._postings import MemorySegment
from narsilpy._seal import merge
from narsilpy._segment import SealedSegment

Change = Callable[[], AbstractContextManager[None]]

# Documents a memory segment may hold, and its occurrences (16 bytes each: 32 MB), before it is sealed. Sealing walks
# the occurrences by term: beyond the processor's cache (32 MB here) it slows down, below a few MB segments multiply.
SEAL_DOCS = 65_536
SEAL_OCCURRENCES = 2_000_000
# After a batch a memory segment of this size is sealed early: sealed lists are pruned by blocks, memory lists are not.
SEAL_AFTER_BATCH = 2_048
# Neighbours of one size class that are merged into one of the next: each posting is rewritten log4(n) times.
FANOUT = 4


class Segments:
    """Sealed segments and one memory segment, neighbours by document number."""

    def __init__(self, lexicon: Lexicon, n_fields: int, has_spans: bool) -> None:
        self.lexicon = lexicon
        self.n_fields = n_fields
        self.has_spans = has_spans
        self.sealed: list[SealedSegment] = []
        self.live: list[Bits | None] = []               # by sealed segment, then the memory segment's; None = all
        self.memory = MemorySegment(lexicon, 0, n_fields, has_spans)
        self.live.append(None)
        self.n_docs = 0                                 # live
        self.total_lengths = [0] * n_fields             # tokens of live documents, by text field

    @property
    def next_doc(self) -> int:
        return self.memory.first_doc + self.memory.n_docs

    def add(self, doc_id: bytes, buffers: list[Any]) -> int:
        """Append a document to the memory segment; return its number."""
        memory = self.memory
        doc = memory.first_doc + memory.add(doc_id, buffers)
        self.n_docs += 1
        totals = self.total_lengths
        for field, buffer in enumerate(buffers):
            if buffer is not None:
                totals[field] += len(buffer)
        return doc

    def remove(self, doc: int, lengths: list[int], terms: list[bytes]) -> None:
        """Take a document out, given its tokens by field and its distinct terms (UTF-8)."""
        at = self._place(doc)
        segment: Any = self.memory if at == len(self.sealed) else self.sealed[at]
        segment.forget(terms)
        size = SEAL_DOCS if at == len(self.sealed) else segment.n_docs
        live = self.live[at] or Bits(size, True)
        self.live[at] = live.without((doc - segment.first_doc,))
        self.n_docs -= 1
        for field, length in enumerate(lengths):
            self.total_lengths[field] -= length

    def skip(self) -> None:
        """Use up one number without a document: what stored it was removed before this index was opened."""
        doc = self.memory.add(b"", [None] * self.n_fields)
        live = self.live[-1] or Bits(SEAL_DOCS, True)
        self.live[-1] = live.without((doc,))

    def adopt(self, sealed: list[SealedSegment], live: list[Bits | None], n_docs: int, lengths: list[int]) -> None:
        """Start from stored segments, with the number of their live documents and the tokens of these by text field."""
        self.sealed = list(sealed)
        self.live = [*live, None]
        self.n_docs = n_docs
        self.total_lengths = list(lengths)
        first = sealed[-1].first_doc + sealed[-1].n_docs if sealed else 0
        self.memory = MemorySegment(self.lexicon, first, self.n_fields, self.has_spans)

    def exchange(self, segments: dict[int, SealedSegment]) -> None:
        """Put equal copies, by place, in the stead of sealed segments."""
        for at, segment in segments.items():
            self.sealed[at] = segment

    def _place(self, doc: int) -> int:
        """Which segment holds a document."""
        for at, segment in enumerate(self.sealed):
            if doc < segment.first_doc + segment.n_docs:
                return at
        return len(self.sealed)

    def views(self) -> tuple[list[Any], list[Bits | None]]:
        """Segments and their live documents, for a query."""
        if self.memory.n_docs:
            return [*self.sealed, self.memory], list(self.live)
        return list(self.sealed), self.live[:-1]

    # -------------------------------------------------------------------------------------------------------- sealing
    def is_due(self, after_batch: bool = False) -> bool:
        """Whether the memory segment should be sealed now."""
        memory = self.memory
        if after_batch and memory.n_docs >= SEAL_AFTER_BATCH:
            return True
        return memory.n_docs >= SEAL_DOCS or memory.n_occurrences >= SEAL_OCCURRENCES

    def seal(self, change: Change) -> None:
        """Turn the memory segment into a sealed one and start a new one; then merge what is due.

        The work is done beside what queries read; only the exchange of the lists happens inside `change()`.
        """
        memory = self.memory
        if memory.n_docs == 0:
            return
        live = self.live[-1]
        segment = SealedSegment(merge([memory], [live]), memory.first_doc)
        fresh = MemorySegment(self.lexicon, self.next_doc, self.n_fields, self.has_spans)
        with change():
            self.sealed.append(segment)
            self.live[-1:] = [None if live is None else live.resized(segment.n_docs), None]
            self.memory = fresh
        while (run := self._due_run()) > 1:
            self._merge(len(self.sealed) - run, len(self.sealed), change)

    def _due_run(self) -> int:
        """How many of the last sealed segments to merge: those from FANOUT of one size class on, and what follows."""
        classes = [size_class(segment.n_docs) for segment in self.sealed]
        run = 0
        for greatest in sorted(set(classes)):
            trailing = 0
            for found in reversed(classes):
                if found > greatest:
                    break
                trailing += 1
            if classes[len(classes) - trailing:].count(greatest) >= FANOUT:
                run = trailing
        return run

    def _merge(self, start: int, stop: int, change: Change) -> None:
        parts: list[Any] = self.sealed[start:stop]
        live = self.live[start:stop]
        segment = SealedSegment(merge(parts, live), parts[0].first_doc)
        dead = [part.first_doc - segment.first_doc + doc for part, bits in zip(parts, live, strict=True)
                if bits is not None for doc in bits.missing(part.n_docs)]
        with change():
            self.sealed[start:stop] = [segment]
            self.live[start:stop] = [Bits(segment.n_docs, True).without(dead) if dead else None]

    def optimize(self, change: Change) -> None:
        """Seal, and merge everything into one segment."""
        self.seal(change)
        if len(self.sealed) > 1 or any(bits is not None for bits in self.live):
            self._merge(0, len(self.sealed), change)

    @property
    def nbytes(self) -> int:
        return sum(segment.nbytes for segment in self.sealed) + self.memory.nbytes


def size_class(n_docs: int) -> int:
    """0 for the smallest segments; FANOUT times the documents are one class more."""
    result = 0
    size = SEAL_AFTER_BATCH
    while n_docs > size:
        size *= FANOUT
        result += 1
    return result
