"""`q2b index`, and `q2b ask` with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import Run

pytest.importorskip("faiss", reason="the extra 'index' is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:builtin type")  # of faiss's wrappers

QUESTION = "?c : child(mother0, ?c) | lives(mother1, ?c)"


@pytest.fixture
def run(tiny_run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_run, tmp_path / "run")


def test_answers_with_an_index_are_those_of_the_scan(q2b: Run, run: Path) -> None:
    made = q2b("index", run, "--cells", 5, "--json").json
    assert made.pop("seconds") >= 0
    assert made == {"run": str(run), "cells": 5}
    for k in (1, 4, 1000):
        plain = q2b("ask", run, QUESTION, "-k", k, "--json").json
        found = q2b("ask", run, QUESTION, "-k", k, "--index", "--json").json
        assert found["certified"]
        assert found["answers"] == plain["answers"]
        assert "certified" not in plain


def test_a_budget_is_told_of(q2b: Run, run: Path) -> None:
    assert "33 entities in 6 cells" in q2b("index", run).err
    outcome = q2b("ask", run, QUESTION, "--budget", 0)
    assert outcome.code == 0
    assert "not certified" in outcome.err
    assert not q2b("ask", run, QUESTION, "--budget", 0, "--json").json["certified"]


def test_no_index(q2b: Run, tiny_run: Path) -> None:
    complaint = q2b("ask", tiny_run, QUESTION, "--index").complaint
    assert f"{tiny_run}: this run has no index of its entities" in complaint


def test_a_damaged_index_is_named(q2b: Run, run: Path) -> None:
    (run / "index.npz").write_bytes(b"PK")
    assert "index.npz: the file is damaged" in q2b("ask", run, QUESTION).complaint


def test_help(q2b: Run) -> None:
    assert "q2b index runs/large" in q2b("index", "--help").out
