"""`q2b bench`: rows that outside scripts read."""

from __future__ import annotations

from pathlib import Path

from command_line import Run
from query2box.answering import comparison as answering
from query2box.workload import comparison


def test_sample(q2b: Run, monkeypatch) -> None:
    whole = comparison.compare_workload
    monkeypatch.setattr(comparison, "compare_workload", lambda graph: whole(graph, seconds=0.01))
    rows = q2b("bench", "sample", "countries", "--json").json
    assert len(rows) == 10
    for row in rows:
        assert row.keys() == {"case", "ours", "plain", "ratio", "unit"}
        assert row["ratio"] > 1
    shown = q2b("bench", "sample")
    assert shown.code == 0
    assert "exact answers" in shown.out


def test_an_unknown_case(q2b: Run) -> None:
    assert "no benchmark 'nothing'; say" in q2b("bench", "nothing").complaint


def test_a_trained_model_is_asked(q2b: Run, tiny_run: Path, monkeypatch) -> None:
    monkeypatch.setattr(answering, "SECONDS", 0.01)
    monkeypatch.setattr(answering, "QUERIES", 4)
    rows = q2b("bench", "answer", "--run", str(tiny_run), "--json").json
    assert [row["unit"] for row in rows] == ["ms"] * 10 + ["queries/s"]


def test_only_answering_asks_a_run(q2b: Run, tiny_run: Path) -> None:
    assert "bench answer" in q2b("bench", "train", "--run", str(tiny_run)).complaint
