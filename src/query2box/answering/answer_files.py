"""A file of questions in, the same lines with answers out, a batch at a time.

Lines go to `OUT.partial` as they are answered; the file takes its place when it
is whole. What a killed process leaves there, the next one can go on with.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from query2box.answering.questions import Asked, QueryLike, understand
from query2box.answering.reasoner import Only, Reasoner
from query2box.errors import DataError, QueryError
from query2box.graph.files import atomic_binary
from query2box.query.codec import Json
from query2box.workload.query_files import Document, read_documents, to_line

BATCH = 1024


def answer_file(
    reasoner: Reasoner,
    queries: str | Path,
    out: str | Path,
    k: int = 100,
    *,
    only: Only = None,
    loops: bool = False,
    resume: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Answer the questions of a file; how many there are. `progress` hears how many are done."""
    out = Path(out)
    if out.is_dir():
        raise DataError("this is a folder, not a file", out)
    lines = read_documents(queries)
    if out.exists() and not out.is_file():  # a pipe has nothing to go on with
        with out.open("wb") as file:
            return _answer(reasoner, lines, queries, file, k, only, loops, 0, progress)
    partial = out.with_name(out.name + ".partial")
    with partial.open("r+b" if resume and partial.exists() else "wb") as file:
        done = _pass_over(lines, file, partial) if resume else 0
        done = _answer(reasoner, lines, queries, file, k, only, loops, done, progress)
    if out.suffix == ".gz":
        with partial.open("rb") as plain, atomic_binary(out) as zipped:
            shutil.copyfileobj(plain, zipped)
        partial.unlink()
    else:
        partial.replace(out)
    return done


def _answer(
    reasoner: Reasoner,
    lines: Iterator[tuple[int, Document]],
    queries: str | Path,
    file: BinaryIO,
    k: int,
    only: Only,
    loops: bool,
    done: int,
    progress: Callable[[int], None],
) -> int:
    progress(done)
    while batch := list(islice(lines, BATCH)):
        asked = [_understood(reasoner, document, queries, line) for line, document in batch]
        answered = reasoner.answer_many([one.query for one in asked], k, only=only, loops=loops)
        for (_, document), one, answers in zip(batch, asked, answered, strict=True):
            found: list[Json] = [answer.to_json() for answer in answers[: one.limit]]
            file.write(to_line({**document, "answers": found}).encode())
        file.flush()
        done += len(batch)
        progress(done)
    return done


def _understood(reasoner: Reasoner, document: Document, queries: str | Path, line: int) -> Asked:
    try:
        return understand(cast("QueryLike", document["query"]), reasoner.graph)
    except QueryError as error:
        raise DataError(str(error), queries, line) from error
    except RecursionError as error:
        raise DataError("the query is nested too deep", queries, line) from error


def _pass_over(lines: Iterator[tuple[int, Document]], file: BinaryIO, path: Path) -> int:
    """Pass over the questions that are answered already; how many.

    What comes after the last whole line is cut off.
    """
    done = whole = 0
    for text in file:
        if not text.endswith(b"\n"):
            break
        _, document = next(lines, (0, cast("Document", {})))
        try:
            answered = json.loads(text)["query"]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError("this is no line of answers", path, done + 1) from error
        if answered != document.get("query"):
            raise DataError("these answers are of other questions", path, done + 1)
        done += 1
        whole += len(text)
    file.seek(whole)
    file.truncate()
    return done
