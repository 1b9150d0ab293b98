# Checksums of a mapped buffer, looked at when a range is first read. See _guard.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

# CRC-32 as zlib computes it, of bytes that follow those with the checksum `before`
cdef uint32_t crc32(const uint8_t* data, uint64_t n, uint32_t before=*) noexcept nogil

cdef class BlockGuard:
    cdef object buffer              # keeps the bytes alive
    cdef Py_buffer view
    cdef const uint8_t* base
    cdef uint64_t size
    cdef uint32_t shift             # a block is 1 << shift bytes
    cdef uint64_t n_blocks
    cdef uint32_t* crcs             # [n_blocks], owned
    cdef uint8_t* sound             # [n_blocks], owned: 1 = was checked and is sound

    # 0 if every block of base[start:end] is sound, -1 if one is damaged or the range passes the end
    cdef int check_range(self, uint64_t start, uint64_t end) noexcept nogil
