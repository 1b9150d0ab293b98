# One query over one snapshot: its terms looked up in every segment, then run.
#
# A Query is built with the GIL held: views (segment + accepted documents), leaves (query terms), expansions of each leaf
# (the terms of the index that stand for it) and, where the leaves are not simply counted, a boolean program in postfix
# order. Each (segment, expansion, field) with postings becomes a Ref. From then on the Query reads only what its refs
# and views point at, keeps the segments alive, and needs no lock: it sees the index as it was, for as long as it lives,
# and it may be run any number of times (top, all, count, spans).
#
# Refs stand in the order leaf, expansion, view, field; for one view that is the one order of addition of _score.pyx.
# BM25: idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), idf = ln((N - df + 0.5) / (df + 0.5) + 1), as in
# Robertson & Zaragoza 2009 with the idf of Lucene; df counts the documents that hold the term in any field.
from libc.math cimport INFINITY, log
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memset
from cpython cimport array
import array

from narsilpy._bits cimport Bits
from narsilpy._cursor cimport Cursor, cursor_open, cursor_seek, source_memory, source_sealed
from narsilpy._lexicon cimport Lexicon
from narsilpy._occurrences cimport ALL_PLACES, Places
from narsilpy._places cimport MAX_PHRASE_WORDS, Words, check_phrase, collect_places, fill_spans
from narsilpy._postings cimport MemList, MemorySegment
from narsilpy._score cimport (
    COLLECT_ALL, COLLECT_COUNT, COLLECT_TOP, LEAF_MAX, LEAF_SUM, WINDOW, Found, Leaf, Search, Slot, View, run_program,
    search_view, sort_found)
from narsilpy._segment cimport SealedList, SealedSegment, segment_frequency
from narsilpy._spans cimport SpanArray

cdef enum:
    # Below this many postings a search takes at most 0.2 ms, often 0.01: two threads that hand the GIL back and forth
    # round so short a time wait for it longer than they search.
    NOGIL_POSTINGS = 65536

cdef struct Frequent:           # a term and how many documents hold it
    uint64_t df
    uint32_t term

cdef list spare_scratch = []    # window slots (160 KB) that no query uses at the moment; the GIL guards it


cdef int by_frequency(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const Frequent*>a).df, y = (<const Frequent*>b).df
    return (x < y) - (x > y)


cdef class ScratchBox:
    """Window slots, all zero between uses."""

    def __cinit__(self):
        cdef uint32_t i
        cdef Scratch* s = &self.scratch
        s.slots = <Slot*>calloc(WINDOW, sizeof(Slot))
        s.best = <double*>malloc(WINDOW * sizeof(double))
        s.part = <double*>malloc(WINDOW * sizeof(double))
        s.masks = <uint64_t*>calloc(WINDOW, sizeof(uint64_t))
        s.bits = <uint64_t*>calloc(WINDOW // 64, sizeof(uint64_t))
        s.touched_leaf = <uint32_t*>malloc(2 * WINDOW * sizeof(uint32_t))
        s.sums = <double*>calloc(WINDOW, sizeof(double))
        s.loose = <double*>calloc(WINDOW, sizeof(double))
        if (s.sums == NULL or s.loose == NULL or s.slots == NULL or s.best == NULL or s.part == NULL or s.masks == NULL or s.bits == NULL
                or s.touched_leaf == NULL):
            raise MemoryError()
        for i in range(WINDOW):
            s.best[i] = -1.0
            s.part[i] = -1.0

    def __dealloc__(self):
        free(self.scratch.slots)
        free(self.scratch.best)
        free(self.scratch.part)
        free(self.scratch.masks)
        free(self.scratch.bits)
        free(self.scratch.touched_leaf)
        free(self.scratch.sums)
        free(self.scratch.loose)


cdef class Query:
    """A query over a snapshot: `Query(segments, accepts, n_docs, k1, b, fields)`.

    `segments` and `accepts` are lists of the same length (a Bits of accepted documents, or None for all); `n_docs` is the
    number of live documents; `fields` holds `(average_length, boost, searched)` for each text field.
    """

    def __cinit__(self, list segments, list accepts, double n_docs, double k1, double b, list fields):
        cdef uint32_t i
        if len(segments) != len(accepts):       # a reader beside a writer may have seen one of them change
            raise ValueError("as many sets of documents as segments are needed")
        self.segments = segments
        self.accepts = accepts
        self.n_views = <uint32_t>len(segments)
        self.n_fields = <uint32_t>len(fields)
        self.n_docs = n_docs
        self.k1 = k1
        self.match_list = []
        self.leaf_starts = []
        self.need = 1
        self.views = <View*>calloc(max(self.n_views, 1), sizeof(View))
        self.fields = <FieldParams*>calloc(max(self.n_fields, 1), sizeof(FieldParams))
        if self.views == NULL or self.fields == NULL:
            raise MemoryError()
        for i in range(self.n_views):
            self.open_view(i)
        for i in range(self.n_fields):
            average, boost, searched = fields[i]
            self.fields[i].boost = boost
            self.fields[i].searched = searched
            # an empty collection has no average: lengths then count as average
            self.fields[i].c0 = k1 * (1.0 - b) if average > 0 else k1
            self.fields[i].c1 = k1 * b / <double>average if average > 0 else 0.0
            if boost < 0:
                self.negative = True

    def __dealloc__(self):
        cdef uint32_t i
        if self.context.words != NULL:
            for i in range(MAX_PHRASE_WORDS):
                free(self.context.words[i].items)
            free(self.context.words)
        free(self.views)
        free(self.fields)
        free(self.refs)
        free(self.leaves)
        free(self.phrases)
        free(self.ops)
        free(self.args)
        free(self.phrase_masks)

    cdef int open_view(self, uint32_t i) except -1:
        cdef View* view = &self.views[i]
        cdef MemorySegment memory
        cdef SealedSegment sealed
        cdef Bits accept
        segment = self.segments[i]
        if isinstance(segment, MemorySegment):
            memory = segment
            view.n_docs = memory.n_docs
            view.first_doc = memory.first_doc
            view.ids = memory.ids
            view.id_sizes = memory.id_sizes
            view.occurrences = memory.occurrence_chunks
        else:
            sealed = segment
            sealed.ensure_ids()
            view.n_docs = sealed.n_docs
            view.first_doc = sealed.first_doc
            view.id_index = <const uint32_t*>(sealed.base + sealed.header.id_index)
            view.id_bytes = <const char*>(sealed.base + sealed.header.ids)
        if self.accepts[i] is not None:
            accept = self.accepts[i]
            if accept.n < view.n_docs:
                raise ValueError("a set of documents does not cover its segment")
            view.accept = accept.words
        return 0

    # ---------------------------------------------------------------- building
    def add_leaf(self, bint best_only=False, bint scores=True):
        """A new query term; return its number. `best_only`: of its expansions only the best counts (prefixes)."""
        cdef uint32_t size
        cdef void* block
        if self.n_leaves == self.leaves_size:
            size = max(<uint32_t>8, self.leaves_size * 2)
            block = realloc(self.leaves, size * sizeof(Leaf))
            if block == NULL:
                raise MemoryError()
            self.leaves = <Leaf*>block
            self.leaves_size = size
        self.leaves[self.n_leaves].mode = LEAF_MAX if best_only else LEAF_SUM
        self.leaves[self.n_leaves].scores = scores
        self.n_leaves += 1
        self.n_parts = 0
        self.leaf_starts.append(len(self.match_list))
        return self.n_leaves - 1

    def leaf_matches(self):
        """For each leaf that scores: the `match` of its first expansion, None where it has none."""
        ends = [*self.leaf_starts[1:], len(self.match_list)]
        return [self.match_list[start] if start < end else None
                for leaf, (start, end) in enumerate(zip(self.leaf_starts, ends)) if self.leaves[leaf].scores]

    cdef int add_ref(self, Ref* ref) except -1:
        cdef uint32_t size
        cdef void* block
        if self.n_refs == self.refs_size:
            size = max(<uint32_t>8, self.refs_size * 2)
            block = realloc(self.refs, size * sizeof(Ref))
            if block == NULL:
                raise MemoryError()
            self.refs = <Ref*>block
            self.refs_size = size
        self.refs[self.n_refs] = ref[0]
        self.n_refs += 1
        return 0

    def add_term(self, bytes term, object match, double factor=1.0, Py_ssize_t df=-1, fields=None):
        """An expansion of the newest leaf: `term` (UTF-8) found in every view. Return its document frequency.

        `match` is what spans of this expansion carry; `factor` multiplies its score; `df`, if given, stands in for the
        document frequency in the idf; `fields` narrows to these field numbers.
        """
        cdef uint32_t first_ref = self.n_refs, total = 0, i
        cdef double idf, weight
        cdef Ref* ref
        self.match_list.append(match)
        for i in range(self.n_views):
            total += self.find(i, term, fields)
        if df < 0:
            df = total
        idf = log((self.n_docs - df + 0.5) / (df + 0.5) + 1.0)
        for i in range(first_ref, self.n_refs):
            ref = &self.refs[i]
            weight = self.fields[ref.field].boost * factor * idf * (self.k1 + 1.0)
            ref.weight = weight
            ref.idf = idf
            ref.factor = factor
            ref.df = <uint32_t>df
            ref.c0 = self.fields[ref.field].c0
            ref.c1 = self.fields[ref.field].c1
            if weight < 0:
                self.negative = True
        self.n_parts += 1
        return total

    cdef uint32_t find(self, uint32_t view, bytes term, object fields) except? 0xFFFFFFFF:
        """Refs for a term in one segment; return its live document frequency there."""
        cdef Ref ref
        cdef MemorySegment memory
        cdef SealedSegment sealed
        cdef MemList* postings
        cdef SealedList lists[64]
        cdef SealedList* found = lists
        cdef uint32_t number, field, df
        cdef int64_t place
        cdef int n, i
        segment = self.segments[view]
        memset(&ref, 0, sizeof(Ref))
        ref.view = view
        ref.leaf = self.n_leaves - 1
        ref.part = self.n_parts
        ref.match = <uint32_t>len(self.match_list) - 1
        if isinstance(segment, MemorySegment):
            memory = segment
            number = memory.lexicon.find_utf8(term, len(term))
            if number >= memory.terms_size:         # NO_TERM is the greatest number
                return 0
            for field in range(self.n_fields):
                if not self.fields[field].searched or (fields is not None and field not in fields):
                    continue
                postings = memory.find_list(number, field)
                if postings != NULL and postings.n > 0:
                    source_memory(&ref.source, memory, field, postings)
                    ref.field = field
                    self.add_ref(&ref)
            return memory.terms[number].df
        sealed = segment
        place = sealed.find_term(term, len(term))
        if place < 0:
            return 0
        if self.n_fields > 64:
            found = <SealedList*>malloc(self.n_fields * sizeof(SealedList))
            if found == NULL:
                raise MemoryError()
        try:
            sealed.ensure_term(<uint32_t>place)
            n = sealed.read_lists(<uint32_t>place, &df, found, max(64, self.n_fields))
            if n < 0:
                raise ValueError("the postings of a term are corrupt")
            for i in range(n):
                field = found[i].field
                if field < self.n_fields and self.fields[field].searched and (fields is None or field in fields):
                    source_sealed(&ref.source, sealed, &found[i])
                    ref.field = field
                    self.add_ref(&ref)
        finally:
            if found != lists:
                free(found)
        if sealed.removed:
            df -= min(df, <uint32_t>sealed.removed.get(place, 0))
        return df

    cdef int ensure_spans(self, uint32_t view) except -1:
        """Check the spans of every list in one segment, before they are read for phrases and highlights."""
        cdef SealedSegment sealed
        cdef uint32_t i
        segment = self.segments[view]
        if isinstance(segment, SealedSegment):
            sealed = segment
            if sealed.guard is not None:
                for i in range(self.n_refs):
                    if self.refs[i].view == view:
                        sealed.ensure(self.refs[i].source.spans, self.refs[i].source.spans_size)
        return 0

    def frequency(self, bytes term):
        """How many live documents hold a term, in any field."""
        return self.count_documents(term, len(term))

    cdef uint64_t count_documents(self, const char* utf8, Py_ssize_t n) except? 0xFFFFFFFFFFFFFFFF:
        cdef uint32_t i, df, number
        cdef uint64_t total = 0
        cdef MemorySegment memory
        cdef SealedSegment sealed
        cdef int64_t place
        for i in range(self.n_views):
            segment = self.segments[i]
            if isinstance(segment, MemorySegment):
                memory = segment
                number = memory.lexicon.find_utf8(utf8, n)
                if number < memory.terms_size:
                    total += memory.terms[number].df
                continue
            sealed = segment
            place = sealed.find_term(utf8, n)
            if place >= 0:
                sealed.ensure_term(<uint32_t>place)
                if segment_frequency(sealed.base, <uint32_t>place, &df) < 0:
                    raise ValueError("the postings of a term are corrupt")
                if sealed.removed:
                    df -= min(df, <uint32_t>sealed.removed.get(place, 0))
                total += df
        return total

    def most_frequent(self, Lexicon lexicon, array.array terms, Py_ssize_t limit):
        """`(term, document frequency)` of the most frequent of some terms (numbers in `lexicon`), at most `limit`.

        Terms as frequent as one another in code point order; none that no live document holds.
        """
        cdef Py_ssize_t i, size, n = 0
        cdef uint64_t df
        cdef uint32_t* numbers = terms.data.as_uints
        cdef const char* utf8
        cdef Frequent* found
        if terms.typecode != "I":
            raise TypeError("terms are an array of type I")
        found = <Frequent*>malloc(max(len(terms), 1) * sizeof(Frequent))
        if found == NULL:
            raise MemoryError()
        try:
            for i in range(len(terms)):
                if numbers[i] >= lexicon.n_terms:
                    raise ValueError("a term is not in the lexicon")
                utf8 = lexicon.utf8(numbers[i], &size)
                df = self.count_documents(utf8, size)
                if df > 0:
                    found[n].df = df
                    found[n].term = numbers[i]
                    n += 1
            qsort(found, n, sizeof(Frequent), by_frequency)
            i = min(limit, n)
            while 0 < i < n and found[i].df == found[i - 1].df:     # which of those is decided by their spelling
                i += 1
            ranked = [(-<int64_t>found[j].df, lexicon.term(found[j].term)) for j in range(i)]
        finally:
            free(found)
        ranked.sort()
        return [(term, -less) for less, term in ranked[:limit]]

    def add_phrase(self, uint32_t first_leaf, list offsets, uint32_t slop=0):
        """The leaves from `first_leaf` on, one for each offset, stand together at these distances."""
        cdef Phrase* phrase
        cdef void* block = realloc(self.phrases, (self.n_phrases + 1) * sizeof(Phrase))
        cdef uint32_t i
        if block == NULL:
            raise MemoryError()
        self.phrases = <Phrase*>block
        if not 0 < len(offsets) <= MAX_PHRASE_WORDS:
            raise ValueError("a phrase holds 1 to 64 words")
        if self.context.words == NULL:
            self.context.words = <Places*>calloc(MAX_PHRASE_WORDS, sizeof(Places))
            if self.context.words == NULL:
                raise MemoryError()
        phrase = &self.phrases[self.n_phrases]
        phrase.first_leaf = first_leaf
        phrase.n_words = <uint32_t>len(offsets)
        phrase.slop = slop
        for i in range(phrase.n_words):
            phrase.offsets[i] = offsets[i]
        self.n_phrases += 1
        return self.n_phrases - 1

    def set_program(self, list program):
        """Decide by a boolean program instead of counting: `(operation, argument)` pairs in postfix order."""
        cdef uint32_t i, j
        cdef Phrase* phrase
        if self.n_leaves > 64:
            raise ValueError("a boolean query holds at most 64 terms")
        self.n_ops = <uint32_t>len(program)
        self.ops = <uint8_t*>malloc(max(self.n_ops, 1))
        self.args = <uint32_t*>malloc(max(self.n_ops, 1) * sizeof(uint32_t))
        self.phrase_masks = <uint64_t*>calloc(max(self.n_phrases, 1), sizeof(uint64_t))
        if self.ops == NULL or self.args == NULL or self.phrase_masks == NULL:
            raise MemoryError()
        for i in range(self.n_ops):
            self.ops[i], self.args[i] = program[i]
        for i in range(self.n_phrases):
            phrase = &self.phrases[i]
            for j in range(phrase.n_words):
                self.phrase_masks[i] |= <uint64_t>1 << (phrase.first_leaf + j)

    # ----------------------------------------------------------------- running
    cdef int run(self, Search* search) except -1:
        """Search every view. Raises for lists that are corrupt."""
        cdef ScratchBox box
        cdef uint32_t view, i, n, need, most = 0
        cdef uint64_t n_postings = 0
        cdef uint32_t* parts
        cdef Cursor* cursors
        for view in range(self.n_views):
            n = 0
            for i in range(self.n_refs):
                n += self.refs[i].view == view
            most = max(most, n)
        for i in range(self.n_refs):
            n_postings += self.refs[i].source.n
        if self.n_phrases:
            for view in range(self.n_views):
                self.ensure_spans(view)
        cursors = <Cursor*>malloc(2 * <size_t>max(most, 1) * sizeof(Cursor))
        parts = <uint32_t*>malloc(3 * <size_t>max(most, 1) * sizeof(uint32_t))
        box = spare_scratch.pop() if spare_scratch else ScratchBox()
        try:
            if cursors == NULL or parts == NULL:
                raise MemoryError()
            need = search.need
            self.prepare(search, cursors, cursors + max(most, 1), parts, max(most, 1))
            if need:
                search.need = need
            search.scratch = &box.scratch
            search.prune = search.collect == COLLECT_TOP and not self.negative
            if n_postings < NOGIL_POSTINGS:
                self.search_views(search)
            else:
                with nogil:
                    self.search_views(search)
        finally:
            free(cursors)
            free(parts)
            if search.error == 0:
                spare_scratch.append(box)
        if search.error == 1:
            raise MemoryError()
        if search.error == 2:
            raise ValueError("the postings of a term are corrupt")
        return 0

    cdef void search_views(self, Search* search) noexcept nogil:
        cdef uint32_t view
        for view in range(self.n_views):
            self.open_cursors(search, view)
            search_view(search)
            if search.error:
                break

    cdef int prepare(self, Search* search, Cursor* cursors, Cursor* probes, uint32_t* parts, uint32_t room) except -1:
        """Give a search its query; `parts` has three times `room` numbers."""
        search.cursors = cursors
        search.probes = probes
        search.cursor_part = parts
        search.cursor_leaf = self.context.cursor_leaf = parts + room
        self.context.cursor_field = parts + 2 * room
        self.context.phrases = self.phrases
        self.context.views = self.views
        self.context.n_fields = self.n_fields
        search.leaves = self.leaves
        search.n_leaves = self.n_leaves
        search.need = self.need
        search.ops = self.ops
        search.args = self.args
        search.n_ops = self.n_ops
        search.n_phrases = self.n_phrases
        search.phrase_masks = self.phrase_masks
        search.check = check_phrase
        search.context = <void*>&self.context
        return 0

    cdef void open_cursors(self, Search* search, uint32_t view) noexcept nogil:
        cdef uint32_t i, n = 0, leaf
        cdef Ref* ref
        search.view = &self.views[view]
        search.view_number = view
        search.probes_open = False
        self.context.view = view
        for leaf in range(self.n_leaves):
            self.leaves[leaf].n = 0
            self.leaves[leaf].first = 0
        for i in range(self.n_refs):
            ref = &self.refs[i]
            if ref.view != view:
                continue
            if self.leaves[ref.leaf].n == 0:
                self.leaves[ref.leaf].first = n
            self.leaves[ref.leaf].n += 1
            search.cursor_part[n] = ref.part
            self.context.cursor_leaf[n] = ref.leaf
            self.context.cursor_field[n] = ref.field
            cursor_open(&search.cursors[n], &ref.source, ref.weight, ref.c0, ref.c1)
            n += 1
        search.n_cursors = n
        self.context.n_cursors = n

    def top(self, uint32_t k, double min_score=-INFINITY, anchor=None, bint scored=True):
        """The best `k` hits as `(document numbers, scores)`, best first, ties by id.

        `anchor`, a `(score, id as UTF-8)` pair, restricts to hits that come after it.
        """
        cdef Search search
        cdef uint32_t i
        cdef bytes anchor_id
        memset(&search, 0, sizeof(Search))
        search.collect = COLLECT_TOP
        search.k = k
        search.min_score = min_score
        search.scored = scored
        if anchor is not None:
            search.has_anchor = True
            search.anchor_score, anchor_id = anchor
            search.anchor_id = anchor_id
            search.anchor_id_size = <uint32_t>len(anchor_id)
        search.heap = <Found*>malloc(max(k, 1) * sizeof(Found))
        if search.heap == NULL:
            raise MemoryError()
        try:
            if k > 0:
                self.run(&search)
            sort_found(search.heap, search.n)
            docs = [0] * search.n
            scores = [0.0] * search.n
            for i in range(search.n):
                docs[i] = self.views[search.heap[i].view].first_doc + search.heap[i].doc
                scores[i] = search.heap[i].score
            return docs, scores
        finally:
            free(search.heap)

    def all(self, double min_score=-INFINITY, bint scored=True):
        """Every match as `(array('I') of document numbers, array('d') of scores)`, documents ascending."""
        cdef Search search
        cdef array.array docs = array.array("I")
        cdef array.array scores = array.array("d")
        memset(&search, 0, sizeof(Search))
        search.collect = COLLECT_ALL
        search.min_score = min_score
        search.scored = scored
        try:
            self.run(&search)
            if search.n_out:
                array.extend_buffer(docs, <char*>search.out_docs, search.n_out)
                array.extend_buffer(scores, <char*>search.out_scores, search.n_out)
            return docs, scores
        finally:
            free(search.out_docs)
            free(search.out_scores)

    def is_program(self):
        """Whether a boolean program decides what matches, instead of a count of leaves."""
        return self.n_ops > 0

    def count(self, double min_score=-INFINITY, uint32_t need=0):
        """How many documents match; `need`, where given, stands in for the number of leaves that must match."""
        cdef Search search
        memset(&search, 0, sizeof(Search))
        search.need = need
        search.collect = COLLECT_COUNT
        search.min_score = min_score
        search.scored = min_score > -INFINITY
        self.run(&search)
        return search.count

    def accepted(self):
        """Every document that the query may match, ascending, as an array("I"): what its filters let through."""
        cdef array.array docs = array.clone(array.array("I"), self.n_accepted(), False)
        cdef uint32_t* out = <uint32_t*>docs.data.as_voidptr
        cdef uint32_t view, doc
        cdef View* seen
        for view in range(self.n_views):
            seen = &self.views[view]
            for doc in range(seen.n_docs):
                if seen.accept == NULL or (seen.accept[doc >> 6] >> (doc & 63)) & 1:
                    out[0] = seen.first_doc + doc
                    out += 1
        return docs

    def n_accepted(self):
        """How many documents the query may match."""
        cdef uint32_t view, doc
        cdef uint64_t n = 0
        cdef View* seen
        for view in range(self.n_views):
            seen = &self.views[view]
            if seen.accept == NULL:
                n += seen.n_docs
                continue
            for doc in range(seen.n_docs):
                n += (seen.accept[doc >> 6] >> (doc & 63)) & 1
        return n

    # ------------------------------------------------------------------- spans
    def spans(self, uint32_t doc, uint32_t field, item_starts=None, uint32_t limit=ALL_PLACES):
        """The spans of this query in one field of one document (its number in the index), as a SpanArray.

        Of each word at most `limit` places are read, the first ones; then the array says that it is not `complete`, and
        ends where a place may be missing. Phrases are read whole.

        Sorted by start; words of a phrase only where the phrase stands; nothing from negated terms. For an array field
        `item_starts` holds where each element's text starts in the numbering of the index.
        """
        cdef SpanArray out
        cdef uint32_t view = 0, local, i, n = 0
        cdef Cursor* cursors
        cdef Places places
        cdef Words words
        cdef uint64_t kept = <uint64_t>-1
        while view < self.n_views and not (
                self.views[view].first_doc <= doc < self.views[view].first_doc + self.views[view].n_docs):
            view += 1
        if view == self.n_views:
            raise ValueError("the document is not part of this query's snapshot")
        local = doc - self.views[view].first_doc
        self.ensure_spans(view)
        out = SpanArray.__new__(SpanArray, (), self.match_tuple())
        for i in range(self.n_refs):
            n += self.refs[i].view == view
        if n == 0:
            return out
        memset(&places, 0, sizeof(Places))
        cursors = <Cursor*>malloc(n * sizeof(Cursor))
        if cursors == NULL:
            raise MemoryError()
        try:
            if self.n_ops or self.n_phrases:
                kept = self.kept_leaves(cursors, n, view, local)
            words.refs = self.refs
            words.n_refs = self.n_refs
            words.leaves = self.leaves
            words.phrases = self.phrases
            words.n_phrases = self.n_phrases
            words.views = self.views
            words.room = self.context.words
            collect_places(&words, cursors, view, local, field, kept, limit, &places)
            fill_spans(out, &places, item_starts)
            return out
        finally:
            free(places.items)
            free(cursors)

    def searches(self, uint32_t field):
        """Whether a text field is searched, so that its spans are here."""
        return field < self.n_fields and self.fields[field].searched

    def match_table(self):
        """What spans refer to: the `match` of every expansion, in order."""
        return self.match_tuple()

    cdef tuple match_tuple(self):
        if self.matches is None:
            self.matches = tuple(self.match_list)
        return self.matches

    cdef uint64_t kept_leaves(self, Cursor* cursors, uint32_t n, uint32_t view, uint32_t doc) except? 0:
        """The leaves that count in a document, by the query's program."""
        cdef uint32_t* parts
        cdef Search search
        cdef uint64_t mask = 0, kept = <uint64_t>-1
        cdef uint32_t j
        if self.n_ops == 0:
            return kept
        memset(&search, 0, sizeof(Search))
        parts = <uint32_t*>malloc(3 * <size_t>n * sizeof(uint32_t))
        if parts == NULL:
            raise MemoryError()
        try:
            self.prepare(&search, cursors, cursors, parts, n)
            self.open_cursors(&search, view)
            search.probes_open = True
            for j in range(n):
                if cursor_seek(&cursors[j], doc) == doc:
                    mask |= <uint64_t>1 << search.cursor_leaf[j]
            run_program(&search, mask, doc, &kept)
            return kept
        finally:
            free(parts)
