"""The log files of one index as an append-only journal: recovery, appending, syncing, reading in place.

The journal knows frames and bytes; what they mean is `index_store.py`'s business. One lock serialises writers; reads
need none. A failed write is taken back by cutting the file to where it was; if that fails too, or a sync fails
(after which nobody knows what the device holds), the journal is broken: it reads on, but writes only after the
engine was reopened.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from narsilpy._record import record_data
from narsilpy.errors import ErrorCode, IndexCorrupted, NarsilError, StorageFailed
from narsilpy.storage.disk import Disk
from narsilpy.storage.log import (
    FILE_HEADER_BYTES,
    FRAME_HEADER_BYTES,
    Frame,
    Location,
    Record,
    Unsound,
    check_file_header,
    corrupted,
    document_of,
    file_header,
    frame_header,
    parse_frame,
    parse_header,
    read_record,
)
from narsilpy.storage.marker import Marker, read_marker, write_marker

# Longer records are checked by zlib, which lets other threads go on meanwhile.
SHORT_RECORD: Final = 4096

_MARKER_TRIES: Final = 3
_MARKER_PAUSE_SECONDS: Final = 0.001


class Position:
    """A point in the journal: file, byte offset, and the sequence number of the frame that begins there."""

    __slots__ = ("file", "offset", "sequence")

    def __init__(self, file: int, offset: int, sequence: int) -> None:
        self.file = file
        self.offset = offset
        self.sequence = sequence

    def __repr__(self) -> str:
        return f"Position(file={self.file}, offset={self.offset}, sequence={self.sequence})"


class Journal:
    """The logs of index `index_no` in `directory`, open for reading, and for writing after `recover(write=True)`."""

    def __init__(self, disk: Disk, directory: Path, index_no: int) -> None:
        self._disk = disk
        self._directory = directory
        self._index_no = index_no
        self._fds: dict[int, int] = {}
        self._marker_path = directory / "marker"
        self._marker_fd = -1
        self._marker = Marker(0, 0, 0, 0)
        self.marker_is_sure = True
        self._write_fd = -1
        self._broken: StorageFailed | None = None
        self.lock = threading.RLock()
        self._sync_lock = threading.Lock()
        self.end = Position(1, FILE_HEADER_BYTES, 0)  # where the next frame goes
        self.committed = self.end  # where the last whole transaction ends: all that a sync may promise

    # --- making and opening --------------------------------------------------------------------------------------

    @staticmethod
    def create(disk: Disk, directory: Path, index_no: int) -> None:
        """An empty journal, durable on return."""
        Journal._create_file(disk, directory, index_no, 1)
        path = directory / "marker"
        disk.remove(path)
        fd = disk.open_write(path, create=True)
        try:
            for write_number in (0, 1):
                write_marker(disk, fd, Marker(write_number, 1, FILE_HEADER_BYTES, 0), path)
            disk.sync(fd, path)
        finally:
            disk.close(fd)
        disk.sync_directory(directory)

    @staticmethod
    def _create_file(disk: Disk, directory: Path, index_no: int, number: int) -> None:
        path = log_path(directory, number)
        disk.remove(path)
        fd = disk.open_write(path, create=True)
        try:
            disk.write_at(fd, file_header(index_no, number), 0, path)
            disk.sync(fd, path)
        finally:
            disk.close(fd)

    def recover(self, start: Position, logs: Sequence[int], *, write: bool) -> Iterator[Frame]:
        """Frames of every whole transaction from `start` on, checked.

        With `write` the journal is open for appending once the iterator is exhausted, and what a crash tore off behind
        the last whole transaction is cut away. Raises `IndexCorrupted` if bytes that were durable are not sound.
        """
        self._marker_fd = self._disk.open_write(self._marker_path) if write else self._disk.open_read(self._marker_path)
        self._read_marker()
        self.end = self.committed = start
        for number in logs:  # a reader keeps them open: a writer may delete them later
            self._fd(number)
        yield from self._frames(logs, whole=write or not self.marker_is_sure)
        self.committed = self.end
        if write:
            path = log_path(self._directory, self.end.file)
            self._write_fd = self._disk.open_write(path)
            if self._disk.size(self._write_fd) > self.end.offset:
                self._disk.truncate(self._write_fd, self.end.offset, path)
            self.forget(self.end.file)
            self._fds[self.end.file] = self._write_fd
            self.sync()

    def follow(self, logs: Sequence[int]) -> Iterator[Frame]:
        """For a reader: what became durable since the last call."""
        self._read_marker()
        yield from self._frames(logs, whole=not self.marker_is_sure)
        self.committed = self.end

    def _read_marker(self) -> None:
        """Read the marker. If half of it stays unsound, it is not sure that the log ends where the other half says."""
        for _ in range(_MARKER_TRIES):  # the writer may be writing the other half just now
            self._marker, self.marker_is_sure = read_marker(self._disk, self._marker_fd, self._marker_path)
            if self.marker_is_sure:
                return
            time.sleep(_MARKER_PAUSE_SECONDS)

    @property
    def marker_path(self) -> Path:
        return self._marker_path

    def _frames(self, logs: Sequence[int], *, whole: bool) -> Iterator[Frame]:
        """Advance `end` over whole transactions; a reader stops at the marker, the writer goes on as far as it is
        sound.
        """
        last = logs[-1]
        if self._marker.log_file > last:
            raise corrupted(
                self._marker_path, 0, f"the marker names log file {self._marker.log_file}, which is not known"
            )
        if self._marker.log_file < last:
            whole = True  # the file is newer than the marker: all of it was durable before a manifest named it
        for number in [n for n in logs if n >= self.end.file]:
            if number != self.end.file:
                self.end = Position(number, FILE_HEADER_BYTES, self.end.sequence)
            path = log_path(self._directory, number)
            fd = self._fd(number)
            size = self._disk.size(fd)
            if number != last:
                durable = size  # a file is left behind only when all of it is durable
            elif self._marker.log_file == number:
                durable = self._marker.log_bytes
            else:
                durable = FILE_HEADER_BYTES
            if max(durable, self.end.offset) > size:
                raise corrupted(path, size, f"the log is cut off: {max(durable, self.end.offset)} bytes were durable")
            yield from self._file_frames(fd, path, durable, size if whole else durable)

    def _file_frames(self, fd: int, path: Path, durable: int, limit: int) -> Iterator[Frame]:
        run: list[Frame] = []
        at, sequence = self.end.offset, self.end.sequence
        while at < limit:
            try:
                frame = self._frame(fd, path, at, limit)
                if frame.sequence != sequence:
                    raise Unsound(f"frame {sequence} is missing, here is frame {frame.sequence}")
            except Unsound as error:
                if at < durable:
                    raise corrupted(path, at, str(error)) from error
                break
            run.append(frame)
            at, sequence = frame.end, frame.sequence + 1
            if not frame.more:
                yield from run
                run = []
                self.end = Position(self.end.file, at, sequence)
        if run and run[0].offset < durable:
            raise corrupted(path, run[0].offset, "a durable transaction has no end")

    def _frame(self, fd: int, path: Path, at: int, limit: int) -> Frame:
        head = self._disk.read_at(fd, FRAME_HEADER_BYTES, at, path)
        _, _, payload_bytes, _ = parse_header(head, 0)
        if at + FRAME_HEADER_BYTES + payload_bytes > limit:
            raise Unsound("a frame is cut off")
        return parse_frame(self._disk.read_at(fd, FRAME_HEADER_BYTES + payload_bytes, at, path), at)

    # --- reading -------------------------------------------------------------------------------------------------

    def read(self, location: Location) -> Record:
        """The record at `location`. Raises `IndexCorrupted` if it is not there, or not sound."""
        return self._read(location)[0]

    def read_raw(self, location: Location) -> bytes:
        """The bytes of a record, checked, to be copied elsewhere."""
        return self._read(location)[1]

    def document(self, location: Location, doc_no: int) -> bytes:
        """The data of the record at `location`, which must be the document of this number: the fast way for `get`."""
        data = self._bytes(location)
        if location[2] <= SHORT_RECORD and len(data) == location[2]:
            found = record_data(data, doc_no)
            if found is not None:
                return found
        try:
            return document_of(data, doc_no)
        except Unsound as error:
            raise corrupted(log_path(self._directory, location[0]), location[1], str(error)) from error

    def _read(self, location: Location) -> tuple[Record, bytes]:
        data = self._bytes(location)
        try:
            record = read_record(data, 0, len(data))
            if record.length != location[2]:
                raise Unsound("the record has another length than its table says")
        except Unsound as error:
            raise corrupted(log_path(self._directory, location[0]), location[1], str(error)) from error
        return record, data

    def _bytes(self, location: Location) -> bytes:
        file, offset, length = location
        fd = self._fds.get(file)
        return self._disk.read_at(self._fd(file) if fd is None else fd, length, offset, self._directory)

    def _fd(self, number: int) -> int:
        fd = self._fds.get(number)
        if fd is None:
            path = log_path(self._directory, number)
            fd = self._disk.open_read(path)
            try:
                check_file_header(self._disk.read_at(fd, FILE_HEADER_BYTES, 0, path), self._index_no, number, path)
            except NarsilError:
                self._disk.close(fd)
                raise
            fd = self._keep(number, fd)
        return fd

    def _keep(self, number: int, fd: int) -> int:
        kept = self._fds.setdefault(number, fd)
        if kept != fd:  # another thread was faster
            self._disk.close(fd)
        return kept

    # --- writing -------------------------------------------------------------------------------------------------

    def append(self, payload: bytes | bytearray, n_records: int, *, more: bool) -> Position:
        """Write one frame behind `end` and move `end`; returns where its payload begins. Call with `lock` held."""
        self.check_sound()
        at = self.end
        path = log_path(self._directory, at.file)
        header = frame_header(len(payload), n_records, at.sequence, more=more)
        try:
            if len(payload) < 1 << 16:
                self._disk.write_at(self._write_fd, header + payload, at.offset, path)
            else:
                self._disk.write_at(self._write_fd, header, at.offset, path)
                self._disk.write_at(self._write_fd, payload, at.offset + len(header), path)
        except StorageFailed:
            self.cut_back(at)
            raise
        self.end = Position(at.file, at.offset + len(header) + len(payload), at.sequence + 1)
        return Position(at.file, at.offset + len(header), at.sequence)

    def cut_back(self, to: Position) -> None:
        """Take back everything behind `to`, which was not acknowledged."""
        try:
            self._disk.truncate(self._write_fd, to.offset, log_path(self._directory, to.file))
        except StorageFailed as error:
            self.break_off(error)
        self.end = to

    def commit(self, start: Position, *, sync: bool) -> None:
        """End the transaction that began at `start`. With `sync`, return once it is on the device; if that fails,
        take it back and refuse further writes."""
        self.committed = self.end
        if not sync:
            return
        try:
            self.sync()
        except StorageFailed as error:
            self.committed = start
            self.cut_back(start)
            self.break_off(error)
            raise

    def sync(self) -> None:
        """Return once every whole transaction is on the device, and the marker says so."""
        with self._sync_lock:
            end = self.committed
            marker = Marker(self._marker.write_number + 1, end.file, end.offset, end.sequence)
            if self._marker[1:] == marker[1:]:
                return
            self._disk.sync(self._write_fd, log_path(self._directory, end.file))
            write_marker(self._disk, self._marker_fd, marker, self._marker_path)
            self._marker = marker

    def prepare_file(self, number: int) -> None:
        """A new, empty log file, durable but not yet in use."""
        self._create_file(self._disk, self._directory, self._index_no, number)
        self._disk.sync_directory(self._directory)

    def switch(self, end: Position) -> None:
        """Append to another log file from now on; it is durable up to `end`."""
        fd = self._disk.open_write(log_path(self._directory, end.file))
        with self._sync_lock:
            self._fds[end.file] = self._write_fd = fd
            self.end = self.committed = end
        self.sync()

    def forget(self, number: int) -> None:
        """Close the descriptor of a log file that is about to be deleted."""
        fd = self._fds.pop(number, None)
        if fd is not None:
            self._disk.close(fd)

    def is_durable(self) -> bool:
        return (self._marker.log_file, self._marker.log_bytes) == (self.committed.file, self.committed.offset)

    def break_off(self, error: StorageFailed) -> None:
        """No more writes from now on: nobody knows what the device holds."""
        # without its traceback, whose frames hold this journal: a cycle would keep mapped files alive
        self._broken = StorageFailed(error.code, error.message, error.details)

    def check_sound(self) -> None:
        if self._broken is not None:
            raise StorageFailed(
                ErrorCode.PERSISTENCE_SAVE_FAILED,
                f"an earlier write failed ({self._broken.message}); close the engine and open it again",
            ) from self._broken

    def close(self) -> None:
        """Close every file; happens by itself once nobody reads a journal that a refresh replaced."""
        fds, self._fds = {*self._fds.values(), self._marker_fd} - {-1}, {}
        self._marker_fd = self._write_fd = -1
        for fd in fds:
            self._disk.close(fd)

    def __del__(self) -> None:
        self.close()

    # --- verification --------------------------------------------------------------------------------------------

    def verify(self, logs: Sequence[int]) -> Iterator[IndexCorrupted]:
        """Read every frame of every log up to `end`; one error for each file that is not sound."""
        for number in logs:
            path = log_path(self._directory, number)
            try:
                fd = self._fd(number)
                check_file_header(self._disk.read_at(fd, FILE_HEADER_BYTES, 0, path), self._index_no, number, path)
                at, limit = FILE_HEADER_BYTES, self.end.offset if number == self.end.file else self._disk.size(fd)
                while at < limit:
                    at = self._frame(fd, path, at, limit).end
            except IndexCorrupted as error:
                yield error
            except Unsound as error:
                yield corrupted(path, at, str(error))
            except StorageFailed as error:
                yield corrupted(path, 0, error.message)


def log_path(directory: Path, number: int) -> Path:
    return directory / f"log-{number:08d}"
