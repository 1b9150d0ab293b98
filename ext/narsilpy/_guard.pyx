# Checksums of a mapped buffer, looked at when a range is first read.
#
# A BlockGuard belongs to one immutable buffer (the body of a file of narsilpy/storage/blocks.py) and to the CRC-32 of each of
# its blocks. `check_range` computes a block's CRC the first time a range touches it and remembers that it is sound, so that native
# code may read what it was promised without trusting the disk; afterwards a check costs one byte read a block.
#
# The guard owns `crcs` and `sound` and keeps the buffer alive. No lock: two threads may check one block at once, and both
# write the same 1; nothing is ever un-checked. A damaged block is never remembered: it fails each time.
#
# CRC-32 is zlib's (IEEE 802.3, reflected), by eight table lookups for eight bytes: no library to link.
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

cdef uint32_t[8][256] TABLES


cdef void make_tables() noexcept:
    cdef uint32_t i, j, value
    for i in range(256):
        value = i
        for j in range(8):  # no-cython-lint
            value = (value >> 1) ^ (0xEDB88320U if value & 1 else 0U)
        TABLES[0][i] = value
    for j in range(1, 8):
        for i in range(256):
            value = TABLES[j - 1][i]
            TABLES[j][i] = (value >> 8) ^ TABLES[0][value & 0xFF]


make_tables()


cdef uint32_t crc32(const uint8_t* data, uint64_t n, uint32_t before=0) noexcept nogil:
    cdef uint32_t crc = before ^ 0xFFFFFFFFU
    cdef uint32_t low, high
    cdef const uint8_t* end = data + n
    while end - data >= 8:
        low = crc ^ (data[0] | <uint32_t>data[1] << 8 | <uint32_t>data[2] << 16 | <uint32_t>data[3] << 24)
        high = data[4] | <uint32_t>data[5] << 8 | <uint32_t>data[6] << 16 | <uint32_t>data[7] << 24
        crc = (TABLES[7][low & 0xFF] ^ TABLES[6][(low >> 8) & 0xFF] ^ TABLES[5][(low >> 16) & 0xFF]
               ^ TABLES[4][low >> 24] ^ TABLES[3][high & 0xFF] ^ TABLES[2][(high >> 8) & 0xFF]
               ^ TABLES[1][(high >> 16) & 0xFF] ^ TABLES[0][high >> 24])
        data += 8
    while data < end:
        crc = (crc >> 8) ^ TABLES[0][(crc ^ data[0]) & 0xFF]
        data += 1
    return crc ^ 0xFFFFFFFFU


cdef class BlockGuard:
    """`BlockGuard(buffer, checksums, block_bytes)`: `checksums` are little-endian 32-bit numbers, one a block.

    Raises ValueError where they do not fit the buffer.
    """

    def __cinit__(self, buffer, const uint8_t[::1] checksums, uint64_t block_bytes):
        cdef uint64_t i
        PyObject_GetBuffer(buffer, &self.view, PyBUF_SIMPLE)
        self.buffer = buffer
        self.base = <const uint8_t*>self.view.buf
        self.size = <uint64_t>self.view.len
        if block_bytes == 0 or block_bytes & (block_bytes - 1):
            raise ValueError("a block is a power of two bytes")
        while (<uint64_t>1 << self.shift) < block_bytes:
            self.shift += 1
        self.n_blocks = (self.size + block_bytes - 1) >> self.shift
        if <uint64_t>checksums.shape[0] != 4 * self.n_blocks:
            raise ValueError(f"{self.n_blocks} blocks need as many checksums")
        self.crcs = <uint32_t*>malloc(4 * self.n_blocks + 1)
        self.sound = <uint8_t*>calloc(self.n_blocks + 1, 1)
        if self.crcs == NULL or self.sound == NULL:
            raise MemoryError()
        for i in range(self.n_blocks):
            self.crcs[i] = (checksums[4 * i] | <uint32_t>checksums[4 * i + 1] << 8
                            | <uint32_t>checksums[4 * i + 2] << 16 | <uint32_t>checksums[4 * i + 3] << 24)

    def __dealloc__(self):
        free(self.crcs)
        free(self.sound)
        if self.view.buf != NULL:
            PyBuffer_Release(&self.view)

    cdef int check_range(self, uint64_t start, uint64_t end) noexcept nogil:
        cdef uint64_t block, last, at, n
        if start > end or end > self.size:
            return -1
        if start == end:
            return 0
        last = (end - 1) >> self.shift
        for block in range(start >> self.shift, last + 1):
            if self.sound[block]:
                continue
            at = block << self.shift
            n = self.size - at
            if n > <uint64_t>1 << self.shift:
                n = <uint64_t>1 << self.shift
            if crc32(self.base + at, n) != self.crcs[block]:
                return -1
            self.sound[block] = 1
        return 0

    def check(self, uint64_t start, uint64_t end):
        """Whether every block of `buffer[start:end]` is sound."""
        cdef int result
        with nogil:
            result = self.check_range(start, end)
        return result == 0

    @property
    def n_checked(self):
        """How many blocks were found sound so far."""
        cdef uint64_t i
        cdef uint64_t n = 0
        for i in range(self.n_blocks):
            n += self.sound[i]
        return n
