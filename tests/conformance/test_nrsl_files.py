"""`.nrsl` files that the original wrote: what they hold, and the same bytes again from what was read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from narsilpy.errors import IncompatibleIndex, IndexCorrupted, NarsilError
from narsilpy.storage import nrsl
from narsilpy.storage.msgpack import unpack

DATA = Path(__file__).parents[1] / "data" / "nrsl"
INDEX = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
VECTOR_NOTE = "vectors were left out: vec"


def recorded_documents() -> dict[str, dict[str, Any]]:
    return {key: {k: v for k, v in doc.items() if k != "vec"} for key, doc in INDEX["restored_docs"].items()}


def tier(name: str) -> dict[str, bytes]:
    return {p.name.replace("__", "/").removesuffix(".nrsl"): p.read_bytes() for p in (DATA / name).iterdir()}


@pytest.mark.parametrize(
    "name", [f"partition{p}-v1-{kind}.nrsl" for p in (0, 1) for kind in ("crc", "gzip-crc", "plain")]
)
def test_partition_files_hold_the_recorded_documents_and_postings(name: str) -> None:
    partition = nrsl.read_partition_file((DATA / name).read_bytes())
    recorded = INDEX["files"][f"{name.split('-')[0]}-v1-plain.nrsl"]["payload"]
    assert {
        k: {"fields": d.fields, "field_lengths": d.field_lengths} for k, d in partition.documents.items()
    } == recorded["documents"]
    rows = {
        term: {
            "doc_freq": p.document_frequency,
            "postings": [
                {"doc_id": d, "term_freq": n, "field": f, "positions": list(at)}
                for d, n, f, at in zip(p.doc_ids, p.frequencies, p.fields, p.positions or (), strict=True)
            ],
        }
        for term, p in partition.terms.items()
    }
    assert rows == recorded["inverted_index"]


@pytest.mark.parametrize("partition", [0, 1])
def test_a_partition_file_is_written_as_the_original_wrote_it(partition: int) -> None:
    for kind, checksum in (("crc", True), ("plain", False)):
        data = (DATA / f"partition{partition}-v1-{kind}.nrsl").read_bytes()
        assert nrsl.write_partition_file(nrsl.read_partition_file(data), checksum=checksum) == data
    squeezed = (DATA / f"partition{partition}-v1-gzip-crc.nrsl").read_bytes()
    again = nrsl.write_partition_file(nrsl.read_partition_file(squeezed), compress=True)
    assert nrsl.read_envelope(again).payload == nrsl.read_envelope(squeezed).payload


def test_the_snapshot_holds_the_recorded_settings_and_documents() -> None:
    index = nrsl.read_snapshot((DATA / "snapshot-api.bin").read_bytes())
    config = INDEX["config"]
    assert index.schema == config["schema"]
    assert (index.name, index.language, index.bm25) == ("demo", "english", {"k1": 1.5, "b": 0.6})
    assert index.stop_words == ["a", "the", "zebra"]
    assert index.required == ["title"]
    assert index.settings == {"partitionConfig": {"maxPartitions": 2}, "defaultScoring": "local"}
    assert dict(index.documents()) == recorded_documents()
    assert index.notes == [VECTOR_NOTE]


def test_the_snapshot_is_written_as_the_original_wrote_it_but_for_vectors() -> None:
    data = (DATA / "snapshot-api.bin").read_bytes()
    ours, theirs = unpack(nrsl.write_snapshot(nrsl.read_snapshot(data))), unpack(data)
    assert theirs.pop("vectorIndexes") and ours.pop("vectorIndexes") == {}
    assert list(ours.items()) == list(theirs.items())


def test_the_snapshot_tier_reads_like_the_snapshot() -> None:
    files = tier("tier-snapshot")
    assert nrsl.list_directory(files) == ["demo"]
    index = nrsl.read_directory(files, "demo")
    snapshot = nrsl.read_snapshot((DATA / "snapshot-api.bin").read_bytes())
    assert index.partitions == snapshot.partitions
    assert (index.schema, index.bm25, index.stop_words) == (snapshot.schema, snapshot.bm25, snapshot.stop_words)
    assert index.notes == [VECTOR_NOTE]


def test_the_snapshot_tier_is_written_as_the_original_wrote_it_but_for_vectors() -> None:
    files = tier("tier-snapshot")
    index = nrsl.read_directory(files, "demo")
    created = INDEX["files"]["tier-snapshot/demo__meta.nrsl"]["payload"]["created_at"]
    written = nrsl.write_directory_files(index, created_at_ms=created)
    assert written.keys() == files.keys()
    for key, data in files.items():
        ours, theirs = (unpack(nrsl.read_envelope(blob).payload) for blob in (written[key], data))
        if "vectorIndexes" in theirs:
            assert theirs.pop("vectorIndexes") and ours.pop("vectorIndexes") == {}
        assert ours == theirs


def test_the_log_tier_replays_to_the_recorded_state(tmp_path: Path) -> None:
    files = tier("tier-wal")
    index = nrsl.read_directory(files, "demo")
    documents = dict(index.documents())
    recorded = recorded_documents()
    recorded.pop("a1")
    recorded["a2"]["price"] = 1
    assert documents == recorded
    assert len(index) == INDEX["wal_recovered"]["count"]
    assert index.notes == [VECTOR_NOTE]
    for key, data in files.items():  # the same from a directory
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(data)
    assert nrsl.list_directory(tmp_path) == ["demo"]
    assert nrsl.read_directory(tmp_path, "demo") == index


def damaged(case: str) -> bytes:
    data = bytearray((DATA / "partition0-v1-crc.nrsl").read_bytes())
    match case:
        case "bad magic":
            data[0] = 0x58
        case "short header":
            return bytes(data[:20])
        case "truncated payload":
            return bytes(data[:-5])
        case "flipped payload byte":
            data[100] ^= 0xFF
        case "version 9":
            data[4] = 9
        case "encrypted flag":
            data[13] |= 1 << 4
        case "lz4 flag":
            data[13] |= 1 | 2 << 1
        case "trailing bytes are ignored":
            data += b"tail"
        case "nonzero reserved is ignored":
            data[20] = 7
        case _:
            raise AssertionError(f"no recipe for {case}")
    return bytes(data)


@pytest.mark.parametrize("case", sorted(INDEX["corruption_of_partition0_v1_crc"]))
def test_damaged_files_give_the_recorded_code(case: str) -> None:
    expected = INDEX["corruption_of_partition0_v1_crc"][case]
    if expected == "ok":
        assert nrsl.read_partition_file(damaged(case)) == nrsl.read_partition_file(
            damaged("trailing bytes are ignored")
        )
        return
    with pytest.raises(NarsilError) as caught:
        nrsl.read_partition_file(damaged(case))
    assert caught.value.code == expected["code"]
    incompatible = expected["code"] == "ENVELOPE_VERSION_MISMATCH"
    assert isinstance(caught.value, IncompatibleIndex if incompatible else IndexCorrupted)


def recorded_tokens(partition: nrsl.Partition) -> dict[str, dict[str, list[tuple[str, int]]]]:
    tokens: dict[str, dict[str, list[tuple[str, int]]]] = {
        key: {field: [] for field in document.field_lengths} for key, document in partition.documents.items()
    }
    for term, p in partition.terms.items():
        for doc_id, field, places in zip(p.doc_ids, p.fields, p.positions or (), strict=True):
            tokens[doc_id][field] += [(term, at) for at in places]
    return tokens


@pytest.mark.parametrize("number", [0, 1])
def test_the_builder_derives_what_the_original_stored(number: int) -> None:
    recorded = nrsl.read_partition_file((DATA / f"partition{number}-v1-crc.nrsl").read_bytes())
    tokens = recorded_tokens(recorded)
    builder = nrsl.IndexBuilder("demo", INDEX["config"]["schema"])
    for key in INDEX["docs"]:  # in order of insertion
        if key["id"] in recorded.documents:
            builder.add(key["id"], recorded.documents[key["id"]].fields, tokens[key["id"]])
    built = builder.finish().partitions[0]
    assert built.documents == recorded.documents
    assert built.field_indexes == recorded.field_indexes
    assert {t: sorted(zip(p.doc_ids, p.fields, p.frequencies, strict=True)) for t, p in built.terms.items()} == {
        t: sorted(zip(p.doc_ids, p.fields, p.frequencies, strict=True)) for t, p in recorded.terms.items()
    }
    assert {t: p.document_frequency for t, p in built.terms.items()} == {
        t: p.document_frequency for t, p in recorded.terms.items()
    }
