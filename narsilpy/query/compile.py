"""Query objects to a native query: leaves, phrases and a boolean program.

Words that analysis drops (stop words, punctuation) are neutral: they neither match nor exclude anything. What is left
is run as a plain count of leaves where that says the same (one node, an Or of words, an And of words), as a program
otherwise.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from narsilpy.errors import ErrorCode, InvalidQuery
from narsilpy.query.expand import add_completions, add_fuzzy
from narsilpy.query.objects import (
    MAX_DEPTH,
    And,
    Boost,
    Fuzzy,
    Lenient,
    Maybe,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Scoped,
    Term,
    typed_as,
)
from narsilpy.query.terms import Match, QueryTerm, distinct, query_terms, typed_word, utf8

if TYPE_CHECKING:
    from narsilpy._query import Query
    from narsilpy.analyses import Analysis
    from narsilpy.index import IndexCore

LEAF, AND, OR, NOT, PHRASE, TRUE = range(6)     # operations of a native program, as _score.pxd numbers them
MAX_LEAVES = 64                             # bits of the word in which a program keeps what matches


class Words(NamedTuple):
    """A node whose words count on their own: any of `n_leaves` leaves."""

    node: Node
    words: list[QueryTerm]
    factor: float
    negated: bool
    fields: frozenset[int] | None
    analysis: Analysis


class Branch(NamedTuple):
    """An And, Or, Not or (TRUE) Maybe with something left in it."""

    operation: int
    parts: list[Words | Branch]


Tree = Words | Branch


def analyse(core: IndexCore, node: Node, factor: float = 1.0, negated: bool = False, depth: int = 0) -> Tree | None:
    """A node with its words analysed and its neutral parts left out; None where nothing is left."""
    if depth > MAX_DEPTH:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION, f"a query object nests at most {MAX_DEPTH} deep", {})
    if isinstance(node, Boost):
        return analyse(core, node.node, factor * node.factor, negated, depth + 1)
    if isinstance(node, Not):
        part = analyse(core, node.node, factor, not negated, depth + 1)
        return None if part is None else Branch(NOT, [part])
    if isinstance(node, Maybe):
        part = analyse(core, node.node, factor, negated, depth + 1)
        return None if part is None else Branch(TRUE, [part])
    if isinstance(node, Scoped):
        node = node.node if node.field in core.field_numbers else node.otherwise
        return analyse(core, node, factor, negated, depth + 1)
    if isinstance(node, Lenient):
        part = analyse(core, node.node, factor, negated, depth + 1)
        if part is None or n_words(part) <= MAX_LEAVES:
            return part
        return analyse(core, node.otherwise, factor, negated, depth + 1)
    if isinstance(node, (And, Or)):
        found = [analyse(core, child, factor, negated, depth + 1) for child in node.nodes]
        parts = [part for part in found if part is not None]
        if len(parts) < 2:
            return parts[0] if parts else None
        return Branch(AND if isinstance(node, And) else OR, parts)
    assert isinstance(node, (Term, Phrase, Prefix, Fuzzy)), "every node is one of these"
    fields = field_set(core, node.field)
    found = [_words(core, node, factor, negated, fields, number) for number in range(len(core.analyses))]
    parts = [part for part in found if part is not None]
    return Branch(OR, parts) if len(parts) > 1 else parts[0] if parts else None


def _words(core: IndexCore, node: Term | Phrase | Prefix | Fuzzy, factor: float, negated: bool,
           fields: frozenset[int] | None, number: int) -> Words | None:
    """A node as one analyzer of the index takes it, in the fields that it reads."""
    analysis = core.analyses[number]
    if analysis.fields is not None:
        fields = analysis.fields if fields is None else fields & analysis.fields
        if not fields:
            return None
    words = query_terms(core, node.text, number)
    if not isinstance(node, Phrase):
        words = distinct(words)
    if not words and not (isinstance(node, Prefix) and node.text.strip()):
        return None
    return Words(node, words, factor, negated, fields, analysis)


def n_words(tree: Tree) -> int:
    """How many leaves a tree takes, at most."""
    if isinstance(tree, Words):
        return len(tree.words) + 1
    return sum(map(n_words, tree.parts))


def field_set(core: IndexCore, name: str | None) -> frozenset[int] | None:
    if name is None:
        return None
    if name not in core.field_numbers:
        raise InvalidQuery(ErrorCode.SEARCH_INVALID_FIELD,
                           f"{name!r} is not a text field of this index; its text fields are: "
                           f"{', '.join(core.field_names) or 'none'}", {"field": name})
    return frozenset((core.field_numbers[name],))


class Compiler:
    """Adds a tree to a native query."""

    def __init__(self, core: IndexCore, query: Query) -> None:
        self.core = core
        self.query = query
        self.n_leaves = 0
        self.program: list[tuple[int, int]] = []

    def compile(self, tree: Tree) -> None:
        """Add the whole tree, and decide how leaves are counted."""
        self.emit(tree)
        if isinstance(tree, Words):
            phrase = isinstance(tree.node, Phrase) and len(tree.words) > 1
            self.query.need = self.n_leaves if phrase else 1
        elif tree.operation == OR and all(_is_plain(part) for part in tree.parts):
            self.query.need = 1
        elif tree.operation == AND and all(_is_plain(part) and _n_leaves(part) == 1 for part in tree.parts):
            self.query.need = self.n_leaves
        else:
            if self.n_leaves > MAX_LEAVES:
                raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                                   f"a boolean query holds at most {MAX_LEAVES} words, not {self.n_leaves}", {})
            self.query.set_program(self.program)

    def emit(self, tree: Tree) -> None:
        if isinstance(tree, Words):
            self.emit_words(tree)
            return
        self.emit(tree.parts[0])
        if tree.operation == NOT:
            self.program.append((NOT, 0))
        elif tree.operation == TRUE:
            self.program += [(TRUE, 0), (OR, 0)]
        for part in tree.parts[1:]:
            self.emit(part)
            self.program.append((tree.operation, 0))

    def emit_words(self, tree: Words) -> None:
        node = tree.node
        if isinstance(node, Phrase) and len(tree.words) > 1:
            self.emit_phrase(tree, node)
            return
        first = self.n_leaves
        words: list[QueryTerm | None] = list(tree.words)
        typed = typed_word(tree.analysis, node.text) if isinstance(node, Prefix) else None
        if typed is not None and (not words or words[-1] is None or words[-1].folded != typed):
            words.append(None)      # the last word is a stop word so far: it may yet become another
        for number, word in enumerate(words):
            if typed is not None and number == len(words) - 1:
                self.leaf(tree, best_only=True)
                add_completions(self.core, self.query, typed, word, tree.analysis, tree.factor, tree.fields)
            elif word is None:
                continue
            elif isinstance(node, Fuzzy):
                self.leaf(tree, best_only=True)
                add_fuzzy(self.core, self.query, word, node.tolerance, node.prefix_length, tree.factor, tree.fields)
            else:
                self.leaf(tree)
                surface = (typed_as(node) if isinstance(node, Term) else None) or word.surface
                self.query.add_term(utf8(word.term), Match(word.term, surface, word.kind), tree.factor,
                                    fields=tree.fields)
        self.program.append((LEAF, first))
        for number in range(first + 1, self.n_leaves):
            self.program += [(LEAF, number), (OR, 0)]

    def emit_phrase(self, tree: Words, node: Phrase) -> None:
        if not self.core.settings.track_positions:
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               "phrases need positions, and this index was created with track_positions=False", {})
        if len(tree.words) > MAX_LEAVES:
            raise InvalidQuery(ErrorCode.SEARCH_INVALID_OPTION,
                               f"a phrase holds at most {MAX_LEAVES} words, not {len(tree.words)}", {})
        first = self.n_leaves
        for word in tree.words:
            self.leaf(tree)
            match = Match(word.term, typed_as(node) or word.surface, "phrase")
            self.query.add_term(utf8(word.term), match, tree.factor, fields=tree.fields)
        offsets = [word.position - tree.words[0].position for word in tree.words]
        self.program.append((PHRASE, self.query.add_phrase(first, offsets, node.slop)))

    def leaf(self, tree: Words, best_only: bool = False) -> None:
        self.query.add_leaf(best_only, not tree.negated)
        self.n_leaves += 1


def _is_plain(tree: Tree) -> bool:
    return isinstance(tree, Words) and not (isinstance(tree.node, Phrase) and len(tree.words) > 1)


def _n_leaves(tree: Tree) -> int:
    assert isinstance(tree, Words), "only asked of plain nodes"
    return max(1, len(tree.words))
