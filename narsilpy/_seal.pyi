from narsilpy._bits import Bits
from narsilpy._postings import MemorySegment
from narsilpy._segment import SealedSegment

def merge(segments: list[MemorySegment | SealedSegment], accepts: list[Bits | None]) -> bytes: ...
