from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from families import families
from query2box.answering import answer_files
from query2box.answering.answer_files import answer_file
from query2box.errors import DataError
from reasoners import random_reasoner

REASONER = random_reasoner(families())

QUESTIONS = [
    {"query": f"?c : child('{person}{i}', ?c)", "number": i}
    for i in range(6)
    for person in ("mother", "father")
] + [
    {"query": ["p", "lives", ["e", "mother0"]], "structure": "1p", "hard": ["city0"]},
    {"query": "SELECT ?x WHERE { <mother0> <child> ?x } LIMIT 2"},
    {"query": ["u", ["p", "child", ["e", 0]], ["p", "^child", ["e", 1]]]},
]


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(answer_files, "BATCH", 4)
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n\n" for line in QUESTIONS))
    return path


def test_lines_come_back_with_answers(questions: Path, tmp_path: Path):
    out = tmp_path / "out.jsonl"
    heard: list[int] = []
    assert answer_file(REASONER, questions, out, 3, progress=heard.append) == len(QUESTIONS)
    assert heard == [0, 4, 8, 12, 15]
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == len(QUESTIONS)
    for question, line in zip(QUESTIONS, lines, strict=True):
        expected = [answer.to_json() for answer in REASONER.answer(question["query"], 3)]
        assert line == {**question, "answers": expected}
    assert len(lines[-2]["answers"]) == 2
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_known_or_predicted_only(questions: Path, tmp_path: Path):
    for only in ("known", "predicted"):
        answer_file(REASONER, questions, tmp_path / "out", 5, only=only)
        for line in (tmp_path / "out").read_text().splitlines():
            assert all(a["known"] == (only == "known") for a in json.loads(line)["answers"])


def test_gzipped_files_hold_the_same(questions: Path, tmp_path: Path):
    zipped = tmp_path / "questions.jsonl.gz"
    zipped.write_bytes(gzip.compress(questions.read_bytes()))
    answer_file(REASONER, questions, tmp_path / "plain.jsonl")
    answer_file(REASONER, zipped, tmp_path / "zipped.jsonl.gz")
    unzipped = gzip.decompress((tmp_path / "zipped.jsonl.gz").read_bytes())
    assert unzipped == (tmp_path / "plain.jsonl").read_bytes()


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1))
def test_a_file_cut_anywhere_is_gone_on_with(questions: Path, tmp_path: Path, share: float):
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    if not whole.exists():
        answer_file(REASONER, questions, whole)
    out.unlink(missing_ok=True)
    contents = whole.read_bytes()
    (tmp_path / "out.jsonl.partial").write_bytes(contents[: int(share * len(contents))])
    assert answer_file(REASONER, questions, out, resume=True) == len(QUESTIONS)
    assert out.read_bytes() == contents


def test_an_interruption_leaves_whole_batches(questions: Path, tmp_path: Path):
    out = tmp_path / "out.jsonl.gz"

    def interrupt(done: int) -> None:
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_file(REASONER, questions, out, progress=interrupt)
    assert not out.exists()
    assert len((tmp_path / "out.jsonl.gz.partial").read_text().splitlines()) == 8
    heard: list[int] = []
    answer_file(REASONER, questions, out, resume=True, progress=heard.append)
    assert heard[0] == 8
    answer_file(REASONER, questions, tmp_path / "whole.jsonl")
    assert gzip.decompress(out.read_bytes()) == (tmp_path / "whole.jsonl").read_bytes()


def test_without_resume_it_begins_anew(questions: Path, tmp_path: Path):
    (tmp_path / "out.partial").write_text("something else\n")
    answer_file(REASONER, questions, tmp_path / "out")
    assert len((tmp_path / "out").read_text().splitlines()) == len(QUESTIONS)


@pytest.mark.parametrize(
    "line", ["no JSON", "[]", "{}", '{"query": ["p", "lives", ["e", "mother1"]]}']
)
def test_a_partial_file_of_something_else_is_refused(questions: Path, tmp_path: Path, line: str):
    partial = tmp_path / "out.partial"
    partial.write_text(line + "\n")
    with pytest.raises(DataError, match=r"out\.partial:1"):
        answer_file(REASONER, questions, tmp_path / "out", resume=True)
    assert partial.read_text() == line + "\n"


def test_more_answers_than_questions_are_refused(questions: Path, tmp_path: Path):
    answer_file(REASONER, questions, tmp_path / "out.partial")
    questions.write_text(json.dumps(QUESTIONS[0]) + "\n")
    with pytest.raises(DataError, match="other questions"):
        answer_file(REASONER, questions, tmp_path / "out", resume=True)


@pytest.mark.parametrize(
    "line",
    [
        '{"query": "?c : child(nobody, ?c)"}',
        '{"query": 3}',
        '{"query": ["p"]}',
        '{"query": null}',
        "{}",
        "no JSON",
        json.dumps({"query": "["}),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str):
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps(QUESTIONS[0]) + "\n" + line + "\n")
    with pytest.raises(DataError, match=r"questions\.jsonl:2"):
        answer_file(REASONER, questions, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_asked_nothing_answered(tmp_path: Path):
    (tmp_path / "empty.jsonl").write_text("")
    assert answer_file(REASONER, tmp_path / "empty.jsonl", tmp_path / "out") == 0
    assert (tmp_path / "out").read_text() == ""
    with pytest.raises(DataError, match="folder"):
        answer_file(REASONER, tmp_path / "empty.jsonl", tmp_path)
