"""From an index to the bytes of a snapshot, and back to settings and documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from narsilpy.errors import ErrorCode, IndexCorrupted, InvalidConfig, InvalidDocument, NarsilError
from narsilpy.schema import thaw, validate_doc_id
from narsilpy.settings import IndexSettings, make_settings
from narsilpy.storage.nrsl import IndexBuilder, IndexData, read_snapshot, write_snapshot
from narsilpy.storage.nrsl.model import vector_fields

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

# What the original calls its analysis where ours makes the same terms. A snapshot that names another one, or none, is
# read there all the same, and said to be stale.
_REVISIONS: Final = {"english": "ebae3448ae674b59"}
_FOLD: Final = "foldDiacritics"  # settings of ours, which the original passes over
_IDENTIFIERS: Final = "identifiers"


def make_snapshot(core: IndexCore) -> bytes:
    """The index as the original's `restore` reads it. Equal documents and settings give equal bytes, however they
    came.
    """
    settings = core.settings
    analyzer = settings.analyzer
    if settings.own_analyzers:
        raise InvalidConfig(
            ErrorCode.CONFIG_INVALID,
            "a snapshot holds one analyzer, and fields of this index have their own; use backup() or export_jsonl()",
            {"index": core.name, "fields": sorted(settings.own_analyzers)},
        )
    own_words = analyzer.stop_words != analyzer.language.stop_words
    plain = analyzer.tokenizer is None and not analyzer.identifiers
    plain = plain and analyzer.fold_diacritics == analyzer.language.strips_diacritics
    builder = IndexBuilder(
        core.name,
        settings.definition,
        track_positions=settings.track_positions,
        language=settings.language,
        analysis_revision=_REVISIONS.get(settings.language) if plain else None,
        stop_words=sorted(analyzer.stop_words) if own_words else None,
        bm25={"k1": settings.k1, "b": settings.b},
        surface_forms=settings.surface_forms,
        required=list(settings.required) or None,
        strict=settings.strict or None,
        settings={} if plain else {_FOLD: analyzer.fold_diacritics, _IDENTIFIERS: analyzer.identifiers},
    )
    with core.reading_stored(sort=True) as documents:
        for doc_id, stored in documents:
            with core.locked():  # the scanner is the writer's
                tokens = core.tokens(stored)
            builder.add(doc_id, thaw(stored), tokens)
    data = builder.finish()
    data.partitions[0].surface_forms = _surface_forms(core)
    return write_snapshot(data)


def _surface_forms(core: IndexCore) -> dict[str, tuple[int, str]] | None:
    if core.surfaces is None:
        return None
    core.storage.load_vocabulary(core)
    found = {}
    surfaces = core.analyses[0].surfaces
    for spelling, number, count in () if surfaces is None else surfaces.completions(""):
        term = core.lexicon.term(number)
        if term != spelling:
            found[spelling] = (count, term)
    return found or None


def read_settings(name: str, data: bytes) -> tuple[IndexSettings, IndexData]:
    """The settings and the contents of a snapshot. Raises `IndexCorrupted`, or what is wrong with the settings."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InvalidDocument(
            ErrorCode.DOC_VALIDATION_FAILED, f"a snapshot is bytes, not {type(data).__name__}", {"index": name}
        )
    snapshot = read_snapshot(data)
    arguments: dict[str, Any] = {
        "language": snapshot.language,
        "bm25": snapshot.bm25,
        "stop_words": snapshot.stop_words if snapshot.stop_words_name is None else snapshot.stop_words_name,
        "surface_forms": snapshot.surface_forms,
        "track_positions": snapshot.track_positions is not False,
        "strict": bool(snapshot.strict),
        "required": snapshot.required or (),
    }
    if isinstance(snapshot.settings.get(_FOLD), bool):
        arguments["fold_diacritics"] = snapshot.settings[_FOLD]
    if isinstance(snapshot.settings.get(_IDENTIFIERS), bool):
        arguments["identifiers"] = snapshot.settings[_IDENTIFIERS]
    if snapshot.tokenizer_name is not None:
        snapshot.notes.append(f"the tokenizer {snapshot.tokenizer_name!r} is not known here: the language's is used")
    return make_settings(_without_vectors(snapshot.schema), **arguments), snapshot


def _without_vectors(schema: dict[str, Any]) -> dict[str, Any]:
    vectors = set(vector_fields(schema))
    return _pruned(schema, "", vectors) if vectors else schema


def _pruned(level: dict[str, Any], above: str, drop: set[str]) -> dict[str, Any]:
    kept = {}
    for name, kind in level.items():
        if isinstance(kind, dict):
            kept[name] = _pruned(kind, f"{above}{name}.", drop)
        elif above + name not in drop:
            kept[name] = kind
    return kept


def documents_of(snapshot: IndexData, settings: IndexSettings) -> Iterator[tuple[str, dict[str, Any]]]:
    """The documents, each checked against the schema (but for `required` and `strict`, which updates need not
    fulfil).
    """
    reader = make_settings(settings.definition, language=settings.language).schema
    for doc_id, document in snapshot.documents():
        try:
            validate_doc_id(doc_id)
            reader.read(document)
        except NarsilError as error:
            raise IndexCorrupted(
                ErrorCode.PERSISTENCE_LOAD_FAILED, f"the document {doc_id!r} of the snapshot is not valid: {error}"
            ) from error
        yield doc_id, document
