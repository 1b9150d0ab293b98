# Integers in bytes: varints, and blocks of 128 packed to a common bit width.
#
# A packed block of width `b` is 4*b 32-bit words. Value i stands in lane i & 3: lane l's values follow one another in a
# bit stream whose words are the words l, l+4, l+8, ... of the block, so that four values are unpacked by the same
# shifts and a compiler does them at once. Words are little-endian. A varint is 7 bits a byte, low bits first, high bit =
# more follow. Every reader is given the end of its buffer and says so (NULL, or 0 bytes) instead of passing it.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define fetch_ahead(address) _mm_prefetch((const char*)(address), _MM_HINT_T0)
    #else
    #define fetch_ahead(address) __builtin_prefetch(address)
    #endif
    """
    void fetch_ahead(const void* address) noexcept nogil     # a hint: the address need not even be valid

cdef enum:
    BLOCK = 128             # postings a block: a block's docs and frequencies fit the first-level cache many times over

cdef inline uint32_t bits_needed(uint32_t value) noexcept nogil:
    cdef uint32_t n = 0
    while value != 0:
        n += 1
        value >>= 1
    return n

cdef inline void pack_block(const uint32_t* values, uint32_t width, uint8_t* out) noexcept nogil:
    """BLOCK values, each below 2**width, into 16 * width bytes."""
    cdef uint32_t words[BLOCK]
    cdef uint32_t j, lane, word, shift, i
    cdef uint32_t value
    if width == 0:
        return
    for i in range(4 * width):
        words[i] = 0
    for j in range(32):
        word = 4 * ((j * width) >> 5)
        shift = (j * width) & 31
        for lane in range(4):
            value = values[4 * j + lane]
            words[word + lane] |= value << shift
            if shift + width > 32:
                words[word + 4 + lane] |= value >> (32 - shift)
    memcpy(out, words, 16 * width)

cdef inline void unpack_block(const uint8_t* data, uint32_t width, uint32_t* values) noexcept nogil:
    """The inverse: 16 * width bytes into BLOCK values. `width` is at most 32."""
    cdef uint32_t words[BLOCK + 4]
    cdef uint32_t j, word, shift, mask, i
    cdef uint32_t* source
    cdef uint32_t* target = values
    if width == 0:
        for i in range(BLOCK):
            values[i] = 0
        return
    memcpy(words, data, 16 * width)
    if width == 32:
        memcpy(values, words, 4 * BLOCK)
        return
    mask = (<uint32_t>1 << width) - 1
    for j in range(32):
        word = 4 * ((j * width) >> 5)
        shift = (j * width) & 31
        source = words + word
        if shift + width <= 32:
            target[0] = (source[0] >> shift) & mask
            target[1] = (source[1] >> shift) & mask
            target[2] = (source[2] >> shift) & mask
            target[3] = (source[3] >> shift) & mask
        else:
            target[0] = ((source[0] >> shift) | (source[4] << (32 - shift))) & mask
            target[1] = ((source[1] >> shift) | (source[5] << (32 - shift))) & mask
            target[2] = ((source[2] >> shift) | (source[6] << (32 - shift))) & mask
            target[3] = ((source[3] >> shift) | (source[7] << (32 - shift))) & mask
        target += 4

cdef inline uint8_t* write_varint(uint8_t* out, uint64_t value) noexcept nogil:
    """At most 10 bytes; returns the byte after the last."""
    while value >= 128:
        out[0] = <uint8_t>(value | 128)
        value >>= 7
        out += 1
    out[0] = <uint8_t>value
    return out + 1

cdef inline const uint8_t* read_varint(const uint8_t* data, const uint8_t* end, uint64_t* value) noexcept nogil:
    """The byte after the varint, or NULL where it does not end before `end` or is longer than 64 bits."""
    cdef uint64_t result
    cdef uint32_t shift = 7
    if data >= end:
        return NULL
    result = data[0]
    if result < 128:
        value[0] = result
        return data + 1
    result &= 127
    data += 1
    while data < end and shift < 64:
        result |= <uint64_t>(data[0] & 127) << shift
        if data[0] < 128:
            value[0] = result
            return data + 1
        shift += 7
        data += 1
    return NULL
