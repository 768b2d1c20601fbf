"""Tables of recorded runs, character by character."""

from __future__ import annotations

import pytest

from query2box.experiment.report.quality import link_prediction_table, metric_table, runs_table
from query2box.experiment.report.render import FORMATS
from query2box.experiment.report.statistics import graph_table, query_table
from query2box.experiment.report.tables import Table
from recorded import GOLDEN, recorded_dataset, recorded_runs

DATASET = recorded_dataset()
TABLES = {
    table.name: table
    for table in (
        metric_table(DATASET, "valid", "hits@3"),
        metric_table(DATASET, "valid", "mrr"),
        link_prediction_table(DATASET, "valid"),
        query_table(DATASET, "valid"),
        graph_table([DATASET]),
        runs_table(recorded_runs(), "valid"),
    )
}


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_tables(table: Table, ending: str) -> None:
    wanted = (GOLDEN / f"{table.name}.{ending}").read_text("utf-8")
    assert FORMATS[ending](table) == wanted


def test_a_graph_that_is_not_the_papers() -> None:
    plain = metric_table(recorded_dataset(of_the_paper=False), "valid", "hits@3")
    ours = [row for row in TABLES["hits3-fb15k-237"].rows if "paper" not in str(row[0])]
    assert list(plain.rows) == ours
    assert "paper" not in plain.note
