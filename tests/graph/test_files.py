from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import DataError
from query2box.graph.files import atomic_binary, atomic_folder, atomic_text, open_binary, open_text

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff"))


@pytest.fixture(params=["a.txt", "a.txt.gz"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


@given(text=TEXT, name=st.sampled_from(["a.txt", "a.txt.gz"]))
def test_text_comes_back(text: str, name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("files") / name
    with atomic_text(path) as out:
        out.write(text)
    with open_text(path) as back:
        assert back.read() == text
    with open_binary(path) as raw:
        assert raw.read() == text.encode()
    assert [p.name for p in path.parent.iterdir()] == [name]


def test_gz_means_gzip_and_equal_contents_are_equal_bytes(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        with atomic_binary(tmp_path / name) as out:
            out.write(b"hello\n" * 100)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == b"hello\n" * 100


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_failure_leaves_the_old_file(
    path: Path, failure: type[BaseException], before: bytes | None
) -> None:
    if before is not None:
        path.write_bytes(before)

    def write() -> None:
        with atomic_text(path) as out:
            out.write("half" * 10_000)
            raise failure

    with pytest.raises(failure):
        write()
    assert (path.read_bytes() if path.exists() else None) == before
    assert len(list(path.parent.iterdir())) == (before is not None)


def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    """A file-size limit fails writes as a full disk does, only with another number."""
    path.write_bytes(b"old")
    old_limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    old_handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old_limit[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught, atomic_text(path) as out:
            out.write(os.urandom(100_000).hex())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old_limit)
        signal.signal(signal.SIGXFSZ, old_handler)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_parent_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, atomic_text(tmp_path / "no" / "a.txt"):
        pass
    assert caught.value.filename == str(tmp_path / "no" / "a.txt")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a folder, not a file"), atomic_text(tmp_path):
        pass


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_text(tmp_path / "link") as out:
        out.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to() -> None:
    with atomic_text("/dev/null") as out:
        out.write("gone")
    assert not Path("/dev/null").is_file()


def test_a_pipe_is_written_to() -> None:
    code = """
from query2box.graph.files import atomic_text
with atomic_text("/dev/stdout") as out:
    out.write("through")
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert done.stdout == b"through"


def test_text_that_has_no_bytes(path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written as UTF-8"), atomic_text(path) as out:
        out.write("\ud800")
    assert list(path.parent.iterdir()) == []


def test_undecodable_bytes_are_named_with_their_line(path: Path) -> None:
    with atomic_binary(path) as out:
        out.write(b"fine\n" * 20_000 + b"b\xffd\n")
    with pytest.raises(DataError, match=r":20001: the text is not UTF-8"), open_text(path) as text:
        for _ in text:
            pass


def test_a_byte_order_mark_is_no_text(path: Path) -> None:
    with atomic_binary(path) as out:
        out.write(b"\xef\xbb\xbfa\r\nb\n")
    with open_text(path) as text:
        assert list(text) == ["a\n", "b\n"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"plain text",
        lambda data: data[:40] + bytes(40) + data[80:],
    ],
)
def test_damaged_gzip(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(damage(gzip.compress(os.urandom(1000))))  # type: ignore[operator]
    with pytest.raises(DataError, match="damaged gzip file"), open_binary(path) as raw:
        raw.read()


def _contents(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text() for p in folder.iterdir()}


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "data"
    with atomic_folder(target) as folder:
        (folder / "a").write_text("1")
        assert not target.exists()
    assert _contents(target) == {"a": "1"}
    assert [p.name for p in target.parent.iterdir()] == ["data"]


def test_a_failing_folder_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "data"
    target.mkdir()
    (target / "a").write_text("old")

    def write() -> None:
        with atomic_folder(target, {"a"}) as folder:
            (folder / "a").write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert _contents(target) == {"a": "old"}
    assert [p.name for p in tmp_path.iterdir()] == ["data"]


def test_only_known_files_are_replaced(tmp_path: Path) -> None:
    target = tmp_path / "data"
    target.mkdir()
    for content in ("1", "2"):
        with atomic_folder(target, {"a"}) as folder:
            (folder / "a").write_text(content)
    assert _contents(target) == {"a": "2"}
    (target / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(DataError, match=r"holds 'thesis.tex' already"),
        atomic_folder(target, {"a"}),
    ):
        pytest.fail("refused before work begins")
    assert _contents(target) == {"a": "2", "thesis.tex": "years of work"}
    assert [p.name for p in tmp_path.iterdir()] == ["data"]


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    with pytest.raises(NotADirectoryError), atomic_folder(tmp_path / "data"):
        pass
    assert _contents(tmp_path) == {"data": "x"}
