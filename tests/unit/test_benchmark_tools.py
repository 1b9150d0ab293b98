"""The tools of the benchmarks: corpora are the same everywhere, and figures of merit mean what they say."""
from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import corpus, queries, relevance, tables, timing


def fingerprint(documents: object) -> str:
    return hashlib.sha256(json.dumps(documents, ensure_ascii=False).encode()).hexdigest()[:12]


def test_corpora_are_the_same_on_every_machine() -> None:
    assert fingerprint(list(corpus.english("short", 50))) == "ee12a5bd3268"
    assert fingerprint(list(corpus.mixed(50))) == "91436fb7ecd8"


def test_corpora_read_like_text() -> None:
    documents = list(corpus.english("short", 400))
    lengths = [len(document.body.split()) for document in documents]
    assert 50 < sum(lengths) / len(lengths) < 70
    words = [word.strip(".,").lower() for document in documents for word in document.body.split()]
    common = set(corpus.FUNCTION_WORDS)
    assert 0.3 < sum(word in common for word in words) / len(words) < 0.6
    assert len({document.id for document in documents}) == 400
    text = "".join(document.body for document in corpus.mixed(40))
    assert {"ß", "İ", "ж", "ع", "時", "도", "ก", "😀", "\u0301"} <= set(text)


def test_cache_gives_back_what_was_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "CACHE", tmp_path)
    assert corpus.load("mixed", 5) == list(corpus.mixed(5))
    assert corpus.load("mixed", 5) == list(corpus.mixed(5))
    assert [path.name for path in tmp_path.iterdir()] == ["mixed-5.jsonl"]


def test_queries_are_of_their_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "CACHE", tmp_path)
    monkeypatch.setattr(queries, "PER_KIND", 20)
    drawn = queries.load("short", 300)
    assert queries.load("short", 300) == drawn
    assert set(drawn) == set(queries.KINDS)
    bodies = [document.body.lower() for document in corpus.load("short", 300)]
    for query in drawn["phrase2"]:
        assert any(query.text in body for body in bodies)
    for query in drawn["and2"]:
        assert any(all(word in body for word in query.words) for body in bodies)
    assert all(len(query.words) == 4 for query in drawn["or4"])
    assert all(query.low <= query.high for query in drawn["filter_num"])


def test_grade_is_one_for_the_best_answer_alone() -> None:
    documents = [
        corpus.Document("a", "", "ship ship ship", "tag00", 1),
        corpus.Document("b", "", "ship harbour road river", "tag01", 2),
        corpus.Document("c", "", "river", "tag00", 3),
    ]
    query = queries.Query("common", ("ships",))
    reference = queries.Reference(documents, [query])
    assert reference.grade(query, ["a", "b"]) == 1.0
    assert reference.grade(query, ["b", "a"]) == 1.0          # order among the ten is another question
    assert reference.grade(query, ["b", "c"]) < 0.6
    assert reference.grade(queries.Query("filter_tag", ("ship",), tag="tag01"), ["b"]) == 1.0
    assert reference.grade(queries.Query("filter_num", ("ship",), low=5, high=9), []) == 1.0
    assert reference.grade(queries.Query("filter_num", ("ship",), low=5, high=9), ["a"]) == 0.0


def test_measures_by_hand() -> None:
    ndcg, average_precision, recall = relevance.measures({"a": 2, "b": 1, "c": 0}, ["c", "b", "x", "a"])
    assert ndcg == pytest.approx((1 / 1.5849625 + 2 / 2.3219281) / (2 + 1 / 1.5849625))
    assert average_precision == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert recall == 1.0
    assert relevance.measures({"a": 1}, []) == (0.0, 0.0, 0.0)
    assert relevance.evaluate({"q": {"a": 1}, "unjudged": {"a": 0}}, {"q": [("a", 1.0)]}) == {
        "nDCG@10": 1.0, "MAP": 1.0, "recall@100": 1.0,
    }


def test_collection_is_read_plain_and_zipped(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n")
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(b'{"_id": "d1", "title": "T", "text": "x"}\n'))
    assert relevance.judgements(tmp_path) == {"q1": {"d1": 1, "d2": 0}}
    assert list(relevance.documents(tmp_path)) == [{"id": "d1", "text": "T x"}]


def test_charts_are_well_formed_and_bars_grow_with_the_figure() -> None:
    svg = tables.bars("a < b", {"rare": {"ours": 5.0, "theirs": 500.0, "none": None}}, "µs")
    root = ElementTree.fromstring(svg)
    bars = [
        float(rect.attrib["width"]) for rect in root.iter("{http://www.w3.org/2000/svg}rect")
        if rect.attrib.get("height") == str(tables.BAR - 2) and rect.attrib["x"] == str(tables.LEFT)
    ]
    assert len(bars) == 2
    assert bars[0] < bars[1]
    assert tables.bars("nothing", {}, "µs") == ""


def test_latency_takes_the_best_pass_of_each_argument() -> None:
    clock = itertools.count()
    found = timing.latency(lambda number: next(clock), list(range(40)), seconds=60, passes=2)
    assert found.n == 40
    assert 0 < found.p50 <= found.p90 <= found.p99
    assert timing.Latency.of([3.0, 1.0, 2.0]) == timing.Latency(2.0, 3.0, 3.0, 3)
