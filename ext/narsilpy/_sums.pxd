# Lists added up in a window of documents. See _sums.pyx.
from libc.stdint cimport uint32_t, uint64_t

from narsilpy._cursor cimport Cursor

# add one list's documents of [base, limit) to `sums` and mark them in `bits`
cdef void add_list(Cursor* c, uint32_t base, uint32_t limit, double* sums, uint64_t* bits) noexcept nogil
# the same where `bits` is set already; other documents are passed over
cdef void add_marked(Cursor* c, uint32_t base, uint32_t limit, double* sums, const uint64_t* bits) noexcept nogil
# the same into sums of any content: what is not marked yet counts as 0
cdef void set_list(Cursor* c, uint32_t base, uint32_t limit, double* sums, uint64_t* bits) noexcept nogil
# add to what is marked, and mark in `both` what was marked in `bits`
cdef void add_both(Cursor* c, uint32_t base, uint32_t limit, double* sums, const uint64_t* bits,
                   uint64_t* both) noexcept nogil
# mark in `bits` only what `both` has, too; `both` is zero again. Whether anything is left.
cdef bint narrow(uint64_t* bits, uint64_t* both, uint32_t n_words) noexcept nogil
# one list's documents of [base, limit) that score at least `least` in it, ascending
cdef uint32_t filter_list(Cursor* c, uint32_t base, uint32_t limit, double least, uint32_t* places,
                          double* values) noexcept nogil
# mark one list's documents alone
cdef void mark_list(Cursor* c, uint32_t base, uint32_t limit, uint64_t* bits) noexcept nogil
# take out what is marked: places and sums of at least `least`, ascending; `sums` and `bits` are zero again
cdef uint32_t take_marked(double* sums, uint64_t* bits, uint32_t n_words, double least, uint32_t* places,
                          double* values) noexcept nogil
# the same with sums of any content, which stay
cdef uint32_t take_set(const double* sums, uint64_t* bits, uint32_t n_words, double least, uint32_t* places,
                       double* values) noexcept nogil
# put taken places back
cdef void put_back(const uint32_t* places, const double* values, uint32_t n, double* sums,
                   uint64_t* bits) noexcept nogil
# how many are marked, and accepted (`accept` begins with the window; NULL = all); `bits` is zero again
cdef uint64_t count_marked(uint64_t* bits, uint32_t n_words, const uint64_t* accept) noexcept nogil
