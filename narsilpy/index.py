"""One index: its documents, its segments, its writes.

Readers never wait for a writer. Every change of what a query can see happens inside `_change()`, which makes the
generation odd before and even after; a reader builds its query optimistically and starts again where the generation
moved meanwhile. Once built, a native query sees its snapshot for as long as it lives.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from narsilpy._ingest import Intake, distinct_terms
from narsilpy._lexicon import Lexicon
from narsilpy._surfaces import Surfaces
from narsilpy.errors import DocumentAlreadyExists, DocumentNotFound, ErrorCode, InvalidDocument, NarsilError
from narsilpy.ids import new_id, utf8_id
from narsilpy.query.terms import QueryTerm
from narsilpy.results import BatchFailure, BatchResult, IndexStats
from narsilpy.schema import freeze, text_of, thaw, validate_doc_id
from narsilpy.segments import Segments
from narsilpy.settings import IndexSettings

T = TypeVar("T")

PROGRESS_EVERY = 1_000      # documents between two calls of `on_progress`


class DocumentTokens(NamedTuple):
    """What one document put into the index: tokens by text field, distinct terms (UTF-8), counts by spelling."""

    lengths: list[int]
    terms: list[bytes]
    surfaces: dict[int, int]


class Reading:
    """Counts the queries that may still read removed documents: `active` holds an entry for each."""

    __slots__ = ("active",)

    def __init__(self) -> None:
        self.active: list[None] = []

    def __enter__(self) -> None:
        self.active.append(None)

    def __exit__(self, *error: object) -> None:
        self.active.pop()


class IndexCore:
    """The state of one index and everything that changes it."""

    def __init__(self, name: str, settings: IndexSettings) -> None:
        self.name = name
        self.settings = settings
        self.schema = settings.schema
        self.analyzers = settings.analyzers
        self.field_names = [field.path for field in self.schema.text_fields]
        self.field_numbers = {path: number for number, path in enumerate(self.field_names)}
        self._lock = threading.RLock()
        self._generation = 0
        self._reading = Reading()
        self._graveyard: list[int] = []
        self.query_words: dict[str, list[QueryTerm]] = {}
        self._reset()

    def _reset(self) -> None:
        self.lexicon = Lexicon()
        self.segments = Segments(self.lexicon, len(self.field_names), self.settings.track_positions)
        spellings = Lexicon()
        self.surfaces = Surfaces(spellings) if self.settings.surface_forms else None
        self._intake = Intake([analyzer.scanner(self.lexicon, spellings) for analyzer in self.analyzers])
        self.documents: list[Any] = []
        self.doc_ids: list[str] = []
        self.numbers: dict[str, int] = {}
        self._field_params: tuple[int, list[tuple[float, float, bool]]] | None = None

    # ------------------------------------------------------------------------------------------------------ snapshots
    @contextmanager
    def _change(self) -> Iterator[None]:
        self._generation += 1
        try:
            yield
        finally:
            self._generation += 1

    def consistent(self, build: Callable[[], T]) -> T:
        """What `build` makes of one state of the index."""
        for _ in range(4):
            generation = self._generation
            if not generation & 1:
                result = build()
                if self._generation == generation:
                    return result
        with self._lock:
            return build()

    @property
    def reading(self) -> Reading:
        """A context in which documents that are removed meanwhile are kept."""
        return self._reading

    def completions(self, prefix: str) -> list[str]:
        """Terms that stand in live documents in a spelling that starts with `prefix`."""
        if self.surfaces is None:
            return [self.lexicon.term(number) for number in self.lexicon.prefix_range(prefix)]
        return [self.lexicon.term(number) for number in {term for _, term, _ in self.surfaces.completions(prefix)}]

    def field_params(self) -> list[tuple[float, float, bool]]:
        """`(average length, boost, searched)` of each text field, for a query over all of them."""
        cached = self._field_params
        generation = self._generation
        if cached is None or cached[0] != generation:
            segments = self.segments
            n_docs = segments.n_docs or 1
            cached = (generation, [(total / n_docs, 1.0, True) for total in segments.total_lengths])
            self._field_params = cached
        return cached[1]

    # --------------------------------------------------------------------------------------------------------- writes
    def insert(self, document: Any, doc_id: str | None = None) -> str:
        texts, values = self.schema.read(document)
        key = self._resolve_id(document, doc_id)
        stored = freeze(document)
        with self._lock:
            if key in self.numbers:
                raise DocumentAlreadyExists(
                    ErrorCode.DOC_ALREADY_EXISTS,
                    f'index "{self.name}" already holds a document "{key}"; use upsert or update to replace it',
                    {"index": self.name, "doc_id": key})
            self._put(key, texts, values, stored)
        return key

    def update(self, doc_id: str, document: Any) -> None:
        validate_doc_id(doc_id)
        texts, values = self.schema.read(document)
        stored = freeze(document)
        with self._lock:
            self._put(doc_id, texts, values, stored, replaces=self._number(doc_id))

    def upsert(self, document: Any, doc_id: str | None = None) -> str:
        texts, values = self.schema.read(document)
        key = self._resolve_id(document, doc_id)
        stored = freeze(document)
        with self._lock:
            self._put(key, texts, values, stored, replaces=self.numbers.get(key))
        return key

    def remove(self, doc_id: str) -> None:
        validate_doc_id(doc_id)
        with self._lock:
            number = self._number(doc_id)
            tokens = self._tokens_of(number)
            with self._change():
                self._take_out(number, tokens)
            self._bury()

    def _put(self, key: str, texts: list[Any], values: Any, stored: Any, replaces: int | None = None) -> None:
        """Add a document, in place of another where `replaces` is given. The lock is held."""
        old = None if replaces is None else self._tokens_of(replaces)
        buffers = self._intake.scan(texts)
        self._generation += 1
        try:
            number = self.segments.add(utf8_id(key), buffers)
            if self.surfaces is not None:
                self.surfaces.add(buffers)
            if replaces is not None and old is not None:
                self._take_out(replaces, old)
            self.documents.append(stored)
            self.doc_ids.append(key)
            self.numbers[key] = number
        finally:
            self._generation += 1
        if replaces is not None:
            self._bury()
        if self.segments.is_due():
            self._seal()

    def _take_out(self, number: int, tokens: DocumentTokens) -> None:
        self.segments.remove(number, tokens.lengths, tokens.terms)
        if self.surfaces is not None:
            self.surfaces.remove(tokens.surfaces)
        del self.numbers[self.doc_ids[number]]
        self._graveyard.append(number)

    def _tokens_of(self, number: int) -> DocumentTokens:
        """What a stored document put into the index. Its text is scanned again."""
        stored = self.documents[number]
        assert stored is not None, "a live document is stored"
        buffers = self._intake.scan([text_of(stored, field.parts) for field in self.schema.text_fields])
        return DocumentTokens([0 if buffer is None else len(buffer) for buffer in buffers],
                              distinct_terms(self.lexicon, buffers),
                              {} if self.surfaces is None else self.surfaces.counted(buffers))

    def _bury(self) -> None:
        """Drop removed documents that no query can reach any more."""
        if not self._reading.active:
            for number in self._graveyard:
                self.documents[number] = None
            self._graveyard.clear()

    def _seal(self) -> None:
        self.segments.seal(self._change)

    def _resolve_id(self, document: Any, doc_id: str | None) -> str:
        if doc_id is None:
            doc_id = document.get("id")
            if not isinstance(doc_id, str) or not doc_id:
                return new_id()
        validate_doc_id(doc_id)
        return doc_id

    def _number(self, doc_id: str) -> int:
        number = self.numbers.get(doc_id)
        if number is None:
            raise DocumentNotFound(ErrorCode.DOC_NOT_FOUND, f'index "{self.name}" holds no document "{doc_id}"',
                                   {"index": self.name, "doc_id": doc_id})
        return number

    # -------------------------------------------------------------------------------------------------------- batches
    def insert_batch(self, documents: Iterable[Any], on_progress: Callable[[int], object] | None = None) -> BatchResult:
        return self._batch(documents, self.insert, _own_id, on_progress)

    def update_batch(self, pairs: Iterable[tuple[str, Any]]) -> BatchResult:
        def update(pair: Any) -> str:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                                      "update_batch takes (doc_id, document) pairs", {})
            self.update(pair[0], pair[1])
            return str(pair[0])

        return self._batch(pairs, update, lambda pair: pair[0] if isinstance(pair, (tuple, list)) and pair else "")

    def remove_batch(self, doc_ids: Iterable[str]) -> BatchResult:
        def remove(doc_id: str) -> str:
            self.remove(doc_id)
            return doc_id

        return self._batch(doc_ids, remove, lambda doc_id: doc_id)

    def _batch(self, items: Iterable[Any], apply: Callable[[Any], str], name: Callable[[Any], Any],
               on_progress: Callable[[int], object] | None = None) -> BatchResult:
        """Apply each item; one that fails is reported and stops nothing. An iterable that raises keeps what came before."""
        if isinstance(items, (str, bytes, dict)) or not isinstance(items, Iterable):
            raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                                  f"a batch is an iterable, not {type(items).__name__}", {})
        succeeded: list[str] = []
        failed: list[BatchFailure] = []
        done = 0
        try:
            for item in items:
                try:
                    succeeded.append(apply(item))
                except NarsilError as error:
                    doc_id = name(item)
                    failed.append(BatchFailure(doc_id if isinstance(doc_id, str) else "", error))
                done += 1
                if on_progress is not None and done % PROGRESS_EVERY == 0:
                    on_progress(done)
        finally:
            with self._lock:
                if self.segments.is_due(after_batch=True):
                    self._seal()
        if on_progress is not None and done % PROGRESS_EVERY:
            on_progress(done)
        return BatchResult(succeeded, failed)

    # ---------------------------------------------------------------------------------------------------------- reads
    def get(self, doc_id: str) -> dict[str, Any] | None:
        stored = self.stored(doc_id)
        return None if stored is None else thaw(stored)

    def stored(self, doc_id: str) -> Any:
        """The stored form of a live document, or None."""
        with self._reading:
            number = self.numbers.get(doc_id) if isinstance(doc_id, str) else None
            return None if number is None else self.documents[number]

    def clear(self) -> None:
        with self._lock, self._change():
            self._reset()

    def optimize(self) -> None:
        with self._lock:
            self.segments.optimize(self._change)

    def stats(self) -> IndexStats:
        def build() -> IndexStats:
            views, _ = self.segments.views()
            averages = [average for average, _, _ in self.field_params()]
            return IndexStats(
                n_docs=len(self.numbers), n_segments=len(views), n_terms=len(self.lexicon),
                index_bytes=self.segments.nbytes + self.lexicon.nbytes,
                average_lengths=dict(zip(self.field_names, averages, strict=True)),
                language=self.settings.language)

        return self.consistent(build)


def _own_id(document: Any) -> Any:
    return document.get("id") if isinstance(document, dict) else ""
