"""Writes ext/narsilpy/_unicode_data.h and narsilpy/analysis/_lower.py: character classes and lower case, pinned.

An index must not change its terms with the interpreter, so neither is asked of the running Python. Run it by hand, with
the `unicodedata2` of the wanted version installed, from the root of the project; both files are committed.
"""
from __future__ import annotations

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


def main() -> None:
    write_header(Path("ext/narsilpy/_unicode_data.h"))


if __name__ == "__main__":
    main()
