# What one document owes its score to: read again from the lists of a query's snapshot, by the expressions of _score.pyx.
#
# Nothing is kept: each call opens a cursor a list, seeks the document and reads its frequency and length. The parts come
# in the one order of addition (leaf, expansion, field), so that adding them from the left gives the score to the bit.
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from narsilpy._cursor cimport Cursor, cursor_open, cursor_score, cursor_seek, length_at
from narsilpy._places cimport Ref
from narsilpy._query cimport Query
from narsilpy._score cimport LEAF_MAX


cdef uint32_t view_of(Query query, uint32_t doc) except? 0xFFFFFFFF:
    cdef uint32_t view
    for view in range(query.n_views):
        if query.views[view].first_doc <= doc < query.views[view].first_doc + query.views[view].n_docs:
            return view
    raise ValueError("the document is not part of this query's snapshot")


cdef uint64_t counting_leaves(Query query, uint32_t view, uint32_t local) except? 0:
    """The first 64 leaves that count in a document."""
    cdef uint32_t i, n = 0
    cdef uint64_t kept
    cdef Cursor* cursors
    if query.n_ops == 0:
        return <uint64_t>-1
    for i in range(query.n_refs):
        n += query.refs[i].view == view
    cursors = <Cursor*>malloc(max(n, 1) * sizeof(Cursor))
    if cursors == NULL:
        raise MemoryError()
    try:
        query.ensure_spans(view)
        kept = query.kept_leaves(cursors, n, view, local) if n else 0
    finally:
        free(cursors)
    return kept


def parts(Query query, uint32_t doc) -> list:
    """What each list adds to a document's score, as `narsilpy.query.answer.Part` names it. `doc` is a number of the
    index; score = weight * tf / (tf + normal)."""
    cdef uint32_t view = view_of(query, doc), local, i
    cdef uint64_t kept
    cdef Cursor cursor
    cdef Ref* ref
    cdef double length
    cdef list found = []
    local = doc - query.views[view].first_doc
    kept = counting_leaves(query, view, local)
    for i in range(query.n_refs):
        ref = &query.refs[i]
        if ref.view != view or not query.leaves[ref.leaf].scores or (ref.leaf < 64 and not (kept >> ref.leaf) & 1):
            continue
        cursor_open(&cursor, &ref.source, ref.weight, ref.c0, ref.c1)
        if cursor_seek(&cursor, local) == local:
            length = length_at(cursor.source, local)
            found.append((ref.leaf, query.leaves[ref.leaf].mode == LEAF_MAX, ref.part, ref.match, ref.field,
                          cursor.tfs[cursor.i], <uint32_t>length, ref.idf, ref.df, ref.factor,
                          query.fields[ref.field].boost, ref.weight, cursor.c0 + cursor.c1 * length,
                          cursor_score(&cursor)))
        if cursor.error:
            raise ValueError("the postings of a term are corrupt")
    return found
