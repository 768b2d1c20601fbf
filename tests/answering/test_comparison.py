from __future__ import annotations

import numpy as np
import pytest

from families import families
from query2box.answering import comparison
from query2box.model.config import ModelConfig


def test_rows_have_what_scripts_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(comparison, "SECONDS", 0.01)
    monkeypatch.setattr(comparison, "QUERIES", 8)
    monkeypatch.setattr(comparison, "TABLES", ((500, 4), (3, 2)))
    rows = list(comparison.compare_answering(families(), ModelConfig(dim=8, heads=2)))
    assert len(rows) == 10 + 1 + 2 * 3
    for row in rows:
        assert row.keys() == {"case", "ours", "plain", "ratio", "unit"}
        assert row["ours"] > 0
        assert row["plain"] > 0
    assert len({row["case"] for row in rows}) == len(rows)
    assert [row["unit"] for row in rows] == ["ms"] * 10 + ["queries/s"] + [
        "ms",
        "boxes/s",
        "GB",
    ] * 2
    for row in rows:  # above 1 where ours is better, whichever way that is
        less = row["unit"] in ("ms", "GB")
        better = row["plain"] / row["ours"] if less else row["ours"] / row["plain"]
        assert row["ratio"] == pytest.approx(better)
    memory = [row for row in rows if row["unit"] == "GB"]
    assert [row["case"].rpartition(", ")[2] for row in memory] == ["peak memory"] * 2
    assert all(0.01 < row["ours"] < 64 for row in memory)


def test_clusters_are_clusters():
    points = comparison.clustered(3000, 20)
    assert points.shape == (3000, 20)
    to_first = np.abs(points - points[0]).sum(1)
    assert np.sort(to_first)[50] < 0.7 * np.median(to_first)
