from __future__ import annotations

from pathlib import Path

import pytest

from query2box.errors import DataError
from query2box.graph.readers import read_triples
from query2box.graph.readers.reading import Reading

X = "http://x/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"


def read(path: Path, text: str | bytes, **options: bool) -> tuple[list, Reading]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    reading = Reading(**options)
    return list(read_triples(path, reading)), reading


def test_ntriples(tmp_path: Path) -> None:
    triples, reading = read(
        tmp_path / "a.nt",
        """# a comment
<http://x/a> <http://x/r> <http://x/b> .

_:n1 <http://x/r> _:n2 . # another
<http://x/a> <http://x/age> "7" .
<urn:q2b:New%20York> <urn:q2b:in> <urn:q2b:%C3%89tat> .
""",
    )
    assert triples == [
        (X + "a", X + "r", X + "b"),
        ("_:n1", X + "r", "_:n2"),
        ("New York", "in", "État"),
    ]
    assert reading.literals == 1


def test_labels(tmp_path: Path) -> None:
    _, reading = read(
        tmp_path / "a.ttl",
        f"""@prefix : <http://x/> . @prefix rdfs: <{RDFS}> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix s: <https://schema.org/> .
:a rdfs:label "Allemagne"@fr, "Germany"@en, "Deutschland"@de, "FRG" .
:b skos:prefLabel "der Hund"@de .
:c s:name "two\\n lines\\there" ; rdfs:label "second" ; rdfs:comment "not a label" .
:d rdfs:label "  " .
""",
    )
    assert reading.labels == {
        X + "a": "Germany",
        X + "b": "der Hund",
        X + "c": "two lines here",
    }
    assert reading.literals == 1


def test_anonymous_nodes_get_the_same_names_each_time(tmp_path: Path) -> None:
    text = "@prefix : <http://x/> . :a :r [ :s :b ], [ :s _:named ] ."
    first, _ = read(tmp_path / "a.ttl", text)
    assert first == read(tmp_path / "a.ttl", text)[0]
    assert {name for edge in first for name in edge if name.startswith("_:")} == {
        "_:anonymous1",
        "_:anonymous2",
        "_:named",
    }


def test_anonymous_nodes_of_two_files_differ(tmp_path: Path) -> None:
    reading = Reading()
    found = set()
    for name in ("a.ttl", "b.ttl"):
        (tmp_path / name).write_text("@prefix : <http://x/> . [] :r :a .")
        found |= {head for head, _, _ in read_triples(tmp_path / name, reading)}
    assert len(found) == 2


@pytest.mark.parametrize(
    ("name", "bad", "line"),
    [
        ("a.nt", "what is this", 2),
        ("a.nt", "<http://x/a> <http://x/r> .", 2),
        ("a.nt", "<relative> <http://x/r> <http://x/b> .", 2),
        ("a.nt", '"literal" <http://x/r> <http://x/b> .', 2),
        ("a.nt", b"<http://x/a> <http://x/r> <http://x/\xff> .", 2),
        ("a.nt", b'<http://x/a> <http://x/r> "\xff" .', 2),
        ("a.ttl", "<http://x/a> <http://x/r> nonsense .", 2),
        ("a.ttl", b"<http://x/a> <http://x/r> <http://x/\xff> .", 2),
        ("a.nt", "<http://x/a> <urn:q2b:%5Er> <http://x/b> .", None),
        ("a.nt", "<http://x/a> <http://x/r> <urn:q2b:> .", None),
        ("a.nt", "<http://x/a> <http://x/r> <urn:q2b:a%09b> .", None),
    ],
)
def test_bad_statements(tmp_path: Path, name: str, bad: str | bytes, line: int | None) -> None:
    good = b"<http://x/a> <http://x/r> <http://x/b> .\n"
    text = good + (bad.encode() if isinstance(bad, str) else bad) + b"\n" + good
    with pytest.raises(DataError) as caught:
        read(tmp_path / name, text)
    assert caught.value.line == line
    triples, reading = read(tmp_path / name, text, skip_bad_lines=True)
    assert triples == [(X + "a", X + "r", X + "b")] * 2
    assert reading.bad_lines == 1


def test_line_numbers_deep_in_a_file(tmp_path: Path) -> None:
    good = b"<http://x/a> <http://x/r> <http://x/b> .\n"
    with pytest.raises(DataError) as caught:
        read(tmp_path / "a.nt", good * 60_000 + b"bad\n")
    assert caught.value.line == 60_001


def test_a_statement_without_end(tmp_path: Path) -> None:
    text = '<http://x/a> <http://x/r> """' + "x" * (1 << 25)
    with pytest.raises(DataError, match="a statement is too long"):
        read(tmp_path / "a.ttl", text, skip_bad_lines=True)
