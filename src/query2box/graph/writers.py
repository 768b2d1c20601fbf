"""Edges into files, in the format that the file's name tells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

from query2box.errors import DataError
from query2box.graph.files import atomic_binary, atomic_text
from query2box.graph.readers import format_of
from query2box.graph.readers.parquet import pyarrow
from query2box.graph.readers.rdf import URN
from query2box.graph.readers.reading import fault

Triple: TypeAlias = tuple[str, str, str]


def write_triples(path: str | Path, triples: Iterable[Triple]) -> None:
    """Write edges by name: TSV, CSV, N-Triples or Parquet, gzipped where the name says so."""
    path = Path(path)
    wanted = format_of(path)
    if wanted not in _WRITERS:
        raise DataError(f"{wanted} files are only read; write {', '.join(_WRITERS)}", path)
    _WRITERS[wanted](path, _checked(triples, path))


def write_tsv(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as tab-separated values; that nothing in them needs quoting is taken on trust."""
    with atomic_text(path) as out:
        out.writelines("\t".join(row) + "\n" for row in rows)


def _checked(triples: Iterable[Triple], path: Path) -> Iterator[Triple]:
    for triple in triples:
        trouble = fault(triple)
        if trouble:
            raise DataError(f"cannot write this: {trouble}", path)
        yield triple


def _write_csv(path: Path, triples: Iterable[Triple]) -> None:
    with atomic_text(path) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("head", "relation", "tail"))
        writer.writerows(triples)


def _write_ntriples(path: Path, triples: Iterable[Triple]) -> None:
    with atomic_text(path) as out:
        out.writelines(f"{_node(h)} {_iri(r)} {_node(t)} .\n" for h, r, t in triples)


@lru_cache(1 << 16)
def _node(name: str) -> str:
    if name.startswith("_:"):
        from pyoxigraph import BlankNode

        try:
            return str(BlankNode(name[2:]))
        except ValueError:
            pass
    return _iri(name)


@lru_cache(1 << 16)
def _iri(name: str) -> str:
    """The name in angle brackets if it is an absolute IRI, else percent-encoded in ours."""
    from pyoxigraph import NamedNode

    if not name.startswith(URN):
        try:
            return str(NamedNode(name))
        except ValueError:
            pass
    return f"<{URN}{quote(name, safe='')}>"


def _write_parquet(path: Path, triples: Iterable[Triple]) -> None:
    pa = pyarrow(path)
    schema = pa.schema([(name, pa.string()) for name in ("head", "relation", "tail")])
    triples = iter(triples)
    with atomic_binary(path) as out, pa.parquet.ParquetWriter(out, schema) as table:
        while rows := list(islice(triples, 1 << 16)):
            table.write_batch(pa.record_batch(list(zip(*rows, strict=True)), schema=schema))


_WRITERS: dict[str, Callable[[Path, Iterable[Triple]], None]] = {
    "tsv": write_tsv,
    "csv": _write_csv,
    "ntriples": _write_ntriples,
    "parquet": _write_parquet,
}
