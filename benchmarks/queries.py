"""Queries drawn from a corpus with a fixed seed, by document frequency, and a brute-force BM25 that grades answers.

    rare        one word that 2 to n/10,000 documents hold        common      one of the 300 most frequent content words
    or2, or4    any of 2 or 4 words of all frequencies, one common  and2       both of two words of one document
    phrase2     two neighbouring words of a document               prefix      the first 4 letters of a stem
    fuzzy       a stem with one letter replaced, at distance 1     filter_num  a common word, a tenth of the numbers
    filter_tag  a common word, one tag
"""
from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from benchmarks import corpus

__all__ = ["KINDS", "Query", "Reference", "load"]

KINDS = ("rare", "common", "or2", "or4", "and2", "phrase2", "prefix", "fuzzy", "filter_num", "filter_tag")
PER_KIND = 200
WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Query:
    kind: str
    words: tuple[str, ...]      # as they stand in the text
    part: str = ""              # prefix and fuzzy: what is looked up
    low: int = 0
    high: int = 0
    tag: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.words)


def stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem


def stop_words() -> frozenset[str]:
    """The English stop words of the engine: the reference must leave out the same."""
    from narsilpy.analysis import Analyzer

    return Analyzer(language="english").stop_words


class Frequencies:
    """Document frequencies of the stems of a corpus, stop words apart, and one spelling of each."""

    def __init__(self, documents: Iterable[corpus.Document]) -> None:
        stem, stop = stemmer(), stop_words() | set(corpus.FUNCTION_WORDS)
        known: dict[str, str] = {}
        self.spelling: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for document in documents:
            seen = set()
            for word in set(WORD.findall(document.body.lower())):
                if word not in known:
                    known[word] = "" if word in stop or not word.isascii() or len(word) < 3 else stem(word)
                if known[word]:
                    seen.add(known[word])
                    self.spelling.setdefault(known[word], word)
            counts.update(seen)
        self.df = counts
        self.ranked = sorted(counts, key=lambda term: (-counts[term], term))


class Drawer:
    def __init__(self, name: str, documents: Sequence[corpus.Document], seed: int = 42) -> None:
        self.random = random.Random(f"{name}-{len(documents)}-{seed}")
        self.documents = documents
        self.frequencies = Frequencies(documents)
        ranked, df = self.frequencies.ranked, self.frequencies.df
        self.common = ranked[:300]
        ceiling = max(10, len(documents) // 10_000)
        self.rare = [term for term in ranked if 2 <= df[term] <= ceiling] or ranked[-300:]
        self.numbers = sorted(document.num for document in documents)
        self.tags = [tag for tag, _ in Counter(document.tag for document in documents).most_common(8)]
        self.stop = stop_words() | set(corpus.FUNCTION_WORDS)

    def spelled(self, *terms: str) -> tuple[str, ...]:
        return tuple(self.frequencies.spelling[term] for term in terms)

    def middling(self) -> str:
        """A term, log-uniform over document frequencies."""
        ranked, df = self.frequencies.ranked, self.frequencies.df
        wanted = math.exp(self.random.uniform(math.log(2), math.log(max(3, df[ranked[0]]))))
        low, high = 0, len(ranked) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if df[ranked[middle]] > wanted else (low, middle)
        return ranked[min(len(ranked) - 1, low + self.random.randrange(5))]

    def long_term(self) -> str:
        return next((term for term in (self.middling() for _ in range(50)) if len(term) >= 5), self.common[0])

    def from_document(self, *, adjacent: bool) -> tuple[str, str]:
        """Two content words of one document, neighbours in the text or not."""
        while True:
            body = self.random.choice(self.documents).body[:10_000].lower()
            found = [(match.group(), match.start(), match.end()) for match in WORD.finditer(body)]
            content = [len(word) > 2 and word.isascii() and word not in self.stop for word, *_ in found]
            good = [i for i, is_content in enumerate(content) if is_content]
            if adjacent:
                next_to = set(good)
                good = [i for i in good if i + 1 in next_to and body[found[i][2] : found[i + 1][1]] == " "]
                if good:
                    i = self.random.choice(good)
                    return found[i][0], found[i + 1][0]
            elif len(words := sorted({found[i][0] for i in good})) >= 2:
                first, second = self.random.sample(words, 2)
                return first, second

    def draw(self, kind: str) -> Query:
        random_ = self.random
        if kind == "rare":
            return Query(kind, self.spelled(random_.choice(self.rare)))
        if kind in ("or2", "or4"):
            terms = {random_.choice(self.common)}
            while len(terms) < int(kind[2]):
                terms.add(self.middling())
            return Query(kind, self.spelled(*sorted(terms)))
        if kind in ("and2", "phrase2"):
            return Query(kind, self.from_document(adjacent=kind == "phrase2"))
        if kind == "prefix":
            term = self.long_term()
            return Query(kind, self.spelled(term), part=term[:4])
        if kind == "fuzzy":
            term = self.long_term()
            at = random_.randrange(2, len(term))
            return Query(kind, self.spelled(term), part=term[:at] + random_.choice("aeioustrn") + term[at + 1 :])
        words = self.spelled(random_.choice(self.common))
        if kind == "filter_num":
            first = random_.randrange(int(len(self.numbers) * 0.9))
            last = min(len(self.numbers) - 1, first + len(self.numbers) // 10)
            return Query(kind, words, low=self.numbers[first], high=self.numbers[last])
        return Query(kind, words, tag=random_.choice(self.tags) if kind == "filter_tag" else "")


def load(name: str, n_documents: int) -> dict[str, list[Query]]:
    """The queries of each kind for a corpus; made once, then read from the cache."""
    path = corpus.CACHE / f"{name}-{n_documents}.queries.json"
    if not path.exists():
        drawer = Drawer(name, corpus.load(name, n_documents))
        drawn = {kind: [asdict(drawer.draw(kind)) for _ in range(PER_KIND)] for kind in KINDS}
        path.write_text(json.dumps(drawn), encoding="utf-8")
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {kind: [Query(**{**query, "words": tuple(query["words"])}) for query in stored[kind]] for kind in KINDS}


class Reference:
    """BM25 (k1 = 1.2, b = 0.75) by brute force over the terms of some queries: what a right answer scores."""

    GRADED = ("rare", "common", "or2", "or4", "and2", "filter_num", "filter_tag")

    def __init__(self, documents: Sequence[corpus.Document], queries: Iterable[Query]) -> None:
        self.stem, stop = stemmer(), stop_words()
        wanted = {self.stem(word) for query in queries for word in query.words}
        self.documents = {document.id: document for document in documents}
        self.counts: dict[str, Counter[str]] = {term: Counter() for term in wanted}
        self.length: dict[str, int] = {}
        known: dict[str, str] = {}
        for document in documents:
            n_terms = 0
            for word in WORD.findall(document.body.lower()):
                if word not in known:
                    known[word] = "" if word in stop else self.stem(word)
                if term := known[word]:
                    n_terms += 1
                    if term in wanted:
                        self.counts[term][document.id] += 1
            self.length[document.id] = n_terms
        self.average = sum(self.length.values()) / max(1, len(self.length))

    def score(self, terms: Iterable[str], doc_id: str) -> float:
        total = 0.0
        for term in terms:
            if count := self.counts[term].get(doc_id, 0):
                df = len(self.counts[term])
                idf = math.log(1 + (len(self.length) - df + 0.5) / (df + 0.5))
                total += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * self.length[doc_id] / self.average))
        return total

    def candidates(self, query: Query, terms: Sequence[str]) -> set[str]:
        sets = [set(self.counts[term]) for term in terms]
        found = set.intersection(*sets) if query.kind == "and2" else set.union(*sets)
        if query.kind == "filter_num":
            return {doc_id for doc_id in found if query.low <= self.documents[doc_id].num <= query.high}
        if query.kind == "filter_tag":
            return {doc_id for doc_id in found if self.documents[doc_id].tag == query.tag}
        return found

    def grade(self, query: Query, answer: Sequence[str], k: int = 10) -> float:
        """What the answer's documents score, of what the best k could: 1.0 is perfect, and ties do no harm."""
        terms = list(dict.fromkeys(self.stem(word) for word in query.words))
        candidates = self.candidates(query, terms)
        best = sum(sorted((self.score(terms, doc_id) for doc_id in candidates), reverse=True)[:k])
        got = sum(self.score(terms, doc_id) for doc_id in answer[:k] if doc_id in candidates)
        return got / best if best else float(not answer)
