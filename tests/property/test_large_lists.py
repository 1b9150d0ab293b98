"""The pruned top k over lists of many blocks, windows and segments is the exhaustive one, and the twin's, bit by bit.

The collections of `test_native_search` are small, so that failures are readable; nothing is ever skipped in them. These
have thousands of documents, words of every density, long and short documents side by side.
"""
from __future__ import annotations

import functools
import itertools
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy._bits import Bits
from narsilpy._ingest import Intake
from narsilpy._lexicon import Lexicon
from narsilpy._postings import MemorySegment
from narsilpy._query import Query
from narsilpy._seal import merge
from narsilpy._segment import SealedSegment
from narsilpy.analysis import Analyzer

K1, B = 1.2, 0.75
N_DOCS = 9_000
SHARES = {"wa": 0.9, "wb": 0.5, "wc": 0.31, "wd": 0.12, "we": 0.11, "wf": 0.02, "wg": 0.018, "wh": 0.002, "wi": 0.0004}
LAYOUTS = ["memory", "sealed", "three", "merged", "removed"]


class Large:
    """Two fields, written as `layout` says; `texts` holds the words of each by document, None where it was removed."""

    def __init__(self, layout: str) -> None:
        random_ = random.Random(layout)
        analyzer = Analyzer(language="english", stop_words=[])
        self.lexicon = Lexicon()
        intake = Intake([analyzer.scanner(self.lexicon, Lexicon()) for _ in range(2)])
        n_docs = 2_500 if layout == "memory" else N_DOCS
        self.texts: list[tuple[list[str], list[str]] | None] = [
            (self.words(random_, doc, n_docs), random_.sample(["wa", "wd", "wf", "zz"], random_.randint(0, 2)))
            for doc in range(n_docs)]
        ids = [f"{(doc * 7919) % n_docs:05d}" for doc in range(n_docs)]
        self.ids = ids
        cuts = {"three": [0, 4_000, 4_130, n_docs], "merged": [0, 1_000, 5_000, n_docs]}.get(layout, [0, n_docs])
        self.segments: list[Any] = []
        for first, last in itertools.pairwise(cuts):
            segment = MemorySegment(self.lexicon, first, 2)
            for doc in range(first, last):
                body, title = self.texts[doc] or ([], [])
                segment.add(ids[doc].encode(), intake.scan([" ".join(body), " ".join(title)]))
            self.segments.append(segment)
        self.live: list[Bits | None] = [None] * len(self.segments)
        if layout == "removed":
            self.remove(random_)
        if layout != "memory":
            self.segments = [SealedSegment(merge([segment], [live]), segment.first_doc)
                             for segment, live in zip(self.segments, self.live, strict=True)]
        if layout == "merged":
            self.segments = [SealedSegment(merge(self.segments, self.live), 0)]
            self.live = [None]

    @staticmethod
    def words(random_: random.Random, doc: int, n_docs: int) -> list[str]:
        found = [word for word, share in SHARES.items() if random_.random() < share
                 for _ in range(1 if random_.random() < 0.8 else random_.randint(2, 40))]
        if 0.4 < doc / n_docs < 0.45:           # a stretch that "wb" and "wf" alone share
            found = [word for word in found if word in ("wb", "wf")]
        if doc % 997 == 3:
            found += ["zz"] * random_.choice([5, 250, 300])
        random_.shuffle(found)
        return found

    def remove(self, random_: random.Random) -> None:
        gone = random_.sample(range(N_DOCS), 2_000)
        self.live = [Bits(N_DOCS, True).without(gone)]
        for doc in gone:
            self.texts[doc] = None

    @functools.cached_property
    def totals(self) -> tuple[int, list[int]]:
        kept = [texts for texts in self.texts if texts is not None]
        return len(kept), [sum(len(texts[field]) for texts in kept) for field in range(2)]

    @functools.cache  # noqa: B019  # the collections live as long as the module
    def impacts(self, term: str) -> dict[int, list[float]]:
        """By document, the score of the term in each field that has it, as the formula says."""
        n_docs, lengths = self.totals
        df = sum(texts is not None and (term in texts[0] or term in texts[1]) for texts in self.texts)
        idf = math.log((n_docs - df + 0.5) / (df + 0.5) + 1.0)
        found: dict[int, list[float]] = {}
        for doc, texts in enumerate(self.texts):
            for field in range(2):
                tf = 0 if texts is None else texts[field].count(term)
                if tf and texts is not None:
                    c0, c1 = K1 * (1.0 - B), K1 * B / (lengths[field] / n_docs)
                    score = idf * (K1 + 1.0) * tf / (tf + (c0 + c1 * len(texts[field])))
                    found.setdefault(doc, []).append(score)
        return found

    def expected(self, terms: list[str], need: int) -> list[tuple[float, str]]:
        impacts = [self.impacts(term) for term in terms]
        scores = []
        for doc in set().union(*impacts):
            if sum(doc in part for part in impacts) >= need:
                # one after the other: `sum` of newer Pythons compensates, which gives other doubles
                total = functools.reduce(float.__add__, [score for part in impacts for score in part.get(doc, ())], 0.0)
                scores.append((total, self.ids[doc]))
        return sorted(scores, key=lambda hit: (-hit[0], hit[1]))

    def expected_best(self, terms: list[str]) -> list[tuple[float, str]]:
        best: dict[int, float] = {}
        for term in terms:
            for doc, scores in self.impacts(term).items():
                best[doc] = max(best.get(doc, 0.0), functools.reduce(float.__add__, scores, 0.0))
        return sorted(((score, self.ids[doc]) for doc, score in best.items()), key=lambda hit: (-hit[0], hit[1]))

    def query(self, terms: list[str], need: int, best: bool = False) -> Query:
        n_docs, lengths = self.totals
        query = Query(list(self.segments), list(self.live), n_docs, K1, B,
                      [(length / n_docs, 1.0, True) for length in lengths])
        for number, term in enumerate(terms):
            if not best or number == 0:
                query.add_leaf(best_only=best)
            df = sum(texts is not None and (term in texts[0] or term in texts[1]) for texts in self.texts)
            query.add_term(term.encode(), term, df=df)
        query.need = need
        return query


    def named(self, numbers: Any, scores: Any) -> list[tuple[float, str]]:
        return [(score, self.ids[number]) for number, score in zip(numbers, scores, strict=True)]


@functools.cache
def large(layout: str) -> Large:
    return Large(layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.lists(st.sampled_from([*SHARES, "zz"]), min_size=1, max_size=4, unique=True), st.booleans(),
       st.sampled_from([1, 2, 10, 10, 100]))
def test_the_pruned_top_is_the_exhaustive_one(layout: str, terms: list[str], together: bool, k: int) -> None:
    collection = large(layout)
    need = len(terms) if together else 1
    expected = collection.expected(terms, need)
    query = collection.query(terms, need)

    named = collection.named
    assert named(*query.top(k)) == expected[:k]
    assert sorted(named(*query.all()), key=lambda hit: (-hit[0], hit[1])) == expected
    assert query.count() == len(expected)
    if len(expected) > k:
        score, doc_id = expected[k]
        assert named(*query.top(k, anchor=(score, doc_id.encode()))) == expected[k + 1:2 * k + 1]
        assert named(*query.top(2 * k, min_score=score)) == [hit for hit in expected[:2 * k] if hit[0] >= score]


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.lists(st.sampled_from([*SHARES, "zz"]), min_size=1, max_size=5, unique=True),
       st.sampled_from([1, 2, 10, 200]))
def test_the_best_of_several_lists_counts(layout: str, terms: list[str], k: int) -> None:
    collection = large(layout)
    expected = collection.expected_best(terms)
    query = collection.query(terms, 1, best=True)
    assert collection.named(*query.top(k)) == expected[:k]
    assert sorted(collection.named(*query.all()), key=lambda hit: (-hit[0], hit[1])) == expected
    if len(expected) > k:
        score, doc_id = expected[k]
        assert collection.named(*query.top(k, anchor=(score, doc_id.encode()))) == expected[k + 1:2 * k + 1]
