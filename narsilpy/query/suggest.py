"""`suggest`: completions of what is being typed, from the spellings that live documents hold now."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from narsilpy._query import Query
from narsilpy.query.options import count_option, refuse
from narsilpy.query.terms import query_terms, typed_word, utf8
from narsilpy.results import Suggestions

if TYPE_CHECKING:
    from narsilpy.index import IndexCore

MAX_SUGGESTIONS = 100       # the original's limit
DEFAULT_SUGGESTIONS = 10


def suggest(core: IndexCore, prefix: Any, limit: Any) -> Suggestions:
    """The completions of the last word of `prefix`."""
    if not isinstance(prefix, str):
        raise refuse("prefix", prefix, "a str")
    n_wanted = min(MAX_SUGGESTIONS, max(1, count_option("limit", limit, DEFAULT_SUGGESTIONS)))
    text = prefix.strip()
    if not text:
        return Suggestions(())
    core.storage.load_vocabulary(core)

    def build() -> list[tuple[str, int]]:
        segments, live = core.segments.views()
        query = Query(segments, live, core.segments.n_docs, core.settings.k1, core.settings.b, core.field_params())
        shown: dict[str, tuple[int, str]] = {}      # by term: its most frequent spelling
        for number, analysis in enumerate(core.analyses):
            typed = typed_word(analysis, text) or text.lower()
            if analysis.surfaces is None:
                stem = query_terms(core, typed, number)     # "networks" completes "network" where no spelling is kept
                for start in {typed, *(word.term for word in stem[-1:])}:
                    for known in core.lexicon.prefix_range(start):
                        shown[core.lexicon.term(known)] = (0, core.lexicon.term(known))
                continue
            for spelling, found, occurrences in analysis.surfaces.completions(typed):
                term = core.lexicon.term(found)
                if term not in shown or occurrences > shown[term][0]:   # they come in order: the first of equals stays
                    shown[term] = (occurrences, spelling)
        counted = [(spelling, query.frequency(utf8(term))) for term, (_, spelling) in shown.items()]
        return [(spelling, df) for spelling, df in counted if df > 0]

    terms = core.consistent(build)
    terms.sort(key=lambda pair: (-pair[1], pair[0]))
    return Suggestions(tuple(terms[:n_wanted]))
