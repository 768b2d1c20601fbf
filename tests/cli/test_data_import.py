from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import MAIN, Run
from query2box.graph.folder import load_folder

GOOD = b"a\tr\tb\nb\tr\tc\nc\tr\ta\n"


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_csv_becomes_a_dataset(q2b: Run, tmp_path: Path) -> None:
    rows = [f"e{h},likes,e{t}" for h in range(10) for t in range(10)]
    (tmp_path / "facts.csv").write_text("\n".join(["subject,predicate,object", *rows, rows[0]]))
    (tmp_path / "names.tsv").write_text("e1\tOne\nghost\tGhost\n")
    out = tmp_path / "data"
    arguments = ("data", "import", tmp_path / "facts.csv", "--labels", tmp_path / "names.tsv")
    summary = q2b(*arguments, "--out", out, "--json").json
    assert summary == {
        "folder": str(out),
        "entities": 10,
        "relations": 1,
        "edges": {"train": 80, "valid": 10, "test": 10},
        "labels": 1,
        "moved": 0,
        "dropped": 0,
        "duplicates": 1,
        "bad_lines": 0,
        "header_lines": 1,
        "literals": 0,
        "unknown_labels": 1,
    }
    assert set(files(out)) == {
        f"{name}.tsv" for name in ("train", "valid", "test", "entities", "relations", "labels")
    }
    graph = load_folder(out).graph
    assert graph.num_edges == 100
    assert graph.label(graph.entity_id("One")) == "One"

    text = q2b(*arguments, "--out", out)
    assert text.code == 0
    assert "edges: 80 train, 10 valid, 10 test" in text.out
    assert "1 duplicate edges dropped" in text.out
    assert "1 header lines" in text.out


def test_options_reach_the_readers(q2b: Run, tmp_path: Path) -> None:
    (tmp_path / "facts").write_text("b\tx\ta\tr\nbad line\nc\tx\tb\tr\n")
    summary = q2b(
        *("data", "import", tmp_path / "facts", "--out", tmp_path / "data", "--format", "tsv"),
        *("--columns", "3, 4, 1", "--no-header", "--skip-bad-lines", "--json"),
        *("--valid", 0, "--test", 0),
    ).json
    assert summary["edges"] == {"train": 2}
    assert summary["bad_lines"] == 1
    graph = load_folder(tmp_path / "data").graph
    assert list(graph.triples("train")) == [("a", "r", "b"), ("b", "r", "c")]


def test_literals_and_labels_of_rdf(q2b: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(
        "@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':a :r :b ; rdfs:label "A"@en, "Ah"@de ; :age 7 .'
    )
    summary = q2b("data", "import", tmp_path / "a.ttl", "--out", tmp_path / "d", "--json").json
    assert (summary["literals"], summary["labels"]) == (1, 1)


def test_files_called_after_splits(q2b: Run, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.txt").write_bytes(GOOD)
    (source / "test.txt").write_bytes(b"a\tr\tc\na\tr\tnew\n")
    arguments = ("data", "import", source, "--out", tmp_path / "data")
    assert "--keep-splits would keep those" in q2b(*arguments).err
    outcome = q2b(*arguments, "--keep-splits", "--json")
    assert outcome.err == ""
    assert outcome.json["edges"] == {"train": 3, "test": 1}
    assert outcome.json["dropped"] == 1


@pytest.mark.parametrize(
    ("first", "others", "asked"),
    [
        ("person\tdoes\twhat\n", "a\tr\tb\nb\tr\tc\n", True),
        ("person\tr\twhat\n", "a\tr\tb\nb\tr\tc\n", False),
        ("a\tdoes\twhat\n", "a\tr\tb\nb\tr\tc\n", False),
        ("person\tdoes\tb\n", "a\tr\tb\nb\tr\tc\n", False),
        ("person\tdoes\tperson\n", "a\tr\tb\nb\tr\tc\n", False),
        ("person\tdoes\twhat\n", "", False),
        ("", "a\tr\tb\n", False),
    ],
)
def test_a_first_line_that_may_be_a_header(
    q2b: Run, tmp_path: Path, first: str, others: str, asked: bool
) -> None:
    (tmp_path / "a.tsv").write_text(first + others)
    arguments = ("data", "import", tmp_path / "a.tsv", "--out", tmp_path / "data")
    outcome = q2b(*arguments)
    assert outcome.code == 0
    assert ("the first line, person, does, what, occur nowhere else" in outcome.err) == asked
    assert "--header" not in q2b(*arguments, "--no-header").err


def test_the_same_seed_gives_the_same_bytes(q2b: Run, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(
        "".join(f"<urn:q2b:{i % 9}> <urn:q2b:r> <urn:q2b:{i % 7}> .\n" for i in range(63))
    )
    for name in ("one", "two"):
        q2b("data", "import", tmp_path / "a.nt", "--out", tmp_path / name, "--seed", 5)
    assert files(tmp_path / "one") == files(tmp_path / "two") != {}


MALFORMED = [
    ("a.tsv", b"a\tr\tb\na\tr\n", "a.tsv:2: 3 columns expected, 2 found"),
    (
        "a.tsv",
        b"a\tr\tb\tc\n",
        "a.tsv:1: 3 columns expected, 4 found; --columns says which three count",
    ),
    (
        "a.tsv",
        b"a r b\n",
        "a.tsv:1: 3 columns expected, 1 found; TSV has tabs between them, CSV commas",
    ),
    ("a.tsv", GOOD + b"a\t\tb\n", "a.tsv:4: a name is empty"),
    ("a.tsv", GOOD + b"a\t^r\tb\n", "a.tsv:4: the relation '^r' begins with ^"),
    ("a.tsv", GOOD + b"a\tr\t\xff\n", "a.tsv:4: the text is not UTF-8"),
    ("a.tsv", GOOD + b"a\tr\tb\rc\n", "a.tsv:4: the name 'b\\rc' holds a tab, a line break"),
    ("a.tsv", b"", "a.tsv: there are no edges to import"),
    ("a.tsv", b"\x00" * (1 << 22), "a.tsv: a line is too long; is this a text file?"),
    ("a.tsv.gz", gzip.compress(GOOD * 1000, mtime=0)[:-20], "a.tsv.gz: damaged gzip file"),
    ("a.tsv.gz", GOOD, "a.tsv.gz: damaged gzip file"),
    (
        "a.tsv.gz",
        gzip.compress(GOOD + b"a\tr\n", mtime=0),
        "a.tsv.gz:4: 3 columns expected, 2 found",
    ),
    ("a.csv", b"a,r,b\na,r\n", "a.csv:2: 3 columns expected, 2 found"),
    ("a.csv", b'a,r,b\n"a"x,r,b\n', "a.csv:2: this is no CSV"),
    ("a.csv", b'a,r,"b\n', "a.csv:1: this is no CSV"),
    ("a.csv", b'a,r,"b\nc"\n', "a.csv:1: the name 'b\\nc' holds a tab, a line break"),
    ("a.csv", b"a,r,b\n\xff,r,b\n", "a.csv:2: the text is not UTF-8"),
    ("a.csv", b"head,relation,tail\n", "a.csv: there are no edges to import"),
    ("a.nt", b"<http://a> <http://b> <http://c> .\nx\n", "a.nt:2: "),
    ("a.nt", b'<http://a> <http://b> "only a literal" .\n', "a.nt: there are no edges"),
    ("a.ttl", b"@prefix : <http://x/> .\n:a :r ;\n", "a.ttl:"),
    ("a.ttl", b":a :r :b .", "a.ttl:1: "),
    ("a.parquet", b"PAR1", "a.parquet: this Parquet file cannot be read"),
    ("a.parquet.gz", b"PAR1", "a.parquet.gz: damaged gzip file"),
    ("a.xlsx", b"PK", "a.xlsx: the file's name does not tell its format; say which: tsv, csv"),
]


@pytest.mark.parametrize(("name", "content", "message"), MALFORMED)
@pytest.mark.parametrize("before", [None, GOOD])
def test_malformed_files(
    q2b: Run, tmp_path: Path, name: str, content: bytes, message: str, before: bytes | None
) -> None:
    """One line that names the place, exit code 2, and the disk as it was."""
    (tmp_path / name).write_bytes(content)
    if before is not None:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "train.tsv").write_bytes(before)
    at_first = files(tmp_path)
    complaint = q2b("data", "import", tmp_path / name, "--out", tmp_path / "data").complaint
    assert complaint.startswith(f"{tmp_path}/{message}")
    assert files(tmp_path) == at_first
    assert {p.name for p in tmp_path.iterdir()} == {name, *(["data"] if before else [])}


@pytest.mark.parametrize("number", [0, 5, 11])
def test_malformed_files_in_a_process_of_its_own(
    q2b_process: Run, tmp_path: Path, number: int
) -> None:
    name, content, message = MALFORMED[number]
    (tmp_path / name).write_bytes(content)
    outcome = q2b_process("data", "import", name, "--out", "data", cwd=tmp_path)
    assert outcome.complaint.startswith(message)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--valid", "0.5", "--test", "0.5"], "validation (0.5) and test (0.5) take shares"),
        (["--valid", "nan"], "validation (nan)"),
        (["--columns", "a,b"], "--columns takes three"),
        (["--columns", "a,b,"], "--columns takes three"),
        (["--columns", "x,y,z", "--no-header"], "columns without a header"),
        (["--columns", "1,2,9"], "{}/a.tsv:1: no column 9; there are 3"),
        (["--format", "xml"], "no format 'xml'; say tsv, csv, ntriples, turtle, parquet"),
        (["--keep-splits"], "to keep splits, call the files"),
        (["--labels", "{}/nowhere"], "{}/nowhere: No such file or directory"),
        (["--labels", "{}/a.tsv"], "{}/a.tsv:1: an entity and its label expected"),
        (["{}/nowhere.tsv"], "{}/nowhere.tsv: No such file or directory"),
        (["{}/empty"], "{}/empty: no files of edges in this folder"),
        (["--out", "{}/a.tsv"], "{}/a.tsv: Not a directory"),
        (["--out", "{}/full"], "{}/full: the folder holds 'thesis.tex' already"),
        (["--out", "{}/a.tsv/data"], "{}/a.tsv: File exists"),
    ],
)
def test_options_that_cannot_be(
    q2b: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "a.tsv").write_bytes(GOOD)
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years of work")
    at_first = files(tmp_path)
    given = [argument.format(tmp_path) for argument in arguments]
    complaint = q2b(
        "data", "import", tmp_path / "a.tsv", "--out", tmp_path / "data", *given
    ).complaint
    assert complaint.startswith(message.format(tmp_path))
    assert files(tmp_path) == at_first


def test_a_full_disk(q2b_process: Run, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("".join(f"{i}\tr\t{i}\n" for i in range(1000)))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.tsv").write_bytes(GOOD)
    at_first = files(tmp_path)
    outcome = q2b_process(
        *("data", "import", "a.tsv", "--out", "data"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert outcome.complaint == "data/train.tsv: File too large"
    assert files(tmp_path) == at_first


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_an_interrupted_import_leaves_nothing(tmp_path: Path, number: int, code: int) -> None:
    source = tmp_path / "slow.tsv"
    os.mkfifo(source)
    arguments = ["data", "import", "slow.tsv", "--out", "data"]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Shells have their background jobs ignore SIGINT, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    with process:
        # Opening waits until the other side reads, by when its folder is begun. Closing
        # wakes it if the signal came just before it went to sleep over an empty pipe.
        pipe = source.open("wb")
        pipe.write(GOOD)
        pipe.flush()
        assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(number)
        pipe.close()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, "", "")
    assert list(tmp_path.iterdir()) == [source]
