"""Folding: the steps, and that they do not depend on the interpreter's Unicode."""
from __future__ import annotations

import hashlib

import pytest

from narsilpy._text import UNICODE_VERSION
from narsilpy.analysis import newer
from narsilpy.analysis.folding import fold, strip_diacritics


@pytest.mark.parametrize(("word", "folded"), [
    ("Dog", "dog"), ("DOG’S", "dog's"), ("ʻokina", "'okina"), ("E\u0301cole", "école"), ("İstanbul", "istanbul"),
    ("I\u0307", "i"), ("ıI", "ıi"), ("ΟΔΟΣ", "οδος"), ("Σ", "σ"), ("ΣΑ", "σα"), ("Straße", "straße"), ("ẞ", "ß"),
    ("ﬁ", "ﬁ"),    ("ＤＯＧ＇Ｓ", "dog's"), ("ﾊﾟﾊﾞﾝ", "パバン"), ("ｰ", "ー"),
    ("ﾡￂ", "가"), ("Ինչո՞ւ", "ինչու"), ("\u212a", "k"),
    ("\u1112\u1161\u11ab", "한"), ("\ud800A", "\ud800a"), ("ſ", "ſ")])
def test_fold(word: str, folded: str) -> None:
    assert fold(word) == folded


def test_letters_of_late_are_lowered_by_our_own_table() -> None:
    """U+1C89 and Garay came with Unicode 16, Beria Erfe with 17: no interpreter of 3.11 knows them."""
    assert fold("\u1c89\u1c8a") == "\u1c8a\u1c8a"
    assert fold("\U00010d50\U00016ea0") == "\U00010d70\U00016ebb"
    assert newer.UNICODE_VERSION == UNICODE_VERSION
    assert all(fold(chr(large)) == chr(small) == fold(chr(small)) for large, small in newer.LOWER.items())


def test_every_interpreter_folds_alike() -> None:
    """Every character below the plane of ideographs, and late ones in company, folded to one recorded checksum."""
    digest = hashlib.sha256()
    late = [chr(code) for first, last in newer.RANGES for code in range(first, last + 1)]
    company = [word for char in late
               for word in (f"AΣ{char}", f"{char}Σ", f"a{char}\u0323\u0301", f"{char}\u0307{char}")]
    for word in [*map(chr, range(0x20000)), *company]:
        digest.update(f"{fold(word)} {strip_diacritics(word)}\n".encode("utf-8", "surrogatepass"))
    assert digest.hexdigest() == "a9d0e0a6ca4ed3c43c5b3db8ad8ce2418a96eb0e370ec51e4fbc43c1390246f9"
