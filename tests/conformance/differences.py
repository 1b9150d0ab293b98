"""Where this library deliberately answers otherwise than the original's recorded results, and why.

`{(fixture file, case name): reason}`. A test asserts that each listed case really differs.
"""
from __future__ import annotations

_PAIRS = ("scripts written without spaces are indexed as overlapping pairs of characters in every language, so that "
          "their words are found; the original does so in the modules of these languages only, and elsewhere takes a "
          "whole sentence for one word")

DIFFERENCES: dict[tuple[str, str], str] = {
    ("analysis.json", "cjk chinese"): _PAIRS,
    ("analysis.json", "cjk japanese"): _PAIRS,
    ("analysis.json", "korean"): _PAIRS,
    ("analysis.json", "thai"): _PAIRS,
    ("analysis_languages.json", "ukrainian"):
        "Snowball has no Ukrainian algorithm; words are found as they are written",
}

_SPANS = ("the original looks its words up again in a changed copy of the text and marks other words; "
          "our spans are the index's")
_STEM_ONCE = "the original stems the query's words twice, so that words which match are not marked"
_CUT = "no character is cut: the window's edge moves to the start of the character"
_NESTED = "nested fields and string arrays are highlighted too"
_KEPT = "highlights do not depend on which fields of the document are returned"
_TYPED = "an option of a wrong type is refused instead of computed with"

DIFFERENCES |= {
    ("highlight.json", "stem collision"): _STEM_ONCE,
    ("highlight.json", "double stemming: accidental"): _STEM_ONCE,
    ("highlight.json", "double stemming: agreed"): _STEM_ONCE,
    ("highlight.json", "curly possessive shifts alignment"): _SPANS,
    ("highlight.json", "curly apostrophe before the match"): _SPANS,
    ("highlight.json", "unicode NFD accents"): _SPANS,
    ("highlight.json", "turkish capital dotted I shifts offsets"): _SPANS,
    ("highlight.json", "full-width letters"): _SPANS,
    ("highlight.json", "stray possessive misaligns"): _SPANS,
    ("highlight.json", "fuzzy match is not highlighted"): "what matched is marked, fuzzy matches too",
    ("highlight.json", "fuzzy plus exact term"): "what matched is marked, fuzzy matches too",
    ("highlight.json", "string[] field is skipped"): _NESTED,
    ("highlight.json", "nested path is skipped"): _NESTED,
    ("highlight.json", "document:false loses highlights"): _KEPT,
    ("highlight.json", "document include without the field loses highlight"): _KEPT,
    ("highlight.json", "maxSnippetLength fractional 20.7"): _TYPED,
    ("highlight.json", "bad highlight: maxSnippetLength NaN"): _TYPED,
    ("highlight.json", "window cuts a surrogate pair"): _CUT,
    ("highlight.json", "window cuts a surrogate pair odd"): _CUT,
    ("highlight.json", "cjk english module"): _PAIRS,
}

_CLOSENESS = ("the original gives an edit the weight of an exact spelling, so that rarer misspellings rank first, and "
              "takes any word that starts with the query's for a match; ours counts edits and ranks the exact spelling "
              "above them")

DIFFERENCES |= {("ranking.json", name): _CLOSENESS for name in (
    "tolerance 1", "tolerance 2", "tolerance 1 prefixLength 0", "tolerance 1 prefixLength 1",
    "tolerance 1 prefixLength 3",
    "tolerance 1 token shorter than prefixLength", "tolerance matches any completion", "prefix fuzzy on earlier token")}
DIFFERENCES["highlight.json", "cjk chinese module bigrams"] = _SPANS
DIFFERENCES["highlight.json", "merge of touching matches (bigram)"] = _SPANS
DIFFERENCES["ranking.json", "no term, filter only"] = "filters without a term are a query too: all documents that pass"

_REFUSED = "an argument of a wrong type or value is refused where the original ignores it or computes with it"
_EVERY = "what a call is given is checked whole, also where nothing would have come of it"
_ITERABLE = "None and other values that are no documents fail on their own; any iterable will do"

DIFFERENCES |= {("errors.json", name): reason for reason, names in {
    _REFUSED: ("query: filter in not a list", "query: filter between not a pair", "query: filter and not a list",
               "query: filter array", "query: limit string falls back", "query: minScore string",
               "query: tolerance string", "query: boost NaN", "query: boost string",
               "query: document projection string"),
    _EVERY: ("query: unknown field but empty term", "query: bad filter but no term is not evaluated"),
    _ITERABLE: ("insertBatch non-object entries", "insertBatch not an array"),
    "`required` naming an unknown field is CONFIG_INVALID: nothing here embeds": ("config: required unknown field",),
    "any iterable of words is a set of stop words": ("config: stopWords array is not a Set",),
    "an update must have the required fields, too": ("required: missing and null",),
    "no term is a question that nothing answers, and no error": ("query: term null", "query: query null"),
}.items() for name in names}

_NAMED = "a field that the schema does not name, or that has no order, is refused: a typing error would pass unseen"

DIFFERENCES |= {
    ("ranking.json", "facet unknown field dropped"): _NAMED,
    ("ranking.json", "sort array field counts as missing"): _NAMED,
    ("ranking.json", "sort unknown field = id order"): _NAMED,
    ("errors.json", "query: sort eight fields"): _NAMED,
    ("ranking.json", "group two fields"): "null and missing are one: the value is left out of the group either way",
    ("ranking.json", "group with sort (scores are dropped)"): "groups come in the order of the result, sorted or not",
    ("ranking.json", "cursor walk with pinned"):
        "the original shows the pinned documents on every page, and the pages never end",
    ("errors.json", "query: sort bad direction"): _REFUSED,
    ("errors.json", "query: sort a string"): _REFUSED,
    ("errors.json", "query: group without fields"): _REFUSED,
    ("errors.json", "query: pinned bad position"): _REFUSED,
    ("errors.json", "query: cursor valid"): "cursors are bound to their query; one of the original is refused",
}
