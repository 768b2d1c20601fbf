"""Parquet, by record batches; needs the extra `parquet`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from query2box.errors import ConfigError, DataError
from query2box.graph.files import open_binary
from query2box.graph.readers.reading import Batch, Reading, batched
from query2box.graph.readers.table import Layout, edges_of, layout_of

_BATCH_ROWS = 1 << 15


def read_parquet(path: Path, reading: Reading) -> Iterator[Batch]:
    """The edges of a Parquet file; a line is a row, from 1."""
    if reading.header is False:
        raise ConfigError("the columns of a Parquet file always have names")
    return batched(edges_of(_rows(path, reading), Layout(), path, reading))


def pyarrow(path: Path) -> Any:
    """The package that reads and writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        advice = "Parquet needs another package: pip install 'query2box[parquet]'"
        raise DataError(advice, path) from error
    return pyarrow


def _rows(path: Path, reading: Reading) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """The rows, numbered, of the columns that count."""
    pa = pyarrow(path)
    row = 0
    with _seekable(path) as raw:
        try:
            table = pa.parquet.ParquetFile(raw)
            names = table.schema_arrow.names
            wanted = [names[c] for c in layout_of(names, path, reading.columns, True).columns]
            for batch in table.iter_batches(_BATCH_ROWS, columns=wanted):
                columns = [
                    batch.column(batch.schema.names.index(name)).cast(pa.string()).fill_null("")
                    for name in wanted
                ]
                yield from enumerate(zip(*(c.to_pylist() for c in columns), strict=True), row + 1)
                row += batch.num_rows
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            message = str(error).partition("\n")[0]
            raise DataError(f"this Parquet file cannot be read: {message}", path) from error


@contextmanager
def _seekable(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file to move about in; a gzipped one is unzipped into a temporary file."""
    with open_binary(path) as raw:
        if path.suffix != ".gz":
            yield raw
            return
        with TemporaryFile() as unzipped:
            shutil.copyfileobj(raw, unzipped)
            yield unzipped
