"""`explain`: the score of one document as a tree of numbers."""
from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from narsilpy._proximity import Nearness
from narsilpy.errors import DocumentNotFound, ErrorCode
from narsilpy.query.answer import Part, score_parts
from narsilpy.query.arrange import Arrangement
from narsilpy.query.options import QueryOptions
from narsilpy.query.plan import Plan
from narsilpy.query.terms import Match
from narsilpy.results import Explanation
from narsilpy.schema import reach

if TYPE_CHECKING:
    from narsilpy.index import IndexCore


def explain(core: IndexCore, doc_id: str, term: Any, options: QueryOptions) -> Explanation:
    """The tree behind the score of a document."""
    arrangement = Arrangement(core, term, options, b"")
    with core.reading:
        plan = arrangement.plan(only=doc_id)
        number = plan.pins.get(doc_id)
        if number is None:
            raise DocumentNotFound(ErrorCode.DOC_NOT_FOUND, f'index "{core.name}" holds no document "{doc_id}"',
                                   {"index": core.name, "doc_id": doc_id})
        docs, _ = plan.matches(True)
        query = plan.query
        if query is None or plan.everything or not docs:
            return Explanation(0.0, "it passes the filters, and there is nothing to score" if docs
                               else "the document does not match", "none", bool(docs))
        table = query.match_table()
        averages = [average for average, _, _ in core.field_params()]

        def of_part(part: Part) -> Explanation:
            match: Match = table[part.match]
            field = core.field_names[part.field]
            return Explanation(
                part.score,
                f"{match.query_term!r} in {field}: {match.term!r} stands {part.tf} times in {part.length} words",
                "bm25", numbers={"term": match.term, "field": field, "kind": match.kind, "tf": part.tf,
                                 "length": part.length, "average_length": averages[part.field], "df": part.df,
                                 "n_docs": core.segments.n_docs, "idf": part.idf, "boost": part.boost,
                                 "factor": part.factor, "weight": part.weight, "normal": part.normal})

        details: list[Explanation] = []
        for (_, best_only), leaf in groupby(score_parts(query, number), key=lambda part: (part.leaf, part.best_only)):
            parts = list(leaf)
            if not best_only:
                details += [of_part(part) for part in parts]
                continue
            expansions = [added([of_part(part) for part in group], "an expansion of the word")
                          for _, group in groupby(parts, key=lambda part: part.expansion)]
            best = max(expansions, key=lambda expansion: expansion.value)
            if best.value < 0:      # a negative weight: an expansion adds nothing rather than less than nothing
                best = Explanation(0.0, "every expansion counts against the document", "none")
                expansions.append(best)
            details.append(Explanation(best.value, "the best expansion of the word counts", "max",
                                       details=tuple(expansions)))
        total = added(details, "the words of the query, field by field")
        if arrangement.proximity and plan.positions:
            total = with_proximity(core, plan, number, total, arrangement.proximity)
        if arrangement.boost is None:
            return total
        value = reach(core.documents[number], arrangement.boost.field.parts)
        factor = arrangement.boost.factor(value)
        boost = Explanation(factor, f"1 + {arrangement.boost.weight} * {arrangement.boost.function}({value!r}) of "
                                    f"{arrangement.boost.field.path}", "boost_by")
        return Explanation(total.value * factor, "the score times boost_by", "product", details=(total, boost))


def with_proximity(core: IndexCore, plan: Plan, number: int, total: Explanation, weight: float) -> Explanation:
    """A score and what the nearness of its words adds."""
    assert plan.query is not None, "the document matches"
    near = added([
        Explanation(value, f"words {leaf + 1} and {leaf + 2} in {core.field_names[field]}: {displacement} off their "
                           "distance in the query", "proximity",
                    numbers={"field": core.field_names[field], "displacement": displacement})
        for leaf, field, displacement, value in Nearness(plan.query, plan.positions).parts(number)],
        "how near the words stand")
    share = Explanation(weight * near.value, f"proximity: {weight} times", "product",
                        details=(Explanation(weight, "the weight", "none"), near))
    return Explanation(total.value + share.value, "the score and the proximity of its words", "sum",
                       details=(total, share))


def added(details: list[Explanation], description: str) -> Explanation:
    """The sum of its parts, from the left, as scores are added up."""
    value = 0.0
    for detail in details:
        value += detail.value
    return Explanation(value, description, "sum", details=tuple(details))
