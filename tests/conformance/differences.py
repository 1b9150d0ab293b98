"""Where this library deliberately answers otherwise than the original's recorded results, and why.

`{(fixture file, case name): reason}`. A test asserts that each listed case really differs.
"""
from __future__ import annotations

_PAIRS = ("scripts written without spaces are indexed as overlapping pairs of characters in every language, so that their "
          "words are found; the original does so in the modules of these languages only, and elsewhere takes a whole "
          "sentence for one word")

DIFFERENCES: dict[tuple[str, str], str] = {
    ("analysis.json", "cjk chinese"): _PAIRS,
    ("analysis.json", "cjk japanese"): _PAIRS,
    ("analysis.json", "korean"): _PAIRS,
    ("analysis.json", "thai"): _PAIRS,
}
