"""Group commit for `durability="async"`: one thread syncs what transactions have written.

A transaction wakes the thread and goes on. The thread syncs each waiting journal, so that everything written until the
sync begins shares it. A sync that fails breaks the journal: its next write, `flush` or `close` raises.
"""

from __future__ import annotations

import threading

from narsilpy.errors import StorageFailed
from narsilpy.storage.journal import Journal


class Committer:
    """The thread starts with the first `wake`."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: set[Journal] = set()
        self._busy: Journal | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def wake(self, journal: Journal) -> None:
        """`journal` has written something that is not durable yet."""
        with self._condition:
            self._waiting.add(journal)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="narsilpy-commit", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def forget(self, journal: Journal) -> None:
        """Return once nothing here will touch `journal` again."""
        with self._condition:
            self._waiting.discard(journal)
            while self._busy is journal:
                self._condition.wait()

    def close(self) -> None:
        """Stop the thread; what still waits is for the caller to sync."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._waiting and not self._closed:
                    self._condition.wait()
                if self._closed:
                    return
                self._busy = journal = self._waiting.pop()
            try:
                journal.sync()
            except StorageFailed as error:
                journal.break_off(error)
            finally:
                with self._condition:
                    self._busy = None
                    self._condition.notify_all()
