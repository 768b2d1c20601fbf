from __future__ import annotations

import socket
from pathlib import Path

from command_line import Run


def test_a_public_bind_wants_a_token(q2b: Run, tiny_run: Path) -> None:
    assert "--token-file" in q2b("serve", tiny_run, "--host", "0.0.0.0").complaint


def test_a_port_that_is_taken_is_one_line(q2b: Run, tiny_run: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        complaint = q2b("serve", tiny_run, "--port", port).complaint
    assert f"cannot listen at 127.0.0.1:{port}" in complaint


def test_a_run_that_is_none_is_one_line(q2b: Run, tmp_path: Path) -> None:
    assert "no such run" in q2b("serve", tmp_path / "nothing", "--port", 0).complaint
    assert "No such file" in q2b("serve", tmp_path, "--token-file", tmp_path / "none").complaint
