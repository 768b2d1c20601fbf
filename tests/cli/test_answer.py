from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command_line import MAIN, Run

QUESTIONS = [{"query": f"?c : child(mother{i}, ?c)"} for i in range(6)]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))
    return path


def test_a_file_of_questions_is_answered(q2b: Run, tiny_run: Path, questions: Path):
    out = questions.with_name("answers.jsonl.gz")
    outcome = q2b("answer", tiny_run, "--queries", questions, "--out", out, "-k", 2, "--json")
    assert outcome.json["queries"] == len(QUESTIONS)
    lines = [json.loads(line) for line in gzip.decompress(out.read_bytes()).splitlines()]
    for question, line in zip(QUESTIONS, lines, strict=True):
        asked = q2b("ask", tiny_run, question["query"], "-k", 2, "--json").json
        assert line == {**question, "answers": asked["answers"]}


def test_loops_are_given_on_demand(q2b: Run, tiny_run: Path, questions: Path):
    for words, each in ((), 32), (("--loops",), 33):
        out = questions.with_name(f"{each}.jsonl")
        assert q2b("answer", tiny_run, "--queries", questions, "--out", out, *words).code == 0
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        assert [len(line["answers"]) for line in lines] == [each] * len(QUESTIONS)


def test_messages_go_to_stderr(q2b: Run, tiny_run: Path, questions: Path):
    outcome = q2b("answer", tiny_run, "--queries", questions, "--out", questions.with_name("out"))
    assert (outcome.code, outcome.out) == (0, "")
    assert "6 questions answered" in outcome.err


def test_a_bad_line_is_one_complaint(q2b: Run, tiny_run: Path, questions: Path):
    questions.write_text('{"query": "?c : child(nobody, ?c)"}\n')
    out = questions.with_name("out")
    assert (
        "questions.jsonl:1: "
        in q2b("answer", tiny_run, "--queries", questions, "--out", out).complaint
    )


def test_a_killed_command_is_gone_on_with(q2b: Run, tiny_run: Path, tmp_path: Path):
    questions, out = tmp_path / "questions.jsonl", tmp_path / "out.jsonl"
    questions.write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS * 1000))
    arguments = ["answer", str(tiny_run), "--queries", str(questions), "--out", str(out), "-k", "5"]
    process = subprocess.Popen([sys.executable, "-c", MAIN, *arguments], stderr=subprocess.DEVNULL)
    partial = tmp_path / "out.jsonl.partial"
    end = time.monotonic() + 600
    while time.monotonic() < end and process.poll() is None:
        if partial.exists() and partial.stat().st_size > 100:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    if not out.exists():  # it was not quicker than the signal
        assert process.returncode == 128 + signal.SIGTERM
        assert q2b(*arguments, "--resume", "--json").json["queries"] == 1000 * len(QUESTIONS)
    lines = out.read_text().splitlines()
    assert len(lines) == 1000 * len(QUESTIONS)
    assert lines[: len(QUESTIONS)] == lines[-len(QUESTIONS) :]
