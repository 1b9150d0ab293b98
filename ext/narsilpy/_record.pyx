# Records of the log, as they are written and as `get` reads them: narsilpy/storage/log.py has the layout, and all the ways
# to read one.
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from narsilpy._guard cimport crc32

cdef enum:
    CHECKED_HEADER_BYTES = 11       # kind u8, number u32, id bytes u16, data bytes u32
    HEADER_BYTES = 15               # and the checksum of everything else, u32


cdef inline uint32_t u32(const uint8_t* p) noexcept nogil:
    return p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef inline void put_u32(uint8_t* at, uint32_t value) noexcept nogil:
    at[0] = <uint8_t>value
    at[1] = <uint8_t>(value >> 8)
    at[2] = <uint8_t>(value >> 16)
    at[3] = <uint8_t>(value >> 24)


def pack_record(int kind, uint32_t doc_no, bytes raw_id, bytes data):
    """The bytes of a record. Raises ValueError for an id or data that its header cannot count."""
    cdef uint64_t n_id = <uint64_t>PyBytes_GET_SIZE(raw_id), n_data = <uint64_t>PyBytes_GET_SIZE(data)
    cdef bytes record
    cdef uint8_t* at
    if n_id > 0xFFFF:
        raise ValueError(f"a document id of {n_id} bytes is longer than {0xFFFF}")
    if n_data > <uint64_t>0xFFFFFFFF:
        raise ValueError(f"a document of {n_data} bytes is longer than {0xFFFFFFFF}")
    record = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>(HEADER_BYTES + n_id + n_data))
    at = <uint8_t*>PyBytes_AS_STRING(record)
    at[0] = <uint8_t>kind
    put_u32(at + 1, doc_no)
    at[5] = <uint8_t>n_id
    at[6] = <uint8_t>(n_id >> 8)
    put_u32(at + 7, <uint32_t>n_data)
    memcpy(at + HEADER_BYTES, PyBytes_AS_STRING(raw_id), n_id)
    memcpy(at + HEADER_BYTES + n_id, PyBytes_AS_STRING(data), n_data)
    put_u32(at + CHECKED_HEADER_BYTES, crc32(at + HEADER_BYTES, n_id + n_data, crc32(at, CHECKED_HEADER_BYTES)))
    return record


def record_data(bytes record, uint32_t doc_no):
    """The data of a log record (narsilpy/storage/log.py) that is the document of this number, or None where it is not sound."""
    cdef const uint8_t* at = <const uint8_t*>PyBytes_AS_STRING(record)
    cdef uint64_t size = <uint64_t>PyBytes_GET_SIZE(record)
    cdef uint64_t start
    if size < 15:
        return None
    start = 15 + (at[5] | <uint64_t>at[6] << 8)
    if at[0] != 1 or u32(at + 1) != doc_no or start + u32(at + 7) != size:
        return None
    if crc32(at + 15, size - 15, crc32(at, 11)) != u32(at + 11):
        return None
    return PyBytes_FromStringAndSize(<const char*>at + start, <Py_ssize_t>(size - start))
