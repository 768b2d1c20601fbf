from __future__ import annotations

from pathlib import Path

from query2box.experiment.journal import Journal


def test_lines_come_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.entries() == []
    journal.write("progress", step=1, loss=0.5)
    journal.write("end", step=2)
    assert journal.entries() == [
        {"kind": "progress", "step": 1, "loss": 0.5},
        {"kind": "end", "step": 2},
    ]


def test_what_is_no_line_does_not_count(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write("progress", step=1)
    with journal.path.open("ab") as file:
        file.write(b'3\n[]\n\xff\n{"kind": "progress", "st')
    assert journal.entries() == [{"kind": "progress", "step": 1}]


def test_going_back_to_a_step(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for step in (1, 2, 3):
        journal.write("progress", step=step)
    with journal.path.open("a") as file:
        file.write('{"kind": "prog')
    journal.rewind(2)
    journal.write("stop", step=2)
    assert [entry["step"] for entry in journal.entries()] == [1, 2, 2]
    assert len(journal.path.read_text().splitlines()) == 3
    journal.rewind(-1)
    assert journal.entries() == []


def test_going_back_where_there_is_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.rewind(5)
    assert journal.entries() == []
