# The order of matches by stored values, scores and ids, and the first k of it, overall or of every group.
#
# A key is a double: a number, the rank of a value, or a score; descending keys are negated, and what is missing (or not
# finite) is infinite, so that it comes last either way. Ties are broken by document id, as everywhere. The first k are
# kept in a heap whose top is the last of them, so that most matches cost one comparison.
#
# `docs` are document numbers of the query's snapshot, `match` an index into them. Columns are read under the lock of the
# index's columns, which the caller holds; the query keeps the ids alive.
from libc.math cimport INFINITY, isfinite, log1p, sqrt
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, realloc
from cpython cimport array
import array

from narsilpy._columns cimport NUMBERS, VALUES, Column
from narsilpy._query cimport Query
from narsilpy._score cimport View, compare_ids, view_id

cdef enum:
    NOGIL_MATCHES = 65536

cdef array.array NO_NUMBERS = array.array("I")
cdef array.array NO_SCORES = array.array("d")


cdef class Order:
    """The order of `docs`, an array("I"), by `keys`: each is `(column, ranks, descending)`, `(scores, None, descending)`
    with an array("d") by match, or `(None, None, descending)` for a field that nothing has."""

    def __cinit__(self, Query query, const uint32_t[::1] docs, list keys):
        cdef Column column
        cdef array.array numbers
        cdef Key* key
        if len(keys) > MAX_KEYS:
            raise ValueError("too many keys")
        self.query = query
        self.docs = docs
        self.sources = keys
        for source, ranks, descending in keys:
            key = &self.keys[self.n_keys]
            self.n_keys += 1
            key.kind = BY_NUMBER
            key.n_rows = 0
            key.sign = -1.0 if descending else 1.0
            if isinstance(source, Column):
                column = source
                if column.is_array or column.kind not in (NUMBERS, VALUES):
                    continue
                key.n_rows = column.n
                if column.kind == NUMBERS:
                    key.numbers = column.numbers
                    continue
                numbers = ranks
                if len(numbers) < len(column.values):
                    raise ValueError("a value without a rank")
                key.kind = BY_RANK
                key.ordinals = column.item_ordinals
                key.ranks = numbers.data.as_doubles
            elif source is not None:
                numbers = source
                if len(numbers) != docs.shape[0]:
                    raise ValueError("a score a match")
                key.kind = BY_SCORE
                key.numbers = numbers.data.as_doubles

    cdef void fill(self, Entry* entry, uint32_t match) noexcept nogil:
        cdef uint32_t i, doc = self.docs[match], ordinal
        cdef const Key* key
        cdef double value
        entry.match = match
        for i in range(self.n_keys):
            key = &self.keys[i]
            value = INFINITY
            if key.kind == BY_SCORE:
                value = key.sign * key.numbers[match]
            elif doc < key.n_rows:
                if key.kind == BY_NUMBER:
                    value = key.numbers[doc]
                    value = key.sign * value if isfinite(value) else INFINITY
                else:
                    ordinal = key.ordinals[doc]
                    if ordinal:
                        value = key.sign * key.ranks[ordinal]
            entry.keys[i] = value

    cdef void id_of(self, uint32_t match, const char** utf8, uint32_t* n) noexcept nogil:
        cdef uint32_t doc = self.docs[match], low = 0, high = self.query.n_views, middle
        cdef const View* views = self.query.views
        while high - low > 1:
            middle = (low + high) // 2
            if views[middle].first_doc <= doc:
                low = middle
            else:
                high = middle
        view_id(&views[low], doc - views[low].first_doc, utf8, n)

    cdef bint before(self, const Entry* a, const Entry* b) noexcept nogil:
        cdef uint32_t i, n_a, n_b
        cdef const char* id_a
        cdef const char* id_b
        for i in range(self.n_keys):
            if a.keys[i] != b.keys[i]:
                return a.keys[i] < b.keys[i]
        self.id_of(a.match, &id_a, &n_a)
        self.id_of(b.match, &id_b, &n_b)
        return compare_ids(id_a, n_a, id_b, n_b) < 0

    cdef int offer(self, Heap* heap, const Entry* entry, uint32_t k) noexcept nogil:
        """Keep an entry where it is among the first k. -1 without memory."""
        cdef uint32_t at, parent, room
        cdef void* block
        if heap.n == k:
            if k and self.before(entry, &heap.items[0]):
                heap.items[0] = entry[0]
                self.sift(heap, 0, heap.n)
            return 0
        if heap.n == heap.room:
            room = min(k, max(<uint32_t>4, 2 * heap.room))
            block = realloc(heap.items, room * sizeof(Entry))
            if block == NULL:
                return -1
            heap.items = <Entry*>block
            heap.room = room
        at = heap.n
        heap.n += 1
        while at > 0:
            parent = (at - 1) // 2
            if not self.before(&heap.items[parent], entry):
                break
            heap.items[at] = heap.items[parent]
            at = parent
        heap.items[at] = entry[0]
        return 0

    cdef void sift(self, Heap* heap, uint32_t at, uint32_t n) noexcept nogil:
        cdef Entry item = heap.items[at]
        cdef uint32_t child
        while True:
            child = 2 * at + 1
            if child >= n:
                break
            if child + 1 < n and self.before(&heap.items[child], &heap.items[child + 1]):
                child += 1
            if not self.before(&item, &heap.items[child]):
                break
            heap.items[at] = heap.items[child]
            at = child
        heap.items[at] = item

    cdef void arrange(self, Heap* heap) noexcept nogil:
        """A heap to ascending order, in place."""
        cdef uint32_t n = heap.n
        cdef Entry last
        while n > 1:
            n -= 1
            last = heap.items[n]
            heap.items[n] = heap.items[0]
            heap.items[0] = last
            self.sift(heap, 0, n)

    def first(self, uint32_t k, after=None) -> list:
        """The first k matches in order, as indices into `docs`.

        `after`, a pair of the keys (as `key_of` gives them) and the UTF-8 id of a document, restricts to what comes
        after it.
        """
        cdef Heap heap
        cdef Entry entry, anchor
        cdef bytes anchor_id = b""
        cdef const char* anchor_utf8 = NULL
        cdef uint32_t anchor_size = 0, n = <uint32_t>self.docs.shape[0], i
        cdef bint failed = False
        cdef list found
        if after is not None:
            values, anchor_id = after
            if len(values) != self.n_keys:
                raise ValueError("a key of each kind")
            for i in range(self.n_keys):
                anchor.keys[i] = values[i]
            anchor_utf8 = anchor_id
            anchor_size = <uint32_t>len(anchor_id)
        heap.items = NULL
        heap.n = heap.room = 0
        try:
            if n < NOGIL_MATCHES:
                failed = self.scan(&heap, &entry, &anchor, anchor_utf8, anchor_size, n, k) < 0
            else:
                with nogil:
                    failed = self.scan(&heap, &entry, &anchor, anchor_utf8, anchor_size, n, k) < 0
            if failed:
                raise MemoryError()
            found = [0] * heap.n
            for i in range(heap.n):
                found[i] = heap.items[i].match
            return found
        finally:
            free(heap.items)

    cdef int scan(self, Heap* heap, Entry* entry, const Entry* anchor, const char* anchor_id, uint32_t anchor_size,
                  uint32_t n, uint32_t k) noexcept nogil:
        cdef uint32_t match, i, size
        cdef const char* utf8
        for match in range(n):
            self.fill(entry, match)
            if anchor_id != NULL:
                for i in range(self.n_keys):
                    if entry.keys[i] != anchor.keys[i]:
                        break
                else:
                    i = self.n_keys
                if i < self.n_keys:
                    if entry.keys[i] < anchor.keys[i]:
                        continue
                else:
                    self.id_of(match, &utf8, &size)
                    if compare_ids(utf8, size, anchor_id, anchor_size) <= 0:
                        continue
            if self.offer(heap, entry, k) < 0:
                return -1
        self.arrange(heap)
        return 0

    def key_of(self, uint32_t match) -> tuple:
        """The keys of a match, as `first` compares them."""
        cdef Entry entry
        cdef uint32_t i
        if match >= self.docs.shape[0]:
            raise IndexError("no such match")
        self.fill(&entry, match)
        return tuple([entry.keys[i] for i in range(self.n_keys)])

    def groups(self, const uint32_t[::1] group_of, uint32_t n_groups, uint32_t per_group) -> list:
        """The first `per_group` matches of every group, in order, and the groups by their first match.

        `group_of` gives the group of each match. The answer is a list of `(group, [matches])`.
        """
        cdef Heap* heaps
        cdef Entry entry
        cdef uint32_t match, i, j, n = <uint32_t>self.docs.shape[0]
        cdef Heap firsts
        cdef list found = []
        cdef int failed = 0
        if group_of.shape[0] != n:
            raise ValueError("a group a match")
        for match in range(n):
            if group_of[match] >= n_groups:
                raise ValueError("a group that is not there")
        heaps = <Heap*>calloc(max(n_groups, 1), sizeof(Heap))
        if heaps == NULL:
            raise MemoryError()
        firsts.items = NULL
        firsts.n = firsts.room = 0
        per_group = max(per_group, 1)
        try:
            with nogil:
                for match in range(n):
                    self.fill(&entry, match)
                    if self.offer(&heaps[group_of[match]], &entry, per_group) < 0:
                        failed = 1
                        break
                if not failed:
                    for i in range(n_groups):
                        self.arrange(&heaps[i])
                        if heaps[i].n and self.offer(&firsts, &heaps[i].items[0], n_groups) < 0:
                            failed = 1
                            break
                    self.arrange(&firsts)
            if failed:
                raise MemoryError()
            for i in range(firsts.n):
                j = group_of[firsts.items[i].match]
                found.append((j, [heaps[j].items[match].match for match in range(heaps[j].n)]))
            return found
        finally:
            for i in range(n_groups):
                free(heaps[i].items)
            free(heaps)
            free(firsts.items)


def group_numbers(const uint32_t[::1] docs, list columns) -> tuple:
    """Matches numbered by the values that they have in common: `(array of group by match, list of key by group)`.

    A key holds the value of each column, None where there is none.
    """
    cdef array.array groups = array.clone(NO_NUMBERS, docs.shape[0], True)
    cdef uint32_t* group = <uint32_t*>groups.data.as_voidptr
    cdef Column column
    cdef size_t i, n = docs.shape[0]
    cdef dict numbers
    cdef list keys = [()]
    cdef double number
    if n == 0:
        return groups, []
    for column in columns:
        numbers = {}
        for i in range(n):
            if column is None or column.is_array or docs[i] >= column.n:
                value = None
            elif column.kind == VALUES:
                value = column.values[column.item_ordinals[docs[i]]]
            elif column.kind == NUMBERS:
                number = column.numbers[docs[i]]
                value = number if number == number else None
            else:
                value = None
            combined = (group[i], value)
            known = numbers.get(combined)
            if known is None:
                known = numbers[combined] = len(numbers)
            group[i] = known
        keys = [(*keys[before], value) for before, value in numbers]
    return groups, keys


def boosted(const uint32_t[::1] docs, const double[::1] scores, Column column, str function, double weight) -> array.array:
    """Scores multiplied by 1 + weight * f(value); a document without a finite number keeps its score.

    `function` is "linear", "log1p", "sqrt" or "reciprocal" (1 / (1 + value)); of a negative number it is taken as of 0.
    """
    cdef array.array result = array.clone(NO_SCORES, docs.shape[0], False)
    cdef double* out = result.data.as_doubles
    cdef int kind = ("linear", "log1p", "sqrt", "reciprocal").index(function)
    cdef size_t i
    cdef double value
    if scores.shape[0] != docs.shape[0]:
        raise ValueError("a score a match")
    for i in range(<size_t>docs.shape[0]):
        out[i] = scores[i]
        if column is None or column.is_array or column.kind != NUMBERS or docs[i] >= column.n:
            continue
        value = column.numbers[docs[i]]
        if not isfinite(value):
            continue
        value = max(value, 0.0)
        if kind == 1:
            value = log1p(value)
        elif kind == 2:
            value = sqrt(value)
        elif kind == 3:
            value = 1.0 / (1.0 + value)
        out[i] = scores[i] * (1.0 + weight * value)
    return result


def at_least(const uint32_t[::1] docs, const double[::1] scores, double least) -> tuple:
    """The matches whose score is `least` or more, as `(docs, scores)`."""
    cdef array.array kept = array.clone(NO_NUMBERS, docs.shape[0], False)
    cdef array.array kept_scores = array.clone(NO_SCORES, docs.shape[0], False)
    cdef size_t i, n = 0
    if scores.shape[0] != docs.shape[0]:
        raise ValueError("a score a match")
    for i in range(<size_t>docs.shape[0]):
        if scores[i] >= least:
            kept.data.as_uints[n] = docs[i]
            kept_scores.data.as_doubles[n] = scores[i]
            n += 1
    array.resize(kept, n)
    array.resize(kept_scores, n)
    return kept, kept_scores
