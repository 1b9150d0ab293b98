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
from libc.string cimport memcpy
from cpython cimport array
import array

from narsilpy._columns cimport NUMBERS, VALUES, Column
from narsilpy._query cimport Query
from narsilpy._score cimport View, compare_ids, view_id

cdef enum:
    NOGIL_MATCHES = 65536
    NO_NUMBER = 0xFFFFFFFF

cdef array.array NO_NUMBERS = array.array("I")
cdef array.array NO_SCORES = array.array("d")


cdef inline double key_value(const Key* key, uint32_t doc, uint32_t match) noexcept nogil:
    cdef double value
    cdef uint32_t ordinal
    if key.kind == BY_SCORE:
        return key.sign * key.numbers[match]
    if doc >= key.n_rows:
        return INFINITY
    if key.kind == BY_NUMBER:
        value = key.sign * key.numbers[doc]
        return value if isfinite(value) else INFINITY
    ordinal = key.ordinals[doc]
    return key.sign * key.ranks[ordinal] if ordinal else INFINITY


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
        cdef uint32_t i, doc = self.docs[match]
        entry.match = match
        for i in range(self.n_keys):
            entry.keys[i] = key_value(&self.keys[i], doc, match)

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
        cdef uint32_t n_a, n_b
        cdef const char* id_a
        cdef const char* id_b
        cdef int order = self.compare_keys(a, b)
        if order != 0:
            return order < 0
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

        `after`, a pair of the keys (as `fill` makes them) and the UTF-8 id of a document, restricts to what comes
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
        cdef uint32_t match, view = 0, size, last_size = 0, top = NO_NUMBER
        cdef const char* utf8
        cdef const char* last_id = NULL
        cdef const View* views = self.query.views
        cdef const uint32_t* docs = &self.docs[0] if n else NULL
        cdef int order
        for match in range(n):
            if self.n_keys and k and heap.n == k and key_value(
                    &self.keys[0], docs[match], match) > heap.items[0].keys[0]:
                continue            # most matches end here
            self.fill(entry, match)
            while view + 1 < self.query.n_views and views[view + 1].first_doc <= docs[match]:
                view += 1
            if anchor_id != NULL:
                order = self.compare_keys(entry, anchor)
                if order == 0:
                    view_id(&views[view], docs[match] - views[view].first_doc, &utf8, &size)
                    order = compare_ids(utf8, size, anchor_id, anchor_size)
                if order <= 0:
                    continue
            if k and heap.n == k:
                # the last of the first k has its id at hand
                order = self.compare_keys(entry, heap.items)
                if order == 0:
                    if heap.items[0].match != top:
                        top = heap.items[0].match
                        self.id_of(top, &last_id, &last_size)
                    view_id(&views[view], docs[match] - views[view].first_doc, &utf8, &size)
                    order = compare_ids(utf8, size, last_id, last_size)
                if order >= 0:
                    continue
            if self.offer(heap, entry, k) < 0:
                return -1
        self.arrange(heap)
        return 0

    cdef int compare_keys(self, const Entry* a, const Entry* b) noexcept nogil:
        cdef uint32_t i
        for i in range(self.n_keys):
            if a.keys[i] != b.keys[i]:
                return -1 if a.keys[i] < b.keys[i] else 1
        return 0

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


def transform(Column column, str function, array.array known) -> array.array:
    """f(value) by document, those of `known` taken over; 0 where there is no finite number.

    `function` is "linear", "log1p", "sqrt" or "reciprocal" (1 / (1 + value)); of a negative number it is taken as of 0.
    """
    cdef int kind = ("linear", "log1p", "sqrt", "reciprocal").index(function)
    cdef uint32_t doc, n = 0 if column.is_array or column.kind != NUMBERS else column.n
    cdef size_t n_known = len(known)
    cdef array.array result
    cdef double* out
    cdef double value
    if n_known >= n:
        return known
    result = array.clone(NO_SCORES, n, False)
    out = result.data.as_doubles
    if n_known:
        memcpy(out, known.data.as_doubles, 8 * n_known)
    with nogil:
        for doc in range(<uint32_t>n_known, n):
            value = column.numbers[doc]
            if not isfinite(value):
                out[doc] = 0.0
                continue
            value = value if value > 0 else 0.0
            if kind == 1:
                value = log1p(value)
            elif kind == 2:
                value = sqrt(value)
            elif kind == 3:
                value = 1.0 / (1.0 + value)
            out[doc] = value
    return result


def boosted(const uint32_t[::1] docs, const double[::1] scores, const double[::1] values, double weight) -> array.array:
    """Scores multiplied by 1 + weight * value, the values by document."""
    cdef array.array result = array.clone(NO_SCORES, docs.shape[0], False)
    cdef double* out = result.data.as_doubles
    cdef size_t i, n = docs.shape[0], n_values = values.shape[0]
    if scores.shape[0] != docs.shape[0]:
        raise ValueError("a score a match")
    with nogil:
        for i in range(n):
            out[i] = scores[i] * (1.0 + weight * (values[docs[i]] if docs[i] < n_values else 0.0))
    return result


def added(const double[::1] scores, const double[::1] values, double weight) -> array.array:
    """scores + weight * values."""
    cdef array.array result = array.clone(NO_SCORES, scores.shape[0], False)
    cdef size_t i
    if scores.shape[0] != values.shape[0]:
        raise ValueError("a value a score")
    for i in range(<size_t>scores.shape[0]):
        result.data.as_doubles[i] = scores[i] + weight * values[i]
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
