"""The storage verbs of `Narsil`: stale analysis, moving documents, the command line."""

from __future__ import annotations

import datetime as dt
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from narsilpy import (
    EngineClosed,
    EngineLocked,
    EngineReadOnly,
    InvalidConfig,
    InvalidDocument,
    Narsil,
    StorageFailed,
)
from narsilpy.cli import main

SCHEMA = {"body": "string", "n": "number"}


def fill(narsil: Narsil, n: int = 5) -> None:
    narsil.create_index("a", schema=SCHEMA)
    narsil.insert_batch("a", [{"id": f"d{i}", "body": f"foxes {i} running", "n": i} for i in range(n)])


def test_settings_come_back(tmp_path: Path) -> None:
    with Narsil(tmp_path) as narsil:
        narsil.create_index(
            "a",
            schema={"t": {"x": "string"}, "k": "enum"},
            language="german",
            required=["k"],
            strict=True,
            bm25={"k1": 2.0, "b": 0.1},
            stop_words=["und"],
            track_positions=False,
            surface_forms=False,
        )
        before = narsil._indexes["a"].settings
    with Narsil(tmp_path) as narsil:
        after = narsil._indexes["a"].settings
        for name in ("definition", "language", "k1", "b", "required", "strict", "track_positions", "surface_forms"):
            assert getattr(after, name) == getattr(before, name)
        assert after.analyzer.stop_words == {"und"}
        assert not narsil.get_stats("a").analysis_stale


def test_code_is_not_stored(tmp_path: Path) -> None:
    with Narsil(tmp_path) as narsil:
        with pytest.raises(InvalidConfig, match="stores no code"):
            narsil.create_index("a", schema=SCHEMA, tokenizer=lambda text: [])
        assert narsil.list_indexes() == []


def test_prefixes_and_misspellings_find_what_was_sealed_before_opening(tmp_path: Path) -> None:
    with Narsil(tmp_path) as narsil:
        for name, forms in (("a", True), ("b", False)):
            narsil.create_index(name, schema=SCHEMA, surface_forms=forms)
            narsil.insert_batch(name, [{"id": "1", "body": "foxes running"}, {"id": "2", "body": "hounds"}])
            narsil.optimize(name)
    for removes_first in (False, True):
        with Narsil(tmp_path) as narsil:
            for name in ("a", "b"):
                if removes_first:
                    narsil.remove(name, "2")
                assert [hit.id for hit in narsil.query(name, "fox", prefix=True)] == ["1"]
                assert [hit.id for hit in narsil.query(name, "foxs", tolerance=1)] == ["1"]
                assert [hit.id for hit in narsil.query(name, "hou", prefix=True)] == ([] if removes_first else ["2"])


def make_stale(path: Path) -> None:
    with Narsil(path) as narsil:
        fill(narsil)
        store = narsil._store
        assert store is not None
        config = store.config("a")
        store.set_config("a", {**config, "fingerprint": {**config["fingerprint"], "stemmer": "older"}})


def test_stale_terms_are_made_anew_on_open_where_asked(tmp_path: Path) -> None:
    make_stale(tmp_path)
    with pytest.raises(InvalidConfig):
        Narsil(tmp_path, read_only=True, rebuild_stale=True)
    with Narsil(tmp_path, rebuild_stale=True) as narsil:  # which was free: what was refused left no lock behind
        assert not narsil.query("a", "fox").analysis_stale
        assert narsil.query("a", "fox").count == 5
    with Narsil(tmp_path) as narsil:
        assert not narsil.get_stats("a").analysis_stale


def test_another_analyzer_is_told_and_its_terms_are_made_anew(tmp_path: Path) -> None:
    make_stale(tmp_path)
    with Narsil(tmp_path) as narsil:
        assert narsil.get_stats("a").analysis_stale
        assert narsil.query("a", "fox").analysis_stale
        assert narsil.list_documents("a").analysis_stale
        assert narsil.query("a", "fox").count == 5
        narsil.rebuild_analysis("a")
        assert not narsil.get_stats("a").analysis_stale
        assert not narsil.query("a", "fox").analysis_stale
        assert not narsil.list_documents("a").analysis_stale
        assert narsil.query("a", "fox").count == 5
    with Narsil(tmp_path) as narsil:
        assert not narsil.get_stats("a").analysis_stale
        assert narsil.count_documents("a") == 5


@pytest.mark.parametrize("name", ["docs.jsonl", "docs.jsonl.gz"])
def test_documents_leave_and_come_back(tmp_path: Path, name: str) -> None:
    document = {"body": "x \ud800 y", "raw": b"\x00", "at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "big": 2**63}
    with Narsil() as narsil, Narsil(tmp_path / "e") as other:
        fill(narsil)
        narsil.insert("a", document, "own id")
        assert narsil.export_jsonl("a", tmp_path / name) == 6
        other.create_index("b", schema=SCHEMA)
        result = other.import_jsonl("b", tmp_path / name)
        assert len(result.succeeded) == 6 and not result.failed
        assert {key: other.get("b", key) for key in other.index("b")} == {
            key: narsil.get("a", key) for key in narsil.index("a")
        }
        again = other.import_jsonl("b", tmp_path / name)
        assert [failure.error.code for failure in again.failed] == ["DOC_ALREADY_EXISTS"] * 6


def test_a_bad_line_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "1", "body": "a"}\n\nnot json\n[1]\n{"id": "2", "body": 5}\n{"id": "3", "body": "c"}\n')
    with Narsil(tmp_path / "e") as narsil:
        narsil.create_index("a", schema=SCHEMA)
        result = narsil.import_jsonl("a", path)
        assert result.succeeded == ["1", "3"]
        assert ["line 3" in result.failed[0].error.message, len(result.failed)] == [True, 3]
        assert all(isinstance(failure.error, InvalidDocument) for failure in result.failed)


def test_a_stream_that_raises_keeps_what_it_gave(tmp_path: Path) -> None:
    def stream() -> Any:
        yield {"id": "1", "body": "fox"}
        yield {"id": "2", "body": "fox"}
        raise RuntimeError("half-way")

    with Narsil(tmp_path) as narsil:
        narsil.create_index("a", schema=SCHEMA)
        with pytest.raises(RuntimeError, match="half-way"):
            narsil.insert_batch("a", stream())
        assert narsil.query("a", "fox").count == 2
    with Narsil(tmp_path) as narsil:
        assert narsil.query("a", "fox").count == 2


def test_an_error_out_of_a_batch_keeps_what_was_done(tmp_path: Path) -> None:
    def stop(done: int) -> None:
        raise RuntimeError(f"{done} are enough")

    with Narsil(tmp_path) as narsil:
        narsil.create_index("a", schema=SCHEMA)
        documents = [{"id": f"{i}", "body": "fox"} for i in range(1500)]
        with pytest.raises(RuntimeError, match="1000 are enough"):
            narsil.insert_batch("a", documents, on_progress=stop)
        assert narsil.query("a", "fox").count == narsil.count_documents("a") == 1000
        narsil.insert("a", documents[-1])
    with Narsil(tmp_path) as narsil:
        assert narsil.query("a", "fox").count == narsil.count_documents("a") == 1001


def test_engines_in_memory_have_no_files(tmp_path: Path) -> None:
    with Narsil() as narsil:
        fill(narsil)
        with pytest.raises(InvalidConfig):
            narsil.backup(tmp_path / "copy")
        narsil.flush()
        assert not narsil.refresh()
        assert narsil.verify("a").problems == []
        assert narsil.get_stats("a").disk_bytes == 0
    with pytest.raises(InvalidConfig):
        Narsil(read_only=True)


def test_who_may_open_and_write(tmp_path: Path) -> None:
    narsil = Narsil(tmp_path)
    fill(narsil)
    with pytest.raises(EngineLocked):
        Narsil(tmp_path)
    with Narsil(tmp_path, read_only=True) as reader:
        for write in (
            lambda: reader.insert("a", {"body": "x"}),
            lambda: reader.insert_batch("a", [{"body": "x"}]),
            lambda: reader.remove("a", "d1"),
            lambda: reader.create_index("b", schema=SCHEMA),
            lambda: reader.drop_index("a"),
            lambda: reader.clear("a"),
            lambda: reader.restore("a", narsil.snapshot("a")),
        ):
            with pytest.raises(EngineReadOnly):
                write()
        assert reader.query("a", "fox").count == 5
        assert reader.snapshot("a") == narsil.snapshot("a")
        narsil.drop_index("a")
        narsil.create_index("b", schema=SCHEMA)
        assert reader.query("a", "fox").count == 5
        assert reader.refresh()
        assert reader.list_indexes() == ["b"]
    timer = threading.Timer(0.1, narsil.close)
    timer.start()
    Narsil(tmp_path, timeout=30).close()
    timer.join()
    for use in (narsil.flush, narsil.refresh, lambda: narsil.backup(tmp_path / "c"), lambda: narsil.verify("b")):
        with pytest.raises(EngineClosed):
            use()


def test_the_command_line_verifies_copies_and_compacts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, copy = tmp_path / "e", tmp_path / "copy"
    with Narsil(path) as narsil:
        fill(narsil, 300)
        narsil.remove_batch("a", [f"d{i}" for i in range(250)])
    assert main(["verify", str(path)]) == 0
    assert capsys.readouterr().out.endswith("50 documents: sound\n")
    assert main(["backup", str(path), str(copy)]) == 0
    assert main(["backup", str(path), str(copy)]) == 1
    assert "new or an empty directory" in capsys.readouterr().err
    assert main(["compact", str(copy)]) == 0
    before, after = capsys.readouterr().out.removeprefix("a: ").removesuffix(" bytes\n").split(" to ")
    assert int(after) < int(before)
    assert main(["verify", str(copy)]) == 0
    log = next(path.glob("index-*/log-*"))
    data = bytearray(log.read_bytes())
    data[200] ^= 1
    log.write_bytes(data)
    capsys.readouterr()
    assert main(["verify", str(path)]) == 1
    assert "checksum" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "nowhere")]) == 1


def test_a_line_of_an_export_is_plain_json(tmp_path: Path) -> None:
    with Narsil() as narsil:
        fill(narsil, 1)
        narsil.export_jsonl("a", tmp_path / "d.jsonl")
        with pytest.raises(StorageFailed):
            narsil.export_jsonl("a", tmp_path / "no" / "d.jsonl")
    assert json.loads((tmp_path / "d.jsonl").read_text()) == {"id": "d0", "body": "foxes 0 running", "n": 0}
