# Lookups in a document table (narsilpy/storage/table.py has the layout): id to slot, slot to id and to its place in the log.
#
# A TableIndex reads sections of a mapped file where they lie, each an offset into the buffer of its guard, which it keeps
# alive. The caller has checked that the sections lie within the buffer; every block is checked by the guard before it is
# read, every number found there before it is used. -1 means "not there"; damage is a ValueError, which the table turns into the
# error that names the block. `table_sections` makes the sections that these are.
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from narsilpy._guard cimport BlockGuard


cdef inline uint32_t u32(const uint8_t* p) noexcept nogil:
    return p[0] | <uint32_t>p[1] << 8 | <uint32_t>p[2] << 16 | <uint32_t>p[3] << 24


cdef inline void put_u32(uint8_t* at, uint32_t value) noexcept nogil:
    at[0] = <uint8_t>value
    at[1] = <uint8_t>(value >> 8)
    at[2] = <uint8_t>(value >> 16)
    at[3] = <uint8_t>(value >> 24)


cdef inline void put_u64(uint8_t* at, uint64_t value) noexcept nogil:
    put_u32(at, <uint32_t>value)
    put_u32(at + 4, <uint32_t>(value >> 32))


# BLAKE2b (RFC 7693) of short keys and ids: hashlib's object around it costs more than the hash. Its twin is `keyed_hash` of
# tests/reference/blake2.py, which is hashlib's.
cdef uint64_t[8] IV
IV[:] = [0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
         0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179]
cdef bytes _order = (
    b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
    b"\x0e\x0a\x04\x08\x09\x0f\x0d\x06\x01\x0c\x00\x02\x0b\x07\x05\x03"
    b"\x0b\x08\x0c\x00\x05\x02\x0f\x0d\x0a\x0e\x03\x06\x07\x01\x09\x04"
    b"\x07\x09\x03\x01\x0d\x0c\x0b\x0e\x02\x06\x05\x0a\x04\x00\x0f\x08"
    b"\x09\x00\x05\x07\x02\x04\x0a\x0f\x0e\x01\x0b\x0c\x06\x08\x03\x0d"
    b"\x02\x0c\x06\x0a\x00\x0b\x08\x03\x04\x0d\x07\x05\x0f\x0e\x01\x09"
    b"\x0c\x05\x01\x0f\x0e\x0d\x04\x0a\x00\x07\x06\x03\x09\x02\x08\x0b"
    b"\x0d\x0b\x07\x0e\x0c\x01\x03\x09\x05\x00\x0f\x04\x08\x06\x02\x0a"
    b"\x06\x0f\x0e\x09\x0b\x03\x00\x08\x0c\x02\x0d\x07\x01\x04\x0a\x05"
    b"\x0a\x02\x08\x04\x07\x06\x01\x05\x0f\x0b\x09\x0e\x03\x0c\x0d\x00"
)
cdef uint8_t[160] ORDER
memcpy(ORDER, PyBytes_AS_STRING(_order), 160)


cdef inline uint64_t turn(uint64_t value, int n) noexcept nogil:
    return value >> n | value << (64 - n)


cdef inline void mix(uint64_t* v, int a, int b, int c, int d, uint64_t x, uint64_t y) noexcept nogil:
    v[a] += v[b] + x
    v[d] = turn(v[d] ^ v[a], 32)
    v[c] += v[d]
    v[b] = turn(v[b] ^ v[c], 24)
    v[a] += v[b] + y
    v[d] = turn(v[d] ^ v[a], 16)
    v[c] += v[d]
    v[b] = turn(v[b] ^ v[c], 63)


cdef void compress(uint64_t* h, const uint8_t* block, uint64_t n, bint last) noexcept nogil:
    cdef uint64_t[16] v
    cdef uint64_t[16] m
    cdef const uint8_t* s
    cdef int i, j
    for i in range(16):
        m[i] = u32(block + 8 * i) | <uint64_t>u32(block + 8 * i + 4) << 32
    for i in range(8):
        v[i] = h[i]
        v[8 + i] = IV[i]
    v[12] ^= n
    if last:
        v[14] = ~v[14]
    for i in range(12):
        s = ORDER + 16 * (i % 10)
        for j in range(4):
            mix(v, j, 4 + j, 8 + j, 12 + j, m[s[2 * j]], m[s[2 * j + 1]])
        for j in range(4):
            mix(v, j, 4 + (j + 1) % 4, 8 + (j + 2) % 4, 12 + (j + 3) % 4, m[s[8 + 2 * j]], m[s[9 + 2 * j]])
    for i in range(8):
        h[i] ^= v[i] ^ v[8 + i]


cdef class KeyedHash:
    """BLAKE2b of short data with one key: `KeyedHash(key)`, of 1 to 64 bytes. What the key alone decides is done once."""

    cdef uint8_t[128] key           # its block
    cdef uint64_t[8] start          # before any block
    cdef uint64_t[8] state          # after the key's

    def __cinit__(self, bytes key):
        cdef uint64_t n_key = <uint64_t>PyBytes_GET_SIZE(key)
        if not 1 <= n_key <= 64:
            raise ValueError("a key has 1 to 64 bytes")
        memset(self.key, 0, 128)
        memcpy(self.key, PyBytes_AS_STRING(key), n_key)
        memcpy(self.start, IV, sizeof(self.start))
        self.start[0] ^= 0x01010008U ^ n_key << 8
        memcpy(self.state, self.start, sizeof(self.state))
        compress(self.state, self.key, 128, False)

    cdef uint64_t hash(self, const uint8_t* at, uint64_t left) noexcept nogil:
        cdef uint64_t[8] h
        cdef uint8_t[128] block
        cdef uint64_t done = 128, n
        if left == 0:
            memcpy(h, self.start, sizeof(h))
            compress(h, self.key, 128, True)
            return h[0]
        memcpy(h, self.state, sizeof(h))
        while True:
            n = left if left < 128 else 128
            memset(block, 0, 128)
            memcpy(block, at, n)
            done += n
            compress(h, block, done, left <= 128)
            if left <= 128:
                return h[0]
            at += 128
            left -= 128

    def __call__(self, bytes data):
        """The first 8 bytes, little-endian, of BLAKE2b with a digest of 8 bytes."""
        return self.hash(<const uint8_t*>PyBytes_AS_STRING(data), <uint64_t>PyBytes_GET_SIZE(data))


cdef struct SortedId:
    uint64_t prefix                 # the first 8 bytes, big-endian
    const uint8_t* data
    uint32_t n
    uint32_t slot


cdef int by_id(const void* a, const void* b) noexcept nogil:
    cdef const SortedId* x = <const SortedId*>a
    cdef const SortedId* y = <const SortedId*>b
    cdef int order
    if x.prefix != y.prefix:
        return 1 if x.prefix > y.prefix else -1
    order = memcmp(x.data, y.data, x.n if x.n < y.n else y.n)
    return order if order != 0 else (x.n > y.n) - (x.n < y.n)


def table_sections(list entries, KeyedHash hashed):
    """`(first number, slots, bytes of ids, hash slots, sections)` of a table of `(document number, id bytes, (file, offset, length))`.

    Numbers ascend, and there is an entry. The sections are those of the layout behind the header, each
    padded to 8 bytes. Raises ValueError for numbers out of order and for more bytes of ids than 32 bits count.
    """
    cdef uint32_t n = <uint32_t>len(entries), first = entries[0][0], n_slots, n_hash = 4, i, j, slot, at, done = 0
    cdef uint64_t id_bytes = 0
    cdef bytes raw_id
    cdef tuple place
    cdef bytearray locations, ends, ids, order, slots
    cdef uint8_t* out
    cdef uint8_t* out_ids
    cdef uint8_t* out_ends
    cdef SortedId* sorted_ids
    if entries[n - 1][0] < first:
        raise ValueError("numbers are out of order")
    n_slots = entries[n - 1][0] - first + 1
    while n_hash < 2 * <uint64_t>n:
        n_hash *= 2
    for _, raw_id, _ in entries:
        id_bytes += <uint64_t>PyBytes_GET_SIZE(raw_id)
    if id_bytes > <uint64_t>0xFFFFFFFF:
        raise ValueError("the ids are longer than 4 GB")
    locations, ends = padded(16 * <uint64_t>n_slots), padded(4 * <uint64_t>n_slots)
    ids, order, slots = padded(id_bytes), padded(4 * <uint64_t>n), padded(4 * <uint64_t>n_hash)
    out, out_ends, out_ids = bytes_of(locations), bytes_of(ends), bytes_of(ids)
    sorted_ids = <SortedId*>malloc(n * sizeof(SortedId))
    if sorted_ids == NULL:
        raise MemoryError()
    try:
        id_bytes = 0
        for i in range(n):
            doc_no, raw_id, place = entries[i]
            if doc_no < first + done or doc_no - first >= n_slots:
                raise ValueError("numbers are out of order")
            slot = doc_no - first
            for j in range(done, slot):
                put_u32(out_ends + 4 * <uint64_t>j, <uint32_t>id_bytes)
            put_u64(out + 16 * <uint64_t>slot, place[1])
            put_u32(out + 16 * <uint64_t>slot + 8, place[0])
            put_u32(out + 16 * <uint64_t>slot + 12, place[2])
            sorted_ids[i].data = out_ids + id_bytes
            sorted_ids[i].n = <uint32_t>PyBytes_GET_SIZE(raw_id)
            sorted_ids[i].slot = slot
            memcpy(out_ids + id_bytes, PyBytes_AS_STRING(raw_id), sorted_ids[i].n)
            id_bytes += sorted_ids[i].n
            put_u32(out_ends + 4 * <uint64_t>slot, <uint32_t>id_bytes)
            done = slot + 1
        out, out_ends = bytes_of(slots), bytes_of(order)
        with nogil:
            for i in range(n):
                sorted_ids[i].prefix = 0
                for j in range(8):
                    sorted_ids[i].prefix = sorted_ids[i].prefix << 8 | (sorted_ids[i].data[j] if j < sorted_ids[i].n else 0)
                at = <uint32_t>hashed.hash(sorted_ids[i].data, sorted_ids[i].n) & (n_hash - 1)
                while u32(out + 4 * <uint64_t>at) != 0:
                    at = (at + 1) & (n_hash - 1)
                put_u32(out + 4 * <uint64_t>at, sorted_ids[i].slot + 1)
            qsort(sorted_ids, n, sizeof(SortedId), by_id)
            for i in range(n):
                put_u32(out_ends + 4 * <uint64_t>i, sorted_ids[i].slot)
    finally:
        free(sorted_ids)
    return first, n_slots, id_bytes, n_hash, (locations, ends, ids, order, slots)


cdef bytearray padded(uint64_t size):
    """Zeros, up to a multiple of 8."""
    return bytearray((size + 7) & ~<uint64_t>7)


cdef uint8_t* bytes_of(bytearray data):
    return <uint8_t*>PyByteArray_AS_STRING(data)


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
