"""TSV, CSV and Parquet: headers, columns, line ends, bad lines."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import ConfigError, DataError
from query2box.graph.readers import read_triples
from query2box.graph.readers.reading import Reading

EDGE = ("a", "r", "b")
OTHER = ("c", "s", "d")


def read(tmp_path: Path, name: str, content: bytes, **options: object) -> tuple[list, Reading]:
    path = tmp_path / name
    path.write_bytes(content)
    reading = Reading(**options)  # type: ignore[arg-type]
    return list(read_triples(path, reading)), reading


@pytest.mark.parametrize("name", ["edges.tsv", "edges.csv", "edges.txt", "EDGES.TSV"])
@pytest.mark.parametrize(
    "template",
    [
        "a,r,b\nc,s,d\n",
        "a,r,b\nc,s,d",
        "a,r,b\r\nc,s,d\r\n",
        "a,r,b\r\nc,s,d",
        "\ufeffa,r,b\nc,s,d\n",
        "\na,r,b\n\n\nc,s,d\n\n",
    ],
)
def test_line_ends_and_empty_lines(tmp_path: Path, name: str, template: str) -> None:
    separator = "," if name.endswith("csv") else "\t"
    content = template.replace(",", separator).encode()
    assert read(tmp_path, name, content)[0] == [EDGE, OTHER]


@pytest.mark.parametrize("name", ["empty.tsv", "empty.csv", "empty.nt", "empty.ttl"])
def test_an_empty_file_has_no_edges(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, name, b"")[0] == []


@pytest.mark.parametrize("name", ["edges.tsv", "edges.csv"])
@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("head,relation,tail", "a,r,b"),
        ("Subject,Predicate,Object", "a,r,b"),
        ("source,target,relationship", "a,b,r"),
        ("h,r,t", "a,r,b"),
        ("id,x_name,relation,weight,y_name", "7,a,r,0.5,b"),
        (" from , type , to ", "a,r,b"),
    ],
)
def test_headers_are_recognized(tmp_path: Path, name: str, header: str, row: str) -> None:
    content = f"{header}\n{row}\n".replace(",", "," if name.endswith("csv") else "\t")
    triples, reading = read(tmp_path, name, content.encode())
    assert triples == [EDGE]
    assert reading.header_lines == 1


@pytest.mark.parametrize("name", ["edges.tsv", "edges.csv"])
def test_a_header_is_what_the_user_says(tmp_path: Path, name: str) -> None:
    separator = b"," if name.endswith("csv") else b"\t"
    content = b"head,relation,tail\na,r,b\n".replace(b",", separator)
    assert read(tmp_path, name, content, header=False)[0] == [("head", "relation", "tail"), EDGE]
    odd = b"x,y,z\na,r,b\n".replace(b",", separator)
    assert read(tmp_path, name, odd)[0] == [("x", "y", "z"), EDGE]
    assert read(tmp_path, name, odd, header=True)[0] == [EDGE]


@pytest.mark.parametrize("name", ["edges.tsv", "edges.csv"])
@pytest.mark.parametrize(
    ("columns", "header"),
    [(("from", "kind", "to"), None), (("from", "kind", "to"), True), (("3", "4", "1"), True)],
)
def test_columns_are_chosen(
    tmp_path: Path, name: str, columns: tuple[str, str, str], header: bool | None
) -> None:
    content = b"to,weight,from,kind\nb,1,a,r\n"
    content = content if name.endswith("csv") else content.replace(b",", b"\t")
    assert read(tmp_path, name, content, columns=columns, header=header)[0] == [EDGE]


def test_columns_by_number_need_no_header(tmp_path: Path) -> None:
    triples, _ = read(tmp_path, "e.csv", b"b,1,a,r\nd,2,c,s\n", columns=("3", "4", "1"))
    assert triples == [EDGE, OTHER]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ("a", "b", "x")}, "no column 'x'; there are 'a', 'b', 'c'"),
        ({"columns": ("1", "2", "4")}, "no column 4; there are 3"),
        ({"columns": ("0", "2", "3")}, "no column 0; there are 3"),
        ({"columns": ("a", "b", "c"), "header": False}, "given by number"),
    ],
)
@pytest.mark.parametrize("name", ["edges.tsv", "edges.csv"])
def test_columns_that_are_not_there(
    tmp_path: Path, name: str, options: dict[str, object], message: str
) -> None:
    content = b"a,b,c\n" if name.endswith("csv") else b"a\tb\tc\n"
    with pytest.raises((DataError, ConfigError), match=message):
        read(tmp_path, name, content, **options)


def test_a_header_that_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="which columns are head, relation and tail"):
        read(tmp_path, "e.csv", b"x,y,z,w\na,r,b,1\n", header=True)


LINES = st.lists(
    st.sampled_from(
        [
            (b"a\tr\tb", EDGE),
            (b"c\ts\td", OTHER),
            (b"two\tcolumns", None),
            (b"f\to\tu\tr", None),
            (b"\tr\tb", None),
            (b"a\t\tb", None),
            (b"a\tr\t", None),
            (b"a\t^r\tb", None),
            (b"a\tr\t\xff", None),
            (b"a\tr\tb\rc", None),
            (b"\xef\xbb\xbfa\tr\tb", None),
        ]
    ),
    max_size=30,
)


@given(lines=LINES)
def test_bad_lines_are_told_from_good_ones(
    lines: list[tuple[bytes, tuple[str, str, str] | None]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("lines") / "edges.tsv"
    # The first line is a good one: a byte order mark there is none of its name.
    path.write_bytes(b"".join(line + b"\n" for line, _ in [(b"a\tr\tb", EDGE), *lines]))
    reading = Reading(skip_bad_lines=True)
    good = [edge for _, edge in lines if edge]
    assert list(read_triples(path, reading)) == [EDGE, *good]
    assert reading.bad_lines == len(lines) - len(good)
    first_bad = next((i for i, (_, edge) in enumerate(lines, 2) if edge is None), None)
    if first_bad is not None:
        with pytest.raises(DataError) as caught:
            list(read_triples(path))
        assert caught.value.line == first_bad


def test_bad_lines_deep_in_a_file(tmp_path: Path) -> None:
    content = b"a\tr\tb\n" * 300_000 + b"bad\n"
    with pytest.raises(DataError, match=":300001: 3 columns expected, 1 found"):
        read(tmp_path, "e.tsv", content)


@pytest.mark.parametrize("name", ["e.tsv", "e.csv", "e.nt"])
def test_a_line_that_never_ends(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="a line is too long"):
        read(tmp_path, name, b"x" * (1 << 23), skip_bad_lines=True)


def test_csv_quoting(tmp_path: Path) -> None:
    content = b'"a,1","r ""x""",b\n'
    assert read(tmp_path, "e.csv", content)[0] == [("a,1", 'r "x"', "b")]


def test_a_quote_that_is_never_closed_counts_every_line_it_takes(tmp_path: Path) -> None:
    content = b'a,r,b\n"a,r,b\na,r,b\n'
    triples, reading = read(tmp_path, "e.csv", content, skip_bad_lines=True)
    assert triples == [EDGE]
    assert reading.bad_lines == 2
    with pytest.raises(DataError, match=r"e.csv:2: this is no CSV"):
        read(tmp_path, "e.csv", content)


def write_parquet(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_parquet_columns(tmp_path: Path) -> None:
    edges = {"tail": ["b", "d"], "n": [1, 2], "head": ["a", "c"]}
    relations = pa.array(["r", "s"]).dictionary_encode()
    path = write_parquet(tmp_path / "e.parquet", **edges, relation=relations)
    assert list(read_triples(path)) == [EDGE, OTHER]
    by_number = Reading(columns=("2", "4", "2"))
    assert list(read_triples(path, by_number)) == [("1", "r", "1"), ("2", "s", "2")]
    path = write_parquet(tmp_path / "e.parquet", x=["a"], y=["r"], z=["b"])
    assert list(read_triples(path)) == [EDGE]


def test_parquet_bad_rows(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "e.pq", head=["a", None], relation=["r", "r"], tail=["b", "c"])
    with pytest.raises(DataError, match=r"e.pq:2: a name is empty"):
        list(read_triples(path))
    reading = Reading(skip_bad_lines=True)
    assert list(read_triples(path, reading)) == [EDGE]
    assert reading.bad_lines == 1


def test_parquet_that_cannot_be_read(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "a.parquet", a=["x"], b=["y"], c=[{"deep": 1}])
    with pytest.raises(DataError, match="cannot be read: Unsupported cast"):
        list(read_triples(path))
    path = write_parquet(tmp_path / "a.parquet", a=["x"], b=["y"], c=["z"], d=["w"])
    with pytest.raises(DataError, match="which columns"):
        list(read_triples(path))
    data = path.read_bytes()
    path.write_bytes(data[:4] + bytes(40) + data[44:])
    with pytest.raises(DataError):
        list(read_triples(path, Reading(columns=("a", "b", "c"))))
    path.write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match="this Parquet file cannot be read"):
        list(read_triples(path))
    with pytest.raises(ConfigError, match="always have names"):
        list(read_triples(path, Reading(header=False)))


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_parquet(tmp_path / "a.parquet", head=["a"], relation=["r"], tail=["b"])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(DataError, match=r"pip install 'query2box\[parquet\]'"):
        list(read_triples(path))
