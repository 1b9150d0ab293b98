"""The operating system as the store sees it: few calls, typed errors, one place to inject faults.

Every `OSError` leaves here as `StorageFailed` saying what the operating system refused and what to do. Tests
subclass `Disk` to fail, to write short or to stop at a chosen call.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from narsilpy.errors import ErrorCode, NarsilError, StorageFailed

if sys.platform == "darwin":
    import fcntl

Buffer = bytes | bytearray | memoryview

_ADVICE: Final = {
    errno.ENOSPC: "the disk is full: free some space; nothing of this write was kept",
    getattr(errno, "EDQUOT", errno.ENOSPC): "the disk quota is used up; nothing of this write was kept",
    errno.EROFS: "the file system is read-only: open with read_only=True, or elsewhere",
    errno.EACCES: "permission denied: check the owner and mode of the directory",
    errno.EPERM: "permission denied: check the owner and mode of the directory",
    errno.ENOTDIR: "the path, or a part of it, is a file: a directory is needed",
    errno.EEXIST: "the path is a file: a directory is needed",
    errno.ENOENT: "the file or directory does not exist",
    errno.EMFILE: "too many open files: raise the limit (ulimit -n) or close other engines",
    errno.EIO: "the device reports an input/output error",
}
_BINARY: Final = getattr(os, "O_BINARY", 0)
_CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0)


@contextmanager
def typed(path: str | os.PathLike[str], *, saving: bool) -> Iterator[None]:
    """Turn what the operating system raises into `StorageFailed`."""
    try:
        yield
    except OSError as error:
        if isinstance(error, NarsilError):
            raise
        raise _failure(error, path, saving) from error


def _failure(error: OSError, path: str | os.PathLike[str], saving: bool) -> StorageFailed:
    # made here, not in `typed`: a frame that holds the error it raises is a cycle, and keeps mapped files alive
    code = ErrorCode.PERSISTENCE_SAVE_FAILED if saving else ErrorCode.PERSISTENCE_LOAD_FAILED
    advice = _ADVICE.get(error.errno or 0, error.strerror or str(error))
    failed = StorageFailed(code, f"{os.fspath(path)}: {advice}", {"path": os.fspath(path)})
    failed.errno = error.errno
    return failed


class Disk:
    """Plain calls of the operating system. Subclass to inject faults."""

    def __init__(self) -> None:
        self._seek = threading.Lock()

    def open_write(self, path: Path, *, create: bool = False) -> int:
        """A descriptor for reading and writing; `create` makes a new file and refuses an old one."""
        flags = os.O_RDWR | _BINARY | _CLOEXEC | (os.O_CREAT | os.O_EXCL if create else 0)
        with typed(path, saving=True):
            return os.open(path, flags, 0o644)

    def open_read(self, path: Path) -> int:
        with typed(path, saving=False):
            return os.open(path, os.O_RDONLY | _BINARY | _CLOEXEC)

    def close(self, fd: int) -> None:
        os.close(fd)

    def size(self, fd: int) -> int:
        return os.fstat(fd).st_size

    def write_at(self, fd: int, data: Buffer, offset: int, path: Path) -> None:
        """Write all of `data`; a short write goes on, an error raises."""
        view = memoryview(data).cast("B")
        with typed(path, saving=True):
            while view:
                n = self._pwrite(fd, view, offset)
                if n <= 0:
                    raise OSError(errno.EIO, "nothing was written")
                view = view[n:]
                offset += n

    def read_at(self, fd: int, n: int, offset: int, path: Path) -> bytes:
        """Up to `n` bytes: fewer only at the end of the file."""
        try:
            data = self._pread(fd, n, offset)  # nearly always all of it: no context manager on the way
        except OSError as error:
            with typed(path, saving=False):
                raise error from None
        while 0 < len(data) < n:
            with typed(path, saving=False):
                part = self._pread(fd, n - len(data), offset + len(data))
            if not part:
                break
            data += part
        return data

    def sync(self, fd: int, path: Path) -> None:
        """Return once what was written is on the device."""
        with typed(path, saving=True):
            self._fsync(fd)

    def truncate(self, fd: int, n: int, path: Path) -> None:
        with typed(path, saving=True):
            os.ftruncate(fd, n)

    def rename(self, old: Path, new: Path) -> None:
        """Put `old` in the place of `new` at once, and make that durable."""
        with typed(new, saving=True):
            self._replace(old, new)
            self.sync_directory(new.parent)

    def sync_directory(self, path: Path) -> None:
        if os.name == "nt":  # directories cannot be opened there; the rename itself is journaled
            return
        with typed(path, saving=True):
            fd = os.open(path, os.O_RDONLY | _CLOEXEC)
            try:
                self._fsync(fd)
            finally:
                os.close(fd)

    def make_directory(self, path: Path) -> None:
        with typed(path, saving=True):
            path.mkdir(parents=True, exist_ok=True)

    def remove(self, path: Path) -> None:
        with typed(path, saving=True):
            self._unlink(path)

    # what a fault injector overrides -----------------------------------------------------------------------------

    def _pwrite(self, fd: int, data: memoryview, offset: int) -> int:
        if hasattr(os, "pwrite"):
            return os.pwrite(fd, data, offset)
        with self._seek:
            os.lseek(fd, offset, os.SEEK_SET)
            return os.write(fd, data)

    def _pread(self, fd: int, n: int, offset: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(fd, n, offset)
        with self._seek:
            os.lseek(fd, offset, os.SEEK_SET)
            return os.read(fd, n)

    def _fsync(self, fd: int) -> None:
        if sys.platform == "darwin":
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)  # fsync stops at the drive's cache there
        else:
            # fdatasync writes the new length too when a file has grown, which is all the metadata we read back
            getattr(os, "fdatasync", os.fsync)(fd)

    def _replace(self, old: Path, new: Path) -> None:
        old.replace(new)

    def _unlink(self, path: Path) -> None:
        path.unlink(missing_ok=True)
