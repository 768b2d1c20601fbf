"""`q2b bench`: rows that outside scripts read."""

from __future__ import annotations

from command_line import Run
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
