"""The slow, obvious twins of the highlighter's kernels."""
from __future__ import annotations

TRAILING = ".,;:!?)]}-»”’…–—"


def snap_to_words(text: str, start: int, end: int, match_start: int, match_end: int) -> tuple[int, int]:
    """A window shrunk to whole words, never past the matches in it."""
    if start > 0:
        if not text[start - 1].isspace() and not text[start].isspace():
            spaces = [at for at in range(start, match_start) if text[at].isspace()]
            if spaces:
                start = spaces[0]
            elif match_start - start < 40:
                start = match_start
        while start < match_start and (text[start].isspace() or text[start] in TRAILING):
            start += 1
    if end < len(text):
        if not text[end - 1].isspace() and not text[end].isspace():
            spaces = [at for at in range(match_end, end) if text[at].isspace()]
            end = spaces[-1] if spaces else end
        while end > max(match_end, start) and text[end - 1].isspace():
            end -= 1
    return start, end


def most_inside(spans: list[tuple[int, int]], length: int, size: int) -> int:
    """How many spans the best window of `size` holds, of the windows centred on a span's start."""
    counts = [0]
    for start, _ in spans:
        at = max(0, min(start - size // 2, length - size))
        counts.append(sum(at <= first and last <= at + size for first, last in spans))
    return max(counts)


def tagged(text: str, start: int, end: int, spans: list[tuple[int, int]], pre: str, post: str) -> str:
    """`text[start:end]` with tags round every stretch that spans cover; touching ones are one stretch."""
    out = []
    inside = False
    for at in range(start, end):
        covered = any(first <= at < last for first, last in spans)
        if covered != inside:
            out.append(pre if covered else post)
            inside = covered
        out.append(text[at])
    return "".join(out) + (post if inside else "")
