"""Edges out of files: one generator of batches a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from query2box.errors import ConfigError, DataError
from query2box.graph.readers.csv import read_csv
from query2box.graph.readers.parquet import read_parquet
from query2box.graph.readers.rdf import read_ntriples, read_turtle
from query2box.graph.readers.reading import Batch, Reading
from query2box.graph.readers.tsv import read_tsv

Reader: TypeAlias = Callable[[Path, Reading], Iterator[Batch]]

READERS: dict[str, Reader] = {
    "tsv": read_tsv,
    "csv": read_csv,
    "ntriples": read_ntriples,
    "turtle": read_turtle,
    "parquet": read_parquet,
}
SUFFIXES = {
    ".tsv": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".nt": "ntriples",
    ".ttl": "turtle",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def read_batches(path: str | Path, reading: Reading | None = None) -> Iterator[Batch]:
    """The edges of a file, some thousand at a time."""
    path, reading = Path(path), reading or Reading()
    wanted = reading.file_format or format_of(path)
    if wanted not in READERS:
        raise ConfigError(f"no format {wanted!r}; say {', '.join(READERS)}")
    return READERS[wanted](path, reading)


def read_triples(
    path: str | Path, reading: Reading | None = None
) -> Iterator[tuple[str, str, str]]:
    """The edges of a file, (head, relation, tail) by name."""
    for batch in read_batches(path, reading):
        names = batch.decode().replace("\n", "\t").split("\t")
        yield from zip(names[0:-1:3], names[1::3], names[2::3], strict=True)


def format_of(path: Path) -> str:
    """The format of a file by the end of its name, `.gz` aside."""
    suffix = plain_suffix(path)
    if suffix not in SUFFIXES:
        formats = ", ".join(READERS)
        raise DataError(f"the file's name does not tell its format; say which: {formats}", path)
    return SUFFIXES[suffix]


def plain_suffix(path: Path) -> str:
    """The end of a file's name, `.gz` aside."""
    return (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
