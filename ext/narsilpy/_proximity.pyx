# How near the words of a query stand to each other in the documents that match it.
#
# For two neighbouring words of the query and a field, the nearest pair of their places counts: 1 / (1 + d)^2, where d is by
# how much their distance differs from that in the query (0 where they stand as in the query, stop words between them
# included), times the smaller of their idfs and the field's boost; after the inverse square of Y. Rasolofo and J. Savoy,
# "Term proximity scoring for keyword-based retrieval systems", ECIR 2003, with the nearest pair alone, so that long
# documents gain nothing by repetition. Sums go by word, then field: one order of addition.
#
# Cursors of one segment are opened once and only move forward; documents come in ascending order. Places are read into
# two growable arrays that are reused.
from cpython cimport array
import array

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from narsilpy._cursor cimport Cursor, cursor_open, cursor_seek
from narsilpy._occurrences cimport ALL_PLACES, Places, read_places, sort_places
from narsilpy._places cimport Ref
from narsilpy._query cimport Query

cdef array.array NO_SCORES = array.array("d")

cdef enum:
    NO_DISTANCE = 0xFFFFFFFF


cdef class Nearness:
    """Proximity over the documents of a query: `Nearness(query, positions)` with the place of each leaf in the query."""

    cdef Query query
    cdef uint32_t* positions    # by leaf
    cdef uint32_t n_leaves
    cdef Cursor* cursors        # of the segment at hand, one a ref
    cdef uint32_t* refs         # of the cursors
    cdef uint32_t n_cursors
    cdef uint32_t view
    cdef Places left
    cdef Places right

    def __cinit__(self, Query query, list positions):
        cdef uint32_t i
        self.query = query
        self.n_leaves = query.n_leaves
        self.view = NO_DISTANCE
        if len(positions) != query.n_leaves:
            raise ValueError("a position a leaf")
        self.positions = <uint32_t*>malloc(4 * <size_t>max(self.n_leaves, 1))
        self.cursors = <Cursor*>malloc(max(query.n_refs, 1) * sizeof(Cursor))
        self.refs = <uint32_t*>malloc(4 * <size_t>max(query.n_refs, 1))
        if self.positions == NULL or self.cursors == NULL or self.refs == NULL:
            raise MemoryError()
        for i in range(self.n_leaves):
            self.positions[i] = positions[i]

    def __dealloc__(self):
        free(self.positions)
        free(self.cursors)
        free(self.refs)
        free(self.left.items)
        free(self.right.items)

    cdef int open_view(self, uint32_t view) except -1:
        cdef uint32_t i
        cdef Ref* ref
        self.query.ensure_spans(view)
        self.view = view
        self.n_cursors = 0
        for i in range(self.query.n_refs):
            ref = &self.query.refs[i]
            if ref.view == view:
                cursor_open(&self.cursors[self.n_cursors], &ref.source, 0.0, 0.0, 0.0)
                self.refs[self.n_cursors] = i
                self.n_cursors += 1
        return 0

    cdef int move_to(self, uint32_t doc) except -1:
        """The segment of a document; its number there."""
        cdef uint32_t view = 0 if self.view == <uint32_t>NO_DISTANCE else self.view
        while view < self.query.n_views and not (
                self.query.views[view].first_doc <= doc
                < self.query.views[view].first_doc + self.query.views[view].n_docs):
            view += 1
        if view == self.query.n_views:
            raise ValueError("documents are of the query's snapshot and ascend")
        if view != self.view:
            self.open_view(view)
        return <int>(doc - self.query.views[view].first_doc)

    cdef int read(self, uint32_t leaf, uint32_t field, uint32_t doc, Places* out, double* idf) noexcept nogil:
        """The places of a word in a field of a document, and the greatest idf among its expansions there."""
        cdef uint32_t i
        cdef const Ref* ref
        out.n = 0
        idf[0] = 0.0
        for i in range(self.n_cursors):
            ref = &self.query.refs[self.refs[i]]
            if ref.leaf != leaf or ref.field != field or cursor_seek(&self.cursors[i], doc) != doc:
                continue
            if read_places(&self.cursors[i], self.query.views[self.view].occurrences, 0, ALL_PLACES, out) < 0:
                return -1
            if ref.idf > idf[0]:
                idf[0] = ref.idf
        sort_places(out)
        return 0

    cdef uint32_t nearest(self, uint32_t gap) noexcept nogil:
        """By how much the nearest pair of places differs from standing `gap` apart."""
        cdef size_t i = 0, j = 0
        cdef uint32_t best = NO_DISTANCE, distance, wanted, place
        while i < self.left.n and j < self.right.n:
            wanted = self.left.items[i].position + gap
            place = self.right.items[j].position
            distance = wanted - place if wanted > place else place - wanted
            if distance < best:
                best = distance
            if place < wanted:
                j += 1
            else:
                i += 1
        return best

    cdef int pair(self, uint32_t leaf, uint32_t field, uint32_t doc, uint32_t* distance, double* value) noexcept nogil:
        """1 where a leaf and the next one both stand in a field: their displacement, and what it is worth."""
        cdef double idf, other
        if self.read(leaf, field, doc, &self.left, &idf) < 0:
            return -1
        if self.left.n == 0:
            return 0
        if self.read(leaf + 1, field, doc, &self.right, &other) < 0:
            return -1
        if self.right.n == 0:
            return 0
        distance[0] = self.nearest(self.positions[leaf + 1] - self.positions[leaf])
        value[0] = self.query.fields[field].boost * min(idf, other) / ((1.0 + distance[0]) * (1.0 + distance[0]))
        return 1

    def of_documents(self, const uint32_t[::1] docs) -> array.array:
        """The proximity of each document, an array("d") beside `docs` (ascending)."""
        cdef array.array result = array.clone(NO_SCORES, docs.shape[0], True)
        cdef size_t i
        cdef uint32_t leaf, field, local, distance
        cdef double value
        cdef int status = 0
        for i in range(<size_t>docs.shape[0]):
            local = <uint32_t>self.move_to(docs[i])
            with nogil:
                for leaf in range(self.n_leaves - 1 if self.n_leaves else 0):
                    for field in range(self.query.n_fields):
                        status = self.pair(leaf, field, local, &distance, &value)
                        if status > 0:
                            result.data.as_doubles[i] += value
                        elif status < 0:
                            break
            if status < 0:
                raise ValueError("the spans of a term are corrupt")
        return result

    def parts(self, uint32_t doc) -> list:
        """`(leaf, field, displacement, value)` of each pair in one document, in the order of addition."""
        cdef uint32_t leaf, field, distance, local = <uint32_t>self.move_to(doc)
        cdef double value
        cdef int status
        cdef list found = []
        for leaf in range(self.n_leaves - 1 if self.n_leaves else 0):
            for field in range(self.query.n_fields):
                status = self.pair(leaf, field, local, &distance, &value)
                if status < 0:
                    raise ValueError("the spans of a term are corrupt")
                if status:
                    found.append((leaf, field, distance, value))
        return found
