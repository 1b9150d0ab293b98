"""The settings of an index as plain data: what `create_index` was told, to be told again on open."""

from __future__ import annotations

from typing import Any

from narsilpy.analysis import Analyzer
from narsilpy.errors import ErrorCode, IndexCorrupted, InvalidConfig, NarsilError
from narsilpy.settings import IndexSettings, make_settings


def config_of(settings: IndexSettings) -> dict[str, Any]:
    """What to store. Raises `InvalidConfig` for a tokenizer that is code: a stored index cannot hold it."""
    analyzer = settings.analyzer
    own = settings.own_analyzers
    if any(one.tokenizer is not None for one in (analyzer, *own.values())):
        raise InvalidConfig(
            ErrorCode.CONFIG_INVALID,
            "an engine on disk stores no code, so its indexes take no `tokenizer` callable; keep this index in memory",
            {"option": "tokenizer"},
        )
    config = {
        "schema": settings.definition,
        "language": settings.language,
        "required": list(settings.required),
        "strict": settings.strict,
        "bm25": {"k1": settings.k1, "b": settings.b},
        **_options(analyzer),
        "track_positions": settings.track_positions,
        "surface_forms": settings.surface_forms,
        "fingerprint": settings.fingerprint,
    }
    if own:
        config["field_analyzers"] = {
            path: {"language": one.language.name, **_options(one)} for path, one in own.items()
        }
    if settings.synonyms is not None:
        config["synonyms"] = settings.synonyms.definition
    return config


def _options(analyzer: Analyzer) -> dict[str, Any]:
    own = analyzer.stop_words != analyzer.language.stop_words
    return {"stop_words": sorted(analyzer.stop_words) if own else None, **analyzer.options}


def settings_of(name: str, config: dict[str, Any]) -> IndexSettings:
    """The settings that `config_of` described. Raises `IndexCorrupted` if they cannot be made."""
    arguments = {key: value for key, value in config.items() if key != "fingerprint"}
    try:
        return make_settings(arguments.pop("schema"), **arguments)
    except (NarsilError, TypeError, KeyError) as error:
        raise IndexCorrupted(
            ErrorCode.PERSISTENCE_LOAD_FAILED, f"the settings of index {name!r} are damaged: {error}", {"index": name}
        ) from error


def is_stale(settings: IndexSettings, config: dict[str, Any]) -> bool:
    """Whether the terms on disk were made by another analyzer than the one that `settings` has."""
    return bool(config.get("fingerprint") != settings.fingerprint)
