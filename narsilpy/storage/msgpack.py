"""MessagePack for everything a document may hold, without loss.

`msgspec` packs and unpacks nearly every document at native speed. What it refuses, or would silently turn into text,
goes through the plain Python code below, whose bytes are MessagePack as well:

- a string with lone surrogates: a MessagePack string whose bytes are UTF-8 with the surrogates let through (three
  bytes each), which is also what the original engine writes for such strings;
- an integer beyond 64 bits: extension 1, big-endian two's complement;
- a datetime without a time zone: extension 2, ISO 8601 text; a date: extension 3, ISO 8601 text.

A datetime with a time zone is MessagePack's own timestamp: the same instant comes back, in UTC. Tuples come back as
lists, `bytearray` and `memoryview` as `bytes`, subclasses of str, int, float, dict and list as the plain type.

Reading takes untrusted bytes: every length is checked against what is left before anything is allocated, nesting is
bounded, and every fault is a `MalformedData`.
"""

from __future__ import annotations

import datetime as dt
import struct
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

MAX_DEPTH: Final = 256
_BIG_INT: Final = 1
_NAIVE_DATETIME: Final = 2
_DATE: Final = 3
_TIMESTAMP: Final = -1
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

# What msgspec, and the conversions below, may raise for bytes that are not what they claim to be.
DECODE_FAULTS: Final = (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError, struct.error)


class MalformedData(ValueError):
    """Bytes that are not MessagePack, or not what the reader expects there."""


class UnsupportedValue(TypeError):
    """A value that no encoding here can hold; `path` says where it stands in the document."""

    def __init__(self, value: object, path: tuple[str | int, ...], reason: str) -> None:
        super().__init__(reason)
        self.value = value
        self.path = path
        self.reason = reason


def extension(code: int, data: memoryview) -> Any:
    """The value of an extension: the hook that every `msgspec` decoder of this package is given."""
    raw = bytes(data)
    if code == _BIG_INT:
        return int.from_bytes(raw, "big", signed=True)
    if code == _NAIVE_DATETIME:
        return dt.datetime.fromisoformat(raw.decode("ascii"))
    if code == _DATE:
        return dt.date.fromisoformat(raw.decode("ascii"))
    raise MalformedData(f"extension type {code} is not known")


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(ext_hook=extension)


def pack(value: object) -> bytes:
    """`value` as MessagePack, such that `unpack` gives an equal value back.

    Raises `UnsupportedValue` for what cannot be kept (sets, functions, class instances, ...).

    >>> value = {"n": 2**80, "broken": "\\ud800", "raw": b"\\x00"}
    >>> unpack(pack(value)) == value
    True
    """
    try:
        packed = _encoder.encode(value)
        # msgspec writes dates, UUIDs, decimals, enums and more as text without saying so: what does not come back
        # equal is packed the slow way, which keeps it or refuses it.
        if _decoder.decode(packed) == value:
            return packed
    except DECODE_FAULTS:
        pass
    out = bytearray()
    _pack(value, out, ())
    return bytes(out)


def pack_trusted(value: object) -> bytes:
    """`pack` for what is known to hold no dates and nothing but plain types: skips the comparison."""
    try:
        return _encoder.encode(value)
    except (UnicodeEncodeError, OverflowError):
        out = bytearray()
        _pack(value, out, ())
        return bytes(out)


def unpack(data: bytes | bytearray | memoryview) -> Any:
    """The one value that `data` holds; `MalformedData` if there is none, or more than one."""
    try:
        return _decoder.decode(data)
    except DECODE_FAULTS:
        return _Reader(bytes(data)).whole()


def unpack_as(data: bytes | bytearray | memoryview, decoder: msgspec.msgpack.Decoder[T], kind: type[T]) -> T:
    """Decode into a typed structure; falls back to the tolerant reader for strings with lone surrogates."""
    try:
        return decoder.decode(data)
    except DECODE_FAULTS as error:
        if not isinstance(error, msgspec.DecodeError) or "UTF-8" not in str(error):
            raise MalformedData(str(error)) from error
    try:
        return msgspec.convert(_Reader(bytes(data)).whole(), kind)
    except DECODE_FAULTS as error:
        raise MalformedData(str(error)) from error


# --- packing -----------------------------------------------------------------------------------------------------


def _pack(value: object, out: bytearray, path: tuple[str | int, ...]) -> None:
    if len(path) > MAX_DEPTH:
        raise UnsupportedValue(value, path, f"nested deeper than {MAX_DEPTH} levels")
    if value is None or value is True or value is False:
        out += b"\xc0" if value is None else b"\xc3" if value else b"\xc2"
    elif isinstance(value, str):
        raw = str.encode(value, "utf-8", "surrogatepass")
        _head(len(raw), out, 0xA0, 31, b"\xd9", b"\xda", b"\xdb")
        out += raw
    elif isinstance(value, int):
        _pack_int(int(value), out)
    elif isinstance(value, float):
        out += struct.pack(">Bd", 0xCB, value)
    elif isinstance(value, bytes | bytearray | memoryview):
        raw = bytes(value)
        _head(len(raw), out, None, -1, b"\xc4", b"\xc5", b"\xc6")
        out += raw
    elif isinstance(value, msgspec.Raw):
        out += bytes(value)
    elif isinstance(value, dict):
        _pack_dict(value, out, path)
    elif isinstance(value, list | tuple):
        _head(len(value), out, 0x90, 15, None, b"\xdc", b"\xdd")
        for i, item in enumerate(value):
            _pack(item, out, (*path, i))
    elif isinstance(value, dt.date):
        _pack_date(value, out)
    else:
        raise UnsupportedValue(value, path, f"{type(value).__name__} cannot be stored")


def _pack_dict(value: dict[Any, Any], out: bytearray, path: tuple[str | int, ...]) -> None:
    _head(len(value), out, 0x80, 15, None, b"\xde", b"\xdf")
    for key, item in value.items():
        if key is not None and not isinstance(key, str | int | float | bytes):
            raise UnsupportedValue(key, path, f"a key must be a string, not {type(key).__name__}")
        _pack(key, out, path)
        _pack(item, out, (*path, str(key)))


def _head(
    n: int, out: bytearray, small: int | None, small_max: int, one: bytes | None, two: bytes, four: bytes
) -> None:
    if small is not None and n <= small_max:
        out.append(small | n)
    elif one is not None and n <= 0xFF:
        out += one + n.to_bytes(1, "big")
    elif n <= 0xFFFF:
        out += two + n.to_bytes(2, "big")
    else:
        out += four + n.to_bytes(4, "big")


def _pack_int(value: int, out: bytearray) -> None:
    if -(2**63) <= value < 2**64:
        out += _encoder.encode(value)
    else:
        _pack_extension(_BIG_INT, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True), out)


def _pack_date(value: dt.date, out: bytearray) -> None:
    if not isinstance(value, dt.datetime):
        _pack_extension(_DATE, value.isoformat().encode("ascii"), out)
    elif value.tzinfo is None:
        _pack_extension(_NAIVE_DATETIME, value.isoformat().encode("ascii"), out)
    else:
        out += _encoder.encode(value)


def _pack_extension(code: int, raw: bytes, out: bytearray) -> None:
    n = len(raw)
    if n <= 0xFF:
        out += b"\xc7" + n.to_bytes(1, "big")
    elif n <= 0xFFFF:
        out += b"\xc8" + n.to_bytes(2, "big")
    else:
        out += b"\xc9" + n.to_bytes(4, "big")
    out.append(code)
    out += raw


# --- unpacking ---------------------------------------------------------------------------------------------------


# Leading bytes above the short forms: a constant, or (what follows, width in bytes of its number or length).
_CONSTANTS: Final[dict[int, bool | None]] = {0xC0: None, 0xC2: False, 0xC3: True}
_FORMATS: Final[dict[int, tuple[str, int]]] = {
    **{0xC4 + i: ("bytes", 1 << i) for i in range(3)},
    **{0xC7 + i: ("extension", 1 << i) for i in range(3)},
    0xCA: ("float", 4),
    0xCB: ("float", 8),
    **{0xCC + i: ("uint", 1 << i) for i in range(4)},
    **{0xD0 + i: ("int", 1 << i) for i in range(4)},
    **{0xD4 + i: ("fixed extension", 1 << i) for i in range(5)},
    **{0xD9 + i: ("text", 1 << i) for i in range(3)},
    **{0xDC + i: ("array", 2 << i) for i in range(2)},
    **{0xDE + i: ("map", 2 << i) for i in range(2)},
}


class _Reader:
    """A plain MessagePack reader whose strings may hold lone surrogates."""

    __slots__ = ("_at", "_data", "_depth")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._depth = 0

    def whole(self) -> Any:
        try:
            value = self._value()
        except MalformedData:
            raise
        except DECODE_FAULTS as error:
            raise MalformedData(str(error)) from error
        if self._at != len(self._data):
            raise MalformedData(f"{len(self._data) - self._at} bytes follow the value")
        return value

    def _take(self, n: int) -> bytes:
        end = self._at + n
        if end > len(self._data):
            raise MalformedData("the data ends inside a value")
        raw = self._data[self._at : end]
        self._at = end
        return raw

    def _count(self, width: int) -> int:
        return int.from_bytes(self._take(width), "big")

    def _value(self) -> Any:
        code = self._take(1)[0]
        if code <= 0x7F:
            return code
        if code >= 0xE0:
            return code - 0x100
        if code <= 0x8F:
            return self._map(code & 0x0F)
        if code <= 0x9F:
            return self._array(code & 0x0F)
        if code <= 0xBF:
            return self._text(code & 0x1F)
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code not in _FORMATS:
            raise MalformedData(f"byte 0x{code:02x} starts no value")
        kind, width = _FORMATS[code]
        if kind == "float":
            return struct.unpack(">f" if width == 4 else ">d", self._take(width))[0]
        if kind == "int":
            return int.from_bytes(self._take(width), "big", signed=True)
        if kind == "fixed extension":
            return self._extension(width)
        return self._counted(kind, self._count(width))

    def _counted(self, kind: str, n: int) -> Any:
        if kind == "uint":
            return n
        if kind == "bytes":
            return self._take(n)
        if kind == "text":
            return self._text(n)
        if kind == "array":
            return self._array(n)
        if kind == "map":
            return self._map(n)
        return self._extension(n)

    def _text(self, n: int) -> str:
        return self._take(n).decode("utf-8", "surrogatepass")

    def _items(self, n: int) -> None:
        if n > len(self._data) - self._at:
            raise MalformedData("a container claims more items than bytes are left")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise MalformedData(f"nested deeper than {MAX_DEPTH} levels")

    def _array(self, n: int) -> list[Any]:
        self._items(n)
        items = [self._value() for _ in range(n)]
        self._depth -= 1
        return items

    def _map(self, n: int) -> dict[Any, Any]:
        self._items(n)
        items: dict[Any, Any] = {}
        for _ in range(n):
            key = self._value()
            items[key] = self._value()
        self._depth -= 1
        return items

    def _extension(self, n: int) -> Any:
        code = int.from_bytes(self._take(1), "big", signed=True)
        raw = self._take(n)
        if code != _TIMESTAMP:
            return extension(code, memoryview(raw))
        if n == 4:
            return _EPOCH + dt.timedelta(seconds=int.from_bytes(raw, "big"))
        if n == 8:
            packed = int.from_bytes(raw, "big")
            return _EPOCH + dt.timedelta(seconds=packed & (2**34 - 1), microseconds=(packed >> 34) // 1000)
        if n == 12:
            seconds = int.from_bytes(raw[4:], "big", signed=True)
            return _EPOCH + dt.timedelta(seconds=seconds, microseconds=int.from_bytes(raw[:4], "big") // 1000)
        raise MalformedData("a timestamp of an unknown length")
