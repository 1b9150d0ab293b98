"""One index: its documents, its segments, its writes.

Readers never wait for a writer. Every change of what a query can see happens inside `_change()`, which makes the
generation odd before and even after; a reader builds its query optimistically and starts again where the generation
moved meanwhile. Once built, a native query sees its snapshot for as long as it lives.
"""
from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, TypeVar

from narsilpy._bits import Bits
from narsilpy._ingest import Intake, distinct_terms
from narsilpy._lexicon import Lexicon
from narsilpy._surfaces import Surfaces
from narsilpy.analyses import Analysis, SurfaceSets, make_analyses
from narsilpy.columns import Columns
from narsilpy.errors import DocumentAlreadyExists, DocumentNotFound, ErrorCode, InvalidDocument, NarsilError
from narsilpy.ids import new_id, utf8_id
from narsilpy.query.terms import QueryTerm
from narsilpy.reading import Reading
from narsilpy.results import BatchFailure, BatchResult, IndexStats
from narsilpy.schema import freeze, text_of, validate_doc_id
from narsilpy.segments import Segments
from narsilpy.settings import IndexSettings
from narsilpy.storage.msgpack import pack, unpack
from narsilpy.storage.volatile import Volatile
from narsilpy.writes import Batches

T = TypeVar("T")

PROGRESS_EVERY = 1_000      # documents between two calls of `on_progress`


class DocumentTokens(NamedTuple):
    """What one document put into the index: tokens by text field, distinct terms, the spelling of every token."""

    lengths: list[int]
    terms: array[int]
    surfaces: Any       # as the index's `surfaces` takes them


class IndexCore(Batches):
    """The state of one index and everything that changes it."""

    def __init__(self, name: str, settings: IndexSettings, storage: Volatile | None = None) -> None:
        self.name = name
        self.settings = settings
        self.storage = Volatile() if storage is None else storage
        self.schema = settings.schema
        self.analyzers = settings.analyzers
        self.field_names = [field.path for field in self.schema.text_fields]
        self.field_numbers = {path: number for number, path in enumerate(self.field_names)}
        self._lock = threading.RLock()
        self._generation = 0
        self._reading = Reading()
        self._graveyard: list[int] = []
        self.query_words: dict[tuple[int, str], list[QueryTerm]] = {}
        self.analysis_stale = False         # another analyzer made the stored terms
        with self._lock:                    # what is loaded may be sealed beside it already
            self._reset()
            self.storage.load(self)

    def _reset(self) -> None:
        self.lexicon = Lexicon()
        self._n_stored_terms = 0
        self.segments = Segments(self.lexicon, len(self.field_names), self.settings.track_positions, self._lock,
                                 self._change)
        self.analyses = make_analyses(self.analyzers, self.settings.analyzer, self.settings.surface_forms)
        self.surfaces: Surfaces | SurfaceSets | None = self.analyses[0].surfaces
        if self.surfaces is not None and len(self.analyses) > 1:
            self.surfaces = SurfaceSets(self.analyses)
        self.columns = Columns(self.schema)
        self.filtered: tuple[int, dict[str, list[Bits | None]]] = (-1, {})    # by generation
        spellings = {number: analysis.spellings for analysis in self.analyses for number in analysis.numbers}
        self._intake = Intake([analyzer.scanner(self.lexicon, spellings[number])
                               for number, analyzer in enumerate(self.analyzers)])
        # by number, by number, by id
        self.documents, self.doc_ids, self.numbers = self.storage.containers()
        self._field_params: tuple[int, list[tuple[float, float, bool]]] | None = None

    # ------------------------------------------------------------------------------------------------------ snapshots
    @contextmanager
    def _change(self) -> Iterator[None]:
        """The lock is held; within another change this is part of it."""
        outermost = not self._generation & 1
        self._generation += outermost
        try:
            yield
        finally:
            self._generation += outermost

    @property
    def generation(self) -> int:
        """Changes with every change of what a query can see; odd within one."""
        return self._generation

    def consistent(self, build: Callable[[], T]) -> T:
        """What `build` makes of one state of the index."""
        for _ in range(4):
            generation = self._generation
            if not generation & 1:
                try:
                    result = build()
                except Exception:
                    if self._generation == generation:
                        raise
                    continue        # it saw a change half-way: what it stumbled over is gone
                if self._generation == generation:
                    return result
        with self._lock:
            return build()

    @property
    def reading(self) -> Reading:
        """A context in which documents that are removed meanwhile are kept."""
        return self._reading

    def completions(self, prefix: str, analysis: Analysis) -> array[int]:
        """Numbers of the terms that live documents hold in a spelling that starts with `prefix`, by one analyzer."""
        self.storage.load_vocabulary(self)
        if analysis.surfaces is None:
            return array("I", self.lexicon.prefix_range(prefix))
        return analysis.surfaces.completed_terms(prefix)

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
            self.storage.remove(number, doc_id)
            with self._change():
                self._take_out(number, tokens)
            self._bury()
            self.storage.applied(self)

    def _put(self, key: str, texts: list[Any], values: Any, stored: Any, replaces: int | None = None) -> None:
        """Add a document, in place of another where `replaces` is given. The lock is held."""
        old = None if replaces is None else self._tokens_of(replaces)
        buffers = self._intake.scan(texts)
        self.storage.put(self.segments.next_doc, key, stored, replaces)
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
            self.columns.add(number, stored)
        finally:
            self._generation += 1
        if replaces is not None:
            self._bury()
        self.seal_if_due()
        self.storage.applied(self)

    def _take_out(self, number: int, tokens: DocumentTokens) -> None:
        self._forget(number, tokens)
        del self.numbers[self.doc_ids[number]]
        self._graveyard.append(number)

    def _forget(self, number: int, tokens: DocumentTokens) -> None:
        self.segments.remove(number, tokens.lengths, tokens.terms)
        if self.surfaces is not None and tokens.surfaces is not None:
            self.surfaces.remove(tokens.surfaces)

    def _tokens_of(self, number: int) -> DocumentTokens:
        """What a stored document put into the index. Its text is scanned again."""
        stored = self.documents[number]
        assert stored is not None, "a live document is stored"
        return self._tokens(stored)

    def _tokens(self, stored: Any) -> DocumentTokens:
        buffers = self._intake.scan([text_of(stored, field.parts) for field in self.schema.text_fields])
        return DocumentTokens([0 if buffer is None else len(buffer) for buffer in buffers],
                              distinct_terms(buffers),
                              None if self.surfaces is None else self.surfaces.spellings(buffers))

    def _bury(self) -> None:
        """Drop removed documents that no query can reach any more."""
        if not self._reading.active:
            for number in self._graveyard:
                self.documents[number] = None
            self._graveyard.clear()

    def seal_if_due(self, after_batch: bool = False) -> None:
        segments = self.segments
        if segments.is_due(after_batch):
            segments.retire()
        elif segments.is_ready():
            segments.tend()

    def seal_all(self) -> None:
        self.segments.seal()

    def settle(self) -> None:
        """Return once nothing is left to be sealed or merged in the background."""
        with self._lock:
            self.segments.settle()

    def close(self) -> None:
        """Nothing of this index is read or written in the background any more."""
        self.segments.abandon()

    def _resolve_id(self, document: Any, doc_id: str | None) -> str:
        if doc_id is None:
            doc_id = document.get("id")
            if not isinstance(doc_id, str) or not doc_id:
                return new_id()
        validate_doc_id(doc_id)
        return doc_id

    def _number(self, doc_id: str) -> int:
        number: int | None = self.numbers.get(doc_id)
        if number is None:
            raise DocumentNotFound(ErrorCode.DOC_NOT_FOUND, f'index "{self.name}" holds no document "{doc_id}"',
                                   {"index": self.name, "doc_id": doc_id})
        return number

    # -------------------------------------------------------------------------------------------------------- batches
    def batch(self, items: Iterable[Any], apply: Callable[[Any], str], name: Callable[[Any], Any],
               on_progress: Callable[[int], object] | None = None) -> BatchResult:
        """Apply each item; one that fails is reported and stops nothing. Where the iterable raises, what came stays."""
        if isinstance(items, (str, bytes, dict)) or not isinstance(items, Iterable):
            raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                                  f"a batch is an iterable, not {type(items).__name__}", {})
        succeeded: list[str] = []
        failed: list[BatchFailure] = []
        done = 0
        try:
            for chunk in self.storage.chunks(items):
                with self.storage.transaction(self):
                    for item in chunk:
                        try:
                            succeeded.append(apply(item))
                        except NarsilError as error:
                            if self.storage.is_broken(error):
                                raise
                            doc_id = name(item)
                            failed.append(BatchFailure(doc_id if isinstance(doc_id, str) else "", error))
                        done += 1
                        if on_progress is not None and done % PROGRESS_EVERY == 0:
                            on_progress(done)
        finally:
            with self._lock:
                self.seal_if_due(after_batch=True)
        if on_progress is not None and done % PROGRESS_EVERY:
            on_progress(done)
        return BatchResult(succeeded, failed)

    # ------------------------------------------------------------------------------------------- what the storage asks
    def locked(self) -> threading.RLock:
        """The lock that every write holds."""
        return self._lock

    def changing(self) -> AbstractContextManager[None]:
        """Around a change of what queries can see."""
        return self._change()

    @contextmanager
    def reading_stored(self, sort: bool = False) -> Iterator[Iterator[tuple[str, Any]]]:
        """`(id, stored document)` of every document live now, by number or id, whatever is written meanwhile."""
        with self.reading:
            with self._lock:
                found = sorted((number, doc_id) for doc_id in self.numbers
                               if (number := self.numbers.get(doc_id)) is not None)
            if sort:
                found.sort(key=lambda pair: utf8_id(pair[1]))
            yield ((doc_id, self.documents[number]) for number, doc_id in found)

    def is_being_read(self) -> bool:
        """Whether a query runs that may still want documents that were removed."""
        return bool(self._reading.active)

    def reload(self) -> None:
        """Forget what memory holds and go back to what is stored."""
        with self._lock, self._change():
            self._graveyard.clear()
            self.segments.abandon()
            self._reset()
            self.storage.load(self)

    def replay(self, doc_id: bytes, document: Any) -> None:
        """Take in a document that is stored already: nothing about it is questioned."""
        stored = freeze(document)
        buffers = self._intake.scan([text_of(stored, field.parts) for field in self.schema.text_fields])
        self.columns.add(self.segments.add(doc_id, buffers), stored)
        if self.surfaces is not None:
            self.surfaces.add(buffers)
        self.seal_if_due()

    def insert_as(self, doc_id: str, document: Any, values: Any = None) -> None:
        """Add a document under an id, whatever the schema requires or forbids. The lock is held, the id is new."""
        stored = freeze(document)
        self._put(doc_id, [text_of(stored, field.parts) for field in self.schema.text_fields], values, stored)

    def tokens(self, stored: Any) -> dict[str, list[tuple[str, int]]]:
        """`(term, position)` of each token of a stored document, by text field that it has. The lock is held."""
        texts = [text_of(stored, field.parts) for field in self.schema.text_fields]
        return {
            name: [(self.lexicon.term(number), position) for number, position, _, _ in buffer.tolist()]
            for name, buffer in zip(self.field_names, self._intake.scan(texts), strict=True) if buffer is not None}

    def take_out_stored(self, number: int, stored: Any) -> None:
        """Take out a document whose removal is stored already."""
        self._forget(number, self._tokens(stored))

    def vocabulary_changes(self, everything: bool = False) -> bytes:
        """What became of the live spellings, or without `surface_forms` which terms came, since the last was stored."""
        if self.surfaces is not None:
            return self.surfaces.changes(self.lexicon, everything)
        first = 0 if everything else self._n_stored_terms
        fresh = [self.lexicon.term(number) for number in range(first, len(self.lexicon))]
        return pack(fresh) if fresh else b""

    def vocabulary_is_stored(self) -> None:
        """From now on `vocabulary_changes` gives what comes after this."""
        self._n_stored_terms = len(self.lexicon)
        if self.surfaces is not None:
            self.surfaces.is_stored()

    def take_vocabulary(self, data: memoryview, signed: bool = True) -> None:
        """Add what `vocabulary_changes` gave; counts without a sign are those of format 1."""
        if self.surfaces is not None:
            self.surfaces.load(data, self.lexicon, signed)
            return
        all_stored = self._n_stored_terms == len(self.lexicon)
        for term in unpack(data):
            self.lexicon.intern(term)
        if all_stored:
            self._n_stored_terms = len(self.lexicon)

    # ---------------------------------------------------------------------------------------------------------- reads
    def get(self, doc_id: str) -> dict[str, Any] | None:
        active = self._reading.active       # `with self._reading`, which is a third of the whole call
        active.append(None)
        try:
            number = self.numbers.get(doc_id) if isinstance(doc_id, str) else None
            return None if number is None else self.storage.document(self, number)
        finally:
            active.pop()

    def stored(self, doc_id: str) -> Any:
        """The stored form of a live document, or None."""
        with self._reading:
            number = self.numbers.get(doc_id) if isinstance(doc_id, str) else None
            return None if number is None else self.documents[number]

    def clear(self) -> None:
        with self._lock, self._change():
            self.segments.abandon()
            self.storage.clear(self)
            self._reset()
            self.storage.load(self)

    def optimize(self) -> None:
        with self._lock:
            self.segments.optimize()
            self.storage.optimized(self)

    def stats(self) -> IndexStats:
        def build() -> IndexStats:
            views, _ = self.segments.views()
            averages = [average for average, _, _ in self.field_params()]
            return IndexStats(
                n_docs=len(self.numbers), n_segments=len(views), n_terms=len(self.lexicon),
                index_bytes=self.segments.nbytes + self.lexicon.nbytes,
                average_lengths=dict(zip(self.field_names, averages, strict=True)),
                language=self.settings.language, disk_bytes=self.storage.disk_bytes(),
                analysis_stale=self.analysis_stale)

        return self.consistent(build)
