"""`q2b answer`."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from query2box.cli.ask import LOOPS_OPTION, STORED_OPTION, warn_of_guesses
from query2box.cli.output import JSON_OPTION, print_json, stderr


def answer(
    run: Path = typer.Argument(help="A run folder."),
    queries: Path = typer.Option(..., "--queries", help="A query file: JSON, a question a line."),
    out: Path = typer.Option(..., "--out", help="The same lines with answers."),
    k: int = typer.Option(100, "-k", min=0, help="How many answers a question."),
    only: str | None = typer.Option(None, "--only", help="known or predicted answers only."),
    resume: bool = typer.Option(False, "--resume", help="Go on with OUT.partial."),
    loops: bool = LOOPS_OPTION,
    stored: str = STORED_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Answer many questions at once.

    Example: q2b answer runs/countries --queries questions.jsonl --out answers.jsonl.gz
    """
    from query2box.answering.answer_files import answer_file
    from query2box.answering.reasoner import Reasoner

    reasoner = Reasoner.load(run, stored)  # type: ignore[arg-type]
    began = time.perf_counter()
    with stderr().status("answering ...") as status:
        told = began

        def progress(done: int) -> None:
            nonlocal told
            now = time.perf_counter()
            line = f"{done:,} questions, {done / (now - began):,.0f} a second"
            status.update(line)
            if not stderr().is_terminal and now - told > 10:
                told = now
                stderr().print(line)

        count = answer_file(
            reasoner,
            queries,
            out,
            k,
            only=only,  # type: ignore[arg-type]
            loops=loops,
            resume=resume,
            progress=progress,
        )
    seconds = time.perf_counter() - began
    if as_json:
        print_json({"queries": count, "seconds": seconds, "out": str(out)})
    else:
        stderr().print(f"{count:,} questions answered in {seconds:,.1f} s: {out}")
    warn_of_guesses(reasoner)
