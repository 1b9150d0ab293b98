"""Where a text may be cut: between graphemes, between words, between sentences. Each looks only round the cut."""
from __future__ import annotations

import re

NEAR = 200                  # code points in front of a match in which most sentences start
LOOK_AROUND = 1_000         # code points beyond which no sentence is looked for


def sentence_bounds(text: str, start: int, end: int, match_start: int, match_end: int, size: int) -> tuple[int, int]:
    """A window of whole sentences round the matches where they fit into `size`, else the window given."""
    first = sentence_span(text, match_start)
    last = first if match_end <= first[1] else sentence_span(text, match_end - 1)
    if last[1] - first[0] <= size:
        return first[0], last[1]
    if first[1] - first[0] <= size:
        return first
    return start, end


# Full stops that stand before white space; full stops of scripts whose sentences follow each other without any (CJK,
# Ethiopic, Burmese) or that mean nothing else (Arabic, Armenian, Devanagari, Urdu); blank lines.
_STOP = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？｡]+[」』”’）]*|[؟۔։।॥።፧፨။]+[\"'”’»)\]]*|\n\s*\n)")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Za-z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nos|vs|etc|e\.g|i\.e|cf|Fig|Art|Sec|approx|"
                           r"Inc|Ltd)\.$")


def sentence_span(text: str, offset: int) -> tuple[int, int]:
    """The sentence round an offset, without the white space about it."""
    for reach in (NEAR, LOOK_AROUND):
        low = start = max(0, offset - reach)
        for found in _STOP.finditer(text, low, offset + 1):
            if found.end() <= offset and _is_stop(text, found, low):
                start = found.end()
        if start > low or low == 0:
            break
    end = min(len(text), offset + LOOK_AROUND)
    for found in _STOP.finditer(text, offset, min(len(text), end + 1)):
        if _is_stop(text, found, start):
            end = found.end()
            break
    while start < offset and text[start].isspace():
        start += 1
    while end > offset + 1 and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_stop(text: str, found: re.Match[str], low: int) -> bool:
    mark = found.group()
    if mark[0] != ".":
        return True
    if _ABBREVIATION.search(text, max(low, found.start() - 12), found.start() + 1):
        return False
    after = text[found.end():found.end() + 40].lstrip()
    return not after or not after[0].islower()
