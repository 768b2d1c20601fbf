from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "train.tsv").write_text("a\tr\tb\na\tr\tc\nb\t[red]s\x1b\ta\na\tr\tb\n")
    (tmp_path / "valid.tsv").write_text("d\tr\ta\n")
    (tmp_path / "labels.tsv").write_text("a\tA\nnobody\tN\n")
    return tmp_path


def test_json(q2b: Run, data: Path) -> None:
    assert q2b("data", "stats", data, "--json").json == {
        "entities": 4,
        "relations": 2,
        "edges": {"train": 3, "valid": 1},
        "labels": 1,
        "out_degree": {"mean": 1.0, "median": 1.0, "max": 2},
        "in_degree": {"mean": 1.0, "median": 1.0, "max": 2},
        "entities_without_training_edges": 1,
        "per_relation": [
            {"relation": "r", "edges": 3, "objects": 1.5, "inverse_objects": 1.0},
            {"relation": "[red]s\x1b", "edges": 1, "objects": 1.0, "inverse_objects": 1.0},
        ],
        "duplicates": 1,
        "unknown_labels": 1,
    }


def test_table(q2b: Run, data: Path) -> None:
    outcome = q2b("data", "stats", data)
    assert outcome.code == 0
    assert "[red]s\\x1b" in outcome.out
    assert "1 duplicate edges were left out" in outcome.err


def test_many_relations_are_cut_short(q2b: Run, tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("".join(f"a\tr{i}\tb\n" for i in range(25)))
    assert "... and 5 more; --json has all" in q2b("data", "stats", tmp_path).out
    assert len(q2b("data", "stats", tmp_path, "--json").json["per_relation"]) == 25


def test_a_built_in_dataset(q2b: Run) -> None:
    assert q2b("data", "stats", "countries", "--json").json["duplicates"] == 0


def test_an_unknown_dataset(q2b: Run) -> None:
    assert "did you mean countries?" in q2b("data", "stats", "contries").complaint
