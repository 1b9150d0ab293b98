"""What an answer says of itself: how much of the query its hits hold, and what their scores are made of."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from narsilpy._explain import parts
from narsilpy.results import ScoreComponents

if TYPE_CHECKING:
    from narsilpy._query import Query
    from narsilpy.index import IndexCore
    from narsilpy.query.plan import Plan


class Part(NamedTuple):
    """What one term in one field adds to a score: weight * tf / (tf + normal).

    Attributes:
        leaf: number of the query's word; expansions of one word share it.
        best_only: of the expansions of this word only the best counts.
        expansion: number of the expansion within the word.
        match: index into the query's match table.
        field: number of the text field.
        tf: how often the term stands in the field.
        length: tokens of the field.
        idf, df: inverse document frequency, and the documents behind it.
        factor: what query objects, completions and misspellings multiply by.
        boost: the field's.
        weight: boost * factor * idf * (k1 + 1).
        normal: k1 * (1 - b + b * length / average length).
    """

    leaf: int
    best_only: bool
    expansion: int
    match: int
    field: int
    tf: int
    length: int
    idf: float
    df: int
    factor: float
    boost: float
    weight: float
    normal: float
    score: float


def score_parts(query: Query, number: int) -> list[Part]:
    """What a document's score is made of, in the order in which it is added up."""
    return [Part(*part) for part in parts(query, number)]


def share(query: Query, number: int) -> float:
    """The part of a query's words that a document holds, 0.0 to 1.0."""
    wanted = typed_words(query)
    if not wanted:
        return 0.0
    table = query.match_table()
    return len({table[part.match].query_term for part in score_parts(query, number)}) / len(wanted)


def typed_words(query: Query) -> set[str]:
    """The different words of a query that count: what stands for the same word (a synonym, another analyzer's stem) is
    one. A prefix that nothing completes is a word as well."""
    return {f"\0{leaf}" if match is None else match.query_term for leaf, match in enumerate(query.leaf_matches())}


def best_coverage(plan: Plan) -> float:
    """The greatest coverage of any match.

    A query whose words have a leaf each is asked again for documents with all of its words, with all but one, and so
    on: each of these is a count. Others look at every match.
    """
    query = plan.query
    if query is None or plan.everything:
        return 0.0
    if query.is_program() or len(typed_words(query)) < query.n_leaves:
        return max((share(query, number) for number in query.all(plan.min_score)[0]), default=0.0)
    for n_matched in range(query.n_leaves, query.need - 1, -1):
        if query.count(plan.min_score, n_matched):
            return n_matched / query.n_leaves
    return 0.0


def score_components(core: IndexCore, query: Query, number: int) -> ScoreComponents:
    """The frequencies, lengths and idfs behind the score of one document."""
    frequencies: dict[str, int] = {}
    lengths: dict[str, int] = {}
    idfs: dict[str, float] = {}
    table = query.match_table()
    for part in score_parts(query, number):
        term, field = table[part.match].term, core.field_names[part.field]
        frequencies[f"{field}:{term}"] = part.tf
        lengths[field] = part.length
        idfs[term] = part.idf
    return ScoreComponents(frequencies, lengths, idfs)
