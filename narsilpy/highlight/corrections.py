"""What the segmenter gets wrong, mended: boundaries that are taken out, and boundaries that are put in.

Each rule was kept because it brought more golden cases right than wrong. Rules look at a few characters beside a
boundary; lists are read as wholes, since one marker proves nothing and three in a row do.
"""
from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise

from narsilpy._sentences import stops

STOPS = ".!?…"
CLOSING = "\"'”’»)]"
# words that begin an English sentence rather than go on after an abbreviation such as "U.S."
_STARTERS = frozenset("""A An And As At But He Her His How However I If In It Its My No On Our She So That The Their
    Then There These They This Those To We What When Where Which Who Why You Your""".split())
_DANISH_STARTERS = frozenset("De Den Det Du Han Hun Hvad Hvem Hvor I Jeg Vi".split())
_COMPANIES = (" co", " Co", "Inc", "Ltd", "orp")
_ONLY_MARKER = re.compile(r"\s*(?:[⁃•*–-]\s*)?(?:§+\s*[\w.:–-]*\d[\w.:–-]*"
                          r"|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]|[A-Z]|[ivxIVX]{1,5})|[Nn]o|N[°º]|Art|Sec|Fig|Nr)[.)]{0,2}\s*")
_ADDRESS = re.compile(r"(?:https?://|www\.)")
_ELLIPSIS = re.compile(r"…[\"'”’»)\]]*\s+(?=\S)")
_NOTE_NUMBER = re.compile(r"\.(?:\d{1,3}[, ])*\d{1,3}\s+(?=[A-Z])")
BULLETS = "⁃•*–-"
_WORD = re.compile(r"[^\W_]")
_LETTERS = re.compile(r"[^\W\d_]+")
SHORT = 30              # lines that are all shorter and have no stops are a list
NARROW = 50             # a line whose end had room for the next word within so many code points was ended on purpose


def corrected(text: str, starts: list[int], code: str) -> list[int]:
    """The starts of the sentences of a piece, mended."""
    markers, added = _stops(text, code)
    items = _list_items(text, markers) if len(markers) > 1 else set()
    kept = [0]
    for start in sorted({*starts[1:], *items}) if items else starts[1:]:
        plain = start - kept[-1] >= 24 and text[start - 1] == " " and text[start - 2] in ".?!" and text[start].isupper()
        if plain or start in items or not _joined(text, kept[-1], start, code):
            kept.append(start)
    if "…" in text:
        added += [found.end() for found in _ELLIPSIS.finditer(text) if text[found.end()].isupper()]
    if "\n" in text:
        added += _deliberate_line_ends(text, items)
    return sorted({*kept, *added}) if added else kept


def _joined(text: str, start: int, cut: int, code: str) -> bool:
    """Whether the segmenter's boundary at `cut` is none, where the sentence before it starts at `start`."""
    if cut - start < 24 and _ONLY_MARKER.fullmatch(text, start, cut):
        return True                         # "1." and "§ 1-206.02." belong to what they number
    at = cut - 1
    while at > start and text[at].isspace():
        at -= 1
    before = text[at]
    after = text[cut] if not text[cut].isspace() else text[cut:].lstrip()[:1]
    if after == "\u202c":                   # the end of a direction mark round the stop
        return True
    if at == cut - 1 and before in STOPS:   # no white space between
        if before in "!?" and after.isalnum():
            return True                     # "Y!J", "!Kung"
        if before == "." and text[at - 1:at].isdecimal() and not text[max(0, at - 3):at].isdecimal():
            return True                     # "3.Arroz"
        token = max(text.rfind(space, 0, cut) for space in " \t\n") + 1
        return before == "." and _ADDRESS.match(text, token) is not None
    if not text[start:at + 1].strip("." + CLOSING).strip():
        return True                         # an ellipsis that begins a sentence
    while at > start and text[at] in CLOSING:
        at -= 1
    if text[at] == ".":                     # "§ 1-206.02. of the code"
        return after.islower() and code != "kk" and at > 0 and text[at - 1].isdecimal()
    if text[at] in "!?":                    # "Alone! he yelled", "-- voila! -- you"
        word = text[cut:cut + 8].lstrip("-–— \t")[:1]
        return code != "kk" and word.islower() and (after == word or after in "-–—")
    return False


def _stops(text: str, code: str) -> tuple[list[tuple[int, int]], list[int]]:
    """`(start, end of its label)` of what may be the marker of a list, and boundaries that the segmenter left out."""
    starters = _STARTERS if code == "en" else _STARTERS | _DANISH_STARTERS if code == "da" else None
    markers: list[tuple[int, int]] = []
    added: list[int] = []
    for at, behind in stops(text):
        before = text[at - 1] if at else " "
        if behind == at + 2 and text[at + 1].isdecimal():
            if text[at] == "." and (before == ")" or before.islower()):
                note = _NOTE_NUMBER.match(text, at)
                if note is not None:
                    added.append(note.end())
            continue
        for start in range(at - 1, max(-1, at - 4), -1):
            if not text[start].isalnum():
                break
            if start == 0 or text[start - 1].isspace() or text[start - 1] in BULLETS:
                markers.append((start, at))
                break
        if (before in ".!?" if text[at] == ")" else text[at + 1] == ")"):
            if text[behind:behind + 1] in ('"', "“"):
                added.append(behind)        # "(She was the cat.) "I hope"
        elif text[at] == ")":
            continue
        elif starters is not None and ((text[at - 2:at - 1] == "." and before.isalpha())
                                       or text[max(0, at - 3):at] in _COMPANIES):
            word = _LETTERS.match(text, behind)
            if word is not None and word.group() in starters:
                added.append(behind)        # "in the U.S. It"
    return markers, added


def _list_items(text: str, markers: list[tuple[int, int]]) -> set[int]:
    """Where the items of lists start: markers of one kind that count up, the first after a line or a sentence."""
    found: dict[str, list[tuple[int, int, bool]]] = {}
    items: set[int] = set()
    for start, end in markers:
        label = text[start:end]
        if label.isdecimal():
            value, kind = int(label), "1" + text[end]
        elif len(label) == 1 and label.islower():
            value, kind = ord(label), "a" + text[end]
        else:
            continue
        while start > 0 and text[start - 1] in BULLETS:
            start -= 1
        run = found.setdefault(kind, [])
        if run and run[-1][1] + 1 == value:
            run.append((start, value, True))
        else:
            items.update(_run(run))
            in_front = text[max(0, start - 40):start].rstrip(" \t")
            found[kind] = [(start, value, not in_front or in_front[-1] in "\n.!?:")]
    for run in found.values():
        items.update(_run(run))
    return items


def _run(run: list[tuple[int, int, bool]]) -> list[int]:
    return [at for at, _, _ in run] if len(run) > 1 and run[0][2] else []


def _deliberate_line_ends(text: str, items: set[int]) -> list[int]:
    """Where lines start that the line before left room for: headings, items, addresses; not lines of wrapped prose."""
    lines: list[tuple[int, str, str]] = []
    at = 0
    for line in text.split("\n"):
        bare = line.strip()
        lines.append((at, bare, line[:1]))
        at += len(line) + 1
    filled = [bare for _, bare, _ in lines if bare]
    if len(filled) < 2:
        return []
    room = min(NARROW, max(map(len, filled)))
    all_short = len(filled) > 2 and room <= SHORT and not any(bare[-1] in ".,;:!?…-" for bare in filled)
    starts = [0, *sorted(items)]
    cuts = []
    for (_, before, indent), (start, line, first) in pairwise(lines):
        if not line or not before or before[-1] in ",;":
            continue
        rule = not (_WORD.search(before) and _WORD.search(line))
        wide = min(len(before), start - starts[bisect_left(starts, start) - 1]) + 1 + len(line.split(None, 1)[0])
        if all_short or rule or (not line[0].islower() and (wide <= room or first == "\t" != indent)):
            cuts.append(start)
    return cuts
