# Lists added up in a window of documents: what most queries spend their time on.
#
# A window is `sums`, one double a document, and `bits`, one bit a document that any list has; both rest at zero. A list
# is added a decoded block at a time by a loop that knows the width of the lengths and tests nothing else. Taking the
# marked documents out again is one walk over the bits, which drops most of them by one comparison.
# The impact is the expression of `_cursor.impact`: sums of the same lists in the same order are the same doubles that
# the other paths compute.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from narsilpy._cursor cimport Cursor, cursor_bound, cursor_next_block, cursor_seek

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static int first_bit(unsigned long long word) { unsigned long at; _BitScanForward64(&at, word); return (int)at; }
    #define n_bits(word) ((int)__popcnt64(word))
    #else
    #define first_bit(word) __builtin_ctzll(word)
    #define n_bits(word) __builtin_popcountll(word)
    #endif
    """
    int first_bit(unsigned long long word) nogil
    int n_bits(unsigned long long word) nogil

ctypedef fused length_t:
    uint8_t
    uint16_t
    uint32_t


cdef uint32_t stop_in_block(const Cursor* c, uint32_t limit) noexcept nogil:
    """The place of the first posting of the decoded block, from the current one on, that is not below `limit`."""
    cdef uint32_t low = c.i, high = c.count, middle
    if c.docs[high - 1] < limit:
        return high
    while low < high:
        middle = (low + high) // 2
        if c.docs[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


cdef void add_block(const Cursor* c, const length_t* lengths, uint32_t stop, uint32_t base, double* sums,
                    uint64_t* bits) noexcept nogil:
    cdef double weight = c.weight, c0 = c.c0, c1 = c.c1, tf
    cdef uint32_t j, doc, at
    for j in range(c.i, stop):
        doc = c.docs[j]
        at = doc - base
        tf = c.tfs[j]
        bits[at >> 6] |= <uint64_t>1 << (at & 63)
        sums[at] += weight * tf / (tf + (c0 + c1 * <double>lengths[doc]))


cdef void add_block_marked(const Cursor* c, const length_t* lengths, uint32_t stop, uint32_t base, double* sums,
                           const uint64_t* bits) noexcept nogil:
    cdef double weight = c.weight, c0 = c.c0, c1 = c.c1, tf
    cdef uint32_t j, doc, at
    for j in range(c.i, stop):
        doc = c.docs[j]
        at = doc - base
        if (bits[at >> 6] >> (at & 63)) & 1:
            tf = c.tfs[j]
            sums[at] += weight * tf / (tf + (c0 + c1 * <double>lengths[doc]))


cdef void add_block_both(const Cursor* c, const length_t* lengths, uint32_t stop, uint32_t base, double* sums,
                         const uint64_t* bits, uint64_t* both) noexcept nogil:
    cdef double weight = c.weight, c0 = c.c0, c1 = c.c1, tf
    cdef uint32_t j, doc, at
    for j in range(c.i, stop):
        doc = c.docs[j]
        at = doc - base
        if (bits[at >> 6] >> (at & 63)) & 1:
            tf = c.tfs[j]
            both[at >> 6] |= <uint64_t>1 << (at & 63)
            sums[at] += weight * tf / (tf + (c0 + c1 * <double>lengths[doc]))


cdef void set_block(const Cursor* c, const length_t* lengths, uint32_t stop, uint32_t base, double* sums,
                    uint64_t* bits) noexcept nogil:
    cdef double weight = c.weight, c0 = c.c0, c1 = c.c1, tf
    cdef uint32_t j, doc, at
    cdef uint64_t bit
    for j in range(c.i, stop):
        doc = c.docs[j]
        at = doc - base
        bit = <uint64_t>1 << (at & 63)
        if not bits[at >> 6] & bit:
            sums[at] = 0.0
            bits[at >> 6] |= bit
        tf = c.tfs[j]
        sums[at] += weight * tf / (tf + (c0 + c1 * <double>lengths[doc]))


cdef uint32_t filter_block(const Cursor* c, const length_t* lengths, uint32_t stop, uint32_t base, double least,
                           uint32_t* places, double* values) noexcept nogil:
    cdef double weight = c.weight, c0 = c.c0, c1 = c.c1, tf, value
    cdef uint32_t j, doc, n = 0
    for j in range(c.i, stop):
        doc = c.docs[j]
        tf = c.tfs[j]
        value = weight * tf / (tf + (c0 + c1 * <double>lengths[doc]))
        if value >= least:
            places[n] = doc - base
            values[n] = value
            n += 1
    return n


cdef inline bint move_on(Cursor* c, uint32_t stop) noexcept nogil:
    """Stand on `stop`; True where another block was decoded and may hold more of the window."""
    if stop < c.count:
        c.i = stop
        c.doc = c.docs[stop]
        return False
    return cursor_next_block(c)


cdef void add_list(Cursor* c, uint32_t base, uint32_t limit, double* sums, uint64_t* bits) noexcept nogil:
    cdef uint32_t stop
    if cursor_seek(c, base) >= limit:
        return
    while c.doc < limit:
        stop = stop_in_block(c, limit)
        if c.source.width == 1:
            add_block[uint8_t](c, c.source.lengths, stop, base, sums, bits)
        elif c.source.width == 2:
            add_block[uint16_t](c, <const uint16_t*>c.source.lengths, stop, base, sums, bits)
        else:
            add_block[uint32_t](c, <const uint32_t*>c.source.lengths, stop, base, sums, bits)
        if not move_on(c, stop):
            return


cdef void add_marked(Cursor* c, uint32_t base, uint32_t limit, double* sums, const uint64_t* bits) noexcept nogil:
    cdef uint32_t stop
    if cursor_seek(c, base) >= limit:
        return
    while c.doc < limit:
        stop = stop_in_block(c, limit)
        if c.source.width == 1:
            add_block_marked[uint8_t](c, c.source.lengths, stop, base, sums, bits)
        elif c.source.width == 2:
            add_block_marked[uint16_t](c, <const uint16_t*>c.source.lengths, stop, base, sums, bits)
        else:
            add_block_marked[uint32_t](c, <const uint32_t*>c.source.lengths, stop, base, sums, bits)
        if not move_on(c, stop):
            return


cdef void add_both(Cursor* c, uint32_t base, uint32_t limit, double* sums, const uint64_t* bits,
                   uint64_t* both) noexcept nogil:
    cdef uint32_t stop
    if cursor_seek(c, base) >= limit:
        return
    while c.doc < limit:
        stop = stop_in_block(c, limit)
        if c.source.width == 1:
            add_block_both[uint8_t](c, c.source.lengths, stop, base, sums, bits, both)
        elif c.source.width == 2:
            add_block_both[uint16_t](c, <const uint16_t*>c.source.lengths, stop, base, sums, bits, both)
        else:
            add_block_both[uint32_t](c, <const uint32_t*>c.source.lengths, stop, base, sums, bits, both)
        if not move_on(c, stop):
            return


cdef void set_list(Cursor* c, uint32_t base, uint32_t limit, double* sums, uint64_t* bits) noexcept nogil:
    cdef uint32_t stop
    if cursor_seek(c, base) >= limit:
        return
    while c.doc < limit:
        stop = stop_in_block(c, limit)
        if c.source.width == 1:
            set_block[uint8_t](c, c.source.lengths, stop, base, sums, bits)
        elif c.source.width == 2:
            set_block[uint16_t](c, <const uint16_t*>c.source.lengths, stop, base, sums, bits)
        else:
            set_block[uint32_t](c, <const uint32_t*>c.source.lengths, stop, base, sums, bits)
        if not move_on(c, stop):
            return


cdef uint32_t filter_list(Cursor* c, uint32_t base, uint32_t limit, double least, uint32_t* places,
                          double* values) noexcept nogil:
    cdef uint32_t stop, block, first, n = 0
    if cursor_seek(c, base) >= limit:
        return 0
    while c.doc < limit:
        stop = stop_in_block(c, limit)
        if c.source.width == 1:
            n += filter_block[uint8_t](c, c.source.lengths, stop, base, least, places + n, values + n)
        elif c.source.width == 2:
            n += filter_block[uint16_t](c, <const uint16_t*>c.source.lengths, stop, base, least, places + n, values + n)
        else:
            n += filter_block[uint32_t](c, <const uint32_t*>c.source.lengths, stop, base, least, places + n, values + n)
        if stop == c.count and c.metas != NULL:
            block = c.block + 1         # whole blocks that cannot reach it are passed over
            while block < c.n_blocks and c.metas[block].last_doc < limit:
                first = c.metas[block - 1].last_doc + 1
                if cursor_bound(c, first, first) >= least:
                    break
                block += 1
            c.block = block - 1
        if not move_on(c, stop):
            break
    return n


cdef bint narrow(uint64_t* bits, uint64_t* both, uint32_t n_words) noexcept nogil:
    cdef uint32_t word
    cdef uint64_t kept = 0
    for word in range(n_words):
        bits[word] &= both[word]
        both[word] = 0
        kept |= bits[word]
    return kept != 0


cdef void mark_list(Cursor* c, uint32_t base, uint32_t limit, uint64_t* bits) noexcept nogil:
    cdef uint32_t stop, j, at
    if cursor_seek(c, base) >= limit:
        return
    while c.doc < limit:
        stop = stop_in_block(c, limit)
        for j in range(c.i, stop):
            at = c.docs[j] - base
            bits[at >> 6] |= <uint64_t>1 << (at & 63)
        if not move_on(c, stop):
            return


cdef uint32_t take_marked(double* sums, uint64_t* bits, uint32_t n_words, double least, uint32_t* places,
                          double* values) noexcept nogil:
    cdef uint32_t word, at, n = 0
    cdef uint64_t left
    cdef double value
    for word in range(n_words):
        left = bits[word]
        bits[word] = 0
        while left != 0:
            at = 64 * word + <uint32_t>first_bit(left)
            left &= left - 1
            value = sums[at]
            sums[at] = 0.0
            if value >= least:
                places[n] = at
                values[n] = value
                n += 1
    return n


cdef uint32_t take_set(const double* sums, uint64_t* bits, uint32_t n_words, double least, uint32_t* places,
                       double* values) noexcept nogil:
    cdef uint32_t word, at, n = 0
    cdef uint64_t left
    for word in range(n_words):
        left = bits[word]
        bits[word] = 0
        while left != 0:
            at = 64 * word + <uint32_t>first_bit(left)
            left &= left - 1
            if sums[at] >= least:
                places[n] = at
                values[n] = sums[at]
                n += 1
    return n


cdef void put_back(const uint32_t* places, const double* values, uint32_t n, double* sums,
                   uint64_t* bits) noexcept nogil:
    cdef uint32_t i
    for i in range(n):
        bits[places[i] >> 6] |= <uint64_t>1 << (places[i] & 63)
        sums[places[i]] = values[i]


cdef uint64_t count_marked(uint64_t* bits, uint32_t n_words, const uint64_t* accept) noexcept nogil:
    cdef uint32_t word
    cdef uint64_t total = 0
    for word in range(n_words):
        total += n_bits(bits[word] if accept == NULL else bits[word] & accept[word])
        bits[word] = 0
    return total
