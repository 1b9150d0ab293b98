# The words of a query in one document: phrases, and the places to mark. See _places.pyx.
from libc.stdint cimport uint32_t, uint64_t

from narsilpy._cursor cimport Cursor, Source
from narsilpy._occurrences cimport Places
from narsilpy._score cimport Leaf, View
from narsilpy._spans cimport SpanArray

cdef enum:
    MAX_PHRASE_WORDS = 64

cdef struct Ref:                # one list of one expansion in one segment
    Source source
    uint32_t view
    uint32_t leaf
    uint32_t part               # expansion within the leaf
    uint32_t match              # expansion within the query: index into Query.matches
    uint32_t field
    double weight               # boost * factor * idf * (k1 + 1)
    double c0
    double c1
    double idf
    double factor
    uint32_t df                 # behind the idf

cdef struct Phrase:
    uint32_t first_leaf
    uint32_t n_words
    uint32_t slop
    uint32_t offsets[MAX_PHRASE_WORDS]

cdef struct PhraseContext:      # what a phrase check reads without the GIL
    const Phrase* phrases
    const View* views
    uint32_t view               # the segment at hand
    uint32_t n_cursors
    uint32_t* cursor_field
    uint32_t* cursor_leaf
    uint32_t n_fields
    Places* words               # [MAX_PHRASE_WORDS], reused

cdef struct Words:              # what a Query is made of, as far as places need it; everything stays the Query's
    const Ref* refs
    uint32_t n_refs
    const Leaf* leaves
    const Phrase* phrases
    uint32_t n_phrases
    const View* views
    Places* room                # [MAX_PHRASE_WORDS] where there are phrases

cdef bint check_phrase(void* context, Cursor* cursors, uint32_t number, uint32_t doc) noexcept nogil
cdef int collect_places(const Words* words, Cursor* cursor, uint32_t view, uint32_t doc, uint32_t field, uint64_t kept,
                        uint32_t limit, Places* out) except -1
cdef int fill_spans(SpanArray out, const Places* places, item_starts) except -1
