# A growable byte buffer for writers. `failed` is sticky: a writer checks it once at the end.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from narsilpy._blocks cimport write_varint

cdef struct Buffer:
    uint8_t* data
    size_t n
    size_t size
    bint failed

cdef inline bint buffer_room(Buffer* b, size_t extra) noexcept nogil:
    cdef size_t size
    cdef void* block
    if b.n + extra <= b.size:
        return True
    size = max(b.n + extra, b.size + b.size // 2, <size_t>256)
    block = realloc(b.data, size)
    if block == NULL:
        b.failed = True
        return False
    b.data = <uint8_t*>block
    b.size = size
    return True

cdef inline void buffer_bytes(Buffer* b, const void* data, size_t n) noexcept nogil:
    if n and buffer_room(b, n):
        memcpy(b.data + b.n, data, n)
        b.n += n

cdef inline void buffer_zeros(Buffer* b, size_t n) noexcept nogil:
    if buffer_room(b, n):
        memset(b.data + b.n, 0, n)
        b.n += n

cdef inline void buffer_varint(Buffer* b, uint64_t value) noexcept nogil:
    if buffer_room(b, 10):
        b.n = write_varint(b.data + b.n, value) - b.data

cdef inline void buffer_free(Buffer* b) noexcept nogil:
    free(b.data)
    b.data = NULL
    b.n = b.size = 0
