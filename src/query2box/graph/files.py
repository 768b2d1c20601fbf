"""Files: text in UTF-8, gzipped where the name ends in `.gz`, written whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import shutil
import zlib
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from query2box.errors import DataError


@contextmanager
def open_binary(path: str | Path) -> Iterator[BinaryIO]:
    """A file's bytes, unzipped where its name ends in `.gz`."""
    path = Path(path)
    try:
        with path.open("rb") as raw:
            if path.suffix != ".gz":
                yield raw
                return
            with gzip.GzipFile(fileobj=raw, mode="rb") as unzipped:
                yield cast("BinaryIO", unzipped)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"damaged gzip file ({error})", path) from error


@contextmanager
def open_text(path: str | Path) -> Iterator[TextIO]:
    """A file's text; bytes that are no UTF-8 are an error that names their line."""
    with open_binary(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as text:
        try:
            yield text
        except UnicodeDecodeError as error:
            raise DataError("the text is not UTF-8", path, _undecodable_line(path)) from error


def _undecodable_line(path: str | Path) -> int | None:
    with open_binary(path) as lines:
        for number, line in enumerate(lines, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


@contextmanager
def atomic_binary(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write bytes to, which takes its place only once it is whole.

    Whatever stood there before stays until then, and for good if anything fails.
    A device or a pipe is written to directly.
    """
    given = Path(path)
    if given.is_dir():
        raise DataError("this is a folder, not a file", path)
    if given.exists() and not given.is_file():
        with given.open("wb") as raw:
            yield raw
        return
    target = given.resolve()
    temporary = _beside(target)
    try:
        with temporary.open("xb") as raw:
            if target.suffix == ".gz":
                # Neither time nor name, so that equal contents are equal bytes.
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as zipped:
                    yield cast("BinaryIO", zipped)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename = str(path)
        raise


@contextmanager
def atomic_text(path: str | Path) -> Iterator[TextIO]:
    """A file to write text to, which takes its place only once it is whole."""
    with atomic_binary(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
        try:
            yield text
        except UnicodeEncodeError as error:
            raise DataError(f"{error.object!r} cannot be written as UTF-8", path) from error
        # The file below belongs to atomic_binary, which has yet to finish it.
        text.detach()


@contextmanager
def atomic_folder(path: str | Path, replaceable: Container[str] = ()) -> Iterator[Path]:
    """A new folder to write files into, which takes its place only once it is whole.

    A folder that stands there already is replaced if every name in it is one of
    `replaceable`; one with anything else in it is refused before work begins.
    """
    target = Path(path).resolve()
    if target.exists():
        strangers = [entry.name for entry in target.iterdir() if entry.name not in replaceable]
        if strangers:
            raise DataError(f"the folder holds {min(strangers)!r} already; name another one", path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = _beside(target)
    try:
        temporary.mkdir()
        yield temporary
        _move(temporary, target)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError) and isinstance(error.filename, str):
            error.filename = error.filename.replace(str(temporary), str(path))
        raise


def _move(folder: Path, target: Path) -> None:
    """Put a folder in the place of another, which comes back if that fails."""
    if not target.exists():
        folder.rename(target)
        return
    old = _beside(target)
    target.rename(old)
    try:
        folder.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path) -> Path:
    """A name nobody else uses, in the same folder, so that renaming moves no bytes."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
