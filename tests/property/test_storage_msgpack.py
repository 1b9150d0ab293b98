"""The lossless MessagePack codec: what goes in comes out, and untrusted bytes give a value or `MalformedData`."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narsilpy.storage.msgpack import (
    MAX_DEPTH,
    MalformedData,
    UnsupportedValue,
    _pack,
    _Reader,
    pack,
    pack_trusted,
    unpack,
)

texts = st.text(st.characters(exclude_categories=())) | st.text(st.characters(categories=("Cs",)), max_size=3)
utc = st.timezones() | st.just(dt.UTC)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**200), max_value=2**200)
    | st.floats(allow_nan=False)
    | texts
    | st.binary()
    | st.dates()
    | st.datetimes()
    | st.datetimes(min_value=dt.datetime(2, 1, 1), max_value=dt.datetime(9998, 1, 1), timezones=st.just(dt.UTC))
)
documents = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)
native = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**63), max_value=2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text()
    | st.text(min_size=30, max_size=300)
    | st.binary(max_size=300)
    | st.datetimes(min_value=dt.datetime(1, 1, 2), max_value=dt.datetime(9998, 1, 1), timezones=st.just(dt.UTC)),
    lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.text(), inner, max_size=40),
    max_leaves=60,
)


def same(a: Any, b: Any) -> bool:
    """Equal, and of the same types all the way down (1, 1.0 and True are three values)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


@given(documents)
def test_what_is_packed_comes_back_with_its_types(value: Any) -> None:
    assert same(unpack(pack(value)), value)


@given(documents)
def test_the_plain_packer_and_reader_keep_everything_too(value: Any) -> None:
    out = bytearray()
    _pack(value, out, ())
    assert same(_Reader(bytes(out)).whole(), value)
    assert same(unpack(out), value)


@given(native)
def test_the_plain_packer_and_reader_agree_with_the_native_ones(value: Any) -> None:
    out = bytearray()
    _pack(value, out, ())
    assert bytes(out) == msgspec.msgpack.encode(value) == pack_trusted(value)
    assert same(_Reader(bytes(out)).whole(), msgspec.msgpack.decode(out))


@given(st.binary())
def test_any_bytes_give_a_value_or_malformed_data(data: bytes) -> None:
    try:
        unpack(data)
    except MalformedData:
        pass


@given(documents, st.data())
def test_any_changed_byte_gives_a_value_or_malformed_data(value: Any, data: st.DataObject) -> None:
    packed = bytearray(pack(value))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] = data.draw(st.integers(0, 255))
    for mutated in (packed, packed[:at]):
        for read in (unpack, lambda raw: _Reader(bytes(raw)).whole()):
            try:
                read(mutated)
            except MalformedData:
                pass


@pytest.mark.parametrize("value", [{1, 2}, object(), {"a": [lambda: 1]}, 1j, {"k": dt.time(1)}, [{("a",): 2**80}]])
def test_what_cannot_be_kept_is_refused(value: object) -> None:
    with pytest.raises(UnsupportedValue):
        pack(value)


def test_the_path_of_a_refused_value_is_told() -> None:
    with pytest.raises(UnsupportedValue) as caught:
        pack({"a": [0, {"b": {1}}]})
    assert caught.value.path == ("a", 1, "b")


def test_a_structure_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(UnsupportedValue, match="nested deeper"):
        pack(loop)


@pytest.mark.parametrize(
    "data", [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff"]
)
def test_lengths_beyond_the_data_allocate_nothing(data: bytes) -> None:
    for read in (unpack, lambda raw: _Reader(raw).whole()):
        with pytest.raises(MalformedData):
            read(data + b"\x00" * 100)


def test_deep_nesting_is_malformed_data_not_a_recursion_error() -> None:
    assert unpack(b"\x91" * (MAX_DEPTH - 1) + b"\xc0") is not None
    with pytest.raises(MalformedData):
        unpack(b"\x91" * 1_000_000 + b"\xc0")


def test_a_datetime_with_a_time_zone_comes_back_as_the_same_instant_in_utc() -> None:
    moment = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    back = unpack(pack({"at": moment}))["at"]
    assert back == moment
    assert back.tzinfo is dt.UTC
