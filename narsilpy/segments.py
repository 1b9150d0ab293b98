"""The segments of one index: which documents live where, and when memory is sealed and neighbours are merged.

An index numbers its documents in the order they come; a replaced document gets a new number. `Segments` keeps the runs
of numbers (sealed ones, then full memory segments that wait to be sealed, then the one that is written to), the live
documents of each, and the live statistics that ranking needs. Sealing and merging change the layout and nothing that a
query can see. They are done by a thread of their own (`background`), one job of an index at a time; a writer that is
too far ahead of it seals what waits itself. Documents removed meanwhile are noted in the job and taken out of its
result. All methods want the index's lock.
"""
from __future__ import annotations

import bisect
import threading
import weakref
from array import array
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from narsilpy._bits import Bits
from narsilpy._ingest import forget
from narsilpy._lexicon import Lexicon
from narsilpy._postings import MemorySegment
from narsilpy._segment import SealedSegment
from narsilpy.background import Job, n_forks, submit, withdraw

Change = Callable[[], AbstractContextManager[None]]

# Documents a memory segment may hold, and its occurrences (16 bytes each: 32 MB), before it is sealed. Sealing walks
# the occurrences by term: beyond the processor's cache (32 MB here) it slows down, below a few MB segments multiply.
SEAL_DOCS = 65_536
SEAL_OCCURRENCES = 2_000_000
# After a batch a memory segment of this size is sealed early: sealed lists are pruned by blocks, memory lists are not.
SEAL_AFTER_BATCH = 2_048
# Neighbours of one size class that are merged into one of the next: each posting is rewritten log4(n) times.
FANOUT = 4
# Full memory segments (some 60 MB each) that may wait before the writer seals one itself, and sealed segments that may
# wait to be merged before it waits for the merge at hand.
MAX_WAITING = 2
MAX_UNMERGED = 16


class Segments:
    """Sealed segments and memory segments, neighbours by document number."""

    def __init__(self, lexicon: Lexicon, n_fields: int, has_spans: bool, lock: threading.RLock, change: Change) -> None:
        self.lexicon = lexicon
        self.n_fields = n_fields
        self.has_spans = has_spans
        self.sealed: list[SealedSegment] = []
        self.waiting: list[MemorySegment] = []          # full: nothing is added to them any more
        self.memory = MemorySegment(lexicon, 0, n_fields, has_spans)
        self.live: list[Bits | None] = [None]           # by segment, in the order above; None = all
        self.n_docs = 0                                 # live
        self.total_lengths = [0] * n_fields             # tokens of live documents, by text field
        self._lock = lock
        self._changing = weakref.WeakMethod(change)     # an index and its segments must not keep each other alive
        self._job: Job | None = None
        self._is_abandoned = False
        self._n_forks = n_forks()

    def _change(self) -> AbstractContextManager[None]:
        """Around a change of what queries see; of an index that nobody holds any more nobody sees anything."""
        change = self._changing()
        return nullcontext() if change is None else change()

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

    def remove(self, doc: int, lengths: list[int], terms: array[int]) -> None:
        """Take a document out, given its tokens by field and its distinct terms."""
        at, segment = self._place(doc)
        forget(segment, self.lexicon, terms)
        live = self.live[at] or Bits(SEAL_DOCS if segment is self.memory else segment.n_docs, True)
        self.live[at] = live.without((doc - segment.first_doc,))
        job = self._job
        if job is not None and job.first_doc <= doc < job.end_doc:
            job.removed.append((doc, terms))
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

    def _place(self, doc: int) -> tuple[int, Any]:
        """Which segment holds a document: its place in `live`, and itself."""
        if doc >= self.memory.first_doc:
            return len(self.live) - 1, self.memory
        segments = self._full()
        at = bisect.bisect_right(segments, doc, key=_first_doc) - 1
        return at, segments[at]

    def _full(self) -> list[Any]:
        return [*self.sealed, *self.waiting]

    def views(self) -> tuple[list[Any], list[Bits | None]]:
        """Segments and their live documents, for a query."""
        if self.memory.n_docs:
            return [*self.sealed, *self.waiting, self.memory], list(self.live)
        return self._full(), self.live[:-1]

    # -------------------------------------------------------------------------------------------------------- sealing
    def is_due(self, after_batch: bool = False) -> bool:
        """Whether the memory segment should be sealed now."""
        memory = self.memory
        if after_batch and memory.n_docs >= SEAL_AFTER_BATCH:
            return True
        return memory.n_docs >= SEAL_DOCS or memory.n_occurrences >= SEAL_OCCURRENCES

    def retire(self) -> None:
        """The memory segment is full: let it be sealed in the background, and start a new one."""
        if self.memory.n_docs == 0:
            return
        fresh = MemorySegment(self.lexicon, self.next_doc, self.n_fields, self.has_spans)
        with self._change():
            self.waiting.append(self.memory)
            self.live.append(None)
            self.memory = fresh
        self.tend()
        while len(self.waiting) > MAX_WAITING or self._due_run() > MAX_UNMERGED:
            self._catch_up()

    def tend(self) -> None:
        """Take over what is ready, and give the background what is due."""
        job = self._job
        if job is not None:
            if job.is_lost:
                self._job = None
            elif job.done:
                self.take(job)
        if self._job is None and not self._is_abandoned:
            job = self._next_job()
            if job is not None:
                self._job = job
                if not submit(job):
                    self._do(job)

    def is_ready(self) -> bool:
        """Whether `tend` has something to take over."""
        return self._job is not None and self._job.done

    def _next_job(self) -> Job | None:
        """What is due: everything that waits as one sealed segment, or a run of sealed ones. What cannot be merged is
        due again and again: only a writer asks."""
        n_sealed = len(self.sealed)
        if self.waiting:
            return self._job_of(n_sealed, n_sealed + len(self.waiting))
        run = self._due_run()
        return self._job_of(n_sealed - run, n_sealed) if run > 1 else None

    def _job_of(self, start: int, stop: int) -> Job:
        return Job(self._full()[start:stop], self.live[start:stop], self._lock, self.publish)

    def publish(self, job: Job) -> None:
        """What the background does with a job that is done, unless a writer took it before."""
        if self._job is job:
            failed = job.segment is None
            self.take(job)
            if not failed:
                self.tend()

    def take(self, job: Job) -> None:
        """Put what a job made in the place of what it was made of. A job that failed is forgotten."""
        self._job = None
        job.taken = True
        segment = job.segment
        if segment is None:
            return
        for _, terms in job.removed:
            forget(segment, self.lexicon, terms)
        left = job.left
        if job.removed:
            left = (left or Bits(segment.n_docs, True)).without([doc - job.first_doc for doc, _ in job.removed])
        start = bisect.bisect_left(self._full(), job.first_doc, key=_first_doc)
        stop = start + len(job.parts)
        n_sealed = len(self.sealed)
        with self._change():
            self.waiting[:max(stop - n_sealed, 0)] = []
            self.sealed[start:stop] = [segment]
            self.live[start:stop] = [left]

    def _do(self, job: Job) -> None:
        """Do a job here and now. Raises what the merge raises; the segments then stay as they are."""
        try:
            job.compute()
        finally:
            self.take(job)

    def _catch_up(self) -> None:
        """Seal or merge one step in the thread of the writer, or wait for the step that is being done."""
        job = self._job
        if job is not None and not job.is_lost and (job.done or not withdraw(job)):
            if not job.done and self.waiting and job.parts[0] is not self.waiting[0]:
                self._seal_beside(job)      # a long merge must not hold up sealing
                return
            job.ready.wait()
            self.take(job)
            if job.segment is not None:
                return
        self._job = None
        job = self._next_job()
        if job is not None:
            self._do(job)

    def _seal_beside(self, merging: Job) -> None:
        n_sealed = len(self.sealed)
        job = self._job_of(n_sealed, n_sealed + len(self.waiting))
        try:
            self._do(job)
        finally:
            self._job = merging

    def settle(self) -> None:
        """Return once nothing is being done, and nothing is due."""
        while self._job is not None or self._next_job() is not None:
            self._catch_up()

    def abandon(self) -> None:
        """Give up what is being done, and do nothing in the background from now on. The lock is not wanted: on return
        no other thread reads anything of these segments for the sake of merging."""
        if self._n_forks != n_forks():      # in a forked child the lock may be held for ever, and no thread runs
            return
        with self._lock:
            self._is_abandoned = True
            job = self._job
            self._job = None
        if job is not None:
            job.cancel()

    def seal(self) -> None:
        """Everything sealed, and merged as is due, on return."""
        if self.memory.n_docs:
            self.retire()
        self.settle()

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

    def optimize(self) -> None:
        """Seal, and merge everything into one segment."""
        self.seal()
        if len(self.sealed) > 1 or any(bits is not None for bits in self.live):
            self._do(self._job_of(0, len(self.sealed)))

    @property
    def nbytes(self) -> int:
        sizes: list[int] = [segment.nbytes for segment in (*self._full(), self.memory)]
        return sum(sizes)


def _first_doc(segment: Any) -> int:
    number: int = segment.first_doc
    return number


def size_class(n_docs: int) -> int:
    """0 for the smallest segments; FANOUT times the documents are one class more."""
    result = 0
    size = SEAL_AFTER_BATCH
    while n_docs > size:
        size *= FANOUT
        result += 1
    return result
