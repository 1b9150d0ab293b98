"""Reading recorded cases of the original: its values that JSON cannot hold, and its names in ours."""
from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"

NAMES = {
    "preTag": "pre_tag", "postTag": "post_tag", "maxSnippetLength": "max_snippet_length", "termMatch": "term_match",
    "prefixLength": "prefix_length", "minScore": "min_score", "includeScores": "include_scores",
    "includeScoreComponents": "include_score_components", "searchAfter": "search_after", "stopWords": "stop_words",
    "trackPositions": "track_positions", "surfaceForms": "surface_forms", "startsWith": "starts_with",
    "endsWith": "ends_with", "containsAll": "contains_all", "matchesAny": "matches_any", "notExists": "not_exists",
    "docId": "doc_id", "maxPerGroup": "max_per_group",
    "isEmpty": "is_empty", "isNotEmpty": "is_not_empty", "highPrecision": "high_precision",
}


def load(name: str) -> dict[str, Any]:
    """A fixture file."""
    found: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def value(recorded: Any) -> Any:
    """A recorded value with its stand-ins replaced."""
    if isinstance(recorded, list):
        return [value(item) for item in recorded]
    if not isinstance(recorded, dict):
        return recorded
    if "$repeat" in recorded:
        return recorded["$repeat"][0] * recorded["$repeat"][1]
    if "$set" in recorded:
        return value(recorded["$set"])
    if "$js" in recorded:
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "undefined": None, "fn": len,
                "date": datetime(2020, 1, 2, tzinfo=UTC), "sym": object(), "bigint": object()}[recorded["$js"]]
    return {key: value(item) for key, item in recorded.items()}


def options(recorded: dict[str, Any]) -> dict[str, Any]:
    """Options under our names."""
    found = {NAMES.get(key, key): value(item) for key, item in recorded.items()}
    for name in ("filters", "group", "pinned"):
        if name in found:
            found[name] = renamed(found[name])
    return found


def renamed(expression: Any) -> Any:
    """A filter expression with the operators under our names."""
    if isinstance(expression, dict):
        return {NAMES.get(key, key): renamed(item) for key, item in expression.items()}
    return [renamed(item) for item in expression] if isinstance(expression, list) else expression
