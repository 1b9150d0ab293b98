"""Writes ext/narsilpy/_unicode_data.h and narsilpy/analysis/newer.py: character classes, and the letters of late.

An index must not change its terms with the interpreter, so character classes are not asked of the running Python, and
lower case and normal forms only for characters of Unicode 14, which every supported Python knows. Run it by hand on
Python 3.11, with the `unicodedata2` of the wanted version installed, from the root of the project; both files are
committed.
"""
from __future__ import annotations

import unicodedata as oldest
from pathlib import Path

import unicodedata2 as unicodedata

# Classes, as ext/narsilpy/_text.pyx numbers them.
SEPARATOR, WORD, APOSTROPHE, HYPHEN, MARK = range(5)
HAN, HIRAGANA, KATAKANA, HANGUL, THAI, LAO, KHMER, BURMESE = range(8, 16)
KANA_LENGTH = 16        # the prolonged sound mark: goes with the kana before it

SCRIPTS = {
    "CJK UNIFIED IDEOGRAPH": HAN, "CJK COMPATIBILITY IDEOGRAPH": HAN, "IDEOGRAPHIC ITERATION MARK": HAN,
    "IDEOGRAPHIC NUMBER ZERO": HAN, "VERTICAL IDEOGRAPHIC ITERATION MARK": HAN, "HIRAGANA": HIRAGANA,
    "KATAKANA": KATAKANA, "HALFWIDTH KATAKANA": KATAKANA, "HANGUL": HANGUL, "HALFWIDTH HANGUL": HANGUL, "THAI": THAI,
    "LAO": LAO, "KHMER": KHMER, "MYANMAR": BURMESE,
}
APOSTROPHES = {0x27, 0x2018, 0x2019, 0x2BC, 0x2BB, 0xFF07}


def character_class(code: int) -> int:
    char = chr(code)
    if code in APOSTROPHES:
        return APOSTROPHE
    if code in (0x2D, 0xFF0D):
        return HYPHEN
    if code in (0x5F, 0xFF3F):
        return WORD
    if 0x55B <= code <= 0x55F or code in (0xFF9E, 0xFF9F):
        return MARK     # Armenian accents, which are dropped, and half-width voicing, which becomes a mark
    if code in (0x30FC, 0xFF70):
        return KANA_LENGTH
    category = unicodedata.category(char)
    if category[0] == "M" or 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF or 0xFFC2 <= code <= 0xFFDC:
        return MARK if category != "Cn" else SEPARATOR     # vowels and finals of Hangul go with their initial
    if category[0] not in "LN":
        return SEPARATOR
    name = unicodedata.name(char, "")
    if category[0] == "L" or name.startswith("IDEOGRAPHIC NUMBER ZERO"):
        for prefix, script in SCRIPTS.items():
            if name.startswith(prefix):
                return script
    return WORD


def write_header(path: Path) -> None:
    blocks: dict[bytes, int] = {}
    stage = []
    for start in range(0, 0x110000, 256):
        block = bytes(character_class(code) for code in range(start, start + 256))
        stage.append(blocks.setdefault(block, len(blocks)))
    lines = [
        "/* Character classes by code point: classes[block_of[code >> 8] * 256 + (code & 255)].",
        "   Made by ext/generate_unicode.py; do not edit. */",
        f'#define NARSILPY_UNICODE_VERSION "{unicodedata.unidata_version}"',
        f"static const unsigned short block_of[{len(stage)}] = {{",
        *(", ".join(map(str, stage[i:i + 24])) + "," for i in range(0, len(stage), 24)), "};",
        f"static const unsigned char classes[{len(blocks) * 256}] = {{",
    ]
    for block in blocks:
        lines += [",".join(map(str, block[i:i + 64])) + "," for i in range(0, 256, 64)]
    lines.append("};")
    path.write_text("\n".join(lines) + "\n")


def is_new(code: int) -> bool:
    return oldest.category(chr(code)) == "Cn" and unicodedata.category(chr(code)) != "Cn"


def newer() -> list[int]:
    """The characters newer than Unicode 14 that have a case, are part of a normal form, or are marks."""
    new = [code for code in range(0x110000) if is_new(code)]
    found = {code for code in new if unicodedata.category(chr(code)) in ("Lu", "Ll", "Lt", "Lm", "Mn", "Mc", "Me", "Sk")
             or unicodedata.combining(chr(code)) or unicodedata.decomposition(chr(code))}
    parts = {ord(char) for code in found for char in unicodedata.normalize("NFD", chr(code))}
    return sorted(found | {code for code in parts if is_new(code)})


def small_letter(code: int) -> int | None:
    """The lower case of a new capital letter: its name with SMALL for CAPITAL."""
    name = unicodedata.name(chr(code))
    if unicodedata.category(chr(code)) != "Lu":
        return None
    try:
        return ord(unicodedata.lookup(name.replace("CAPITAL", "SMALL")))
    except KeyError:
        return None


def write_newer(path: Path) -> None:
    codes = newer()
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    pairs = [(code, small) for code in codes if (small := small_letter(code)) is not None]
    lines = [
        '"""Characters newer than Unicode 14 that have a case, are part of a normal form, or are marks.', "",
        "Made by ext/generate_unicode.py; do not edit.", '"""', "from __future__ import annotations", "",
        f'UNICODE_VERSION = "{unicodedata.unidata_version}"', "RANGES = (",
        *("    " + ", ".join(f"(0x{first:05X}, 0x{last:05X})" for first, last in ranges[i:i + 5]) + ","
          for i in range(0, len(ranges), 5)), ")", "LOWER = {",
        *("    " + ", ".join(f"0x{code:05X}: 0x{small:05X}" for code, small in pairs[i:i + 6]) + ","
          for i in range(0, len(pairs), 6)), "}"]
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    if oldest.unidata_version != "14.0.0":
        raise SystemExit("run this on Python 3.11: its Unicode is the oldest that is supported")
    write_header(Path("ext/narsilpy/_unicode_data.h"))
    write_newer(Path("narsilpy/analysis/newer.py"))


if __name__ == "__main__":
    main()
