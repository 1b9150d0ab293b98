"""What the log and its tables ask native code for, beside its twins: hashes of ids, records, sections of a table."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy._record import pack_record, record_data
from narsilpy._table import KeyedHash, table_sections
from narsilpy.analysis.analyzer import _installed_pystemmer, _stemmer_version
from narsilpy.storage.log import PUT, REMOVE, Unsound, document_of
from tests.reference import blake2, records, tables

ids = st.binary(max_size=40)


@given(st.one_of(st.binary(max_size=300), st.sampled_from([b"x" * n for n in (127, 128, 129, 255, 256, 257)])),
       st.binary(min_size=1, max_size=64))
def test_ids_hash_as_the_standard_library_does(data: bytes, key: bytes) -> None:
    assert KeyedHash(key)(data) == blake2.keyed_hash(data, key)


@given(st.integers(0, 255), st.integers(0, 2**32 - 1), ids, st.binary(max_size=200))
def test_records_are_packed_as_the_twin_packs_them(kind: int, doc_no: int, raw_id: bytes, data: bytes) -> None:
    assert pack_record(kind, doc_no, raw_id, data) == records.pack_record(kind, doc_no, raw_id, data)


def test_what_a_record_cannot_count_is_refused() -> None:
    assert pack_record(PUT, 0, b"x" * 0xFFFF, b"") == records.pack_record(PUT, 0, b"x" * 0xFFFF, b"")
    with pytest.raises(ValueError, match="65536 bytes is longer than 65535"):
        pack_record(PUT, 0, b"x" * 0x10000, b"")


places = st.tuples(st.integers(1, 2**32 - 1), st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1))
entries_of_tables = st.dictionaries(st.integers(0, 60), st.tuples(st.binary(max_size=20), places), min_size=1).map(
    lambda chosen: [(number + 2**32 - 100, raw_id, place) for number, (raw_id, place) in sorted(chosen.items())]
)


@given(entries_of_tables.filter(lambda entries: len({raw_id for _, raw_id, _ in entries}) == len(entries)),
       st.binary(min_size=1, max_size=64))
def test_tables_are_made_as_the_twin_makes_them(entries: list[tables.Entry], key: bytes) -> None:
    hashed = KeyedHash(key)
    *sizes, sections = table_sections(entries, hashed)
    assert (*sizes, tuple(map(bytes, sections))) == tables.table_sections(entries, hashed)


def test_a_table_of_numbers_out_of_order_is_refused() -> None:
    place = (1, 32, 40)
    for numbers in ([5, 4], [5, 5], [5, 9, 7, 10], [5, 4, 6]):
        with pytest.raises(ValueError, match="out of order"):
            table_sections([(number, b"%d" % at, place) for at, number in enumerate(numbers)], KeyedHash(b"k"))


def by_twin(record: bytes, doc_no: int) -> bytes | None:
    try:
        return document_of(record, doc_no)
    except Unsound:
        return None


@given(st.sampled_from([PUT, REMOVE]), st.integers(0, 2**32 - 1), ids, st.binary(max_size=200), st.booleans())
def test_a_sound_record_gives_its_data_to_its_number_alone(
    kind: int, doc_no: int, raw_id: bytes, data: bytes, other: bool
) -> None:
    record = pack_record(kind, doc_no, raw_id, data)
    asked = doc_no ^ 1 if other else doc_no
    assert record_data(record, asked) == by_twin(record, asked)
    assert (record_data(record, asked) == data) == (kind == PUT and not other)


@given(ids, st.binary(max_size=60), st.data())
def test_a_record_with_one_bit_turned_or_its_end_cut_off_is_not_believed(
    raw_id: bytes, data: bytes, draw: st.DataObject
) -> None:
    record = pack_record(PUT, 7, raw_id, data)
    at = draw.draw(st.integers(0, 8 * len(record) - 1))
    turned = bytearray(record)
    turned[at // 8] ^= 1 << at % 8
    assert record_data(bytes(turned), 7) is None
    assert record_data(record[: at // 8], 7) is None
    assert record_data(record + b"\0", 7) is None


def test_the_release_of_the_stemmer_is_what_its_metadata_say() -> None:
    pytest.importorskip("Stemmer")
    found = _installed_pystemmer()
    assert found is None or found == version("PyStemmer")
    assert _stemmer_version().endswith(version("PyStemmer"))
