"""JSON lines keep every document, and any text gives a document or a typed error."""
from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy.errors import InvalidDocument, StorageFailed
from narsilpy.storage.jsonl import from_line, read_jsonl, to_line, write_jsonl

texts = st.text(st.characters(exclude_categories=()), max_size=8)
keys = texts | st.sampled_from(["$id", "$document", "$bytes", "$object", "$date", "$", "id"])
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | texts
    | st.binary(max_size=5)
    | st.dates()
    | st.datetimes().map(lambda moment: moment.replace(fold=0))
    | st.datetimes(timezones=st.just(dt.UTC)).map(lambda moment: moment.replace(fold=0)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=10,
)
documents = st.dictionaries(keys, values, max_size=4)


@given(documents, texts.filter(bool))
def test_a_line_gives_the_document_back(document: dict[str, Any], doc_id: str) -> None:
    line = to_line(doc_id, document)
    assert b"\n" not in line
    json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    found_id, found = from_line(line)
    assert found == document and str(found) == str(document)
    assert (found_id if found_id is not None else found["id"]) == doc_id


@given(texts)
def test_any_line_gives_a_document_or_a_typed_error(line: str) -> None:
    for raw in (line, line.encode("utf-8", "surrogatepass")):
        try:
            from_line(raw)
        except InvalidDocument:
            pass


@pytest.mark.parametrize(
    "line",
    [
        *("", "[]", "1", "{", "[" * 100_000, '{"$date": "2020-01-01"}', '{"a": {"$bytes": 1}}'),
        *('{"a": {"$bytes": "%"}}', '{"a": {"$what": "x"}}', '{"a": {"$float": "1"}}'),
        *('{"$id": 1, "$document": {}}', '{"$id": "1", "$document": []}'),
    ],
)
def test_lines_that_are_no_document(line: str) -> None:
    with pytest.raises(InvalidDocument):
        from_line(line)


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.jsonl.gz"])
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    docs = [(f"d{i}", {"id": f"d{i}", "text": "x\n" * i}) for i in range(10)]
    assert write_jsonl(tmp_path / name, docs) == 10
    assert list(read_jsonl(tmp_path / name)) == [(None, doc) for _, doc in docs]
    before = (tmp_path / name).read_bytes()

    def broken() -> Any:
        yield docs[0]
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError):
        write_jsonl(tmp_path / name, broken())
    assert (tmp_path / name).read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [name]
    (tmp_path / name).write_bytes(before[:-9])
    with pytest.raises(InvalidDocument, match=r"docs\.jsonl"):
        list(read_jsonl(tmp_path / name))
    with pytest.raises(StorageFailed):
        list(read_jsonl(tmp_path / "nowhere"))
    with pytest.raises(StorageFailed):
        write_jsonl(tmp_path / "no" / "where.jsonl", docs)
