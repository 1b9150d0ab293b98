"""The recorded tokens, stems and stop words of the original."""
from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from narsilpy.analysis import Analyzer
from narsilpy.analysis.english import STOP_WORDS
from tests.conformance.differences import DIFFERENCES

DATA = Path(__file__).parent.parent / "data" / "analysis"
FILES = ("analysis.json", "analysis_languages.json")
CASES = [(file, case) for file in FILES for case in json.loads((DATA / file).read_text())["cases"]]


def recorded(case: dict[str, Any]) -> list[tuple[str, int, tuple[int, ...] | None]]:
    return [(term["term"], term["position"], tuple(term["cp"]) if term["cp"] else None)
            for term in case["expected"]["terms"]]


def ours(case: dict[str, Any]) -> list[tuple[str, int, tuple[int, ...] | None]]:
    """Our tokens; without a span where the original recorded none (it gives the first of two overlapping ones)."""
    spanless = {term["position"] for term in case["expected"]["terms"] if not term["cp"]}
    return [(token.term, token.position, None if token.position in spanless else (token.start, token.end))
            for token in Analyzer(**case["config"]).analyze(case["query"]["text"])]


@pytest.mark.parametrize(("file", "case"), CASES, ids=[f"{file[:-5]}-{case['name']}" for file, case in CASES])
def test_tokens(file: str, case: dict[str, Any]) -> None:
    same = ours(case) == recorded(case)
    if (file, case["name"]) in DIFFERENCES:
        assert not same, "no longer differs: take it out of the table"
    else:
        assert ours(case) == recorded(case)


def test_every_listed_difference_names_a_case() -> None:
    cases = {(file, case["name"]) for file, case in CASES}
    assert {key for key in DIFFERENCES if key[0] in FILES} <= cases


def test_english_stems() -> None:
    lines = gzip.decompress((DATA / "stems_english.txt.gz").read_bytes()).decode().split("\n")[:-1]
    pairs = [line.split("\t") for line in lines]
    assert len(pairs) == 8109
    stem = Analyzer(stop_words=[])._stem
    assert stem is not None
    assert [(word, stem(word)) for word, _ in pairs] == [(word, wanted) for word, wanted in pairs]


def test_english_stop_words() -> None:
    assert frozenset(json.loads((DATA / "stopwords_english.json").read_text())["words"]) == STOP_WORDS


# Words that are part of a longer word by the original's rules: beside marks, digits, "_" and apostrophes; escape
# sequences end in a letter; letters in circles, squares and brackets are symbols, not letters.
JOINED = {
    "sep_esc": 116, "mark_at_start": 3, "mark_after_space": 82, "circled": 119, "parenthesized": 84, "squared": 84,
    "regional": 84, "wrap_md_under": 84, "wrap_emoji_keycap": 84, "wrap_digit_tail": 84, "wrap_digit_head": 84,
    "wrap_apos_s": 84, "wrap_ansi": 84, "lang_NFC": 2, "lang_NFD": 2, "lang_NFKC": 2, "lang_NFKD": 2}


def test_spans_of_messy_texts() -> None:
    """680 texts of 114 kinds: the known words are found where they are known to be."""
    analyzer = Analyzer(stop_words=[])
    missed: Counter[str] = Counter()
    n_words = 0
    for line in gzip.decompress((DATA / "messy_synthetic.jsonl.gz").read_bytes()).splitlines():
        record = json.loads(line)
        spans = analyzer.word_spans(record["text"])
        starts, ends = {start for start, _ in spans}, {end for _, end in spans}
        n_words += len(record["spans"])
        missed[record["kind"]] += sum(start not in starts or end not in ends for _, start, end in record["spans"])
    assert n_words == 21481
    assert +missed == JOINED
