"""Writes narsilpy/_grapheme_table.h: the classes of code points that UAX #29 needs for grapheme clusters.

    python ext/generate_graphemes.py GraphemeBreakProperty.txt

takes Grapheme_Cluster_Break from that file of the Unicode Character Database (17.0.0 made the present table), and
Extended_Pictographic and Indic_Conjunct_Break from the `regex` package of the same Unicode version (2025.11.3 for
17.0.0), which must agree with the file on what extends a cluster. Hangul syllables are left out: their class follows
from their number.
"""
from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

import regex

CLASSES = ("Other", "CR", "LF", "Control", "Extend", "IndicExtend", "IndicLinker", "ZWJ", "Regional_Indicator",
           "Prepend", "SpacingMark", "L", "V", "T", "LV", "LVT", "Pictographic", "Consonant")
POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]


def main() -> None:
    source = Path(sys.argv[1]).read_text("utf-8")
    version = source.splitlines()[0].removeprefix("# GraphemeBreakProperty-").removesuffix(".txt")
    classes = ["Other"] * 0x110000
    for line in source.splitlines():
        points, _, name = line.partition("#")[0].partition(";")
        if name.strip():
            first, _, last = points.strip().partition("..")
            for code in range(int(first, 16), int(last or first, 16) + 1):
                classes[code] = name.strip()
    extend = regex.compile(r"\p{GCB=Extend}")
    if any((classes[code] == "Extend") != bool(extend.match(chr(code))) for code in POINTS):
        raise SystemExit("the regex package knows another version of Unicode")
    for pattern, name, over in ((r"\p{InCB=Linker}", "IndicLinker", "Extend"),
                                (r"\p{InCB=Extend}", "IndicExtend", "Extend"),
                                (r"\p{InCB=Consonant}", "Consonant", "Other"),
                                (r"\p{Extended_Pictographic}", "Pictographic", "Other")):
        found = regex.compile(pattern)
        for code in POINTS:
            if found.match(chr(code)) and classes[code] != "ZWJ":
                if classes[code] != over:
                    raise SystemExit(f"U+{code:04X} is {name} and {classes[code]}")
                classes[code] = name
    for code in range(0xAC00, 0xD7A4):
        classes[code] = "Other"
    ranges = [(len(list(run)), name) for name, run in groupby(classes)]
    starts, at = [], 0
    for n, name in ranges:
        starts.append((at, CLASSES.index(name)))
        at += n
    lines = [f"/* Grapheme classes of Unicode {version}, made by ext/generate_graphemes.py from the Unicode",
             "   Character Database, Copyright 1991-2025 Unicode, Inc., Unicode License v3",
             "   (https://www.unicode.org/license.txt). Range i is [grapheme_starts[i], grapheme_starts[i + 1])",
             "   and has class grapheme_classes[i]. */",
             f'#define GRAPHEME_UNICODE "{version}"', f"#define N_GRAPHEME_RANGES {len(starts)}"]
    for kind, name, values in (("unsigned int", "starts", [f"0x{start:X}" for start, _ in starts]),
                               ("unsigned char", "classes", [str(number) for _, number in starts])):
        lines.append(f"static const {kind} grapheme_{name}[{len(starts)}] = {{")
        lines += ["    " + ", ".join(values[i:i + 14]) + "," for i in range(0, len(values), 14)]
        lines.append("};")
    target = Path(__file__).parent / "narsilpy" / "_grapheme_table.h"
    target.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
