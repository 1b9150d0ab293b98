/* Blocks of 128 packed values (layout: _blocks.pxd), unpacked straight to documents and frequencies.
 *
 * A width known at compile time turns the shifts into constants, and the four lanes are one vector: 0.3 ns a value
 * instead of 1.5. Compilers without vectors of the GNU kind take the plain loops, which are the same arithmetic.
 * `data` holds 16 * width bytes, of any alignment; the caller has checked that, and that no sum passes 2**32. */
#ifndef NARSILPY_UNPACK_H
#define NARSILPY_UNPACK_H
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint32_t narsil_v4 __attribute__((vector_size(16)));

#if defined(__clang__)
#define NARSIL_MOVE(v, zero, a, b, c, d) __builtin_shufflevector(v, zero, a, b, c, d)
#else
#define NARSIL_MOVE(v, zero, a, b, c, d) __builtin_shuffle(v, zero, (narsil_v4){a, b, c, d})
#endif

static inline __attribute__((always_inline)) narsil_v4 narsil_load(const uint8_t* data, int word) {
    narsil_v4 v;
    memcpy(&v, data + 16 * word, 16);
    return v;
}

/* Four values of a block: `j` of 32. */
static inline __attribute__((always_inline)) narsil_v4 narsil_four(const uint8_t* data, const int width, const int j) {
    const int word = (j * width) >> 5, shift = (j * width) & 31;
    narsil_v4 v;
    if (width == 0) return (narsil_v4){0, 0, 0, 0};
    v = narsil_load(data, word) >> shift;
    if (shift + width > 32) v |= narsil_load(data, word + 1) << (32 - shift);
    return width == 32 ? v : v & (((uint32_t)1 << (width & 31)) - 1);
}

static inline __attribute__((always_inline)) void narsil_frequencies(const uint8_t* data, const int width, uint32_t* out) {
    int j;
    #pragma GCC unroll 32
    for (j = 0; j < 32; j++) {
        narsil_v4 v = narsil_four(data, width, j) + 1;
        memcpy(out + 4 * j, &v, 16);
    }
}

static inline __attribute__((always_inline)) void narsil_documents(const uint8_t* data, const int width, uint32_t first,
                                                                   uint32_t* out) {
    const narsil_v4 zero = {0, 0, 0, 0}, count = {0, 1, 2, 3};
    narsil_v4 carry = {first, first, first, first};
    int j;
    #pragma GCC unroll 32
    for (j = 0; j < 32; j++) {
        narsil_v4 v = narsil_four(data, width, j);
        v += NARSIL_MOVE(v, zero, 4, 0, 1, 2);
        v += NARSIL_MOVE(v, zero, 4, 4, 0, 1);
        v += carry + count;
        memcpy(out + 4 * j, &v, 16);
        carry = NARSIL_MOVE(v, zero, 3, 3, 3, 3) + 1;
    }
}

#define NARSIL_WIDTHS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
    X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)
#define NARSIL_SUMS(W) case W: narsil_documents(data, W, first, out); return;
#define NARSIL_COUNTS(W) case W: narsil_frequencies(data, W, out); return;

/* Documents from deltas (less one): the first is `first` + its delta. width <= 24. */
static void unpack_documents(const uint8_t* data, uint32_t width, uint32_t first, uint32_t* out) {
    switch (width) { NARSIL_WIDTHS(NARSIL_SUMS) default: return; }
}

/* Frequencies (stored less one). width <= 24. */
static void unpack_frequencies(const uint8_t* data, uint32_t width, uint32_t* out) {
    switch (width) { NARSIL_WIDTHS(NARSIL_COUNTS) default: return; }
}
#define NARSIL_FAST_WIDTH 24
#else
static void unpack_documents(const uint8_t* data, uint32_t width, uint32_t first, uint32_t* out) { }
static void unpack_frequencies(const uint8_t* data, uint32_t width, uint32_t* out) { }
#define NARSIL_FAST_WIDTH (-1)
#endif
#endif
