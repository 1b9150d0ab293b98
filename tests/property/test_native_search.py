"""The native core against its twin: any layout of segments, removals and merges gives the twin's answers to the bit."""
from __future__ import annotations

from array import array
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from narsilpy._bits import Bits
from narsilpy._ingest import Intake, distinct_terms, forget
from narsilpy._lexicon import Lexicon
from narsilpy._postings import MemorySegment
from narsilpy._query import Query
from narsilpy._seal import merge
from narsilpy._segment import SealedSegment
from narsilpy.analysis import Analyzer
from tests.reference.ranking import K1, B, Twin

# Few words, so that they meet: some stem together, one is a stop word (a gap in positions), two are written with marks.
WORDS = ["fox", "foxes", "hound", "river", "the", "running", "runs", "straße", "e\u0301cole", "東京", "x"]
ANALYZER = Analyzer(language="english")


def analyze(text: str) -> list[tuple[str, int, int, int]]:
    return [(token.term, token.position, token.start, token.end) for token in ANALYZER.analyze(text)]


texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


class Collection:
    """Documents spread over segments as the drawn numbers say, beside their twin."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.n_fields = draw(st.integers(1, 3))
        documents = draw(st.lists(st.lists(texts, min_size=self.n_fields, max_size=self.n_fields), max_size=40))
        ids = draw(st.lists(st.text(alphabet="ab\u00e9\U0001f600\ud800", min_size=1, max_size=3),
                            min_size=len(documents), max_size=len(documents), unique=True))
        self.ids = ids
        self.lexicon = Lexicon()
        self.intake = Intake([ANALYZER.scanner(self.lexicon, Lexicon()) for _ in range(self.n_fields)])
        self.segments: list[Any] = []
        self.live: list[Bits | None] = []
        self._fill(documents, set(draw(st.lists(st.integers(1, 39), max_size=4))))
        removed = draw(st.sets(st.integers(0, 39), max_size=12)) if documents else set()
        removed = {number for number in removed if number < len(documents)}
        sealed_first = draw(st.booleans())
        if sealed_first:
            self._seal(draw(st.sets(st.integers(0, 4))))
        for number in removed:
            self._remove(number, documents[number])
        if not sealed_first:
            self._seal(draw(st.sets(st.integers(0, 4))))
        if len(self.segments) > 1 and draw(st.booleans()):
            start = draw(st.integers(0, len(self.segments) - 2))
            self._merge(start, draw(st.integers(start + 1, len(self.segments))))
        survivors = {ids[number]: document for number, document in enumerate(documents) if number not in removed}
        self.twin = Twin(survivors, self.n_fields, analyze)

    def _fill(self, documents: list[list[str]], cuts: set[int]) -> None:
        segment = MemorySegment(self.lexicon, 0, self.n_fields)
        for number, document in enumerate(documents):
            if number in cuts:
                self.segments.append(segment)
                segment = MemorySegment(self.lexicon, number, self.n_fields)
            segment.add(self.ids[number].encode("utf-8", "surrogatepass"), self.intake.scan(list(document)))
        if segment.n_docs:
            self.segments.append(segment)
        self.live = [None] * len(self.segments)

    def _remove(self, number: int, document: list[str]) -> None:
        for at, segment in enumerate(self.segments):
            if segment.first_doc <= number < segment.first_doc + segment.n_docs:
                forget(segment, self.lexicon, distinct_terms(self.intake.scan(list(document))))
                self.live[at] = (self.live[at] or Bits(segment.n_docs, True)).without([number - segment.first_doc])

    def _seal(self, which: set[int]) -> None:
        for at in which:
            if at < len(self.segments):
                segment = self.segments[at]
                self.segments[at] = SealedSegment(merge([segment], [self.live[at]]), segment.first_doc)

    def _merge(self, start: int, stop: int) -> None:
        parts, live = self.segments[start:stop], self.live[start:stop]
        merged = SealedSegment(merge(parts, live), parts[0].first_doc)
        dead = [part.first_doc - merged.first_doc + doc for part, bits in zip(parts, live, strict=True)
                if bits is not None for doc in range(part.n_docs) if doc not in bits]
        self.segments[start:stop] = [merged]
        self.live[start:stop] = [Bits(merged.n_docs, True).without(dead)]

    def query(self, terms: list[str], boosts: list[float] | None = None) -> Query:
        params = [(self.twin.average(field), 1.0 if boosts is None else boosts[field], True)
                  for field in range(self.n_fields)]
        query = Query(list(self.segments), list(self.live), len(self.twin.documents), K1, B, params)
        for term in terms:
            query.add_leaf()
            query.add_term(term.encode("utf-8", "surrogatepass"), (term, term, "exact"))
        return query

    def named(self, numbers: Any, scores: Any) -> list[tuple[float, str]]:
        return [(score, self.ids[number]) for number, score in zip(numbers, scores, strict=True)]


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    return Collection(draw)


TERMS = sorted({token[0] for word in WORDS for token in analyze(word)} | {"unknown"})


@given(collections(), st.lists(st.sampled_from(TERMS), min_size=1, max_size=4, unique=True), st.integers(1, 4),
       st.integers(0, 12), st.lists(st.sampled_from([1.0, 2.5, 0.0]), min_size=3, max_size=3))
def test_top_all_and_count_equal_the_twin(collection: Collection, terms: list[str], need: int, k: int,
                                          boosts: list[float]) -> None:
    boosts = boosts[:collection.n_fields]
    expected = collection.twin.search(terms, need, boosts)
    query = collection.query(terms, boosts)
    query.need = need
    assert collection.named(*query.top(k)) == expected[:k]
    found = collection.named(*query.all())
    assert sorted(found, key=lambda hit: (-hit[0], hit[1])) == expected
    assert query.count() == len(expected)
    if 0 < k < len(expected):
        score, doc_id = expected[k - 1]
        anchor = (score, doc_id.encode("utf-8", "surrogatepass"))
        assert collection.named(*query.top(k, anchor=anchor)) == expected[k:2 * k]


@given(collections(), st.lists(st.sampled_from(TERMS), min_size=1, max_size=4, unique=True))
def test_spans_equal_the_twin(collection: Collection, terms: list[str]) -> None:
    query = collection.query(terms)
    for number in query.all()[0]:
        for field in range(collection.n_fields):
            spans = [(span.start, span.end) for span in query.spans(number, field).positions]
            assert spans == collection.twin.spans(collection.ids[number], field, terms)


@given(collections(), st.lists(st.sampled_from(TERMS), min_size=2, max_size=3), st.integers(0, 3), st.integers(1, 2))
def test_phrases_equal_the_twin(collection: Collection, terms: list[str], slop: int, step: int) -> None:
    offsets = [number * step for number in range(len(terms))]
    query = collection.query(terms)
    query.add_phrase(0, offsets, slop)
    query.need = len(terms)
    twin = collection.twin
    expected = {
        doc_id: [twin.phrase_spans(doc_id, field, terms, offsets, slop) for field in range(collection.n_fields)]
        for doc_id in twin.documents}
    expected = {doc_id: spans for doc_id, spans in expected.items() if any(spans)}
    numbers, scores = query.all()
    assert {collection.ids[number] for number in numbers} == set(expected)
    for number in numbers:
        for field in range(collection.n_fields):
            found = sorted({(span.start, span.end) for span in query.spans(number, field).positions})
            assert found == expected[collection.ids[number]][field]
    hits = sorted(collection.named(numbers, scores), key=lambda hit: (-hit[0], hit[1]))
    assert collection.named(*query.top(3)) == hits[:3]


@given(collections(), st.lists(st.sampled_from(TERMS), min_size=3, max_size=3, unique=True))
def test_a_boolean_program_is_set_algebra(collection: Collection, terms: list[str]) -> None:
    a, b, c = terms
    twin = collection.twin
    query = Query(list(collection.segments), list(collection.live), len(twin.documents), K1, B,
                  [(twin.average(field), 1.0, True) for field in range(collection.n_fields)])
    for term in terms:
        query.add_leaf(scores=term != b)
        query.add_term(term.encode(), (term, term, "exact"))
    query.set_program([(0, 0), (0, 1), (3, 0), (1, 0), (0, 2), (2, 0)])     # (a and not b) or c
    expected = {doc_id for doc_id in twin.documents
                if (twin.matched(doc_id, a) and not twin.matched(doc_id, b)) or twin.matched(doc_id, c)}
    numbers, scores = query.all()
    assert {collection.ids[number] for number in numbers} == expected
    hits = sorted(collection.named(numbers, scores), key=lambda hit: (-hit[0], hit[1]))
    assert collection.named(*query.top(4)) == hits[:4]


@given(collections(), st.sampled_from(TERMS))
def test_a_program_of_a_negation_alone_sees_every_document(collection: Collection, term: str) -> None:
    query = collection.query([term])
    query.set_program([(0, 0), (3, 0)])
    expected = {doc_id for doc_id in collection.twin.documents if not collection.twin.matched(doc_id, term)}
    assert {collection.ids[number] for number in query.all()[0]} == expected
    assert query.count() == len(expected)


@given(collections(), st.integers(0, 6))
def test_the_most_frequent_terms_are_those_of_the_twin(collection: Collection, limit: int) -> None:
    frequencies = {term: len(collection.twin.search([term], 1)) for term in TERMS}
    ranked = sorted((term for term in TERMS if frequencies[term]), key=lambda term: (-frequencies[term], term))
    numbers = array("I", range(len(collection.lexicon)))
    found = collection.query([]).most_frequent(collection.lexicon, numbers, limit)
    assert found == [(term, frequencies[term]) for term in ranked[:limit]]
