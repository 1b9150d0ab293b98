# Top k, all matches, or their number, over the cursors of one segment at a time. See _score.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from narsilpy._cursor cimport Cursor
from narsilpy._postings cimport Occurrence

cdef enum:
    WINDOW = 4096               # documents scored together: their slots (64 KB) stay in the second-level cache

cdef enum:                      # what to do with a match
    COLLECT_TOP = 0
    COLLECT_ALL = 1
    COLLECT_COUNT = 2

cdef enum:                      # how the cursors of a leaf add up
    LEAF_SUM = 0
    LEAF_MAX = 1                # the best single expansion counts (completions of a prefix)

cdef enum:                      # operations of a boolean program, postfix; arguments in Program.args
    OP_LEAF = 0                 # push: leaf `arg` matches
    OP_AND = 1
    OP_OR = 2
    OP_NOT = 3                  # negate the top
    OP_PHRASE = 4               # push: phrase `arg` stands in the document
    OP_TRUE = 5

cdef struct View:               # one segment as a query sees it
    uint32_t n_docs
    uint32_t first_doc
    const uint64_t* accept      # bit by document: live and passing the filters; NULL = all
    const char** ids            # memory segment
    const uint32_t* id_sizes
    const uint32_t* id_index    # sealed segment
    const char* id_bytes
    Occurrence** occurrences    # memory segment

cdef struct Found:
    double score
    const char* id
    uint32_t id_size
    uint32_t view
    uint32_t doc                # number within the segment

cdef struct Leaf:
    uint32_t mode
    uint32_t first              # cursors [first, first + n) of this view, in the order of expansions and fields
    uint32_t n
    bint scores                 # False under a Not

cdef struct Slot:
    double score
    uint32_t leaf               # last leaf counted, + 1
    uint32_t coverage           # leaves matched

cdef struct Scratch:
    Slot* slots                 # [WINDOW], all zero between uses
    double* best                # [WINDOW] for LEAF_MAX
    double* part
    uint64_t* masks             # [WINDOW] leaves matched, for boolean programs
    uint64_t* bits              # [WINDOW / 64] documents touched
    uint32_t* touched_leaf      # [2 * WINDOW]: of a leaf, then of one expansion; or places of sums
    double* sums                # [WINDOW], all zero between uses
    double* loose               # [WINDOW], of any content

ctypedef bint (*phrase_check)(void* context, Cursor* cursors, uint32_t phrase, uint32_t doc) noexcept nogil

cdef struct Search:
    int collect
    uint32_t k
    Found* heap                 # the worst hit stands first
    uint32_t n
    double min_score            # -inf: none
    bint has_anchor
    double anchor_score
    const char* anchor_id
    uint32_t anchor_id_size
    bint prune                  # all weights >= 0 and only the top is wanted
    bint scored                 # False: scores are not needed
    uint32_t* out_docs          # COLLECT_ALL: document numbers of the index
    double* out_scores
    size_t n_out
    size_t out_size
    uint64_t count
    bint distinct               # a document may be offered again: its best score counts
    int error                   # 1 = out of memory, 2 = corrupt list
    # the segment at hand
    const View* view
    uint32_t view_number
    Cursor* cursors
    Cursor* probes              # a second set, for scoring candidates in the one order of addition
    bint probes_open
    uint32_t* cursor_leaf
    uint32_t* cursor_part       # expansion within the leaf (LEAF_MAX)
    uint32_t n_cursors
    const Leaf* leaves
    uint32_t n_leaves
    uint32_t need               # leaves that must match; 0 where a program decides
    const uint8_t* ops
    const uint32_t* args
    uint32_t n_ops
    uint32_t n_phrases          # without a program: all of them must stand in the document
    const uint64_t* phrase_masks    # leaves of each phrase, for programs
    phrase_check check
    void* context
    Scratch* scratch

cdef int compare_ids(const char* a, uint32_t n_a, const char* b, uint32_t n_b) noexcept nogil
cdef void view_id(const View* view, uint32_t doc, const char** utf8, uint32_t* n) noexcept nogil
cdef void search_view(Search* s) noexcept nogil
cdef void sort_found(Found* hits, uint32_t n) noexcept nogil
cdef bint run_program(Search* s, uint64_t mask, uint32_t doc, uint64_t* kept) noexcept nogil
