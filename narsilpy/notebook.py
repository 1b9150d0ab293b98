"""HTML of results for notebooks: escaped, without styles or scripts of its own, and bounded in size.

`_repr_html_` of records calls these; nothing else imports this module.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from narsilpy.rendering import escape_html, render

if TYPE_CHECKING:
    from narsilpy._highlight import Highlight
    from narsilpy.citations.model import Citation
    from narsilpy.highlight.model import Passage
    from narsilpy.results import Hit, QueryResult

MAX_CHARS = 300         # of one passage, quote or field
MAX_PASSAGES = 3       # of one highlight
MAX_FIELDS = 8         # of one hit
MAX_HITS = 10           # of one result
CUT = "\u2026"
MAX_NAME = 80           # of an id or a field's name


def highlight_html(highlight: Highlight) -> str:
    """The passages of a highlight with their matches marked, whatever tags its snippet has."""
    return f"<div>{_passages(highlight.passages)}</div>"


def hit_html(hit: Hit) -> str:
    """A table: id and score, then every highlighted field, then the other fields of the document."""
    rows = [f"<tr><th>{_clipped(hit.id, MAX_NAME)}</th><td>score {hit.score:.4f}</td></tr>"]
    fields = {field: _passages(highlight.passages) for field, highlight in hit.highlights.items()}
    for field, value in hit.document.items():
        if field != "id" and field not in fields:
            fields[field] = _clipped(_shown(value), MAX_CHARS)
    rows += [f"<tr><td>{_clipped(field, MAX_NAME)}</td><td>{shown}</td></tr>"
             for field, shown in list(fields.items())[:MAX_FIELDS]]
    if len(fields) > MAX_FIELDS:
        rows.append(f"<tr><td></td><td>and {len(fields) - MAX_FIELDS} more fields</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def result_html(result: QueryResult) -> str:
    """How many documents match, and the first hits."""
    shown = result.hits[:MAX_HITS]
    left = len(result.hits) - len(shown)
    rest = f"<p>and {left} more hits of this page</p>" if left else ""
    return (f"<div><p>{result.count} matches in {result.elapsed * 1e3:.2f} ms</p>"
            f"{''.join(hit_html(hit) for hit in shown)}{rest}</div>")


def citation_html(citation: Citation) -> str:
    """The quote, and under it where it stands."""
    place = f"{_clipped(citation.index, MAX_NAME)} / {_clipped(citation.doc_id, MAX_NAME)}"
    value = "" if citation.value is None else f"[{citation.value}]"
    return (f"<blockquote><p>{_clipped(citation.quote, MAX_CHARS)}</p><footer><cite>{place}</cite>, "
            f"{_clipped(citation.field, MAX_NAME)}{value} {citation.start}\u2013{citation.end}</footer></blockquote>")


def _passages(passages: Sequence[Passage]) -> str:
    shown = []
    for passage in passages[:MAX_PASSAGES]:
        text = passage.text[:MAX_CHARS]
        spans = []
        for span in passage.spans:
            start, end = span.start - passage.start, min(span.end - passage.start, len(text))
            if start >= end:
                break
            spans.append((max(0, start), end))
        shown.append(f"{CUT if passage.truncated_left else ''}{render(text, spans)}"
                     f"{CUT if passage.truncated_right or len(text) < len(passage.text) else ''}")
    if len(passages) > MAX_PASSAGES:
        shown.append(f"and {len(passages) - MAX_PASSAGES} more passages")
    return "<br>".join(shown)


def _shown(value: Any) -> str:
    """A value as text; only the beginning of a long list is looked at."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        items: Iterable[Any] = value[:MAX_CHARS]
        return ", ".join(_shown(item)[:MAX_CHARS] for item in items)
    return str(value)


def _clipped(text: str, most: int) -> str:
    return escape_html(text) if len(text) <= most else escape_html(text[:most]) + "\u2026"
