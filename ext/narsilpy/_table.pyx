# Lookups in a document table (narsilpy/storage/table.py has the layout): id to slot, slot to id and to its place in the log.
#
# A TableIndex reads sections of a mapped file where they lie, each an offset into the buffer of its guard, which it keeps
# alive. The caller has checked that the sections lie within the buffer; every block is checked by the guard before it is
# read, every number found there before it is used. -1 means "not there"; damage is a ValueError, which the table turns into the
# error that names the block.
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from narsilpy._guard cimport BlockGuard


cdef inline uint32_t u32(const uint8_t* p) noexcept nogil:
    return p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef class TableIndex:
    """`TableIndex(guard, locations, ends, ids, hash, n_slots, id_bytes, n_hash)`: offsets of the sections, and their sizes."""

    cdef BlockGuard guard
    cdef uint64_t locations
    cdef uint64_t ends
    cdef uint64_t ids
    cdef uint64_t table
    cdef uint32_t n_slots
    cdef uint64_t id_bytes
    cdef uint32_t n_hash

    def __cinit__(self, BlockGuard guard, uint64_t locations, uint64_t ends, uint64_t ids, uint64_t table,
                  uint32_t n_slots, uint64_t id_bytes, uint32_t n_hash):
        if (locations + 16 * <uint64_t>n_slots > guard.size or ends + 4 * <uint64_t>n_slots > guard.size
                or ids + id_bytes > guard.size or table + 4 * <uint64_t>n_hash > guard.size
                or n_hash == 0 or n_hash & (n_hash - 1)):
            raise ValueError("a section passes the end of the table")
        self.guard = guard
        self.locations = locations
        self.ends = ends
        self.ids = ids
        self.table = table
        self.n_slots = n_slots
        self.id_bytes = id_bytes
        self.n_hash = n_hash

    cdef const uint8_t* at(self, uint64_t start, uint64_t size) except NULL:
        if self.guard.check_range(start, start + size) < 0:
            raise ValueError(start, size)
        return self.guard.base + start

    cdef const uint8_t* id_of(self, uint32_t slot, uint64_t* n) except NULL:
        cdef uint64_t start = 0, end
        if slot > 0:
            start = u32(self.at(self.ends + 4 * <uint64_t>(slot - 1), 4))
        end = u32(self.at(self.ends + 4 * <uint64_t>slot, 4))
        if start > end or end > self.id_bytes:
            raise ValueError(self.ends + 4 * <uint64_t>slot, 4)
        n[0] = end - start
        if end == start:
            return self.guard.base
        return self.at(self.ids + start, end - start)

    def find(self, bytes raw_id, uint64_t hashed):
        """The slot of an id, or -1."""
        cdef uint32_t mask = self.n_hash - 1
        cdef uint32_t at = <uint32_t>hashed & mask
        cdef uint32_t slot, probes
        cdef uint64_t n
        cdef const uint8_t* found
        for probes in range(self.n_hash):  # no-cython-lint
            slot = u32(self.at(self.table + 4 * <uint64_t>at, 4))
            if slot == 0:
                return -1
            if slot > self.n_slots:
                raise ValueError(self.table + 4 * <uint64_t>at, 4)
            found = self.id_of(slot - 1, &n)
            if n == <uint64_t>PyBytes_GET_SIZE(raw_id) and memcmp(found, PyBytes_AS_STRING(raw_id), n) == 0:
                return slot - 1
            at = (at + 1) & mask
        return -1

    def raw_id(self, uint32_t slot):
        """The id of a slot."""
        cdef uint64_t n
        cdef const uint8_t* found
        if slot >= self.n_slots:
            raise IndexError("no such slot")
        found = self.id_of(slot, &n)
        return PyBytes_FromStringAndSize(<const char*>found, <Py_ssize_t>n)

    def location(self, int64_t slot):
        """`(log file, offset, length)` of a slot's record, or None where no document has this number."""
        cdef const uint8_t* place
        cdef uint32_t length
        if slot < 0 or slot >= self.n_slots:
            return None
        place = self.at(self.locations + 16 * <uint64_t>slot, 16)
        length = u32(place + 12)
        if length == 0:
            return None
        return u32(place + 8), u32(place) | <uint64_t>u32(place + 4) << 32, length
