"""One writer to a directory: a lock that the operating system releases when its holder dies.

The lock file is never deleted and holds the writer's process id, for the message only. POSIX record locks do not
exclude a second open in the same process, so a table of what this process holds does; they are not inherited by a
forked child, which therefore cannot write with its parent's lock.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Final

from narsilpy.errors import EngineLocked, ErrorCode
from narsilpy.storage.disk import typed

_POLL_SECONDS: Final = 0.02
_held: set[tuple[int, int]] = set()
_held_pid = os.getpid()
_guard = threading.Lock()


class WriterLock:
    """Held from construction until `release`.

    Raises `EngineLocked` (ENGINE_LOCKED) naming the holder's process id if it is not free within `timeout` seconds.
    """

    def __init__(self, path: Path, *, timeout: float = 0.0) -> None:
        self._path = path
        self._pid = os.getpid()
        self._fd = -1
        deadline = time.monotonic() + timeout
        while not self._try():
            if time.monotonic() >= deadline:
                holder = self._holder()
                raise EngineLocked(
                    ErrorCode.ENGINE_LOCKED,
                    f"{path.parent}: process {holder} writes to this directory; close it there, wait with timeout=, "
                    "or open with read_only=True",
                    {"path": str(path.parent), "pid": holder},
                )
            time.sleep(_POLL_SECONDS)
        with typed(path, saving=True):
            os.ftruncate(self._fd, 0)
            os.write(self._fd, str(self._pid).encode("ascii"))

    def release(self) -> None:
        """Give the lock up; does nothing in a forked child or the second time."""
        if self._fd < 0 or self._pid != os.getpid():
            return
        with _guard:
            _held.discard(self._key)
            os.close(self._fd)
            self._fd = -1

    def _try(self) -> bool:
        global _held_pid
        with _guard, typed(self._path, saving=True):
            if _held_pid != os.getpid():  # forked: what the parent holds is not ours
                _held.clear()
                _held_pid = os.getpid()
            # closing any descriptor of a file drops every POSIX lock this process has on it: look before opening
            if self._path.exists() and _key(self._path.stat()) in _held:
                return False
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
            if not _lock_file(fd):
                os.close(fd)
                return False
            self._fd, self._key = fd, _key(os.fstat(fd))
            _held.add(self._key)
            return True

    def _holder(self) -> int:
        with _guard:
            try:
                if _key(self._path.stat()) in _held:
                    return os.getpid()
                return int(self._path.read_text("ascii") or 0)
            except (OSError, ValueError):
                return 0


def _key(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


if sys.platform == "win32":
    import msvcrt

    def _lock_file(fd: int) -> bool:
        try:
            os.lseek(fd, 1 << 30, os.SEEK_SET)  # far behind the process id, which others must be able to read
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
            os.lseek(fd, 0, os.SEEK_SET)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock_file(fd: int) -> bool:
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True
