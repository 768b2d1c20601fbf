from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Run
from query2box.answering.reasoner import Reasoner

QUESTION = "?c : child(mother0, ?c)"


def test_json_is_what_the_contract_says(q2b: Run, tiny_run: Path):
    reply = q2b("ask", tiny_run, QUESTION, "-k", 3, "--json").json
    assert set(reply) == {"query", "disjuncts", "seconds", "answers"}
    assert reply["disjuncts"] == 1
    assert reply["query"]["nodes"] == ["p", "child", ["e", "mother0"]]
    assert len(reply["answers"]) == 3
    for answer in reply["answers"]:
        assert {name: type(value) for name, value in answer.items()} == {
            "entity": str,
            "label": str,
            "distance": float,
            "probability": float,
            "known": bool,
        }
    expected = Reasoner.load(tiny_run).answer(QUESTION, 3)
    assert reply["answers"] == [answer.to_json() for answer in expected]


def test_the_table_has_a_line_an_answer(q2b: Run, tiny_run: Path):
    outcome = q2b("ask", tiny_run, QUESTION, "-k", 4)
    head, *lines = outcome.out.splitlines()
    assert head.split() == ["rank", "answer", "probability", "distance"]
    answers = Reasoner.load(tiny_run).answer(QUESTION, 4)
    for rank, (line, answer) in enumerate(zip(lines, answers, strict=True), 1):
        state = "known" if answer.known else "predicted"
        assert line.split()[:2] == [str(rank), answer.entity]
        assert state in line
    assert outcome.err == ""


def test_sparql_unions_and_wishes(q2b: Run, tiny_run: Path):
    text = "SELECT ?c WHERE { { <mother0> <child> ?c } UNION { <mother1> <child> ?c } } LIMIT 4"
    assert q2b("ask", tiny_run, text, "--json").json["disjuncts"] == 2
    for only in ("known", "predicted"):
        reply = q2b("ask", tiny_run, text, "--only", only, "--json").json
        assert [a["known"] for a in reply["answers"]] == [only == "known"] * 4
    typed = q2b("ask", tiny_run, QUESTION, "--type", "?c : born(?c, city0)", "--json").json
    assert {a["entity"].split(".")[0] for a in typed["answers"]} <= {"child0", "child1"}
    everything = q2b("ask", tiny_run, QUESTION, "--stored", "test", "--only", "known", "--json")
    assert {a["entity"] for a in everything.json["answers"]} == {f"child0.{i}" for i in range(3)}


def test_nobody_is_its_own_child_unless_asked_for(q2b: Run, tiny_run: Path):
    everybody = Reasoner.load(tiny_run).graph.entities
    found = q2b("ask", tiny_run, QUESTION, "-k", 99, "--json").json["answers"]
    assert {a["entity"] for a in found} == {*everybody} - {"mother0"}
    found = q2b("ask", tiny_run, QUESTION, "-k", 99, "--loops", "--json").json["answers"]
    assert {a["entity"] for a in found} == {*everybody}


def test_no_answers(q2b: Run, tiny_run: Path):
    outcome = q2b("ask", tiny_run, QUESTION, "-k", 0)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "no answers\n")


@pytest.mark.parametrize(
    ("question", "place", "words"),
    [
        ("?c : child(mother99, ?c)", 11, ["mother99", "did you mean", "'mother"]),
        ("?c : chlid(mother0, ?c)", 5, ["chlid", "'child'"]),
        ("?c : child(mother0, ?c", 22, []),
        ("?c : ~child(mother0, ?c)", 5, ["negation"]),
    ],
)
def test_bad_questions_are_shown_with_a_caret(q2b: Run, tiny_run: Path, question, place, words):
    outcome = q2b("ask", tiny_run, question)
    assert outcome.code == 2
    assert outcome.out == ""
    text, caret, complaint = outcome.err.splitlines()
    assert (text, caret) == (question, " " * place + "^")
    assert complaint.startswith("q2b: ")
    assert all(word in complaint for word in words)


def test_bad_wishes_are_one_line(q2b: Run, tiny_run: Path, tmp_path: Path):
    assert "maybe" in q2b("ask", tiny_run, QUESTION, "--only", "maybe").complaint
    assert "maybe" in q2b("ask", tiny_run, QUESTION, "--stored", "maybe").complaint
    assert "no such run" in q2b("ask", tmp_path / "nothing", QUESTION).complaint
    assert "config.json" in q2b("ask", tmp_path, QUESTION).complaint


def test_guesses_are_called_guesses(q2b: Run, tiny_run: Path, tmp_path: Path):
    import shutil

    run = tmp_path / "run"
    shutil.copytree(tiny_run, run)
    (run / "calibration.json").unlink()
    outcome = q2b("ask", run, QUESTION, "--json")
    assert "not calibrated" in outcome.err
    assert outcome.json["answers"]
