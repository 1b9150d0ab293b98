"""From documents and their tokens to a partition: what `snapshot` fills.

The caller hands in each document with the tokens its analyzer found; everything else of the payload (lengths, postings,
field values, surface counts) is derived here, in the original's own order, so that files compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from narsilpy.storage.nrsl.model import (
    FieldIndexes,
    IndexData,
    Partition,
    StoredDocument,
    TermPostings,
    flatten_schema,
)

MAX_TERM_FREQUENCY: Final = 65_535
TEXT_TYPES: Final = frozenset({"string", "string:sortable", "string[]"})

# one token of a field: (term, position)
Token = tuple[str, int]


class IndexBuilder:
    """Collects documents into one partition.

    >>> builder = IndexBuilder("rules", {"body": "string"})
    >>> builder.add("CB-04", {"body": "a pushchair"}, {"body": [("pushchair", 1)]})
    >>> builder.finish().partitions[0].terms["pushchair"].doc_ids
    ['CB-04']
    """

    def __init__(self, name: str, schema: Mapping[str, Any], *, track_positions: bool = True, **settings: Any) -> None:
        """`settings` are further attributes of `IndexData` (language, bm25, stop_words, ...)."""
        self._flat = flatten_schema(dict(schema))
        self._track = track_positions
        self._index = IndexData(name=name, schema=dict(schema), **settings)
        if not track_positions:
            self._index.track_positions = False
        self._partition = Partition(index_name=name, language=self._index.language, schema=self._flat)
        self._surfaces: dict[str, tuple[int, str]] = {}

    def add(
        self,
        doc_id: str,
        document: Mapping[str, Any],
        tokens: Mapping[str, Sequence[Token]],
        surfaces: Iterable[tuple[str, str]] = (),
    ) -> None:
        """One document: `tokens` by text field (every text field it has, also empty ones), and `(surface, term)` for
        each token whose spelling differs from its term."""
        lengths = {field: len(found) for field, found in tokens.items()}
        self._partition.documents[doc_id] = StoredDocument(dict(document), lengths)
        seen: set[str] = set()
        for field, found in tokens.items():
            self._add_field(doc_id, field, found, seen)
        self._add_values(doc_id, document)
        for surface, term in surfaces:
            count, _ = self._surfaces.get(surface, (0, term))
            self._surfaces[surface] = (count + 1, term)

    def finish(self) -> IndexData:
        """The index with its one partition; the builder must not be used afterwards."""
        indexes = self._partition.field_indexes
        for numbers in indexes.numeric.values():
            numbers.sort(key=lambda entry: entry[0])
        self._partition.terms = dict(sorted(self._partition.terms.items()))
        self._partition.surface_forms = dict(sorted(self._surfaces.items())) or None
        self._index.partitions = [self._partition]
        return self._index

    def _add_field(self, doc_id: str, field: str, found: Sequence[Token], seen: set[str]) -> None:
        positions: dict[str, list[int]] = {}
        for term, position in found:
            positions.setdefault(term, []).append(position)
        for term, places in positions.items():
            postings = self._partition.terms.get(term)
            if postings is None:
                postings = TermPostings(0, [], [], [], [] if self._track else None)
                self._partition.terms[term] = postings
            postings.doc_ids.append(doc_id)
            postings.fields.append(field)
            postings.frequencies.append(min(len(places), MAX_TERM_FREQUENCY))
            if postings.positions is not None:
                postings.positions.append(places)
            if term not in seen:
                seen.add(term)
                postings.document_frequency += 1

    def _add_values(self, doc_id: str, document: Mapping[str, Any]) -> None:
        indexes = self._partition.field_indexes
        for field, kind in self._flat.items():
            value = _at(document, field)
            if value is None or kind in TEXT_TYPES:
                continue
            values = value if kind.endswith("[]") and isinstance(value, list | tuple) else [value]
            base = kind.removesuffix("[]")
            if base == "number":
                _add_numbers(indexes, field, doc_id, values)
            elif base == "boolean":
                true_docs, false_docs = indexes.boolean.setdefault(field, ([], []))
                for target, wanted in ((true_docs, True), (false_docs, False)):
                    if any(item is wanted for item in values):
                        target.append(doc_id)
            elif base == "enum":
                buckets = indexes.enum.setdefault(field, {})
                for item in dict.fromkeys(item for item in values if isinstance(item, str)):
                    buckets.setdefault(item, []).append(doc_id)
            elif base == "geopoint" and isinstance(value, Mapping):
                indexes.geopoint.setdefault(field, []).append((value["lat"], value["lon"], doc_id))


def _add_numbers(indexes: FieldIndexes, field: str, doc_id: str, values: Iterable[Any]) -> None:
    entries = indexes.numeric.setdefault(field, [])
    for item in values:
        if isinstance(item, int | float) and not isinstance(item, bool):
            entries.append((item if abs(item) < 2**63 else float(item), doc_id))


def _at(document: Mapping[str, Any], path: str) -> Any:
    value: Any = document
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
