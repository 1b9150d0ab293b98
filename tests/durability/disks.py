"""Disks that fail: every call of the store into the operating system can be made to fail, to write short, or to be
the last.
"""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path
from typing import Final

from narsilpy.storage.disk import Disk

_SECTOR: Final = 512
FAULTS: Final = ("error", "short write, then error", "crash", "torn write, then crash")


class Crash(BaseException):
    """The process is gone: nothing after this call happens."""


class QuickDisk(Disk):
    """A disk that does not wait for the device, for tests that are not about it."""

    def _fsync(self, fd: int) -> None:
        pass


class FaultyDisk(QuickDisk):
    """Fails at call number `at` (0 is the first write, sync, rename, removal or cut after `arm`), then works again,
    unless it crashed: then every later call crashes too, so that no clean-up code can help."""

    def __init__(self) -> None:
        super().__init__()
        self._at = -1
        self._fault = ""
        self._calls = 0
        self._crashed = False
        self._paths: dict[int, Path] = {}
        self._unsynced: dict[Path, list[tuple[int, bytes, int, int]]] = {}  # offset, old bytes, old size, new bytes

    def arm(self, at: int, fault: str) -> None:
        self._at, self._fault, self._calls = at, fault, 0

    @property
    def fired(self) -> bool:
        return self._at >= 0 and self._calls > self._at

    def _step(self) -> str:
        if self._crashed:
            raise Crash
        if self._at < 0:
            return ""
        self._calls += 1
        if self._calls - 1 != self._at:
            return ""
        if self._fault == "crash":
            self._crashed = True
            raise Crash
        if self._fault == "error":
            raise OSError(errno.ENOSPC, "no space left on device")
        return self._fault

    def open_write(self, path: Path, *, create: bool = False) -> int:
        if self._crashed:
            raise Crash
        fd = super().open_write(path, create=create)
        self._paths[fd] = path
        return fd

    def _pwrite(self, fd: int, data: memoryview, offset: int) -> int:
        fault = self._step()
        n = len(data) // 2 if fault else len(data)
        size = os.fstat(fd).st_size
        self._unsynced.setdefault(self._paths[fd], []).append((offset, os.pread(fd, n, offset), size, n))
        written = super()._pwrite(fd, data[:n], offset)
        if fault == "torn write, then crash":
            self._crashed = True
            raise Crash
        if fault:
            raise OSError(errno.ENOSPC, "no space left on device")
        return written

    def _fsync(self, fd: int) -> None:
        fault = self._step()
        if "crash" in fault:
            self._crashed = True
            raise Crash
        if fault:
            raise OSError(errno.EIO, "input/output error")
        self._unsynced.pop(self._paths.get(fd, Path()), None)

    def _replace(self, old: Path, new: Path) -> None:
        self._step()
        super()._replace(old, new)
        for fd, path in self._paths.items():
            if path == old:
                self._paths[fd] = new

    def _unlink(self, path: Path) -> None:
        if path.exists():
            self._step()
        super()._unlink(path)

    def truncate(self, fd: int, n: int, path: Path) -> None:
        if self._crashed:
            raise Crash
        super().truncate(fd, n, path)

    def make_directory(self, path: Path) -> None:
        if self._crashed:
            raise Crash
        super().make_directory(path)

    def lose_power(self, rng: random.Random) -> None:
        """Undo, tear, blank or keep each write that no sync covered, as a device may that lost power."""
        for path, writes in self._unsynced.items():
            if not path.exists():
                continue
            with path.open("r+b") as file:
                for offset, old, size, n in reversed(writes):
                    # a device writes a sector whole or not at all
                    one_sector = offset // _SECTOR == (offset + n - 1) // _SECTOR
                    fate = rng.choice(("keep", "undo") if one_sector else ("keep", "undo", "tear", "zero"))
                    if fate == "keep":
                        continue
                    kept = rng.randrange(n + 1) if fate == "tear" else 0
                    file.seek(offset + kept)
                    if fate == "zero" and offset + n > size:
                        file.write(bytes(n))
                    else:
                        file.write(old[kept:])
                        if offset + n > size:
                            file.truncate(max(size, offset + kept))
        self._unsynced.clear()
