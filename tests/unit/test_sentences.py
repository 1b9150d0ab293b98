"""Where sentences end: one case for each thing that looks like an end and is none, or is one and does not look it."""
from __future__ import annotations

import pytest

from narsilpy import Narsil, NarsilError, sentence_at
from narsilpy.analysis import list_languages
from narsilpy.highlight.sentences import CODES, LONGEST_BLOCK, Sentences

# Sentences of one text, parted by "|" (which is no part of it).
ENGLISH = {
    "two plain ones": "The bag is small. |It fits.",
    "e.g.": "Bring papers, e.g. a passport. |Come early.",
    "i.e. before a capital": "See the carrier, i.e. Northwind Air. |It decides.",
    "a title": "Dr. Smith paid for Mrs. Jones. |She left.",
    "a number abbreviated": "See No. 4 of the list. |It is short.",
    "a decimal": "It costs 4.5 euros. |That is all.",
    "a section number": "Under § 1-206.02. of the code it ends. |So it does.",
    "a section number that heads a sentence": "§ 1-206.02. The council may act. |It did.",
    "initials": "J. R. Stone wrote it. |It sold.",
    "a quotation after the stop": "She said \"It is full.\" |He left.",
    "curly quotation marks": "She said \u201cIt is full.\u201d |He left.",
    "a question in a quotation that goes on": "\u201cIs it full?\u201d asked the man. |Nobody knew.",
    "an ellipsis inside": "It was... well, heavy. |Then it went.",
    "the ellipsis character at the end": "And then it fell\u2026 |Nobody looked.",
    "an address of the web": "Look at www.example.Org/a.B for more. |Then book.",
    "an address of mail": "Write to help.desk@Example.Org today. |They answer.",
    "a blank line": "Cabin bags\n\n|One bag is free.",
    "CRLF": "One bag is free.\r\n|Two are not.",
    "a blank line with CRLF": "Cabin bags\r\n\r\n|One bag is free.",
    "a blank line that holds blanks": "Cabin bags\n \t \n|One bag is free.",
    "wrapped prose": "One bag of at most eight kilograms is free for each of the\npassengers on board. |Two are not.",
    "a name at the start of a wrapped line": "Every passenger who travels on to\nLondon pays twice. |It is so.",
    "a heading without a stop": "Cabin bags\n|Each passenger may take one bag of at most eight kilograms on board.",
    "a numbered list": "1. A bag\n|2. A coat\n|3. An umbrella",
    "a numbered list in one line": "1. A bag. |2. A coat. |3. An umbrella.",
    "a lettered list": "a) a bag\n|b) a coat\n|c) an umbrella",
    "bullets": "- A bag\n|- A coat\n|- An umbrella",
    "a lone marker": "1. A bag is free.",
    "a list without marks": "bags\n|coats and hats\n|umbrellas",
    "a line of marks": "Cabin bags\n|==========\n|one bag is free",
    "the end after an abbreviation": "They live in the U.S. |It is far.",
    "an abbreviation inside": "They live in the U.S. state of Ohio. |It is far.",
    "a company": "It was made by Stone & Co. |They sold it.",
    "an exclamation that goes on": "Stop! cried the guard. |He stopped.",
    "an exclamation between dashes": "It was -- at last! -- the right bag. |It went on.",
    "the number of a note": "It was proved twice.12 |The rest is known.",
    "a form feed": "End of the page\x0c|Start of the next",
    "no stop at all": "a bag",
}
OTHERS = {
    "german": "Am 3. Oktober kostet es z. B. 4,50 Euro. |Das ist alles.",
    "french": "M. Dupont paie 4,5 euros. |C\u2019est tout.",
    "spanish": "El Sr. P\u00e9rez lleg\u00f3. |\u00bfCu\u00e1nto cuesta?",
    "italian": "Il Dott. Rossi paga. |Poi parte.",
    "russian": "\u0423\u043b. \u041c\u0438\u0440\u0430, \u0434\u043e\u043c 5. |\u042d\u0442\u043e \u0432\u0441\u0451.",
    "chinese": "\u4f60\u597d\u3002|\u518d\u89c1\uff01",
    "japanese": "\u300c\u884c\u304f\u3002\u300d|\u5f7c\u306f\u8a00\u3063\u305f\u3002",
    "hindi": "\u092f\u0939 \u0916\u0924\u092e\u0964 |\u0935\u0939 \u0928\u0939\u0940\u0902\u0964",
    "armenian": "\u0532\u0561\u0580\u0587\u0589 |\u0531\u0575\u0578\u0589",
    "am": "\u1230\u120b\u121d\u1362|\u12f0\u1205\u1293\u1367",
}


@pytest.mark.parametrize("name", ENGLISH)
def test_english(name: str) -> None:
    check(ENGLISH[name], "english")


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages(language: str) -> None:
    check(OTHERS[language], language)


def check(marked: str, language: str) -> None:
    text = marked.replace("|", "")
    assert [text[start:end] for start, end in Sentences(text, language)] == [s.strip() for s in marked.split("|")]


def test_every_language_of_an_index_has_a_code() -> None:
    assert set(list_languages()) <= set(CODES)


def test_the_language_matters() -> None:
    text = "Das gilt bzgl. Gep\u00e4ck. Es ist so."
    assert tuple(sentence_at(text, 0, language="german")) == (0, 22)
    assert tuple(sentence_at(text, 0)) == (0, 14)


@pytest.mark.parametrize("language", ["klingon", "", "EN", "english "])
def test_an_unknown_language_is_refused(language: str) -> None:
    with pytest.raises(NarsilError) as caught:
        sentence_at("a", 0, language=language)
    assert caught.value.code == "LANGUAGE_NOT_SUPPORTED"


def test_a_quotation_mark_of_another_block_changes_nothing() -> None:
    text = "An open \" mark.\n\nHe left. She stayed."
    assert text[slice(*sentence_at(text, 18))] == "He left."


def test_no_sentence_is_longer_than_two_stretches() -> None:
    for text in ("word " * 3_000, "x" * 10_000, "\u4f60" * 10_000, "a\u0301" * 5_000, "\U0001f1e9\U0001f1ea" * 3_000):
        for at in (0, len(text) // 2, len(text) - 1):
            start, end = sentence_at(text, at)
            assert start <= at < end <= start + LONGEST_BLOCK


def test_quotes_and_passages_know_the_language_of_the_index() -> None:
    text = "Erst das. Das gilt bzgl. Gep\u00e4ck und Tieren. Es ist so. " + "Mehr davon. " * 40
    narsil = Narsil()
    narsil.create_index("regeln", schema={"body": "string"}, language="german")
    narsil.insert("regeln", {"id": "a", "body": text})
    wanted = "Das gilt bzgl. Gep\u00e4ck und Tieren."
    hit = narsil.query("regeln", "Tiere", highlight={"fields": ["body"], "passages": 2, "boundary": "sentence",
                                                     "max_snippet_length": 80})[0]
    quote = hit.quote("body")
    assert quote is not None and quote.text == wanted
    assert [passage.text for passage in hit.highlights["body"].passages] == [wanted]
    assert narsil.quotes("regeln", "a", "body", "Tiere")[0].text == wanted
    single = narsil.query("regeln", "Tiere", highlight={"fields": ["body"], "boundary": "sentence",
                                                        "max_snippet_length": 60})[0]
    assert single.highlights["body"].passages[0].text == wanted


def test_a_field_with_an_analyzer_of_its_own_has_its_language() -> None:
    text = "Das gilt bzgl. Tieren. Es ist so."
    narsil = Narsil()
    narsil.create_index("docs", schema={"en": "string", "de": "string"}, field_analyzers={"de": {"language": "german"}})
    narsil.insert("docs", {"id": "a", "en": text, "de": text})
    hit = narsil.query("docs", "gilt")[0]
    assert [hit.quote(field).text for field in ("en", "de")] == [      # type: ignore[union-attr]
        "Das gilt bzgl.", "Das gilt bzgl. Tieren."]
