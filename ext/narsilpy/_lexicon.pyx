# Terms of one index and their numbers: an open-addressing hash over UTF-8 (surrogatepass) bytes, and their order.
#
# Terms are numbered from 0 as they come and never leave. Their bytes lie in arena chunks that never move, so a pointer
# to a term is good for as long as the lexicon is; the tables are reallocated and may be read under the GIL only. The
# hash is seeded anew in each process: words of untrusted text cannot be chosen to collide.
# `order` holds term numbers sorted by code point; terms that came since are sorted and merged in when it is next needed.
# The fuzzy walk goes through the sorted terms as through a trie: a row of edit distances for each code point of the
# current term, rows of the common prefix with the term before kept, and every prefix whose row holds no distance within
# the limit passed over as a whole.
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcmp, memcpy
import os

from narsilpy._segment cimport hash_term

cdef enum:
    ARENA_CHUNK = 1048576
    MAX_ARENA_CHUNKS = 1048576
    MAX_FUZZY = 256             # code points of a term that may be misspelt; longer ones match exactly only

cdef struct SortKey:
    uint64_t prefix             # first 8 bytes, big-endian
    const char* utf8
    uint32_t n
    uint32_t term


cdef int by_key(const void* a, const void* b) noexcept nogil:
    cdef const SortKey* x = <const SortKey*>a
    cdef const SortKey* y = <const SortKey*>b
    cdef int order
    if x.prefix != y.prefix:
        return 1 if x.prefix > y.prefix else -1
    order = memcmp(x.utf8, y.utf8, min(x.n, y.n))
    return order if order != 0 else (x.n > y.n) - (x.n < y.n)


cdef class Lexicon:
    """The terms of one index, numbered from 0 in the order in which they came.

    >>> lexicon = Lexicon()
    >>> lexicon.intern("fox"), lexicon.intern("hound"), lexicon.intern("fox")
    (0, 1, 0)
    >>> lexicon.find("hound"), lexicon.find("river"), lexicon.term(0), len(lexicon)
    (1, None, 'fox', 2)
    """

    def __cinit__(self):
        self.seed = int.from_bytes(os.urandom(8), "little")
        self.n_slots = 1024
        self.slots = <uint32_t*>calloc(self.n_slots, sizeof(uint32_t))
        if self.slots == NULL:
            raise MemoryError()
        self.nbytes = self.n_slots * sizeof(uint32_t)

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.n_arena):
            free(self.arena[i])
        free(self.arena)
        free(<void*>self.utf8_of)
        free(self.size_of)
        free(self.slots)
        free(self.order)

    def __len__(self):
        return self.n_terms

    cdef const char* keep(self, const char* utf8, Py_ssize_t n) except NULL:
        """A copy of the bytes that never moves."""
        cdef size_t size = max(<size_t>n + 1, <size_t>ARENA_CHUNK)
        cdef void* block
        cdef char* copy
        if self.n_arena == 0 or self.arena_used + n + 1 > self.arena_size:
            block = realloc(self.arena, (self.n_arena + 1) * sizeof(void*))
            if block == NULL:
                raise MemoryError()
            self.arena = <char**>block
            block = malloc(size)
            if block == NULL:
                raise MemoryError()
            self.arena[self.n_arena] = <char*>block
            self.n_arena += 1
            self.arena_used = 0
            self.arena_size = size
            self.nbytes += size
        copy = self.arena[self.n_arena - 1] + self.arena_used
        memcpy(copy, utf8, n)
        copy[n] = 0
        self.arena_used += n + 1
        return copy

    cdef int grow(self) except -1:
        """Room for one more term: in the arrays by term, and at most half of the slots taken."""
        cdef uint32_t size, i, slot, mask
        cdef void* block
        cdef uint32_t* slots
        if self.n_terms == self.capacity:
            if self.n_terms >= 0x7FFFFFFF:
                raise OverflowError("a lexicon holds at most 2**31 terms")
            size = max(<uint32_t>1024, self.capacity * 2)
            block = realloc(<void*>self.utf8_of, size * sizeof(void*))
            if block == NULL:
                raise MemoryError()
            self.utf8_of = <const char**>block
            block = realloc(self.size_of, size * sizeof(uint32_t))
            if block == NULL:
                raise MemoryError()
            self.size_of = <uint32_t*>block
            self.nbytes += (size - self.capacity) * (sizeof(void*) + sizeof(uint32_t))
            self.capacity = size
        if self.n_terms >= self.n_slots // 2:
            size = self.n_slots * 2
            slots = <uint32_t*>calloc(size, sizeof(uint32_t))
            if slots == NULL:
                raise MemoryError()
            mask = size - 1
            for i in range(self.n_terms):
                slot = <uint32_t>hash_term(self.utf8_of[i], self.size_of[i], self.seed) & mask
                while slots[slot] != 0:
                    slot = (slot + 1) & mask
                slots[slot] = i + 1
            free(self.slots)
            self.slots = slots
            self.nbytes += (size - self.n_slots) * sizeof(uint32_t)
            self.n_slots = size
        return 0

    cdef uint32_t find_utf8(self, const char* utf8, Py_ssize_t n) noexcept nogil:
        cdef uint32_t mask = self.n_slots - 1, term
        cdef uint32_t slot = <uint32_t>hash_term(utf8, n, self.seed) & mask
        while self.slots[slot] != 0:
            term = self.slots[slot] - 1
            if self.size_of[term] == n and memcmp(self.utf8_of[term], utf8, n) == 0:
                return term
            slot = (slot + 1) & mask
        return NO_TERM

    cdef uint32_t intern_utf8(self, const char* utf8, Py_ssize_t n) except? NO_TERM:
        cdef uint32_t term = self.find_utf8(utf8, n), mask, slot
        if term != <uint32_t>NO_TERM:
            return term
        self.grow()
        term = self.n_terms
        self.utf8_of[term] = self.keep(utf8, n)
        self.size_of[term] = <uint32_t>n
        mask = self.n_slots - 1
        slot = <uint32_t>hash_term(utf8, n, self.seed) & mask
        while self.slots[slot] != 0:
            slot = (slot + 1) & mask
        self.slots[slot] = term + 1
        self.n_terms = term + 1
        return term

    cdef const char* utf8(self, uint32_t term, Py_ssize_t* n) noexcept nogil:
        n[0] = self.size_of[term]
        return self.utf8_of[term]

    def intern(self, str term):
        """The number of a term, new or not."""
        cdef bytes utf8 = term.encode("utf-8", "surrogatepass")
        return self.intern_utf8(utf8, len(utf8))

    def find(self, str term):
        """The number of a term, or None."""
        cdef bytes utf8 = term.encode("utf-8", "surrogatepass")
        cdef uint32_t found = self.find_utf8(utf8, len(utf8))
        return None if found == <uint32_t>NO_TERM else found

    def term(self, uint32_t number):
        """The term of a number."""
        if number >= self.n_terms:
            raise IndexError("no such term")
        return self.utf8_of[number][:self.size_of[number]].decode("utf-8", "surrogatepass")

    # ------------------------------------------------------------------- order
    cdef int sort(self) except -1:
        """Bring `order` up to date: sort what came since, merge it in."""
        cdef uint32_t n_new = self.n_terms - self.n_ordered, i, j, k
        cdef SortKey* keys
        cdef uint32_t* merged
        cdef uint32_t old
        if n_new == 0:
            return 0
        keys = <SortKey*>malloc(n_new * sizeof(SortKey))
        merged = <uint32_t*>malloc(self.n_terms * sizeof(uint32_t))
        if keys == NULL or merged == NULL:
            free(keys)
            free(merged)
            raise MemoryError()
        for i in range(n_new):
            keys[i].term = self.n_ordered + i
            keys[i].utf8 = self.utf8_of[keys[i].term]
            keys[i].n = self.size_of[keys[i].term]
            keys[i].prefix = 0
            for j in range(8):
                keys[i].prefix = (keys[i].prefix << 8) | (<uint8_t>keys[i].utf8[j] if j < keys[i].n else 0)
        qsort(keys, n_new, sizeof(SortKey), by_key)
        i = j = 0
        for k in range(self.n_terms):
            if i == self.n_ordered:
                merged[k] = keys[j].term
                j += 1
                continue
            old = self.order[i]
            if j == n_new or compare(self.utf8_of[old], self.size_of[old], keys[j].utf8, keys[j].n) < 0:
                merged[k] = old
                i += 1
            else:
                merged[k] = keys[j].term
                j += 1
        free(keys)
        free(self.order)
        self.order = merged
        self.n_ordered = self.n_terms
        return 0

    cdef uint32_t lower_bound(self, const char* utf8, Py_ssize_t n, uint32_t low) noexcept nogil:
        """The first place in `order`, from `low` on, whose term is not before these bytes."""
        cdef uint32_t high = self.n_ordered, middle, term
        while low < high:
            middle = low + (high - low) // 2
            term = self.order[middle]
            if compare(self.utf8_of[term], self.size_of[term], utf8, n) < 0:
                low = middle + 1
            else:
                high = middle
        return low

    def sorted_ids(self):
        """The numbers of all terms, in code point order of the terms."""
        cdef uint32_t i
        self.sort()
        return [self.order[i] for i in range(self.n_ordered)]

    def prefix_range(self, str prefix):
        """The numbers of the terms that start with `prefix`, in code point order of the terms."""
        cdef bytes utf8 = prefix.encode("utf-8", "surrogatepass")
        cdef uint32_t at, term
        cdef list found = []
        self.sort()
        at = self.lower_bound(utf8, len(utf8), 0)
        while at < self.n_ordered:
            term = self.order[at]
            if self.size_of[term] < len(utf8) or memcmp(self.utf8_of[term], <const char*>utf8, len(utf8)) != 0:
                break
            found.append(term)
            at += 1
        return found

    def fuzzy(self, str term, uint32_t max_edits, uint32_t prefix_length=0):
        """`(number, edits)` of the terms at most `max_edits` insertions, deletions or replacements of a code point away.

        The first `prefix_length` code points must agree; a term shorter than that may differ anywhere.
        """
        cdef bytes prefix
        cdef uint32_t at, i, j, m = <uint32_t>len(term), kept = 0, depth, least, cost, number
        cdef uint32_t* rows
        cdef uint32_t* row
        cdef uint32_t* above
        cdef uint32_t wanted[MAX_FUZZY]
        cdef uint32_t current[MAX_FUZZY * 2]
        cdef uint32_t code, limit
        cdef const uint8_t* data
        cdef const uint8_t* end
        cdef list found = []
        if m > MAX_FUZZY or max_edits >= MAX_FUZZY:
            number = self.find_str(term)
            return [] if number == <uint32_t>NO_TERM else [(number, 0)]
        self.sort()
        prefix = term[:prefix_length].encode("utf-8", "surrogatepass") if m >= prefix_length else b""
        at = self.lower_bound(prefix, len(prefix), 0)
        for i in range(m):
            wanted[i] = ord(term[i])
        limit = m + max_edits
        rows = <uint32_t*>malloc((limit + 2) * <size_t>(m + 1) * sizeof(uint32_t))
        if rows == NULL:
            raise MemoryError()
        for j in range(m + 1):
            rows[j] = j
        while at < self.n_ordered:
            number = self.order[at]
            data = <const uint8_t*>self.utf8_of[number]
            end = data + self.size_of[number]
            if not self.shares(at, <const char*>prefix, len(prefix)):
                break
            depth = least = 0
            while data < end and depth <= limit:
                data = next_code(data, end, &code)
                depth += 1
                if depth <= kept and current[depth - 1] == code:
                    continue
                current[depth - 1] = code
                kept = depth
                row = rows + depth * (m + 1)
                above = row - (m + 1)
                row[0] = least = depth
                for j in range(1, m + 1):
                    cost = min(above[j - 1] + (wanted[j - 1] != code), above[j] + 1, row[j - 1] + 1)
                    row[j] = cost
                    if cost < least:
                        least = cost
                if least > max_edits:
                    break
            kept = min(kept, depth)
            if least > max_edits or depth > limit:
                # no term with this beginning can match: pass them all
                at = self.pass_prefix(at, data - <const uint8_t*>self.utf8_of[number])
                continue
            if rows[depth * (m + 1) + m] <= max_edits:
                found.append((number, rows[depth * (m + 1) + m]))
            at += 1
        free(rows)
        return found

    cdef uint32_t find_str(self, str term) except? 0xFFFFFFFE:
        cdef bytes utf8 = term.encode("utf-8", "surrogatepass")
        return self.find_utf8(utf8, len(utf8))

    cdef uint32_t pass_prefix(self, uint32_t at, Py_ssize_t n) noexcept nogil:
        """The first place behind `at` whose term does not share the first `n` bytes of the term there."""
        cdef const char* utf8 = self.utf8_of[self.order[at]]
        cdef uint32_t low = at + 1, high, step = 1, middle
        high = low
        while high < self.n_ordered and self.shares(high, utf8, n):
            low = high + 1
            high += step
            step *= 2
        high = min(high, self.n_ordered)
        while low < high:
            middle = low + (high - low) // 2
            if self.shares(middle, utf8, n):
                low = middle + 1
            else:
                high = middle
        return low

    cdef bint shares(self, uint32_t at, const char* utf8, Py_ssize_t n) noexcept nogil:
        cdef uint32_t term = self.order[at]
        return self.size_of[term] >= n and memcmp(self.utf8_of[term], utf8, n) == 0


cdef inline int compare(const char* a, Py_ssize_t n_a, const char* b, Py_ssize_t n_b) noexcept nogil:
    cdef int order = memcmp(a, b, min(n_a, n_b))
    return order if order != 0 else (n_a > n_b) - (n_a < n_b)


cdef inline const uint8_t* next_code(const uint8_t* data, const uint8_t* end, uint32_t* code) noexcept nogil:
    """One code point of UTF-8 that this module wrote, so that it is known to be well formed."""
    if data[0] < 0x80:
        code[0] = data[0]
        return data + 1
    if data[0] < 0xE0 and data + 2 <= end:
        code[0] = (data[0] & 0x1F) << 6 | (data[1] & 0x3F)
        return data + 2
    if data[0] < 0xF0 and data + 3 <= end:
        code[0] = (data[0] & 0x0F) << 12 | (data[1] & 0x3F) << 6 | (data[2] & 0x3F)
        return data + 3
    if data + 4 <= end:
        code[0] = (data[0] & 0x07) << 18 | (data[1] & 0x3F) << 12 | (data[2] & 0x3F) << 6 | (data[3] & 0x3F)
        return data + 4
    code[0] = data[0]
    return data + 1
