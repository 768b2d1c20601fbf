"""`q2b update` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Run


@pytest.fixture
def added(tmp_path: Path) -> Path:
    path = tmp_path / "new.csv"
    path.write_text("from,how,to\nmother0,child,newborn\nmother0,child,\nmother1,raised,mother0\n")
    return path


def test_update(q2b: Run, tiny_run: Path, added: Path, tmp_path: Path) -> None:
    words = ("update", tiny_run, "--add", added, "--out", tmp_path / "run", "--steps", 30)
    words += ("--columns", "from,how,to", "--skip-bad-lines")
    found = q2b(*words, "--json")
    report = found.json
    assert report["run"] == str(tmp_path / "run")
    assert report["entities"] == {"before": 33, "after": 34}
    assert report["edges"]["after"] - report["edges"]["before"] == 2
    assert (report["duplicates"], report["bad_lines"], report["steps"]) == (0, 1, 30)
    for part in ("old_edges", "new_edges"):
        assert 0 <= report[part]["before"]["hits@3"] <= 1
        assert 0 <= report[part]["after"]["hits@3"] <= 1
    assert report["new_edges"]["all_after"]["queries"] == 4
    asked = q2b("ask", tmp_path / "run", "?c : child(mother0, ?c)", "--json").json
    assert "newborn" in [answer["entity"] for answer in asked["answers"]]


def test_figures_for_people(q2b: Run, tiny_run: Path, added: Path, tmp_path: Path) -> None:
    words = ("update", tiny_run, "--add", added, "--out", tmp_path / "run", "--minutes", 0.001)
    shown = q2b(*words, "--skip-bad-lines", "--header")
    assert shown.code == 0, shown
    assert "34 entities (1 new), 5 relations (0 new)" in shown.out
    assert "1 bad lines skipped" in shown.out
    assert "validation questions, before" in shown.out
    assert "all new edges, after" in shown.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--add", "nowhere.tsv"], "nowhere.tsv: No such file"),
        (["--add", "new.csv"], "new.csv:3"),
        (["--add", "new.pdf"], "the file's name does not tell its format"),
        (["--add", "new.csv", "--columns", "a"], "--columns takes three"),
        (["--add", "new.csv", "--skip-bad-lines", "--minutes", "0"], "minutes must be above 0"),
        (["--add", "new.csv", "--steps", "1", "--minutes", "1"], "either minutes or steps"),
        (["--add", "empty.tsv"], "there are no edges to add"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(
    q2b: Run,
    tiny_run: Path,
    added: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.tsv").touch()
    assert message in q2b("update", tiny_run, "--out", "run", *words).complaint
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.tsv", "new.csv"]


def test_what_is_there_is_not_touched(
    q2b: Run, tiny_run: Path, added: Path, tmp_path: Path
) -> None:
    words = ("update", tiny_run, "--add", added, "--out", tmp_path, "--skip-bad-lines")
    assert "this is there already" in q2b(*words).complaint


def test_help(q2b: Run) -> None:
    found = q2b("update", "--help")
    assert found.code == 0
    assert "q2b update runs/people --add new.tsv" in found.out
