"""What queries and writes answer with: small frozen records.

Records are `msgspec.Struct`s (made in 0.1 µs; a slotted dataclass takes 0.15 µs in C and 1 µs in Python). Every one has
`to_dict()`, which gives plain Python values, ready for JSON.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from narsilpy._highlight import Highlight
from narsilpy.errors import NarsilError
from narsilpy.highlight.model import Quote


class BatchFailure(msgspec.Struct, frozen=True):
    """A document that a batch could not take: its id ("" where it had none) and why."""

    doc_id: str
    error: NarsilError

    def to_dict(self) -> dict[str, Any]:
        return {"doc_id": self.doc_id, "code": self.error.code.value, "message": self.error.message}


class BatchResult(msgspec.Struct, frozen=True):
    """What a batch did: ids that went through, in order, and one `BatchFailure` for each that did not."""

    succeeded: list[str]
    failed: list[BatchFailure]

    def to_dict(self) -> dict[str, Any]:
        return {"succeeded": list(self.succeeded), "failed": [failure.to_dict() for failure in self.failed]}


class Hit(msgspec.Struct, frozen=True, eq=False):
    """One document of a result.

    Attributes:
        id: the document's id.
        score: its BM25 score; 0.0 where nothing was scored (no term, a sort without `include_scores`, a pinned hit).
        document: a copy of the stored document, narrowed by the `document` option; {} with `document=False`.
        highlights: a `Highlight` by field, empty unless `highlight` was given.
        score_components: with `include_score_components` the numbers that the score is made of, see `ScoreComponents`.
    """

    id: str
    score: float
    document: dict[str, Any]
    highlights: dict[str, Highlight]
    _source: Any = None     # what `quote` reads: the index, the query, the document's number, the stored document
    score_components: ScoreComponents | None = None

    @property
    def coverage(self) -> float:
        """How much of the query the document holds: its matched words of all different words of the query, 0.0 to 1.0.

        Words are counted as searched: stop words and what `fields` leaves out do not count, and a completion or a
        misspelling counts as its word. 0.0 where there was no term.
        """
        from narsilpy.query.answer import share

        return 0.0 if self._source is None or self._source[1] is None else share(self._source[1], self._source[2])

    def quote(self, field: str) -> Quote | None:
        """The sentence of `field` round its best match: the one with most different words of the query.

        None where the field holds no match (or no text). The field need not be highlighted or projected.
        """
        from narsilpy.citations.quotes import quote_of_hit

        return quote_of_hit(self._source, field)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hit) and self._shown() == other._shown()

    __hash__ = None  # type: ignore[assignment]  # documents are dicts

    def _shown(self) -> tuple[Any, ...]:
        return self.id, self.score, self.document, self.highlights, self.score_components

    def __repr__(self) -> str:
        return f"Hit(id={self.id!r}, score={self.score!r}, document={self.document!r}, highlights={self.highlights!r})"

    def _repr_html_(self) -> str:
        from narsilpy.notebook import hit_html

        return hit_html(self)

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"id": self.id, "score": self.score, "document": self.document}
        if self.highlights:
            result["highlights"] = {field: value.to_dict() for field, value in self.highlights.items()}
        if self.score_components is not None:
            result["score_components"] = self.score_components.to_dict()
        return result


class ScoreComponents(msgspec.Struct, frozen=True):
    """The numbers behind a score.

    Attributes:
        term_frequencies: how often a matched term stands in a field, by "field:term".
        field_lengths: the tokens of each field that a term was found in.
        idf: the inverse document frequency of each matched term.
    """

    term_frequencies: dict[str, int]
    field_lengths: dict[str, int]
    idf: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


class Facet(msgspec.Struct, frozen=True):
    """How often each value of a field stands in the matches.

    Attributes:
        values: value to number of documents, most frequent first (least with `sort="asc"`), equals by value.
        count: how many values are listed.
        error_bound: 0; counts are exact.
    """

    values: dict[Any, int]
    count: int
    error_bound: int = 0

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


class Group(msgspec.Struct, frozen=True):
    """Matches that have the values of some fields in common.

    Attributes:
        values: those values, by field; a field that the documents lack is left out.
        hits: the first `max_per_group` of its hits, in the order of the result.
        reduced: what the `reduce` function made of the hits, None without one.
    """

    values: dict[str, Any]
    hits: tuple[Hit, ...]
    reduced: Any = None

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"values": self.values, "hits": [hit.to_dict() for hit in self.hits]}
        if self.reduced is not None:
            result["reduced"] = self.reduced
        return result


class QueryResult:
    """The answer to a query: iterable, sized and indexable over its hits.

    Attributes:
        hits: tuple of `Hit`, best first.
        count: how many documents match, before `limit` and `offset`. Exact, and computed when it is first read.
        elapsed: seconds that the query took.
        cursor: where the page ends, for `search_after` of the next one; None where no more hits follow.
        facets: a `Facet` by field, {} unless `facets` was given.
        groups: a tuple of `Group`, () unless `group` was given.
        best_coverage: the greatest `coverage` of any match, returned or not; 0.0 where nothing matches. Below 0.5 most
            of what was asked is not in any document.
        analysis_stale: whether another version of the analyzer made the index's terms; see `rebuild_analysis`.
    """

    __slots__ = ("_best_coverage", "_count", "_cursor", "analysis_stale", "elapsed", "facets", "groups", "hits")

    def __init__(self, hits: tuple[Hit, ...], count: int | Callable[[], int], elapsed: float,
                 cursor: str | Callable[[], str | None] | None = None, facets: dict[str, Facet] | None = None,
                 groups: tuple[Group, ...] = (), best_coverage: float | Callable[[], float] = 0.0) -> None:
        self.hits = hits
        self.elapsed = elapsed
        self.facets = {} if facets is None else facets
        self.groups = groups
        self._count = count
        self._cursor = cursor
        self._best_coverage = best_coverage
        self.analysis_stale = False

    @property
    def count(self) -> int:
        count = self._count
        if not isinstance(count, int):
            self._count = count = count()
        return count

    @property
    def cursor(self) -> str | None:
        cursor = self._cursor
        if cursor is not None and not isinstance(cursor, str):
            self._cursor = cursor = cursor()
        return cursor

    @property
    def best_coverage(self) -> float:
        best = self._best_coverage
        if not isinstance(best, float):
            self._best_coverage = best = best()
        return best

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, index: Any) -> Any:
        return self.hits[index]

    def __bool__(self) -> bool:
        return bool(self.hits)

    def __repr__(self) -> str:
        return f"QueryResult({len(self.hits)} hits, elapsed={self.elapsed:.6f})"

    def _repr_html_(self) -> str:
        from narsilpy.notebook import result_html

        return result_html(self)

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"hits": [hit.to_dict() for hit in self.hits], "count": self.count,
                                  "elapsed": self.elapsed, "cursor": self.cursor}
        if self.facets:
            result["facets"] = {field: facet.to_dict() for field, facet in self.facets.items()}
        if self.groups:
            result["groups"] = [group.to_dict() for group in self.groups]
        return result


class Entry(msgspec.Struct, frozen=True):
    """One document of a listing."""

    id: str
    document: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


class Page(msgspec.Struct, frozen=True):
    """One page of a listing.

    Attributes:
        documents: `Entry` records, in order.
        cursor: for the next page; None on the last.
        total: how many documents the whole listing has.
        analysis_stale: whether another version of the analyzer made the index's terms; see `rebuild_analysis`.
    """

    documents: tuple[Entry, ...]
    cursor: str | None
    total: int
    analysis_stale: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {"documents": [entry.to_dict() for entry in self.documents], "cursor": self.cursor, "total": self.total}


class Explanation(msgspec.Struct, frozen=True):
    """One node of the tree behind a score.

    Attributes:
        value: the number; that of the root is the document's score.
        description: what it stands for.
        operation: how `value` follows: "sum" of the details' values from the left, "max" or "product" of them; "bm25"
            from `numbers`, weight * tf / (tf + normal) with weight = boost * factor * idf * (k1 + 1) and normal = k1 *
            (1 - b + b * length / average_length); "boost_by" from the stored number; "none".
        matches: whether the document is a match at all.
        details: the nodes below.
        numbers: what a "bm25" node is computed from, with its term, field and kind of match.
    """

    value: float
    description: str
    operation: str
    matches: bool = True
    details: tuple[Explanation, ...] = ()
    numbers: dict[str, Any] = {}

    def to_dict(self) -> dict[str, Any]:
        result: dict[str, Any] = {"value": self.value, "description": self.description, "operation": self.operation}
        if not self.matches:
            result["matches"] = False
        if self.details:
            result["details"] = [detail.to_dict() for detail in self.details]
        if self.numbers:
            result["numbers"] = self.numbers
        return result

    def __str__(self) -> str:
        """The tree, a line each node, indented."""
        lines = [f"{self.value:.6g}  {self.description}"]
        for detail in self.details:
            lines += ["  " + line for line in str(detail).splitlines()]
        return "\n".join(lines)


class Suggestions(msgspec.Struct, frozen=True):
    """Completions of what was typed: `(term, document_frequency)` pairs, most frequent first."""

    terms: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        return {"terms": [{"term": term, "document_frequency": df} for term, df in self.terms]}


class Preflight(msgspec.Struct, frozen=True):
    """How many documents a query would match, and the seconds that counting them took."""

    count: int
    elapsed: float

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)


class IndexStats(msgspec.Struct, frozen=True):
    """Sizes of an index: live documents, numbers in use, segments, distinct terms scanned, and bytes.

    `index_bytes` counts postings, spans and terms; stored documents are apart. `average_lengths` holds, by text field,
    the tokens a document has on average. `disk_bytes` are those of all files of an index on disk. `analysis_stale`
    says that another version of the analyzer made its terms: `rebuild_analysis` makes them anew.
    """

    n_docs: int
    n_segments: int
    n_terms: int
    index_bytes: int
    average_lengths: dict[str, float]
    language: str
    disk_bytes: int = 0
    analysis_stale: bool = False

    def to_dict(self) -> dict[str, Any]:
        return msgspec.structs.asdict(self)
