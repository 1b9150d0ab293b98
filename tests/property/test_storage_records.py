"""What `get` asks native code for, beside its twins: hashes of ids, and records of the log."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy._guard import record_data
from narsilpy._table import keyed_hash
from narsilpy.analysis.analyzer import _installed_pystemmer, _stemmer_version
from narsilpy.storage.log import PUT, REMOVE, Unsound, document_of, pack_record
from tests.reference import blake2

ids = st.binary(max_size=40)


@given(st.one_of(st.binary(max_size=300), st.sampled_from([b"x" * n for n in (127, 128, 129, 255, 256, 257)])),
       st.binary(min_size=1, max_size=64))
def test_ids_hash_as_the_standard_library_does(data: bytes, key: bytes) -> None:
    assert keyed_hash(data, key) == blake2.keyed_hash(data, key)


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
