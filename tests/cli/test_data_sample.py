"""`q2b data sample` and `q2b data answer` on the built-in graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import Run
from query2box.cli.data.sample import parse_structures
from query2box.query.skeleton import STRUCTURES, TRAINING_STRUCTURES, structure


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_sample_then_answer(q2b: Run, tmp_path: Path) -> None:
    out, answered = tmp_path / "queries.jsonl", tmp_path / "answered.jsonl"
    done = q2b(
        "data",
        "sample",
        "countries",
        "--split",
        "valid",
        "--per-structure",
        5,
        "--out",
        out,
        "--json",
    )
    assert done.json["queries"] == 45
    assert [row["structure"] for row in done.json["structures"]] == list(STRUCTURES)
    found = lines(out)
    assert [line["structure"] for line in found] == [s for s in STRUCTURES for _ in range(5)]
    assert all(line["hard"] for line in found)
    for graph, expected in (
        ("train", lambda line: line["easy"]),
        ("valid", lambda line: sorted(line["easy"] + line["hard"])),
    ):
        arguments = ("--queries", out, "--graph", graph, "--out", answered)
        assert q2b("data", "answer", "countries", *arguments, "--json").json["queries"] == 45
        assert lines(answered) == [{**line, "answers": expected(line)} for line in found]


def test_training_queries_by_name(q2b: Run, tmp_path: Path) -> None:
    out = tmp_path / "queries.jsonl"
    arguments = ("--split", "train", "--per-structure", 3, "--names", "--out", out)
    done = q2b("data", "sample", "countries", *arguments)
    assert done.code == 0
    assert "easy answers a query" in done.out
    found = lines(out)
    assert [line["structure"] for line in found] == [s for s in TRAINING_STRUCTURES for _ in "abc"]
    assert not any(line["hard"] for line in found)
    assert all(isinstance(entity, str) for line in found for entity in line["easy"])


def test_seeds(q2b: Run, tmp_path: Path) -> None:
    files = []
    for seed in (1, 1, 2):
        files.append(tmp_path / f"{len(files)}.jsonl")
        arguments = ("--structures", "2p", "--per-structure", 4, "--seed", seed)
        assert q2b("data", "sample", "countries", *arguments, "--out", files[-1]).code == 0
    one, same, other = (path.read_bytes() for path in files)
    assert one == same != other


def test_more_than_there_are(q2b: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.tsv").write_text("a\tr\tb\na\tr\tc\nb\tr\td\n")
    (data / "valid.tsv").write_text("a\tr\td\n")
    done = q2b(
        "data", "sample", data, "--per-structure", 9, "--structures", "1p", "--out", tmp_path / "q"
    )
    assert done.code == 0
    assert "gave only 2 different 1p" in done.err


def test_structures_and_shapes() -> None:
    shapes = parse_structures("1p, i(p(e),p(p(e))),pi,i(p(v1(p(e))),p(v1(p(e))))")
    assert shapes == [*map(structure, ("1p", "pi", "i(p(v1(p(e))),p(v1(p(e))))"))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--split", "all"), "no split 'all'; say train, valid, test"),
        (("--direction", "up"), "no direction 'up'; say backward or forward"),
        (("--per-structure", "0"), "--per-structure"),
    ],
)
def test_bad_options(q2b: Run, tmp_path: Path, arguments: tuple[str, str], message: str) -> None:
    done = q2b("data", "sample", "countries", *arguments, "--out", tmp_path / "q.jsonl")
    assert message in done.complaint
    assert not list(tmp_path.iterdir())


def test_a_shape_that_is_none(q2b: Run, tmp_path: Path) -> None:
    done = q2b("data", "sample", "countries", "--structures", "9z", "--out", tmp_path / "q.jsonl")
    assert done.code == 2
    assert "a shape is made of" in done.err.splitlines()[-1]


def test_bad_queries_are_told_with_their_line(q2b: Run, tmp_path: Path) -> None:
    queries = tmp_path / "q.jsonl"
    queries.write_text(
        '{"query": "?c : borders(France, ?c)"}\n{"query": "?c : borders(Frnce, ?c)"}\n'
    )
    done = q2b("data", "answer", "countries", "--queries", queries, "--out", tmp_path / "out.jsonl")
    assert done.complaint.startswith(f"{queries}:2: unknown entity 'Frnce'; did you mean 'France'")
    done = q2b(
        "data", "answer", "countries", "--queries", queries, "--graph", "x", "--out", tmp_path / "o"
    )
    assert "no graph 'x'" in done.complaint
    assert [path.name for path in tmp_path.iterdir()] == ["q.jsonl"]
