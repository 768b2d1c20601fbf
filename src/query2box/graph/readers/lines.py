"""Large files of lines, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from query2box.errors import DataError
from query2box.graph.files import open_binary
from query2box.graph.readers.reading import Reading

_BLOCK = 1 << 20
_LONGEST = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    r"""The number of a line, from 1, and the bytes of it and of some lines after it.

    Every line ends in `\n`, the last one and those of Windows too. No line is
    ever divided, so there is a limit to its length.
    """
    line = 1
    with open_binary(path) as raw:
        for block in _whole_lines(raw, path):
            yield line, block.removeprefix(BYTE_ORDER_MARK) if line == 1 else block
            line += block.count(b"\n")


def _whole_lines(raw: BinaryIO, path: Path) -> Iterator[bytes]:
    rest = b""
    while chunk := raw.read(_BLOCK):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield (rest + chunk[:end]).replace(b"\r\n", b"\n")
            rest = chunk[end:]
        elif len(rest) < _LONGEST:
            rest += chunk
        else:
            raise DataError("a line is too long; is this a text file?", path)
    if rest:
        yield rest.removesuffix(b"\r") + b"\n"


def numbered_lines(path: Path, reading: Reading | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a file, numbered from 1, without their ends."""
    reading = reading or Reading()
    for line, block in blocks(path):
        yield from decoded(line, block, path, reading)


def decoded(line: int, block: bytes, path: Path, reading: Reading) -> Iterator[tuple[int, str]]:
    """The lines of a block, numbered, without their ends; those that are no UTF-8 are bad."""
    for number, text in enumerate(block.split(b"\n")[:-1], line):
        try:
            yield number, text.decode()
        except UnicodeDecodeError:
            reading.bad_line("the text is not UTF-8", path, number)
