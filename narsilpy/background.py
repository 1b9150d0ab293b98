"""The thread that seals and merges beside the writers: one a process, alive while there is something to do.

A `Job` computes a sealed segment out of others, which takes no lock and hardly ever the interpreter lock, and is then
`publish`ed under its index's lock. Whoever holds that lock and wants the result waits for `ready` and publishes it
itself; otherwise the thread does. A forked child has no such thread: `is_lost` tells jobs that its parent's had.
"""
from __future__ import annotations

import os
import threading
import time
from array import array
from collections import deque
from collections.abc import Callable
from typing import Any

from narsilpy._bits import Bits
from narsilpy._seal import Stop, Stopped, merge
from narsilpy._segment import SealedSegment
from narsilpy.errors import NarsilError

RETRY_SECONDS = 0.001       # between two looks at a lock that a writer holds


class Job:
    """One sealed segment to be made of `parts`, neighbours by document number, with the live documents of each."""

    def __init__(self, parts: list[Any], live: list[Bits | None], lock: threading.RLock,
                 publish: Callable[[Job], None]) -> None:
        self.parts = parts
        self.live = live
        self.first_doc: int = parts[0].first_doc
        self.end_doc: int = parts[-1].first_doc + parts[-1].n_docs
        self.removed: list[tuple[int, array[int]]] = []    # documents removed since, with their terms
        self.segment: SealedSegment | None = None
        self.left: Bits | None = None                       # live documents of `segment`; None = all
        self.done = False           # computed, or failed
        self.taken = False          # published, or given up
        self.ready = threading.Event()
        self._stop = Stop()
        self._lock = lock
        self._publish = publish
        self._epoch = _epoch

    @property
    def is_lost(self) -> bool:
        """Whether the thread that had it belongs to the process that this one was forked from."""
        return self._epoch != _epoch

    def compute(self) -> None:
        """Make the segment. Raises what the merge raises."""
        segment = SealedSegment(merge(self.parts, self.live, self._stop), self.first_doc)
        dead = [part.first_doc - self.first_doc + doc for part, bits in zip(self.parts, self.live, strict=True)
                if bits is not None for doc in bits.missing(part.n_docs)]
        self.left = Bits(segment.n_docs, True).without(dead) if dead else None
        self.segment = segment

    def run(self) -> None:
        """Compute in the background. A job that fails leaves the segments as they are: they answer as well, and the
        writer does the work itself, and raises, where too much of it is left."""
        try:
            self.compute()
        except (Stopped, NarsilError, MemoryError, OverflowError, ValueError):
            pass
        finally:
            self.done = True
            self.ready.set()

    def try_to_publish(self) -> bool:
        """False where the index's lock is held: its holder may wait for this very job, and then takes it."""
        if self.taken:
            return True
        with _publishing:
            if not self._lock.acquire(blocking=False):
                return False
            try:
                self._publish(self)
            finally:
                self._lock.release()
        return True

    def cancel(self) -> None:
        """Return once nothing reads the parts any more; nothing comes of the job."""
        self.taken = True
        self._stop.set()
        if not self.is_lost and not _worker.withdraw(self):
            self.ready.wait()


class Worker:
    """A queue of jobs and the thread that works it off."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: deque[Job] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, job: Job) -> bool:
        """Have a job done; False where no thread can be started (the interpreter ends, or the system refuses)."""
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="narsilpy-merge", daemon=True)
                try:
                    self._thread.start()
                except RuntimeError:
                    self._thread = None
                    self._jobs.pop()
                    return False
        return True

    def withdraw(self, job: Job) -> bool:
        """Take back a job that has not begun; False where it has."""
        with self._lock:
            if job in self._jobs:
                self._jobs.remove(job)
                return True
        return False

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return
                job = self._jobs.popleft()
            if not job.done:
                job.run()
            if not job.try_to_publish():
                time.sleep(RETRY_SECONDS)
                with self._lock:
                    self._jobs.append(job)
            del job         # its parts are freed here, not under somebody's lock


_worker = Worker()
_epoch = 0
_publishing = threading.Lock()      # the thread takes it round an index's lock: no fork copies that lock as held


def n_forks() -> int:
    """How many forks lie between this process and the one that imported this module."""
    return _epoch


def submit(job: Job) -> bool:
    return _worker.submit(job)


def withdraw(job: Job) -> bool:
    return _worker.withdraw(job)


def _forked() -> None:
    global _worker, _epoch, _publishing
    _worker = Worker()
    _epoch += 1
    _publishing = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lambda: _publishing.acquire(), after_in_parent=lambda: _publishing.release(),
                        after_in_child=_forked)
