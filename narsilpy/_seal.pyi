from narsilpy._bits import Bits
from narsilpy._postings import MemorySegment
from narsilpy._segment import SealedSegment

class Stop:
    def set(self) -> None: ...

class Stopped(Exception): ...

def merge(
    segments: list[MemorySegment | SealedSegment], accepts: list[Bits | None], stop: Stop | None = None
) -> bytes: ...
