"""The demo: the scene of the baggage rules, search and cite over one's own documents, and the program round both."""
from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from narsilpy import Narsil
from narsilpy.cli import main
from narsilpy.demo import Claim, Draft, Source, play_scene, publish
from narsilpy.demo.rules import INDEX, INVENTED, RULES, SCHEMA, SEARCH

SENTENCE = (
    "One folding pushchair and one child seat travel free of charge for each child under two, carried in the hold and "
    "collected at the baggage belt."
)


def test_search_finds_the_rule_with_exact_positions() -> None:
    with Narsil() as engine:
        engine.create_index(INDEX, schema=SCHEMA, language="english")
        engine.insert_batch(INDEX, RULES)
        hit = engine.query(INDEX, term=SEARCH, highlight={"fields": ["body"]}, limit=2).hits[0]
        assert hit.id == "CB-04"
        spans = [(span.start, span.end) for span in hit.highlights["body"].positions]
        assert spans == [(4, 11), (12, 21), (130, 137), (146, 155), (170, 174)]
        body = hit.document["body"]
        assert [body[start:end] for start, end in spans] == ["folding", "pushchair", "baggage", "pushchair", "fold"]
        assert "<mark>folding</mark> <mark>pushchair</mark>" in hit.highlights["body"].snippet
        quote = hit.quote("body")
        assert (quote.text, quote.start, quote.end) == (SENTENCE, 0, 143)


def test_scene_refuses_the_invented_quote_and_publishes_the_stored_one() -> None:
    outcome = play_scene()
    assert outcome.answer == f"Rule CB-04, Pushchairs and child seats, says: '{SENTENCE}'"
    assert [(refusal["doc_id"], refusal["quote"]) for refusal in outcome.refused] == [("CB-04", INVENTED)]
    assert "do not stand in the body of rule CB-04" in outcome.refused[0]["reason"]
    assert outcome.published == [{
        "reference": "Rule CB-04, Pushchairs and child seats",
        "doc_id": "CB-04", "field": "body", "start": 0, "end": 143, "quote": SENTENCE,
    }]
    assert outcome.texts == [RULES[0]["body"]]
    assert f"Model, with no source: Yes. {INVENTED}" in outcome.transcript


def test_stubborn_model_gets_nothing_published() -> None:
    class Stubborn:
        def search_words(self, question: str) -> str:
            return question

        def answer(self, question: str, sources: Sequence[Source], refusals: Sequence[str]) -> Draft:
            return Draft("It is so.", (Claim("CB-99", SENTENCE), Claim("CB-01", SENTENCE)))

    outcome = play_scene(Stubborn(), "May I?")
    assert outcome.answer is None
    assert outcome.published == []
    assert {refusal["doc_id"] for refusal in outcome.refused} == {"CB-99", "CB-01"}


def test_publish_keeps_true_and_false_claims_apart() -> None:
    with Narsil() as engine:
        engine.create_index(INDEX, schema=SCHEMA, language="english")
        engine.insert_batch(INDEX, RULES)
        second = "A larger instrument needs a seat of its own, booked before departure."
        claims = [Claim("CB-09", second), Claim("CB-09", second.replace("larger", "smaller")), Claim("CB-0", second)]
        published, refused = publish(engine, INDEX, claims)
    assert [(item["start"], item["end"], item["quote"]) for item in published] == [(61, 130, second)]
    assert [refusal["reason"] for refusal in refused] == [
        "these words do not stand in the body of rule CB-09", "there is no rule CB-0",
    ]


# The program


def run_main(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_program_prints_the_four_parts_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run_main(capsys, "demo")
    assert (status, err) == (0, "")
    printed = json.loads(out)
    assert list(printed) == ["question", "answer", "refused", "published"]
    assert printed == play_scene().to_dict()


def test_module_runs_as_a_program_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "narsilpy", "demo"], capture_output=True, check=True, stdin=subprocess.DEVNULL,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert json.loads(done.stdout)["published"][0]["end"] == 143


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are a Unix thing")
@pytest.mark.parametrize(("no_color", "marks"), [(None, ("\x1b[4m", "\x1b[24m")), ("1", ("[[", "]]"))])
def test_terminal_shows_the_rule_with_the_passage_underlined(no_color: str | None, marks: tuple[str, str]) -> None:
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": no_color or ""}
    out = in_a_terminal(["demo"], environment)
    assert f"{marks[0]}{SENTENCE}{marks[1]} A pushchair that does not fold" in out
    assert "Model, with no source:" in out
    assert json.loads(in_a_terminal(["demo", "--json"], environment))["published"][0]["start"] == 0


def in_a_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    parent, child = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "narsilpy", *arguments], stdin=child, stdout=child, stderr=child, env=environment,
        cwd=Path(__file__).resolve().parents[2],
    )
    os.close(child)
    read = b""
    try:
        while chunk := os.read(parent, 65536):
            read += chunk
    except OSError:  # Linux tells the end of a pseudo-terminal with EIO
        pass
    os.close(parent)
    assert process.wait() == 0
    return read.decode().replace("\r\n", "\n")


def documents(path: Path, *lines: object, zipped: bool = False) -> str:
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if zipped else data)
    return str(path)


@pytest.mark.parametrize("zipped", [False, True])
def test_own_documents_are_searched_and_cited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], zipped: bool
) -> None:
    name = documents(tmp_path / "own.jsonl", *RULES, {"id": "note", "title": "no body"}, zipped=zipped)
    status, out, _ = run_main(capsys, "demo", "--docs", name, "--query", "crutches", "--field", "body")
    assert status == 0
    printed = json.loads(out)
    (item,) = printed["published"]
    assert (item["doc_id"], item["start"], item["end"]) == ("CB-12", 0, len(RULES[3]["body"]))
    assert RULES[3]["body"][item["start"]:item["end"]] == item["quote"]
    assert printed["question"] == "crutches"
    assert printed["answer"] == f"Document CB-12, Mobility equipment, says: '{item['quote']}'"
    assert printed["refused"] == []


def test_nested_fields_and_other_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ({"_id": 7, "page": {"text": "İstanbul'da bir ev. The second house."}}, {"page": {"text": "A house."}})
    status, out, _ = run_main(
        capsys, "demo", "--docs", documents(tmp_path / "a", *lines), "--query", "house", "--field", "page.text"
    )
    assert status == 0
    cited = {item["doc_id"]: item for item in json.loads(out)["published"]}
    assert set(cited) == {"7", "2"}
    text = lines[0]["page"]["text"]
    assert text[cited["7"]["start"]:cited["7"]["end"]] == cited["7"]["quote"] == "The second house."


def test_nothing_found_is_an_answer_of_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run_main(capsys, "demo", "--docs", documents(tmp_path / "a", *RULES), "--query", "submarine")
    assert status == 0
    assert json.loads(out) == {"question": "submarine", "answer": None, "refused": [], "published": []}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([{"id": "a", "text": "x"}], 'no document has a field "body"; the fields are: id, text'),
        ([], 'no document has a field "body"'),
        ([{"body": "x"}, {"body": 5}], 'line 2: field "body" must be text, not int'),
        ([{"id": "a", "body": "x"}, {"id": "a", "body": "y"}], "line 2: id 'a' stands on line 1 already"),
    ],
)
def test_unusable_documents_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[object], told: str
) -> None:
    status, out, err = run_main(capsys, "demo", "--docs", documents(tmp_path / "a", *lines), "--query", "x")
    assert (status, out) == (1, "")
    assert told in err
    assert "Traceback" not in err


def test_missing_file_and_bad_usage_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run_main(capsys, "demo", "--docs", str(tmp_path / "none"), "--query", "x")
    assert (status, "there is no file" in err) == (1, True)
    status, _, err = run_main(capsys, "demo", "--query", "x")
    assert (status, "belong together" in err) == (1, True)
    name = documents(tmp_path / "a", *RULES)
    status, _, err = run_main(capsys, "demo", "--docs", name, "--query", "x", "--language", "klingon")
    assert (status, "klingon" in err) == (1, True)
    with pytest.raises(SystemExit) as caught:
        main(["demo", "--limit", "0"])
    assert caught.value.code == 2
