"""`parse_query`: what people type into a search box, to a query object.

The language, in full:

    word another        either word; documents with both score higher
    +word               must be there
    -word  NOT word     must not be there
    "two words"         a phrase; "two words"~3 lets its words stand up to 3 places off
    word*               words that start so
    word~  word~2       words within 1 (or 2) edits
    title:word          in this field alone; also title:"two words", title:(one two), -title:word
    (one two) AND three grouping; AND, OR and NOT in capitals, AND binds closer
    word^2              counts twice

Any string is a query. An operator without its operand, a quote or bracket without its partner and brackets nested
deeper than 16 are passed over; a field that the index does not have is a word like the others. Time and memory are
linear in the length of the text.
"""
from __future__ import annotations

import re
from typing import NamedTuple

from narsilpy.query.objects import (
    MAX_SLOP,
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
)

MAX_NESTING = 16
MAX_CHARS = 10_000      # of a query; what follows is not read
PLAIN_CHARS = 64        # so short a query never holds more words than a boolean query may

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<open>\()|(?P<close>\)(?:\^(?P<of_group>\d{1,4}(?:\.\d{1,4})?))?)"
    r"|(?P<sign>[+\-](?=[^\s+\-)*~^:]))"
    r"|(?P<field>[A-Za-z0-9_.]{1,255}:(?=[^\s)*~^:]))"
    r'|"(?P<phrase>[^"]*)"(?:~(?P<slop>\d{1,2}))?(?:\^(?P<of_phrase>\d{1,4}(?:\.\d{1,4})?))?'
    r'|(?P<word>[^\s()"]+)|(?P<other>")')
_WORD = re.compile(r"(?P<text>.*?)(?:(?P<star>\*)|~(?P<edits>[12]?))?(?:\^(?P<boost>\d{1,4}(?:\.\d{1,4})?))?\Z",
                   re.DOTALL)
_OPERATORS = re.compile(r'[()"*~^+:]|(?:^|(?<=\s))-|\b(?:AND|OR|NOT)\b')


class _Clause(NamedTuple):
    node: Node
    sign: str       # "", "+" or "-"


class _Group:
    """What stands between two brackets."""

    def __init__(self, field: str | None, sign: str) -> None:
        self.field = field
        self.sign = sign
        self.sequences: list[list[_Clause]] = [[]]      # between ORs
        self.joined = False         # an AND stands before what comes next

    def add(self, node: Node, sign: str) -> None:
        sequence = self.sequences[-1]
        if self.joined and sequence:
            last = sequence.pop()
            sequence.append(_Clause(And(_signed(last), _signed(_Clause(node, sign))), ""))
        elif not sign and sequence and not sequence[-1].sign and (merged := _merged(sequence[-1].node, node)):
            sequence[-1] = _Clause(merged, "")
        else:
            sequence.append(_Clause(node, sign))
        self.joined = False

    def either(self) -> None:
        """An OR: what comes next stands beside all that came."""
        if self.sequences[-1]:
            self.sequences.append([])
        self.joined = False

    def node(self) -> Node | None:
        parts = [part for part in map(_sequence, self.sequences) if part is not None]
        return None if not parts else parts[0] if len(parts) == 1 else Or(*parts)


def _merged(first: Node, second: Node) -> Term | None:
    """Two plain words of the same field as one node: any of the words of a Term will do."""
    if type(first) is Term and type(second) is Term and first.field == second.field:
        return Term(f"{first.text} {second.text}", field=first.field)
    return None


def _signed(clause: _Clause) -> Node:
    return Not(clause.node) if clause.sign == "-" else clause.node


def _sequence(clauses: list[_Clause]) -> Node | None:
    """Words side by side: those with + are needed, those with - excluded; of the others one will do, or where
    something is needed none."""
    needed = [clause.node for clause in clauses if clause.sign == "+"]
    excluded: list[Node] = [Not(clause.node) for clause in clauses if clause.sign == "-"]
    wanted = [clause.node for clause in clauses if not clause.sign]
    parts = list(needed)
    if wanted:
        either = wanted[0] if len(wanted) == 1 else Or(*wanted)
        parts.append(Maybe(either) if needed else either)
    parts += excluded
    return None if not parts else parts[0] if len(parts) == 1 else And(*parts)


class _Reader:
    """Reads a text once from left to right, with a stack of the brackets that are open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stack = [_Group(None, "")]
        self.too_deep = 0
        self.sign = ""
        self.field: str | None = None

    def read(self) -> Node:
        for token in _TOKEN.finditer(self.text):
            kind = token.lastgroup
            if token["open"]:
                self.open()
            elif token["close"]:
                self.close(token["of_group"])
            elif token["sign"]:
                self.sign = token["sign"]
            elif token["field"]:
                self.field = token["field"][:-1]
            elif token["phrase"] is not None:
                slop = min(int(token["slop"] or 0), MAX_SLOP)
                self.leaf(Phrase(token["phrase"], slop), Phrase(token["phrase"], slop, field=self.field_here()),
                          token["of_phrase"])
            elif token["word"]:
                self.word(token["word"])
            elif kind == "space":
                self.sign, self.field = "", None
        while len(self.stack) > 1:
            self.close(None)
        found = self.stack[0].node()
        return Term("") if found is None else found

    def field_here(self) -> str | None:
        return self.field if self.field is not None else self.stack[-1].field

    def word(self, word: str) -> None:
        group = self.stack[-1]
        if not self.sign and self.field is None and word in ("AND", "OR", "NOT", "&&", "||"):
            if word in ("OR", "||"):
                group.either()
            elif word == "NOT":
                self.negated = True
            else:
                group.joined = True
            return
        parts = _WORD.match(word)
        assert parts is not None, "every word has a text"
        text = parts["text"]
        field = self.field_here()
        if parts["star"]:
            self.leaf(Prefix(text), Prefix(text, field=field), parts["boost"])
        elif parts["edits"] is not None:
            edits = int(parts["edits"] or 1)
            self.leaf(Fuzzy(text, edits), Fuzzy(text, edits, field=field), parts["boost"])
        else:
            self.leaf(Term(text), Term(text, field=field), parts["boost"])

    negated = False     # a NOT stands before what comes next

    def leaf(self, plain: Node, scoped: Node, boost: str | None) -> None:
        """A word or phrase: `scoped` where the index has the field that it is to be in."""
        field = self.field_here()
        node: Node = plain
        if field is not None:
            if self.field is None:
                node = Scoped(field, scoped, plain)
            elif isinstance(plain, Term):
                node = Scoped(field, scoped, Term(f"{field} {plain.text}"))
            else:
                node = Scoped(field, scoped, Or(Term(field), plain))
        self.add(node, boost)

    def add(self, node: Node, boost: str | None) -> None:
        if boost is not None:
            node = Boost(node, float(boost))
        sign = self.sign
        if self.negated:
            sign = "" if sign == "-" else "-"
        self.stack[-1].add(node, sign)
        self.sign, self.field, self.negated = "", None, False

    def open(self) -> None:
        if len(self.stack) > MAX_NESTING or self.too_deep:
            self.too_deep += 1
            return
        sign = "-" if self.negated != (self.sign == "-") else self.sign
        self.stack.append(_Group(self.field_here(), sign))
        self.sign, self.field, self.negated = "", None, False

    def close(self, boost: str | None) -> None:
        if self.too_deep:
            self.too_deep -= 1
            return
        if len(self.stack) == 1:
            return
        group = self.stack.pop()
        node = group.node()
        self.sign, self.field, self.negated = "" if group.sign == "-" else group.sign, None, group.sign == "-"
        if node is not None:
            self.add(node, boost)
        self.sign, self.negated = "", False


def parse_query(text: str) -> Node:
    """The query object of a text as people type it. No str makes it raise, nor the query that it gives.

    >>> parse_query('folding "cabin baggage" -violin')
    And(Or(Term('folding'), Phrase('cabin baggage')), Not(Term('violin')))
    >>> parse_query('push* AND (seat OR belt)')
    And(Prefix('push'), Or(Term('seat'), Term('belt')))
    >>> parse_query('unfinished ( "quote')
    Term('unfinished quote')

    Of a text of more than 10,000 code points the first are read. A boolean query holds 64 words; where a longer text
    asks for one, its words are searched as plain words.
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_query takes a str, not {type(text).__name__}")
    text = text[:MAX_CHARS]
    node = _Reader(text).read()
    if len(text) <= PLAIN_CHARS or isinstance(node, Term):
        return node
    return Lenient(node, Term(_OPERATORS.sub(" ", text)))
