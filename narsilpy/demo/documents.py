"""Search and cite over the user's own documents, in memory."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from narsilpy import Narsil
from narsilpy.cli.jsonl import InputError, read_documents
from narsilpy.demo.model import Claim
from narsilpy.demo.publish import Outcome, publish, reference_of

__all__ = ["cite_documents"]

INDEX = "documents"


def value_at(document: dict[str, Any], path: str) -> Any:
    """The value at a dotted path, None where it ends early.

    >>> value_at({"author": {"name": "Ada"}}, "author.name")
    'Ada'
    """
    value: Any = document
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def schema_for(path: str) -> dict[str, Any]:
    """A schema with the one text field at a dotted path.

    >>> schema_for("author.name")
    {'author': {'name': 'string'}}
    """
    schema: Any = "string"
    for part in reversed(path.split(".")):
        schema = {part: schema}
    result: dict[str, Any] = schema
    return result


def searchable(name: str, field: str) -> Iterator[dict[str, Any]]:
    """The documents of the file, each with an id (its `id`, its `_id` or its line number) and text in the field."""
    seen: dict[str, int] = {}
    others: dict[str, None] = {}
    found = 0
    for number, document in read_documents(name):
        text = value_at(document, field)
        if text is not None and not isinstance(text, str):
            raise InputError(f'{name}, line {number}: field "{field}" must be text, not {type(text).__name__}')
        if text is None:
            others.update(dict.fromkeys(document))
            continue
        doc_id = str(document.get("id", document.get("_id", number)))
        if doc_id in seen:
            raise InputError(f"{name}, line {number}: id {doc_id!r} stands on line {seen[doc_id]} already")
        seen[doc_id] = number
        found += 1
        yield {**document, "id": doc_id}
    if not found:
        known = ", ".join(list(others)[:20])
        raise InputError(f'{name}: no document has a field "{field}"' + (f"; the fields are: {known}" if known else ""))


def cite_documents(name: str, query: str, *, field: str = "body", language: str = "english", limit: int = 3) -> Outcome:
    """The best sentences for `query` among the documents of the file `name`, each checked against the stored text."""
    outcome = Outcome(query)
    with Narsil() as engine:
        engine.create_index(INDEX, schema=schema_for(field), language=language)
        failed = engine.insert_batch(INDEX, searchable(name, field)).failed
        if failed:
            raise InputError(f"{name}: document {failed[0].doc_id}: {failed[0].error}")
        result = engine.query(INDEX, term=query, highlight={"fields": [field]}, limit=limit)
        for hit in result.hits:
            quote = hit.quote(field)
            if quote is None:
                continue
            published, refused = publish(engine, INDEX, [Claim(hit.id, quote.text)], text_field=field, noun="Document")
            outcome.refused += refused
            for item in published:
                outcome.published.append({**item, "score": hit.score})
                outcome.texts.append(value_at(hit.document, field))
                if outcome.answer is None:
                    outcome.answer = f"{reference_of(hit.id, hit.document, 'Document')}, says: '{item['quote']}'"
        outcome.transcript.append(f"Query: {query} ({result.count} documents match)")
    return outcome
