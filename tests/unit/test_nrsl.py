"""`.nrsl` at its edges: hostile compression, torn logs, contradictions between files, limits."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path

import msgspec
import pytest

from narsilpy.errors import ErrorCode, IncompatibleIndex, IndexCorrupted, NarsilError, StorageFailed
from narsilpy.storage import nrsl
from narsilpy.storage.msgpack import pack, unpack
from narsilpy.storage.nrsl.wal import read_log, read_marker

DATA = Path(__file__).parents[1] / "data" / "nrsl"


def log_tier() -> dict[str, bytes]:
    return {p.name.replace("__", "/"): p.read_bytes() for p in (DATA / "tier-wal").iterdir()}


def code_of(read: object, *args: object) -> ErrorCode:
    assert callable(read)
    with pytest.raises(NarsilError) as caught:
        read(*args)
    return caught.value.code


def envelope_of(stored: bytes, flags: int) -> bytes:
    return struct.pack(">4sB3BIHI14x", b"NRSL", 1, 0, 1, 0, len(stored), flags, zlib.crc32(stored)) + stored


def test_a_gzip_bomb_stops_at_the_limit() -> None:
    bomb = envelope_of(gzip.compress(bytes(50_000_000)), 0b1011)
    with pytest.raises(IndexCorrupted, match="inflates to more than 1000 bytes"):
        nrsl.read_partition_file(bomb, max_inflated_bytes=1000)


@pytest.mark.parametrize("stored", [gzip.compress(b"x" * 100)[:-4], gzip.compress(b"x") + b"tail", b"no gzip", b""])
def test_broken_gzip_is_a_load_failure(stored: bytes) -> None:
    assert code_of(nrsl.read_envelope, envelope_of(stored, 0b1011)) is ErrorCode.PERSISTENCE_LOAD_FAILED


def test_a_partition_file_of_the_bundle_format_is_refused() -> None:
    data = nrsl.write_envelope(b"\x80", format_version=2)
    assert nrsl.read_envelope(data).payload == b"\x80"
    with pytest.raises(IncompatibleIndex):
        nrsl.read_partition_file(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x90",
        pack({}),
        pack({"version": 3}),
        pack({"version": 2, "partitions": "no"}),
        pack({"version": 2, "partitions": ["no"]}),
        pack({"version": 2, "partitions": [], "language": "english"}),
        pack({"version": 2, "partitions": [], "language": "english", "schema": {"a": 1}}),
        pack({"version": 2, "partitions": [], "language": 7, "schema": {}}),
    ],
)
def test_bytes_that_are_no_snapshot_get_the_originals_code(data: bytes) -> None:
    assert code_of(nrsl.read_snapshot, data) is ErrorCode.DOC_VALIDATION_FAILED


def test_one_document_in_two_partitions_is_a_contradiction() -> None:
    index = nrsl.read_snapshot((DATA / "snapshot-api.bin").read_bytes())
    index.partitions.append(index.partitions[0])
    with pytest.raises(IndexCorrupted, match="stands in two partitions"):
        nrsl.read_snapshot(nrsl.write_snapshot(index))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["inverted_index"]["entries"]["crew"]["ids"].__setitem__(0, "ghost"), "which is not there"),
        (lambda p: p["inverted_index"]["entries"]["crew"]["tf"].pop(), "differ in length"),
        (lambda p: p["inverted_index"]["field_names"].clear(), "beyond the 0"),
        (lambda p: p["field_indexes"]["enum"]["kind"]["bags"].append("ghost"), "which is not there"),
        (lambda p: p["surface_forms"].__setitem__("bags", ["x", 1]), "no count"),
        (lambda p: p.__setitem__("v", 7), "version 7"),
    ],
)
def test_a_partition_that_contradicts_itself_is_refused(change: object, message: str) -> None:
    payload = unpack(unpack((DATA / "snapshot-api.bin").read_bytes())["partitions"][0])
    assert callable(change)
    change(payload)
    with pytest.raises(IndexCorrupted, match=message):
        nrsl.read_partition(pack(payload))


def test_more_text_fields_than_a_byte_can_number_are_kept() -> None:
    schema = {f"f{i}": "string" for i in range(300)}
    builder = nrsl.IndexBuilder("wide", schema)
    builder.add("1", dict.fromkeys(schema, "word"), {field: [("word", 0)] for field in schema})
    index = builder.finish()
    assert nrsl.read_snapshot(nrsl.write_snapshot(index)) == index


def test_a_value_that_no_file_can_hold_is_refused_when_written() -> None:
    builder = nrsl.IndexBuilder("demo", {"a": "string"})
    builder.add("1", {"a": {1, 2}}, {})
    with pytest.raises(StorageFailed, match="set cannot be stored"):
        nrsl.write_snapshot(builder.finish())


def test_schemas_flatten_in_order_and_nest_again() -> None:
    nested = {"a": "string", "b": {"c": "number", "d": {"e": "enum"}, "f": "string"}, "g": "boolean", "h": {}}
    flat = nrsl.flatten_schema(nested)
    assert list(flat) == ["a", "b.c", "b.d.e", "b.f", "g"]
    assert nrsl.nest_schema(flat) == {key: kind for key, kind in nested.items() if kind}
    for clash in ({"a": "string", "a.b": "string"}, {"a.b": "string", "a": "string"}):
        with pytest.raises(ValueError, match="schema"):
            nrsl.nest_schema(clash)


# --- the log ------------------------------------------------------------------------------------------------------


def test_every_flipped_byte_of_a_durable_log_is_found() -> None:
    files = log_tier()
    for number in (0, 1):
        key = f"demo/wal/{number}/0000000000000001"
        whole = files[key]
        for at in range(len(whole)):
            if 4 <= at < 8:  # version and reserved bytes: only a newer version is refused
                continue
            torn = bytearray(whole)
            torn[at] ^= 0x41
            code = code_of(nrsl.read_directory, {**files, key: bytes(torn)}, "demo")
            assert code is ErrorCode.PERSISTENCE_LOAD_FAILED, at


def test_what_a_crash_tore_behind_the_commit_marker_is_left_out() -> None:
    whole = log_tier()["demo/wal/0/0000000000000001"]
    entries = read_log(whole)
    assert [entry.seq_no for entry in entries] == [1, 2, 3]
    ends = [8]
    while ends[-1] < len(whole):
        ends.append(ends[-1] + 8 + int.from_bytes(whole[ends[-1] : ends[-1] + 4], "big"))
    for cut in range(8, len(whole) + 1):
        n = sum(end <= cut for end in ends) - 1
        assert read_log(whole[:cut], 8) == entries[:n]
    assert read_log(whole + whole[8:], len(whole)) == entries  # sequence numbers that fall end the log


def test_a_log_that_ends_before_its_marker_is_an_error() -> None:
    files = log_tier()
    key = "demo/wal/0/0000000000000001"
    for cut in range(len(files[key])):
        assert (
            code_of(nrsl.read_directory, {**files, key: files[key][:cut]}, "demo") is ErrorCode.PERSISTENCE_LOAD_FAILED
        )
    del files[key]
    assert code_of(nrsl.read_directory, files, "demo") is ErrorCode.PERSISTENCE_LOAD_FAILED


def test_the_commit_marker_survives_one_torn_slot() -> None:
    data = log_tier()["demo/wal/0/commit"]
    marker = read_marker(data)
    assert marker is not None and marker.write_number == 6
    older = read_marker(data[:40] + b"\xff" + data[41:])
    assert older is not None and older.write_number == 5
    assert read_marker(b"") is None and read_marker(bytes(72)) is None


@pytest.mark.parametrize("missing", ["demo/meta", "demo/manifest", "demo/segments/0/s0000000000000000"])
def test_a_missing_file_is_named_by_a_typed_error(missing: str) -> None:
    files = log_tier()
    del files[missing]
    assert code_of(nrsl.read_directory, files, "demo") is ErrorCode.PERSISTENCE_LOAD_FAILED


def test_every_flipped_byte_of_the_enveloped_files_is_found_or_harmless() -> None:
    files = log_tier()
    expected = nrsl.read_directory(files, "demo")
    for key in ("demo/meta", "demo/manifest", "demo/segments/0/s0000000000000000"):
        for at in range(len(files[key])):
            torn = bytearray(files[key])
            torn[at] ^= 0x10
            try:
                read = nrsl.read_directory({**files, key: bytes(torn)}, "demo")
            except NarsilError:
                continue
            assert at < 32 and read == expected


def test_a_directory_that_is_not_there_has_no_indexes(tmp_path: Path) -> None:
    assert nrsl.list_directory(tmp_path / "nowhere") == []
    assert code_of(nrsl.read_directory, tmp_path / "nowhere", "demo") is ErrorCode.PERSISTENCE_LOAD_FAILED


def test_settings_of_an_unknown_kind_survive_a_round_trip() -> None:
    raw = unpack((DATA / "snapshot-api.bin").read_bytes())
    raw |= {"patternValueLimit": 5, "embedding": {"fields": {"vec": "body"}}}
    index = nrsl.read_snapshot(pack(raw))
    assert index.settings["patternValueLimit"] == 5
    assert unpack(nrsl.write_snapshot(index))["embedding"] == {"fields": {"vec": "body"}}


def test_a_lone_surrogate_reads_from_what_the_original_writes() -> None:
    index = nrsl.read_snapshot((DATA / "snapshot-api.bin").read_bytes())
    index.partitions[0].documents["a2"].fields["title"] = "x\ud83dx"
    data = nrsl.write_snapshot(index)
    assert b"x\xed\xa0\xbdx" in data
    with pytest.raises(msgspec.DecodeError):
        msgspec.msgpack.decode(unpack(data)["partitions"][0])
    assert dict(nrsl.read_snapshot(data).documents())["a2"]["title"] == "x\ud83dx"
