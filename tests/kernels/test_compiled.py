"""Where machine code is kept."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

from query2box.kernels import compiled


def test_changed_sources_have_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    folders = set()
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "3"), ("a.py", "1")):
        (tmp_path / name).write_text(text)
        folder = compiled._folder.__wrapped__()
        assert Path(folder).is_dir()
        folders.add(folder)
    assert len(folders) == 4


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "__pycache__").write_text("in the way")
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    assert compiled._folder.__wrapped__() == ""


def test_numba_is_left_as_it_was() -> None:
    before = numba.config.CACHE_DIR

    @compiled.compiled
    def twice(x: int) -> int:
        return 2 * x

    assert twice(4) == 8
    assert before == numba.config.CACHE_DIR
