"""`Narsil`: a set of named indexes, and every public verb.

Each verb takes the index's name first; `narsil.index(name)` returns a handle with the same verbs without it.
Any number of threads may read; writes are taken one at a time and never block a reader.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from narsilpy.citations.verbs import CitationVerbs
from narsilpy.errors import EngineClosed, ErrorCode, IndexAlreadyExists, IndexNotFound, InvalidDocument
from narsilpy.handle import Index
from narsilpy.index import IndexCore
from narsilpy.query.options import QueryOptions
from narsilpy.query.search import preflight, search
from narsilpy.query.shapes import BM25, Filters, plain
from narsilpy.results import BatchResult, Explanation, IndexStats, Page, Preflight, QueryResult, Suggestions
from narsilpy.schema import validate_index_name
from narsilpy.settings import make_settings
from narsilpy.storage.verbs import StorageVerbs

if TYPE_CHECKING:
    from narsilpy.plugins.hooks import HookedWriter, Hooks
    from narsilpy.storage.store import Durability


class Narsil(StorageVerbs, CitationVerbs):
    """A search engine in this process. Use it as a context manager, or call `close()`.

    Args:
        path: a directory to keep everything in, made if need be; None keeps it in memory.
        durability: "sync": a write returns when it is on the device. "async": when the operating system has it; a power
            cut may lose the last moments, whole writes from the end, and `flush()` waits.
        read_only: only read, beside a process that writes; `refresh()` shows what it stored since.
        timeout: how many seconds to wait for another process that writes to this directory.
        rebuild_stale: make terms anew, before this returns, where another version of the analyzer made them.
        plugins: objects whose methods are called before and after writes and searches, see `narsilpy.plugins`.

    Raises `EngineLocked`, `StorageFailed`, `IndexCorrupted`, `IncompatibleIndex` or `InvalidConfig` where `path` cannot
    be opened.

    >>> with Narsil() as narsil:
    ...     narsil.create_index("rules", schema={"title": "string", "body": "string"})
    ...     narsil.insert("rules", {"id": "CB-09", "title": "Instruments", "body": "A violin counts as the cabin bag."})
    ...     hit = narsil.query("rules", "violins", highlight={"fields": ["body"]}).hits[0]
    ...     hit.id, hit.highlights["body"].snippet, [tuple(span) for span in hit.highlights["body"].positions]
    'CB-09'
    ('CB-09', 'A <mark>violin</mark> counts as the cabin bag.', [(2, 8)])
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, durability: Durability = "sync",
                 read_only: bool = False, timeout: float = 0.0, plugins: Iterable[Any] = (),
                 rebuild_stale: bool = False) -> None:
        self._hooks: Hooks | None = None
        if plugins:
            from narsilpy.plugins.hooks import Hooks

            self._hooks = Hooks(plugins)
        self._indexes: dict[str, IndexCore] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._open_store(path, durability, read_only, timeout)
        if rebuild_stale:
            self._rebuild_stale(read_only)

    # ---------------------------------------------------------------------------------------------------------- engine
    def __enter__(self) -> Narsil:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of everything. Closing twice is fine; any other use afterwards raises `EngineClosed`."""
        if self._closed:
            return
        self._closed = True
        try:
            self._close_store()
        finally:
            self._indexes = {}

    def _check_open(self) -> None:
        if self._closed:
            raise EngineClosed(ErrorCode.ENGINE_CLOSED, "this engine was closed; make a new Narsil()", {})

    def _core(self, name: str) -> IndexCore:
        core = self._indexes.get(name) if isinstance(name, str) else None
        if core is None:
            self._check_open()
            raise IndexNotFound(ErrorCode.INDEX_NOT_FOUND,
                                f"there is no index {name!r}; `list_indexes()` names those there are", {"index": name})
        return core

    def _writer(self, name: str) -> IndexCore | HookedWriter:
        """What takes the writes of an index."""
        core = self._core(name)
        if self._hooks is None:
            return core
        from narsilpy.plugins.hooks import HookedWriter

        return HookedWriter(core, self._hooks)

    # --------------------------------------------------------------------------------------------------------- indexes
    def create_index(self, name: str, *, schema: Mapping[str, Any], language: str = "english",
                     required: Iterable[str] = (), strict: bool = False, bm25: Mapping[str, float] | BM25 | None = None,
                     stop_words: Any = None, tokenizer: Any = None, track_positions: bool = True,
                     surface_forms: bool = True, analyzers: Mapping[str, Any] | None = None,
                     field_analyzers: Mapping[str, Any] | None = None, synonyms: Any = None, **analysis: Any) -> None:
        """Make an empty index.

        Args:
            schema: field name to type: `string`, `string:sortable`, `number`, `boolean`, `enum`, `geopoint`, and arrays
                of string, number, boolean and enum (`"string[]"`); nested mappings up to 4 levels. Text is searched in
                the string types.
            language: how text is split, stemmed and which words are too common to index; see `list_languages()`.
            required: fields that every document must have.
            strict: refuse documents with fields that the schema does not name.
            bm25: `{"k1": 1.2, "b": 0.75}`: how fast repeated words stop counting, how much long fields count less.
            stop_words: None for the language's; any iterable for exactly these ([] for none); a callable from the
                language's set to another; or a registered name.
            tokenizer: a callable from text to `(term, start, end)` triples, in place of all analysis.
            track_positions: keep where words stand. Without it the index is smaller, highlights scan the text again,
                and phrases are refused.
            surface_forms: keep spellings before stemming, for `suggest` and prefixes.
            identifiers: find "RFC-0011", "usb-c", "20.04", "node.js" and "C++" as wholes, too, not only in parts.
            fold_diacritics: find "crème" by "creme"; off unless the language does so.
            field_analyzers: text fields that are read otherwise: field to a language, a name in `analyzers`, the
                arguments of `Analyzer` as a mapping, or an `Analyzer`. A query is read by each field's own analyzer.
            analyzers: named analyzers for `field_analyzers`: name to the same things.
            synonyms: rules for queries, `[["NY", "New York"]]` or `{"groups": ..., "one_way": {"dog": ["poodle"]}}`;
                words and phrases, found in any of their wordings. The `synonyms` of a query takes their place.

        Raises:
            IndexAlreadyExists, InvalidSchema, InvalidConfig, InvalidAnalyzer.
        """
        self._check_open()
        validate_index_name(name)
        settings = make_settings(schema, language=language, required=required, strict=strict, bm25=bm25,
                                 stop_words=stop_words, tokenizer=tokenizer, track_positions=track_positions,
                                 surface_forms=surface_forms, analyzers=analyzers,
                                 field_analyzers=field_analyzers, synonyms=synonyms, **analysis)
        with self._lock:
            if name in self._indexes:
                raise IndexAlreadyExists(ErrorCode.INDEX_ALREADY_EXISTS,
                                         f'there is an index "{name}" already; drop it first', {"index": name})
            self._indexes[name] = self._new_core(name, settings)

    def drop_index(self, name: str) -> None:
        """Remove an index and its documents."""
        self._core(name)
        with self._lock:
            if name in self._indexes and self._store is not None:
                self._store.drop_index(name)
            core = self._indexes.pop(name, None)
        if core is not None:
            core.close()

    def clear(self, name: str) -> None:
        """Remove the documents of an index and keep its settings."""
        self._core(name).clear()

    def list_indexes(self) -> list[str]:
        """The names of the indexes, sorted."""
        self._check_open()
        return sorted(self._indexes)

    def get_stats(self, name: str) -> IndexStats:
        """Sizes of an index: documents, segments, terms, bytes."""
        return self._core(name).stats()

    def optimize(self, name: str) -> None:
        """Merge an index into one segment: the fastest to search, at the cost of writing it anew."""
        self._core(name).optimize()

    def index(self, name: str) -> Index:
        """A handle whose verbs need no index name."""
        self._core(name)
        return Index(self, name)

    # ---------------------------------------------------------------------------------------------------------- writes
    def insert(self, index: str, document: Mapping[str, Any], doc_id: str | None = None) -> str:
        """Add a document and return its id: `doc_id`, else `document["id"]`, else a new UUID (version 7).

        Raises:
            DocumentAlreadyExists: the id is taken.
            InvalidDocument: the document or the id does not fit; nothing was written.
        """
        return self._writer(index).insert(document, doc_id)

    def insert_batch(self, index: str, documents: Iterable[Mapping[str, Any]], *,
                     on_progress: Callable[[int], object] | None = None) -> BatchResult:
        """Add documents from any iterable, one at a time. One that fails is reported and stops nothing.

        `on_progress` is called with the number of documents done, every 1,000 and at the end. Where the iterable itself
        raises, what it gave before stays in the index and its error comes through.
        """
        return self._writer(index).insert_batch(documents, on_progress)

    def update(self, index: str, doc_id: str, document: Mapping[str, Any]) -> None:
        """Replace a document. Raises `DocumentNotFound`, or `InvalidDocument` and leaves the old one."""
        self._writer(index).update(doc_id, document)

    def update_batch(self, index: str, pairs: Iterable[tuple[str, Mapping[str, Any]]]) -> BatchResult:
        """Replace documents, given as `(doc_id, document)` pairs."""
        return self._writer(index).update_batch(pairs)

    def upsert(self, index: str, document: Mapping[str, Any], doc_id: str | None = None) -> str:
        """Add a document, or replace the one of its id. Returns the id."""
        return self._writer(index).upsert(document, doc_id)

    def remove(self, index: str, doc_id: str) -> None:
        """Remove a document. Raises `DocumentNotFound`."""
        self._writer(index).remove(doc_id)

    def remove_batch(self, index: str, doc_ids: Iterable[str]) -> BatchResult:
        """Remove documents by id; unknown ids are reported."""
        return self._writer(index).remove_batch(doc_ids)

    # ----------------------------------------------------------------------------------------------------------- reads
    def get(self, index: str, doc_id: str) -> dict[str, Any] | None:
        """A copy of a stored document, or None."""
        return self._core(index).get(doc_id)

    def get_multiple(self, index: str, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Copies of the stored documents among `ids`, by id."""
        core = self._core(index)
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
            raise InvalidDocument(ErrorCode.DOC_VALIDATION_FAILED,
                                  f"get_multiple takes an iterable of ids, not {type(ids).__name__}", {})
        found = ((doc_id, core.get(doc_id)) for doc_id in ids)
        return {doc_id: document for doc_id, document in found if document is not None}

    def has(self, index: str, doc_id: str) -> bool:
        """Whether the index holds a document of this id."""
        core = self._core(index)
        return isinstance(doc_id, str) and doc_id in core.numbers

    def count_documents(self, index: str) -> int:
        """How many documents the index holds."""
        return len(self._core(index).numbers)

    def query(self, index: str, term: Any = None, **options: Any) -> QueryResult:
        """Search. `term` is plain text (any str is fine) or a query object; see `QueryOptions` for the options."""
        core = self._core(index)
        if self._hooks is not None:
            return self._hooks.search(index, term, options, lambda options: answer(core, term, query_options(options)))
        return answer(core, term, query_options(options))

    def preflight(self, index: str, term: Any = None, **options: Any) -> Preflight:
        """How many documents a query would match, without making hits."""
        return preflight(self._core(index), term, query_options(options))

    def list_documents(self, index: str, *, limit: int = 10, cursor: str | None = None,
                       filters: Mapping[str, Any] | Filters | None = None, sort: Any = None,
                       document: Any = True) -> Page:
        """Documents page by page: by id in code point order, or by `sort`; those that pass `filters`, where given.

        `limit` is at least 1 and at most 10,000; `cursor` is that of the page before. A page costs the same at any
        depth. Raises `InvalidQuery`.

        >>> with Narsil() as narsil:
        ...     narsil.create_index("rules", schema={"title": "string", "year": "number"})
        ...     for number, year in enumerate([2021, 2019, 2020]):
        ...         _ = narsil.insert("rules", {"id": f"CB-{number}", "year": year})
        ...     page = narsil.list_documents("rules", sort={"year": "asc"}, limit=2)
        ...     rest = narsil.list_documents("rules", sort={"year": "asc"}, limit=2, cursor=page.cursor)
        ...     [entry.id for entry in page.documents], page.total, [entry.id for entry in rest.documents], rest.cursor
        (['CB-1', 'CB-2'], 3, ['CB-0'], None)
        """
        from narsilpy.query.listing import list_page

        return list_page(self._core(index), limit, cursor, plain(filters), plain(sort), plain(document))

    def suggest(self, index: str, prefix: str, *, limit: int = 10) -> Suggestions:
        """Completions of the last word of `prefix`, as it is typed: real spellings from the documents there are now.

        One entry for all spellings of a word, the most frequent of those that `prefix` starts; with the number of
        documents that hold the word, most frequent first. `limit` is 1 to 100. Stop words are not suggested. Without
        `surface_forms` the stems themselves are completed.

        >>> with Narsil() as narsil:
        ...     narsil.create_index("rules", schema={"body": "string"})
        ...     for text in ("one pushchair", "two pushchairs", "pushed"):
        ...         _ = narsil.insert("rules", {"body": text})
        ...     narsil.suggest("rules", "my pus").terms
        (('pushchair', 2), ('pushed', 1))
        """
        from narsilpy.query.suggest import suggest

        return suggest(self._core(index), prefix, limit)

    def explain(self, index: str, doc_id: str, term: Any, **options: Any) -> Explanation:
        """Every number behind one document's score for a query, as a tree that adds up to the score exactly.

        Takes the options of `query`. Raises `DocumentNotFound`. Where the document does not match, `matches` is False
        and the value 0.0.

        >>> with Narsil() as narsil:
        ...     narsil.create_index("rules", schema={"body": "string"})
        ...     _ = narsil.insert("rules", {"id": "CB-09", "body": "A violin counts as the cabin bag."})
        ...     explanation = narsil.explain("rules", "CB-09", "violins")
        ...     explanation.value == narsil.query("rules", "violins")[0].score
        True
        """
        from narsilpy.query.explain import explain

        return explain(self._core(index), doc_id, term, query_options(options))


def answer(core: IndexCore, term: Any, options: QueryOptions) -> QueryResult:
    """A search, marked where the index's terms are another analyzer's."""
    result = search(core, term, options)
    result.analysis_stale = core.analysis_stale
    return result


NO_OPTIONS = QueryOptions()
SHAPED = ("filters", "sort", "facets", "group", "pinned", "boost_by", "bm25", "document")    # may be option records


def query_options(options: dict[str, Any]) -> QueryOptions:
    """The options record of a call. Unknown names are a TypeError, as for any keyword."""
    if not options:
        return NO_OPTIONS
    for name in SHAPED:
        if name in options:
            options[name] = plain(options[name])
    return QueryOptions(**options)
