"""What is written can be read again, in every format, whatever the names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.graph.readers import read_triples
from query2box.graph.readers.reading import Reading, fault
from query2box.graph.writers import write_triples

SUFFIXES = ["tsv", "csv", "nt", "parquet"]
SUFFIXES += [f"{suffix}.gz" for suffix in SUFFIXES]

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r")
NAMES = st.one_of(
    st.text(LETTERS, min_size=1),
    st.sampled_from(
        [
            "Côte d'Ivoire",
            'the "quoted" one',
            " spaces around ",
            "a,b;c",
            "\x00\x0b\x0c\x1c\x85\u2028",
            "http://example.org/é?q=%20#x",
            "concept:city",
            "urn:q2b:a%20b",
            "_:blank",
            "_:0123456789abcdef0123456789abcdef",
            "_: no label",
            "<a>",
            "\\u0041",
            "%41",
            "日本語",
            "🦆",
            "#",
            "-",
            "a:b c",
            "mailto:a@b",
        ]
    ),
).filter(lambda name: not name.startswith("\ufeff"))
RELATIONS = NAMES.filter(lambda name: not name.startswith("^"))
TRIPLES = st.lists(st.tuples(NAMES, RELATIONS, NAMES), max_size=20)


@given(triples=TRIPLES, suffix=st.sampled_from(SUFFIXES))
@example(triples=[], suffix="parquet")
@example(triples=[("head", "relation", "tail")], suffix="csv")
def test_triples_come_back(
    triples: list[tuple[str, str, str]], suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("triples") / f"edges.{suffix}"
    write_triples(path, triples)
    # A TSV file has no header to tell a header by.
    reading = Reading(header=False if suffix.startswith("tsv") else None)
    assert list(read_triples(path, reading)) == triples
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@given(triple=st.tuples(*[st.text("a^\t\n\r\ufeff ", max_size=3)] * 3))
def test_what_cannot_come_back_is_not_written(
    triple: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("triples") / "edges.tsv"
    if fault(triple) is None:
        write_triples(path, [triple])
        assert list(read_triples(path)) == [triple]
    else:
        assert (
            not all(triple)
            or triple[1].startswith("^")
            or any(set("\t\n\r") & set(name) or name[0] == "\ufeff" for name in triple)
        )
        with pytest.raises(DataError, match=r"edges.tsv: cannot write this"):
            write_triples(path, [("a", "b", "c"), triple])
        assert not path.exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_larger_than_a_block(suffix: str, tmp_path: Path) -> None:
    triples = [(f"e{i}", f"r{i % 7}", "x" * 50) for i in range(35_000)]
    path = tmp_path / f"edges.{suffix}"
    write_triples(path, triples)
    assert list(read_triples(path)) == triples


def test_formats_that_are_only_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="turtle files are only read; write tsv, csv"):
        write_triples(tmp_path / "a.ttl", [])
    with pytest.raises(DataError, match="does not tell its format"):
        write_triples(tmp_path / "a.xlsx", [])
