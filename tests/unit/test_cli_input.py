"""Reading JSON lines, and printing for terminals: what the commands share."""
from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from narsilpy.cli.jsonl import InputError, read_documents
from narsilpy.cli.terminal import dump_json, excerpt, uses_ansi


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def test_documents_come_with_their_line_numbers_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    name = write(tmp_path / "a.jsonl", b'{"a": 1}\n\n  \n{"b": "\xc3\xa9"}')
    assert list(read_documents(name)) == [(1, {"a": 1}), (4, {"b": "é"})]


def test_gzip_is_known_by_its_bytes_not_its_name(tmp_path: Path) -> None:
    name = write(tmp_path / "a.jsonl", gzip.compress(b'{"a": 1}\n'))
    assert list(read_documents(name)) == [(1, {"a": 1})]


def test_byte_order_mark_and_crlf_are_no_part_of_a_document(tmp_path: Path) -> None:
    name = write(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\r\n')
    assert [document for _, document in read_documents(name)] == [{"a": 1}, {"a": 2}]


def test_empty_file_holds_no_documents(tmp_path: Path) -> None:
    assert list(read_documents(write(tmp_path / "a.jsonl", b""))) == []


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"a": 1}\n{"a": \n', "line 2: not JSON: Expecting value at character"),
        (b'{"a": 1}\n[1]\n', "line 2: a JSON object is needed, not list"),
        (b'{"a": "\xff"}\n', "line 1: not UTF-8 at byte 7"),
        (b'\n{"a": ' + b"[" * 200_000, "line 2: not JSON"),
        (gzip.compress(b'{"a": 1}\n' * 1000)[:-20], "cannot read"),
        (b"\x1f\x8bnot really gzip", "cannot read"),
    ],
    ids=["cut short", "no object", "not UTF-8", "too deep", "gzip cut short", "gzip garbage"],
)
def test_damaged_line_is_told_with_its_number(tmp_path: Path, data: bytes, told: str) -> None:
    with pytest.raises(InputError) as caught:
        list(read_documents(write(tmp_path / "a.jsonl", data)))
    assert told in str(caught.value)


def test_missing_file_and_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        list(read_documents(str(tmp_path / "none.jsonl")))
    with pytest.raises(InputError, match="cannot read"):
        list(read_documents(str(tmp_path)))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_styles_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert uses_ansi(Terminal())
    assert not uses_ansi(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not uses_ansi(Terminal())
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not uses_ansi(Terminal())


def test_excerpt_underlines_the_passage_and_cuts_what_is_far_from_it() -> None:
    text = "a" * 50 + "PASSAGE" + "b" * 50
    assert excerpt(text, 50, 57, ansi=True, context=3) == "...aaa\x1b[4mPASSAGE\x1b[24mbbb..."
    assert excerpt(text, 50, 57, ansi=False) == "a" * 50 + "[[PASSAGE]]" + "b" * 50


def test_escape_sequences_of_a_document_do_not_reach_the_terminal() -> None:
    shown = excerpt("x\x1b[2Jy\x9b1m\r", 0, 1, ansi=True)
    assert shown == "\x1b[4mx\x1b[24m�[2Jy�1m�"


@pytest.mark.parametrize("value", ["é", "\ud800"])
def test_json_prints_on_any_stream(value: str) -> None:
    for encoding in ("utf-8", "ascii", "cp1252"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        dump_json({"v": value}, stream)
        stream.flush()
        assert json.loads(stream.buffer.getvalue().decode(encoding)) == {"v": value}  # type: ignore[attr-defined]  # BytesIO
