# Scoring: the cursors of one segment in, hits out. Six ways, one answer:
#   one list      a single cursor, block by block, whole blocks skipped by their bounds
#   best list     only the best expansion of one word counts: the lists one by one, the most promising first
#   conjunction   every leaf must match: a short one leads and the others follow by seeking; leaves of similar lengths
#                 are narrowed down in windows of sums, one after the other
#   sums          any leaf may match and all count: WINDOW documents at a time, list by list into an array of sums; windows
#                 whose bounds cannot reach the current k-th hit are skipped, and lists that together cannot are only
#                 added to documents that another list has and that could still reach it
#   windows       anything else: the same with slots that count leaves
#   exhaustive    the same loops with nothing skipped (COLLECT_ALL, COLLECT_COUNT): the twin that pruning is tested with
#
# One order of addition: leaf by leaf, expansion by expansion, field by field. Every path adds in this order or scores
# its candidates again in it (`exact_score`), so a document's score is the same double whatever was skipped. A bound is
# compared with `<` only: a document that could tie the k-th hit is always scored, since ties go to the smaller id.
from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort, realloc
from libc.string cimport memcmp

from narsilpy._cursor cimport (
    CURSOR_FINE, NO_BLOCK, NO_DOC, Cursor, cursor_bound, cursor_find_block, cursor_next, cursor_next_block, cursor_open,
    cursor_score, cursor_seek, length_at)
from narsilpy._cursor cimport impact as impact_of

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static int lowest_bit(unsigned long long word) { unsigned long at; _BitScanForward64(&at, word); return (int)at; }
    #else
    #define lowest_bit(word) __builtin_ctzll(word)
    #endif
    """
    int lowest_bit(unsigned long long word) nogil

from narsilpy._sums cimport (
    add_both, add_list, add_marked, count_marked, filter_list, mark_list, narrow, put_back, set_list, take_marked,
    take_set)

cdef double SUM_SLACK = 1.0 + 1e-12     # bounds are added in another order than scores: room for the rounding

cdef enum:
    MAX_PROBED = 64             # lists that may be left to probing; with more of them every list is read
    MAX_DISTINCT = 128          # hits that may be walked through for each document that is offered
    SEEK_POSTINGS = 16          # to seek one document in a list costs as much as to look at this many postings


# ------------------------------------------------------------------------ hits
cdef int compare_ids(const char* a, uint32_t n_a, const char* b, uint32_t n_b) noexcept nogil:
    """Order of UTF-8 bytes, which is the order of code points."""
    cdef int order = memcmp(a, b, min(n_a, n_b))
    if order != 0:
        return order
    return (n_a > n_b) - (n_a < n_b)


cdef void view_id(const View* view, uint32_t doc, const char** utf8, uint32_t* n) noexcept nogil:
    if view.ids != NULL:
        utf8[0] = view.ids[doc]
        n[0] = view.id_sizes[doc]
    else:
        utf8[0] = view.id_bytes + view.id_index[doc]
        n[0] = view.id_index[doc + 1] - view.id_index[doc]


cdef inline bint worse(const Found* a, const Found* b) noexcept nogil:
    if a.score != b.score:
        return a.score < b.score
    return compare_ids(a.id, a.id_size, b.id, b.id_size) > 0


cdef void sift_down(Found* heap, uint32_t n, uint32_t at) noexcept nogil:
    cdef uint32_t child
    cdef Found item = heap[at]
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n and worse(&heap[child + 1], &heap[child]):
            child += 1
        if not worse(&heap[child], &item):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = item


cdef void sift_up(Found* heap, uint32_t at) noexcept nogil:
    cdef uint32_t parent
    cdef Found item = heap[at]
    while at > 0:
        parent = (at - 1) // 2
        if not worse(&item, &heap[parent]):
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


cdef int order_found(const void* a, const void* b) noexcept nogil:
    return 1 if worse(<const Found*>a, <const Found*>b) else -1


cdef void sort_found(Found* hits, uint32_t n) noexcept nogil:
    """Best first."""
    qsort(hits, n, sizeof(Found), order_found)


cdef inline double threshold(const Search* s) noexcept nogil:
    """What a document must reach to matter."""
    if s.collect == COLLECT_TOP and s.n == s.k:
        return max(s.heap[0].score, s.min_score) if s.k > 0 else INFINITY
    return s.min_score


cdef inline bint accepted(const Search* s, uint32_t doc) noexcept nogil:
    return s.view.accept == NULL or (s.view.accept[doc >> 6] >> (doc & 63)) & 1


cdef bint room_for(Search* s, size_t n) noexcept nogil:
    """Make room for n more matches of COLLECT_ALL."""
    cdef size_t size
    cdef void* block
    if s.n_out + n <= s.out_size:
        return True
    size = max(<size_t>256, max(s.n_out + n, s.out_size * 2))
    block = realloc(s.out_docs, size * sizeof(uint32_t))
    if block != NULL:
        s.out_docs = <uint32_t*>block
        block = realloc(s.out_scores, size * sizeof(double))
    if block == NULL:
        s.error = 1
        return False
    s.out_scores = <double*>block
    s.out_size = size
    return True


cdef void collect_block(Search* s, const Cursor* c) noexcept nogil:
    """Every accepted document of a decoded block, unscored."""
    cdef uint32_t j
    cdef size_t n = s.n_out
    if not room_for(s, c.count):
        return
    for j in range(c.count):        # written either way: what is not accepted is written over
        s.out_docs[n] = s.view.first_doc + c.docs[j]
        s.out_scores[n] = 0.0
        n += accepted(s, c.docs[j])
    s.n_out = n


cdef bint raise_hit(Search* s, uint32_t doc, double score) noexcept nogil:
    """Whether a document is among the hits already; its better score counts from now on."""
    cdef uint32_t i
    for i in range(s.n):
        if s.heap[i].doc == doc and s.heap[i].view == s.view_number:
            if score > s.heap[i].score:
                s.heap[i].score = score
                sift_down(s.heap, s.n, i)
            return True
    return False


cdef void offer(Search* s, uint32_t doc, double score) noexcept nogil:
    """A matching, accepted document with its exact score."""
    cdef Found hit
    cdef int order
    if score < s.min_score:
        return
    s.count += 1
    if s.collect == COLLECT_COUNT:
        return
    if s.collect == COLLECT_ALL:
        if not room_for(s, 1):
            return
        s.out_docs[s.n_out] = s.view.first_doc + doc
        s.out_scores[s.n_out] = score
        s.n_out += 1
        return
    if s.n == s.k and (s.k == 0 or score < s.heap[0].score):
        return
    hit.score = score
    hit.doc = doc
    hit.view = s.view_number
    view_id(s.view, doc, &hit.id, &hit.id_size)
    if s.has_anchor:
        if score > s.anchor_score:
            return
        if score == s.anchor_score:
            order = compare_ids(hit.id, hit.id_size, s.anchor_id, s.anchor_id_size)
            if order <= 0:
                return
    if s.distinct and raise_hit(s, doc, score):
        return
    if s.n < s.k:
        s.heap[s.n] = hit
        s.n += 1
        sift_up(s.heap, s.n - 1)
    elif worse(&s.heap[0], &hit):
        s.heap[0] = hit
        sift_down(s.heap, s.n, 0)


# -------------------------------------------------------------------- one list
cdef void search_list(Search* s, Cursor* c) noexcept nogil:
    cdef uint32_t j, block, doc
    cdef double bar, score
    if not s.scored and s.view.accept == NULL and s.collect == COLLECT_COUNT:
        s.count += c.source.n
        return
    if c.block == <uint32_t>NO_BLOCK and not cursor_next_block(c):
        return
    while True:
        if not s.scored and s.collect == COLLECT_ALL:
            collect_block(s, c)
        elif not s.scored:
            for j in range(c.count):
                if accepted(s, c.docs[j]):
                    offer(s, c.docs[j], 0.0)
        else:
            bar = threshold(s)
            for j in range(c.count):
                doc = c.docs[j]
                score = impact_of(c, c.tfs[j], length_at(c.source, doc))
                if score >= bar and accepted(s, doc):
                    offer(s, doc, score)
                    bar = threshold(s)
        if s.prune and c.metas != NULL:
            bar = threshold(s)
            block = c.block + 1
            while block < c.n_blocks and cursor_bound(c, c.metas[block - 1].last_doc + 1,
                                                      c.metas[block - 1].last_doc + 1) < bar:
                block += 1
            c.block = block - 1
        if not cursor_next_block(c) or s.error:
            return


# ------------------------------------------------------------------- best list
cdef bint only_best(const Search* s) noexcept nogil:
    """Whether a document's score is the best of single lists: the top k of all is found in the top k of each."""
    cdef uint32_t j
    if not (s.prune and s.scored and s.n_ops == 0 and s.n_phrases == 0 and s.need <= 1 and s.n_leaves == 1):
        return False
    if s.leaves[0].mode != LEAF_MAX or not s.leaves[0].scores or s.has_anchor:
        return False        # behind an anchor a document must not come back with the score of a lesser list
    if s.k > MAX_DISTINCT or s.n_cursors > WINDOW:
        return False
    for j in range(1, s.n_cursors):
        if s.cursor_part[j] == s.cursor_part[j - 1]:
            return False
    return True


cdef void search_best(Search* s) noexcept nogil:
    """The lists one after the other, those with the greatest bounds first."""
    cdef uint32_t j, k
    cdef uint32_t* order = s.scratch.touched_leaf
    for j in range(s.n_cursors):
        k = j
        while k > 0 and s.cursors[order[k - 1]].bound < s.cursors[j].bound:
            order[k] = order[k - 1]
            k -= 1
        order[k] = j
    s.distinct = True
    for j in range(s.n_cursors):
        if s.error or s.cursors[order[j]].bound < threshold(s):
            break
        search_list(s, &s.cursors[order[j]])
    s.distinct = False


# ----------------------------------------------------------------- exact score
cdef double exact_score(Search* s, Cursor* cursors, uint32_t doc, uint64_t mask) noexcept nogil:
    """The score of a document in the one order of addition; `mask` says which of the first 64 leaves count."""
    cdef double total = 0.0, best, part
    cdef uint32_t i, j, end, expansion
    cdef const Leaf* leaf
    for i in range(s.n_leaves):
        leaf = &s.leaves[i]
        if not leaf.scores or (i < 64 and not (mask >> i) & 1):
            continue
        end = leaf.first + leaf.n
        if leaf.mode == LEAF_SUM:
            for j in range(leaf.first, end):
                if cursor_seek(&cursors[j], doc) == doc:
                    total += cursor_score(&cursors[j])
            continue
        best = 0.0
        j = leaf.first
        while j < end:
            expansion = s.cursor_part[j]
            part = 0.0
            while j < end and s.cursor_part[j] == expansion:
                if cursor_seek(&cursors[j], doc) == doc:
                    part += cursor_score(&cursors[j])
                j += 1
            if part > best:
                best = part
        total += best
    return total


# ----------------------------------------------------------------- conjunction
cdef uint32_t seek_leaf(Search* s, const Leaf* leaf, uint32_t target) noexcept nogil:
    cdef uint32_t j, doc, best = NO_DOC
    for j in range(leaf.first, leaf.first + leaf.n):
        doc = s.cursors[j].doc
        if doc == <uint32_t>NO_DOC or doc < target:
            if doc == <uint32_t>NO_DOC and s.cursors[j].block != <uint32_t>NO_BLOCK and s.cursors[j].count == 0:
                continue
            doc = cursor_seek(&s.cursors[j], target)
        if doc < best:
            best = doc
    return best


cdef uint32_t skip_conjunction(Search* s, uint32_t doc) noexcept nogil:
    """`doc`, or the first document behind it whose blocks together could reach the threshold."""
    cdef double total, bar = threshold(s)
    cdef uint32_t j, block, last
    cdef Cursor* c
    while True:
        last = NO_DOC               # no list changes its block in [doc, last]
        for j in range(s.n_cursors):
            c = &s.cursors[j]
            if c.metas != NULL:
                block = cursor_find_block(c, doc, 0 if c.block == <uint32_t>NO_BLOCK else min(c.block, c.n_blocks))
                if block < c.n_blocks and c.metas[block].last_doc < last:
                    last = c.metas[block].last_doc
        if last == <uint32_t>NO_DOC:
            return doc
        total = 0.0
        for j in range(s.n_cursors):
            if s.leaves[s.cursor_leaf[j]].scores:
                total += cursor_bound(&s.cursors[j], doc, last)
        if total * SUM_SLACK >= bar:
            return doc
        if last + 1 >= s.view.n_docs:
            return NO_DOC
        doc = last + 1


cdef void search_conjunction(Search* s) noexcept nogil:
    cdef uint32_t i, doc, other, lead = 0, phrase
    cdef uint64_t size, smallest = <uint64_t>-1
    cdef const Leaf* leaf
    cdef bint together
    cdef double score
    for i in range(s.n_leaves):
        leaf = &s.leaves[i]
        if leaf.n == 0:
            return
        size = 0
        for doc in range(leaf.n):
            size += s.cursors[leaf.first + doc].source.n
        if size < smallest:
            smallest = size
            lead = i
    doc = seek_leaf(s, &s.leaves[lead], 0)
    while doc != <uint32_t>NO_DOC and not s.error:
        if s.prune and s.n == s.k:
            other = skip_conjunction(s, doc)
            if other == <uint32_t>NO_DOC:
                return
            if other != doc:
                doc = seek_leaf(s, &s.leaves[lead], other)
                continue
        together = True
        for i in range(s.n_leaves):
            if i == lead:
                continue
            other = seek_leaf(s, &s.leaves[i], doc)
            if other != doc:
                if other == <uint32_t>NO_DOC:
                    return
                doc = seek_leaf(s, &s.leaves[lead], other)
                together = False
                break
        if not together:
            continue
        if accepted(s, doc):
            score = exact_score(s, s.cursors, doc, <uint64_t>-1) if s.scored else 0.0
            if score >= threshold(s):       # finding phrases costs most
                for phrase in range(s.n_phrases):
                    if not s.check(s.context, s.cursors, phrase, doc):
                        together = False
                        break
                if together:
                    offer(s, doc, score)
        doc = seek_leaf(s, &s.leaves[lead], doc + 1)


cdef bint is_dense(const Search* s, uint32_t* order) noexcept nogil:
    """Whether to narrow leaves down in windows; `order` becomes the order in which to do it.

    Shorter leaves first; where everything is wanted in the one order of addition instead.
    """
    cdef uint32_t i, j, k
    cdef uint64_t sizes[MAX_PROBED]
    cdef uint64_t total = 0
    if s.n_leaves > MAX_PROBED:
        return False
    for i in range(s.n_leaves):
        if s.leaves[i].mode != LEAF_SUM or not s.leaves[i].scores or s.leaves[i].n == 0:
            return False
        sizes[i] = 0
        for j in range(s.leaves[i].first, s.leaves[i].first + s.leaves[i].n):
            sizes[i] += s.cursors[j].source.n
        total += sizes[i]
        k = i
        while s.prune and k > 0 and sizes[order[k - 1]] > sizes[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    for i in range(s.n_leaves):
        if total > sizes[i] * (SEEK_POSTINGS + 1):
            return False
    return True


cdef uint32_t first_together(Search* s, uint32_t base) noexcept nogil:
    """No document of every leaf lies in [base, answer)."""
    cdef uint32_t i, j, doc, first
    for i in range(s.n_leaves):
        first = NO_DOC
        for j in range(s.leaves[i].first, s.leaves[i].first + s.leaves[i].n):
            doc = next_possible(&s.cursors[j], base)
            if doc < first:
                first = doc
        if first > base:
            base = first
    return base


cdef void search_narrowing(Search* s, const uint32_t* order) noexcept nogil:
    cdef uint32_t base = 0, limit
    cdef double bar
    cdef double total
    cdef uint32_t j
    while base < s.view.n_docs and not s.error:
        base = first_together(s, base)
        if base >= s.view.n_docs:
            return
        base &= ~<uint32_t>63
        limit = s.view.n_docs if s.view.n_docs - base < WINDOW else base + WINDOW
        bar = threshold(s)
        if s.prune and bar > 0.0:
            total = 0.0
            for j in range(s.n_cursors):
                total += cursor_bound(&s.cursors[j], base, limit - 1)
            if total * SUM_SLACK < bar:
                base = limit
                continue
        narrow_window(s, order, base, limit)
        base = limit


cdef void narrow_window(Search* s, const uint32_t* order, uint32_t base, uint32_t limit) noexcept nogil:
    cdef uint32_t i, j, n, n_words = (limit - base + 63) // 64
    cdef uint64_t* bits = s.scratch.bits
    cdef uint64_t* both = s.scratch.masks       # [n_words] of it
    cdef double* sums = s.scratch.loose
    cdef const Leaf* leaf
    for i in range(s.n_leaves):
        leaf = &s.leaves[order[i]]
        for j in range(leaf.first, leaf.first + leaf.n):
            if i == 0 and s.scored:
                set_list(&s.cursors[j], base, limit, sums, bits)
            elif s.scored:
                add_both(&s.cursors[j], base, limit, sums, bits, both)
            else:
                mark_list(&s.cursors[j], base, limit, bits if i == 0 else both)
        if i > 0 and not narrow(bits, both, n_words):
            return
    if not s.scored and s.collect == COLLECT_COUNT and s.n_phrases == 0:
        s.count += count_marked(bits, n_words, NULL if s.view.accept == NULL else s.view.accept + (base >> 6))
        return
    n = take_set(sums, bits, n_words, threshold(s) / SUM_SLACK if s.scored else -INFINITY,
                 s.scratch.touched_leaf, s.scratch.part)
    offer_together(s, base, n, not s.prune or (s.n_leaves == 2 and s.n_cursors == 2))


cdef void offer_together(Search* s, uint32_t base, uint32_t n, bint exact) noexcept nogil:
    """Offer what holds every leaf, and every phrase; `exact`: the sums are those of the one order of addition."""
    cdef uint32_t i, doc, phrase
    cdef double* values = s.scratch.part
    cdef bint together
    for i in range(n):
        doc = base + s.scratch.touched_leaf[i]
        if accepted(s, doc) and (not s.scored or values[i] * SUM_SLACK >= threshold(s)):
            together = True
            for phrase in range(s.n_phrases):
                if not s.check(s.context, open_probes(s), phrase, doc):
                    together = False
                    break
            if together and not s.scored:
                offer(s, doc, 0.0)
            elif together:
                offer(s, doc, values[i] if exact else exact_score(s, open_probes(s), doc, <uint64_t>-1))
        values[i] = -1.0


# --------------------------------------------------------------------- windows
cdef bint run_program(Search* s, uint64_t mask, uint32_t doc, uint64_t* kept) noexcept nogil:
    """Whether the boolean program accepts a document of which the leaves in `mask` match; `kept` becomes the leaves
    that count: those of the branches that hold. Whoever builds a program keeps it at most 64 deep."""
    cdef uint64_t stack[65]
    cdef uint64_t truth = 0, top           # bit i: entry i of the stack, from the top
    cdef uint32_t i, n = 0, arg
    for i in range(s.n_ops):
        arg = s.args[i]
        if s.ops[i] == OP_LEAF:
            truth = (truth << 1) | ((mask >> arg) & 1)
            stack[n] = mask & (<uint64_t>1 << arg)
            n += 1
        elif s.ops[i] == OP_TRUE:
            truth = (truth << 1) | 1
            stack[n] = 0
            n += 1
        elif s.ops[i] == OP_PHRASE:
            top = s.phrase_masks[arg]
            truth <<= 1
            stack[n] = 0
            if mask & top == top and s.check(s.context, open_probes(s), arg, doc):
                truth |= 1
                stack[n] = top
            n += 1
        elif s.ops[i] == OP_NOT:
            truth ^= 1
            stack[n - 1] = 0
        else:
            n -= 1
            top = truth & 1
            truth >>= 1
            if s.ops[i] == OP_AND:
                truth &= ~<uint64_t>1 | top
                stack[n - 1] = (stack[n - 1] | stack[n]) if truth & 1 else 0
            else:
                truth |= top
                stack[n - 1] |= stack[n]
    kept[0] = stack[0]
    return truth & 1


cdef Cursor* open_probes(Search* s) noexcept nogil:
    cdef uint32_t j
    cdef Cursor* c
    if not s.probes_open:
        for j in range(s.n_cursors):
            c = &s.cursors[j]
            cursor_open(&s.probes[j], c.source, c.weight, c.c0, c.c1)
        s.probes_open = True
    return s.probes


cdef void collect_sum(Search* s, Cursor* c, uint32_t leaf, uint32_t base, uint32_t limit) noexcept nogil:
    """Add one list's documents of [base, limit) to the slots."""
    cdef uint32_t j, at
    cdef Slot* slot
    cdef Slot* slots = s.scratch.slots
    cdef uint64_t* bits = s.scratch.bits
    cdef uint64_t* masks = s.scratch.masks
    cdef bint scored = s.scored and s.leaves[leaf].scores
    cdef uint64_t bit = (<uint64_t>1 << leaf) if leaf < 64 else 0
    cdef bint program = s.n_ops > 0
    if cursor_seek(c, base) >= limit:
        return
    while True:
        j = c.i
        while j < c.count and c.docs[j] < limit:
            at = c.docs[j] - base
            slot = &slots[at]
            bits[at >> 6] |= <uint64_t>1 << (at & 63)
            if slot.leaf != leaf + 1:
                slot.leaf = leaf + 1
                slot.coverage += 1
            if scored:
                slot.score += impact_of(c, c.tfs[j], length_at(c.source, c.docs[j]))
            if program:
                masks[at] |= bit
            j += 1
        if j < c.count:
            c.i = j
            c.doc = c.docs[j]
            return
        if not cursor_next_block(c):
            return


cdef void collect_max(Search* s, const Leaf* leaf, uint32_t number, uint32_t base, uint32_t limit) noexcept nogil:
    """Add the best expansion of a leaf to the slots of [base, limit)."""
    cdef uint32_t j = leaf.first, end = leaf.first + leaf.n, expansion, at, n_leaf = 0, k, n_part
    cdef Scratch* scratch = s.scratch
    cdef Cursor* c
    cdef uint64_t bit = (<uint64_t>1 << number) if number < 64 else 0
    while j < end:
        expansion = s.cursor_part[j]
        n_part = n_leaf
        while j < end and s.cursor_part[j] == expansion:
            c = &s.cursors[j]
            j += 1
            if cursor_seek(c, base) >= limit:
                continue
            while c.doc < limit:
                at = c.doc - base
                # `part` and `best` rest at -1, so that a document that scores 0 is told from an untouched one
                if scratch.part[at] < 0.0:
                    scratch.part[at] = 0.0
                    scratch.touched_leaf[n_part] = at
                    n_part += 1
                if s.scored:
                    scratch.part[at] += cursor_score(c)
                cursor_next(c)
        for k in range(n_leaf, n_part):
            at = scratch.touched_leaf[k]
            if scratch.best[at] < 0.0:
                scratch.touched_leaf[n_leaf] = at
                n_leaf += 1
                scratch.best[at] = 0.0
            if scratch.part[at] > scratch.best[at]:
                scratch.best[at] = scratch.part[at]
            scratch.part[at] = -1.0
    for k in range(n_leaf):
        at = scratch.touched_leaf[k]
        scratch.bits[at >> 6] |= <uint64_t>1 << (at & 63)
        scratch.slots[at].leaf = number + 1
        scratch.slots[at].coverage += 1
        if leaf.scores:
            scratch.slots[at].score += scratch.best[at]
        scratch.masks[at] |= bit
        scratch.best[at] = -1.0


cdef void close_document(Search* s, uint32_t doc, uint32_t at, double rest, bint exact) noexcept nogil:
    """Offer one touched document and clear its slot. `rest` bounds what lists that were not read could add."""
    cdef Slot slot = s.scratch.slots[at]
    cdef uint64_t mask, kept
    cdef double bar = threshold(s)
    s.scratch.slots[at].score = 0.0
    s.scratch.slots[at].leaf = 0
    s.scratch.slots[at].coverage = 0
    mask = s.scratch.masks[at]
    s.scratch.masks[at] = 0
    if (s.prune and slot.score + rest < bar) or not accepted(s, doc):
        return
    if s.n_ops > 0:
        if not run_program(s, mask, doc, &kept):
            return
        if s.scored and kept != mask:
            slot.score = exact_score(s, open_probes(s), doc, kept)
    elif slot.coverage < s.need:
        return
    elif not exact:
        slot.score = exact_score(s, open_probes(s), doc, <uint64_t>-1)
    offer(s, doc, slot.score)


cdef void close_window(Search* s, uint32_t base, double rest, bint exact) noexcept nogil:
    """Offer the touched documents in ascending order, as the probes need."""
    cdef uint32_t word, at
    cdef uint64_t bits
    for word in range(WINDOW // 64):
        bits = s.scratch.bits[word]
        if bits == 0:
            continue
        s.scratch.bits[word] = 0
        while bits != 0:
            at = 64 * word + <uint32_t>lowest_bit(bits)
            bits &= bits - 1
            close_document(s, base + at, at, rest, exact)


cdef uint32_t split_lists(Search* s, const double* bounds, double bar, uint32_t* order, bint* probed, double* rest) noexcept nogil:
    """Mark the lists that together cannot reach `bar`: their documents matter only where another list has them."""
    cdef uint32_t j, k, n = 0, item
    cdef double total = 0.0
    for j in range(s.n_cursors):
        order[j] = j
        probed[j] = False
    for j in range(1, s.n_cursors):
        item = order[j]
        k = j
        while k > 0 and bounds[order[k - 1]] > bounds[item]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = item
    while n < s.n_cursors and (total + bounds[order[n]]) * SUM_SLACK < bar:
        total += bounds[order[n]]
        probed[order[n]] = True
        n += 1
    rest[0] = total * SUM_SLACK
    return n


cdef uint32_t first_possible(Search* s, uint32_t base, const bint* skipped) noexcept nogil:
    cdef uint32_t j, doc, first = NO_DOC
    for j in range(s.n_cursors):
        if skipped == NULL or not skipped[j]:
            doc = next_possible(&s.cursors[j], base)
            if doc < first:
                first = doc
    return first


cdef void search_windows(Search* s) noexcept nogil:
    cdef uint32_t i, j, base = 0, limit, first, n_probed
    cdef double bar, total, rest
    cdef double bounds[MAX_PROBED]
    cdef uint32_t order[MAX_PROBED]
    cdef bint probed[MAX_PROBED]
    cdef uint64_t kept
    cdef bint may_probe = s.prune and s.n_ops == 0 and s.need <= 1 and s.n_cursors <= MAX_PROBED
    # a program that accepts a document without any leaf has to see every document
    cdef bint all_docs = s.n_ops > 0 and run_program(s, 0, 0, &kept)
    for i in range(s.n_leaves):
        if s.leaves[i].mode != LEAF_SUM:
            may_probe = False
    while base < s.view.n_docs and not s.error:
        bar = threshold(s)
        n_probed = 0
        if may_probe and bar > 0.0:
            for j in range(s.n_cursors):
                bounds[j] = s.cursors[j].bound
            n_probed = split_lists(s, bounds, bar, order, probed, &rest)
        if not all_docs:
            first = first_possible(s, base, probed if n_probed > 0 else NULL)
            if first == <uint32_t>NO_DOC:
                return
            base = first
        limit = s.view.n_docs if s.view.n_docs - base < WINDOW else base + WINDOW
        rest = 0.0
        n_probed = 0
        if s.prune and bar > 0.0:
            total = 0.0
            for j in range(s.n_cursors):
                rest = cursor_bound(&s.cursors[j], base, limit - 1)
                total += rest
                if may_probe:
                    bounds[j] = rest
            rest = 0.0
            if total * SUM_SLACK < bar:
                base = limit
                continue
            if may_probe:
                n_probed = split_lists(s, bounds, bar, order, probed, &rest)
        for i in range(s.n_leaves):
            if s.leaves[i].mode == LEAF_MAX:
                collect_max(s, &s.leaves[i], i, base, limit)
                continue
            for j in range(s.leaves[i].first, s.leaves[i].first + s.leaves[i].n):
                if n_probed == 0 or not probed[j]:
                    collect_sum(s, &s.cursors[j], i, base, limit)
        if all_docs:
            for j in range(limit - base):
                s.scratch.bits[j >> 6] |= <uint64_t>1 << (j & 63)
        close_window(s, base, rest, n_probed == 0)
        base = limit


# ------------------------------------------------------------------------ sums
cdef double window_bounds(Search* s, uint32_t base, uint32_t limit, double* bounds) noexcept nogil:
    """What each list adds at most in [base, limit), and the sum of that."""
    cdef uint32_t j
    cdef double total = 0.0
    for j in range(s.n_cursors):
        bounds[j] = cursor_bound(&s.cursors[j], base, limit - 1)
        total += bounds[j]
    return total


cdef void search_sums(Search* s) noexcept nogil:
    cdef uint32_t j, base = 0, limit, first, n_probed
    cdef double bar, rest = 0.0
    cdef double bounds[MAX_PROBED]
    cdef uint32_t order[MAX_PROBED]
    cdef bint probed[MAX_PROBED]
    cdef bint may_probe = s.prune and s.n_cursors <= MAX_PROBED
    while base < s.view.n_docs and not s.error:
        bar = threshold(s)
        n_probed = 0
        if may_probe and bar > 0.0:
            for j in range(s.n_cursors):
                bounds[j] = s.cursors[j].bound
            n_probed = split_lists(s, bounds, bar, order, probed, &rest)
        first = first_possible(s, base, probed if n_probed > 0 else NULL)
        if first == <uint32_t>NO_DOC:
            return
        base = first & ~<uint32_t>63
        limit = s.view.n_docs if s.view.n_docs - base < WINDOW else base + WINDOW
        n_probed = 0
        if may_probe and bar > 0.0:
            if window_bounds(s, base, limit, bounds) * SUM_SLACK < bar:
                base = limit
                continue
            n_probed = split_lists(s, bounds, bar, order, probed, &rest)
        if n_probed == 0:
            sum_window(s, base, limit)
        else:
            probe_window(s, base, limit, bounds, order, n_probed, rest)
        base = limit


cdef void sum_window(Search* s, uint32_t base, uint32_t limit) noexcept nogil:
    """Add every list, in the one order of addition."""
    cdef uint32_t j, n, n_words = (limit - base + 63) // 64
    cdef uint32_t* places = s.scratch.touched_leaf
    cdef double* values = s.scratch.part
    if not s.scored:
        for j in range(s.n_cursors):
            mark_list(&s.cursors[j], base, limit, s.scratch.bits)
        s.count += count_marked(s.scratch.bits, n_words, NULL if s.view.accept == NULL else s.view.accept + (base >> 6))
        return
    for j in range(s.n_cursors):
        add_list(&s.cursors[j], base, limit, s.scratch.sums, s.scratch.bits)
    n = take_marked(s.scratch.sums, s.scratch.bits, n_words, threshold(s), places, values)
    for j in range(n):
        if accepted(s, base + places[j]):
            offer(s, base + places[j], values[j])
        values[j] = -1.0            # where `part` rests


cdef void probe_window(Search* s, uint32_t base, uint32_t limit, const double* bounds, const uint32_t* order,
                       uint32_t n_probed, double rest) noexcept nogil:
    """Add the lists that matter on their own, then the others, best first, to what could still reach the threshold.

    The first `n_probed` lists of `order` are the others. What is left is scored again in the one order of addition.
    """
    cdef uint32_t j, i, n, kept, n_words = (limit - base + 63) // 64
    cdef uint64_t expected
    cdef uint32_t* places = s.scratch.touched_leaf
    cdef double* values = s.scratch.part
    cdef double bar = threshold(s), left = rest
    cdef Cursor* c
    if s.n_cursors - n_probed == 1:
        n = filter_list(&s.cursors[order[n_probed]], base, limit, bar / SUM_SLACK - left, places, values)
    else:
        for j in range(n_probed, s.n_cursors):
            add_list(&s.cursors[order[j]], base, limit, s.scratch.sums, s.scratch.bits)
        n = take_marked(s.scratch.sums, s.scratch.bits, n_words, bar / SUM_SLACK - left, places, values)
    i = n_probed
    while i > 0 and n > 0:
        i -= 1
        c = &s.cursors[order[i]]
        left = 0.0
        for j in range(i):
            left += bounds[order[j]]
        expected = <uint64_t>c.source.n * (limit - base) // s.view.n_docs
        if n * <uint64_t>SEEK_POSTINGS < expected:
            for j in range(n):
                if cursor_seek(c, base + places[j]) == base + places[j]:
                    values[j] += cursor_score(c)
        else:
            put_back(places, values, n, s.scratch.sums, s.scratch.bits)
            for j in range(n):
                values[j] = -1.0
            add_marked(c, base, limit, s.scratch.sums, s.scratch.bits)
            n = take_marked(s.scratch.sums, s.scratch.bits, n_words, 0.0, places, values)
        kept = 0
        for j in range(n):
            if (values[j] + left * SUM_SLACK) * SUM_SLACK >= bar:
                places[kept] = places[j]
                values[kept] = values[j]
                kept += 1
        for j in range(kept, n):
            values[j] = -1.0
        n = kept
    for j in range(n):
        if values[j] * SUM_SLACK >= threshold(s) and accepted(s, base + places[j]):
            offer(s, base + places[j], exact_score(s, open_probes(s), base + places[j], <uint64_t>-1))
        values[j] = -1.0


cdef bint only_sums(const Search* s) noexcept nogil:
    """Whether any leaf may match, and each counts by the sum of its lists."""
    cdef uint32_t i
    if s.n_ops > 0 or s.n_phrases > 0 or s.need > 1 or not (s.scored or s.collect == COLLECT_COUNT):
        return False
    for i in range(s.n_leaves):
        if s.scored and (s.leaves[i].mode != LEAF_SUM or not s.leaves[i].scores):
            return False
    return True


cdef uint32_t next_possible(const Cursor* c, uint32_t base) noexcept nogil:
    """No document of the list lies in [base, answer). Decodes nothing."""
    cdef uint32_t block
    if c.count == 0:
        if c.block != <uint32_t>NO_BLOCK or c.n_blocks == 0:
            return NO_DOC
        return base
    if c.doc >= base:
        return c.doc
    if c.docs[c.count - 1] >= base or c.metas == NULL:
        return base
    block = cursor_find_block(c, base, c.block + 1)
    if block >= c.n_blocks:
        return NO_DOC
    return max(base, c.metas[block - 1].last_doc + 1)


cdef void search_view(Search* s) noexcept nogil:
    """Search one segment. The cursors are open; hits of earlier segments stand in the heap and raise the threshold."""
    cdef uint32_t j
    cdef uint32_t order[MAX_PROBED]
    if s.n_cursors == 0 and s.n_ops == 0:
        return
    if s.n_ops == 0 and s.n_phrases == 0 and s.n_cursors == 1 and s.need <= 1:
        search_list(s, &s.cursors[0])
    elif s.n_ops == 0 and s.need == s.n_leaves and (s.n_leaves > 1 or s.n_phrases > 0):
        if is_dense(s, order):
            search_narrowing(s, order)
        else:
            search_conjunction(s)
    elif only_best(s):
        search_best(s)
    elif only_sums(s):
        search_sums(s)
    else:
        search_windows(s)
    for j in range(s.n_cursors):
        if s.cursors[j].error != CURSOR_FINE:
            s.error = 2
