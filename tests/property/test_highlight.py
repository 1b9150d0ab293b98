"""Highlights: the kernels against their twins, and the laws that every highlight keeps, through the engine."""
from __future__ import annotations

import html
import pickle
import re
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from narsilpy import Analyzer, Narsil
from narsilpy._spans import SpanArray, densest, snap_to_words, tag
from narsilpy.highlight.build import build_highlight
from narsilpy.highlight.options import FieldPlan
from tests.reference import highlight as twin
from tests.reference.build import build_highlight as slow_highlight

ANALYZER = Analyzer()
# Words that match, that do not, and what sits between them: marks, widths, emoji, scripts without spaces, markup.
PIECES = ["fox", "Foxes", "fox’s", "river", "the", "e\u0301cole", "ＦＯＸ", "İstanbul",
          "東京都", "한국어", "👩‍👩‍👧", "🇫🇷🇩🇪",
          "<b>", "&amp;",
          '"', "'", ".", ", ", " ", "  ", "\r\n", "\u00a0", "\u200b", "—", "a\u0308\u0323", "x" * 50, "\ud800"]
texts = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
spaced = st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)
QUERIES = ["fox", "fox river", "ÉCOLE istanbul", "東京 한국", "the fox"]


@given(texts | spaced, st.data())
def test_snapping_to_words_equals_the_twin(text: str, data: st.DataObject) -> None:
    assume(text)
    bounds = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    start, match_start, match_end, end = bounds
    assume(start < end)
    arguments = (text, start, end, match_start, match_end)
    assert snap_to_words(*arguments) == twin.snap_to_words(*arguments)


@given(st.lists(st.tuples(st.integers(0, 80), st.integers(1, 9)), min_size=1, max_size=12), st.integers(1, 60))
def test_the_densest_window_and_its_tags_equal_the_twin(drawn: list[tuple[int, int]], size: int) -> None:
    starts = sorted({start for start, _ in drawn})
    spans = [(start, start + 3) for start in starts]        # of one length, so that ends ascend as words' do
    text = "".join(chr(97 + number % 26) for number in range(90))
    array = SpanArray([(start, end, 0, -1) for start, end in spans], (("fox", "fox", "exact"),))
    at = densest(array, 0, len(array), len(text), size)
    best = twin.most_inside(spans, len(text), size)
    assert (at < 0) == (best == 0)
    if at >= 0:
        first, stop = array.within(at, at + size, 0, len(array))
        assert stop - first == best
        assert tag(text, at, at + size, array, first, stop, "[", "]", False) == twin.tagged(
            text, at, at + size, spans[first:stop], "[", "]")


MATCHES = (("fox", "fox", "exact"), ("foxi", "fox", "stem"), ("den", "den", "exact"))
drawn_spans = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 12), st.integers(0, 2)), max_size=30)
plans = st.builds(FieldPlan, st.sampled_from(["<b>", "é", "", "\U0001f600"]), st.sampled_from(["</b>", ""]),
                  st.integers(0, 120), st.sampled_from(["word", "sentence", "char"]), st.booleans(), st.integers(1, 4),
                  st.sampled_from(["lead", "none"]), st.sampled_from(["…", "", "<...>", "\U0001f600"]),
                  st.sampled_from(["english", "thai"]))


def words_of(drawn: list[tuple[int, int, int]], text: str, value: int) -> list[tuple[int, int, int, int]]:
    """Records as words have them: they do not overlap, but may touch."""
    records: list[tuple[int, int, int, int]] = []
    reached = 0
    for start, length, match in sorted(drawn):
        if start >= reached and start + length <= len(text):
            records.append((start, start + length, match, value))
            reached = start + length
    return records


def assert_equal_to_the_twin(value: str | list[str], array: SpanArray, plan: FieldPlan) -> None:
    found, expected = build_highlight(value, array, plan), slow_highlight(value, array, plan)
    assert found == expected
    assert repr(found) == repr(expected)
    assert found.to_dict() == expected.to_dict()
    assert hash(found) == hash(expected)
    assert pickle.loads(pickle.dumps(found)) == found


@given(drawn_spans, texts | spaced, plans)
def test_built_highlights_equal_the_twin(drawn: list[tuple[int, int, int]], text: str, plan: FieldPlan) -> None:
    assert_equal_to_the_twin(text, SpanArray(words_of(drawn, text, -1), MATCHES), plan)


@given(drawn_spans, texts | spaced, plans)
def test_tokens_within_tokens_are_built_as_by_the_twin(
        drawn: list[tuple[int, int, int]], text: str, plan: FieldPlan) -> None:
    records = sorted((start % (len(text) + 1), min(len(text), start % (len(text) + 1) + 3 * length), match, -1)
                     for start, length, match in drawn)
    records = [record for record in records if record[0] < record[1]]
    assert_equal_to_the_twin(text, SpanArray(records, MATCHES), plan)
    found = build_highlight(text, SpanArray(records, MATCHES), plan)
    for passage in found.passages:
        assert all(passage.start <= span.start and span.end <= passage.end for span in passage.spans)


@given(st.lists(st.tuples(drawn_spans, texts | spaced), max_size=4), plans)
def test_built_highlights_of_arrays_equal_the_twin(
        elements: list[tuple[list[tuple[int, int, int]], str]], plan: FieldPlan) -> None:
    records = [record for number, (drawn, text) in enumerate(elements) for record in words_of(drawn, text, number)]
    assert_equal_to_the_twin([text for _, text in elements], SpanArray(records, MATCHES), plan)


def test_a_snippet_in_plain_letters_of_a_text_with_others() -> None:
    """The interpreter's own copy refused to take ASCII from behind a Latin-1 letter."""
    hit = engine("\xa0fox").query("docs", "fox", highlight={"fields": ["body"], "max_snippet_length": 1})[0]
    assert hit.highlights["body"].snippet == "...f..."
    hit = engine("é" * 90 + " fox den").query("docs", "fox", highlight={"fields": ["body"], "max_snippet_length": 3})[0]
    assert hit.highlights["body"].snippet == "...<mark>fox</mark>..."


def test_a_field_full_of_matches_costs_no_more_and_hides_none() -> None:
    text = " ".join(["fox den"] * 3_000)
    narsil = engine(text)
    for options in ({}, {"passages": 3}):
        hit = narsil.query("docs", "fox den", highlight={"fields": ["body"], **options})[0]
        found = hit.highlights["body"]
        assert 0 < len(found.positions) <= 150
        assert len(found.matches) == 6_000      # read when asked for
        assert [text[span.start:span.end] for span in found.matches] == ["fox", "den"] * 3_000


@given(st.lists(st.sampled_from(["fox", "den", "oak", "elm. And", "ash"]), min_size=1, max_size=150).map(" ".join),
       st.integers(0, 90), st.sampled_from(["word", "sentence", "char"]), st.integers(1, 3), st.integers(1, 6))
def test_what_a_snippet_shows_is_marked_however_few_places_were_read(
        text: str, size: int, boundary: str, passages: int, limit: int) -> None:
    narsil = engine(text)
    hits = narsil.query("docs", "fox den", highlight={"fields": ["body"]}).hits
    assume(hits)
    _, query, number, _ = hits[0]._source
    every = query.spans(number, 0)
    some = query.spans(number, 0, None, limit)
    assert list(some.positions) == [span for span in every.positions if span.start <= some.horizon]
    plan = FieldPlan("<", ">", size, boundary, False, passages, "lead", "…")
    found = build_highlight(text, some, plan, lambda: query.spans(number, 0))
    assert list(found.matches) == list(every.positions)
    for passage in found.passages:
        assert list(passage.spans) == [span for span in every.positions
                                       if passage.start <= span.start and span.end <= passage.end]
    assert [span for passage in found.passages for span in passage.spans] == list(found.positions)


def engine(text: Any, **settings: Any) -> Narsil:
    narsil = Narsil()
    narsil.create_index("docs", schema={"body": "string", "tags": "string[]"}, **settings)
    narsil.insert("docs", {"body": text} if isinstance(text, str) else {"tags": text}, "a")
    return narsil


@given(texts | spaced, st.sampled_from(QUERIES), st.integers(0, 80), st.sampled_from(["word", "sentence", "char"]),
       st.integers(1, 3))
def test_every_highlight_keeps_the_laws(text: str, query: str, size: int, boundary: str, passages: int) -> None:
    options = {"fields": ["body"], "max_snippet_length": size, "boundary": boundary, "passages": passages,
               "pre_tag": "\x02", "post_tag": "\x03"}
    wanted = {token.term for token in ANALYZER.analyze(query)}
    expected = [(token.start, token.end) for token in ANALYZER.analyze(text) if token.term in wanted]
    for settings in ({}, {"track_positions": False}):
        hits = engine(text, **settings).query("docs", query, highlight=options).hits
        assert len(hits) == (1 if expected else 0)
        for hit in hits:
            found = hit.highlights["body"]
            assert [(span.start, span.end) for span in found.matches] == expected
            shown = [(span.start, span.end) for span in found.positions]
            assert set(shown) <= set(expected)
            assert shown == sorted(shown)
            for span in found.matches:      # the slice law
                assert 0 <= span.start < span.end <= len(text)
                assert span.term in {token.term for token in ANALYZER.analyze(text[span.start:span.end])}
            for passage in found.passages:
                assert text[passage.start:passage.end] == passage.text
                assert (passage.truncated_left, passage.truncated_right) == (passage.start > 0, passage.end < len(text))
                if passages == 1 and size:
                    assert len(passage.text) <= size
            if passages == 1:
                plain = html.unescape(found.snippet.replace("\x02", "").replace("\x03", ""))
                (passage,) = found.passages
                cut = ("..." if passage.truncated_left else "") + "\0" + ("..." if passage.truncated_right else "")
                assert plain == cut.replace("\0", html.unescape(html.escape(passage.text)))


@given(st.lists(texts, max_size=5), st.sampled_from(QUERIES))
def test_spans_of_array_fields_name_their_element(elements: list[str], query: str) -> None:
    wanted = {token.term for token in ANALYZER.analyze(query)}
    expected = [(number, token.start, token.end) for number, element in enumerate(elements)
                for token in ANALYZER.analyze(element) if token.term in wanted]
    for hit in engine(elements).query("docs", query, highlight={"fields": ["tags"]}):
        found = hit.highlights["tags"].matches
        assert [(span.value, span.start, span.end) for span in found] == expected


@given(texts | spaced)
def test_no_markup_of_a_source_survives_unescaped(text: str) -> None:
    for hit in engine("fox " + text).query("docs", "fox", highlight={"fields": ["body"]}):
        rest = re.sub(r"</?mark>", "", hit.highlights["body"].snippet)
        assert not re.search(r"[<>\"']", rest)


@given(st.text(max_size=60), st.sampled_from([{}, {"prefix": True}, {"tolerance": 2}, {"term_match": "all"}]))
def test_plain_queries_never_raise(query: str, options: dict[str, Any]) -> None:
    narsil = engine("a fox by the river in 東京")
    result = narsil.query("docs", query, **options)
    assert result.count >= len(result)


@given(st.lists(st.sampled_from(["RFC-0011", "node.js", "usb-c", "20.04", "a_b-c.d", "<>"]), max_size=12).map(" ".join),
       st.sampled_from(["RFC-0011", "usb c", "a_b-c.d", "20.04 node.js"]), st.integers(1, 30),
       st.sampled_from(["word", "sentence", "char"]), st.integers(1, 3))
def test_identifiers_that_hold_their_parts_are_shown_whole_or_not(
        text: str, query: str, size: int, boundary: str, passages: int) -> None:
    options = {"fields": ["body"], "max_snippet_length": size, "boundary": boundary, "passages": passages}
    for hit in engine(text, identifiers=True).query("docs", query, highlight=options):
        for passage in hit.highlights["body"].passages:
            assert all(passage.start <= span.start and span.end <= passage.end for span in passage.spans)
