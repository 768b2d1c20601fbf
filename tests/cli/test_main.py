"""What holds for every command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import MAIN, Run
from query2box.cli import app as app_module
from query2box.cli.output import printable
from query2box.errors import QuerySyntaxError

HEAVY = {"torch", "numba", "numpy", "rdflib", "pyarrow", "pyoxigraph", "rapidfuzz", "scipy"}


@pytest.mark.parametrize("arguments", [None, ["--help"], ["data", "--help"], ["--version"]])
def test_starting_loads_nothing_heavy(arguments: list[str] | None) -> None:
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    code = "import query2box" if arguments is None else MAIN
    done = subprocess.run(
        [sys.executable, "-c", f"{report}; {code}", *(arguments or [])],
        check=True,
        capture_output=True,
        text=True,
    )
    modules = set(done.stderr.split())
    assert "query2box" in modules
    assert modules.isdisjoint(HEAVY)


def test_version(q2b: Run) -> None:
    from query2box import __version__

    assert q2b("--version").out == f"q2b {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], r"No such command 'nonsense' \(see q2b --help\)"),
        (["data", "stats"], r"Missing argument 'DATA' \(see q2b data stats --help\)"),
        (["data", "stats", "x", "--why"], r"No such option:? '?--why'? \(see .*\)"),
        (["data", "import", "x"], r"Missing option '--out' \(see .*\)"),
        (["data", "import", "x", "--out", "y", "--seed", "x"], r"Invalid value for '--seed'.*"),
    ],
)
def test_wrong_usage_is_one_line(q2b: Run, arguments: list[str], complaint: str) -> None:
    assert re.fullmatch(complaint, q2b(*arguments).complaint)


def test_without_arguments_there_is_help(q2b: Run) -> None:
    outcome = q2b()
    assert "Usage: q2b" in outcome.out
    assert outcome.err == ""


def _fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(app_module, "app", fail)


@pytest.mark.parametrize(
    ("error", "complaint"),
    [
        (FileNotFoundError(2, "No such file or directory", "a\x1b[31m.tsv"),
         "a\\x1b[31m.tsv: No such file or directory"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("something odd"), "something odd"),
        (MemoryError(), "there is not enough memory for this"),
    ],
)  # fmt: skip
def test_errors_become_one_line(
    q2b: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, complaint: str
) -> None:
    _fail_with(monkeypatch, error)
    assert q2b().complaint == complaint


def test_a_caret_points_at_the_place(q2b: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(monkeypatch, QuerySyntaxError("no such thing", "?x :\tfoo", 5))
    outcome = q2b()
    assert outcome.code == 2
    assert outcome.err == "?x : foo\n     ^\nq2b: no such thing\n"


def test_a_mistake_of_ours_is_no_traceback(q2b: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(monkeypatch, ZeroDivisionError("oh\nno"))
    outcome = q2b()
    assert outcome.code == 1
    assert outcome.err.startswith("q2b: this is a mistake in q2b")
    assert outcome.err.endswith("ZeroDivisionError: oh no\n")
    assert outcome.err.count("\n") == 1
    monkeypatch.setenv("Q2B_TRACEBACK", "1")
    monkeypatch.setattr(sys, "argv", ["q2b"])
    from query2box.cli import main

    with pytest.raises(ZeroDivisionError):
        main()


def test_interrupts_are_quiet(q2b: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(monkeypatch, KeyboardInterrupt())
    outcome = q2b()
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "")


def test_a_broken_pipe_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("".join(f"a\tr{i}\tb\n" for i in range(20_000)))
    command = [sys.executable, "-c", MAIN, "data", "stats", str(tmp_path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_what_a_terminal_would_obey_is_spelt_out() -> None:
    assert printable("naïve [x] 日本 \x1b[31m\a\n") == "naïve [x] 日本 \\x1b[31m\\x07\\n"
