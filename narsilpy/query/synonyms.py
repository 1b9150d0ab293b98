"""A query text and its synonyms as one query object."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from narsilpy.analysis.synonyms import Synonyms
from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.query.objects import And, Node, Or, Phrase, Term, stand_in
from narsilpy.query.options import needed_terms


def synonym_query(text: str, synonyms: Synonyms, term_match: Any, plain: Callable[[str], Node]) -> Node | None:
    """What stands in for a plain query where a rule applies to its words; None where none does.

    `plain` makes a node of words as they were typed (with prefixes and edits, where the query asks for them).
    """
    slots = synonyms.slots(text)
    if not any(slot.alternatives for slot in slots):
        return None
    need = needed_terms(term_match, len(slots))
    if need > len(slots):
        return Term("")
    if 1 < need < len(slots):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, '`term_match` is "any" or "all" where synonyms apply, or '
                           "`synonyms` is False", {"option": "term_match"})
    if need == len(slots):
        return _joined(And, [
            _joined(Or, [_typed(synonyms, slot.text, plain),
                         *(_other(synonyms, wording, slot.text, None) for wording in slot.alternatives)])
            for slot in slots])
    others = [_other(synonyms, wording, slot.text, None) for slot in slots for wording in slot.alternatives]
    return _joined(Or, [plain(text), *dict.fromkeys(others)])


def _typed(synonyms: Synonyms, text: str, plain: Callable[[str], Node]) -> Node:
    """The words of one place of the query as typed: several that a rule joins stand together."""
    return plain(text) if len(synonyms.analyzer.analyze(text)) < 2 else stand_in(Phrase(text), text)


def _other(synonyms: Synonyms, wording: str, typed: str, field: str | None) -> Node:
    return stand_in(_worded(synonyms, wording, field), typed)


def with_synonyms(text: str, synonyms: Synonyms, *, match: str = "any", field: str | None = None) -> Node:
    """A query object for a text whose words and phrases may be worded otherwise.

    Args:
        match: "any" finds documents with any of the words, "all" those with every one (in one wording or another),
            "phrase" those with the whole text as a phrase, in any of its wordings.
        field: a text field, where only one is searched.

    A synonym of several words is found as a phrase; the words of the text itself one by one, unless a rule joins them
    and `match` is "all". Highlights mark whatever wording a document has.

    >>> synonyms = Synonyms([["NY", "New York"]])
    >>> with_synonyms("NY pizza", synonyms, match="all")
    And(Or(Term('NY'), Phrase('New York')), Term('pizza'))
    >>> with_synonyms("NY pizza", synonyms, match="phrase")
    Or(Phrase('NY pizza'), Phrase('New York pizza'))
    """
    if match not in ("any", "all", "phrase"):
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f'`match` is "any", "all" or "phrase", not {match!r}',
                           {"option": "match"})
    if match == "phrase":
        return _joined(Or, [Phrase(variant, field=field) for variant in synonyms.variants(text)])
    slots = synonyms.slots(text)
    if match == "all":
        wordings = [_joined(Or, [_worded(synonyms, slot.text, field), *(_other(synonyms, wording, slot.text, field)
                                                                        for wording in slot.alternatives)])
                    for slot in slots]
        return _joined(And, wordings) if wordings else Term(text, field=field)
    others = [_other(synonyms, wording, slot.text, field) for slot in slots for wording in slot.alternatives]
    return _joined(Or, [Term(text, field=field), *dict.fromkeys(others)])


def _worded(synonyms: Synonyms, wording: str, field: str | None) -> Term | Phrase:
    one_word = len(synonyms.analyzer.analyze(wording)) < 2
    return Term(wording, field=field) if one_word else Phrase(wording, field=field)


def _joined(kind: type[And | Or], nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else kind(*nodes)
