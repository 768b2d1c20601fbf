"""The run that is served changes when it is told to, and not before."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from http_server import running
from query2box.bundle import MODEL, load_tensors, save_tensors
from query2box.serving.desk import Desk

QUESTION = {"query": "?c : child(mother0, ?c)", "k": 3}


@pytest.fixture
def run(tiny_run: Path, tmp_path: Path) -> Path:
    """A run that may be changed."""
    return Path(shutil.copytree(tiny_run, tmp_path / "run"))


def write_over(run: Path) -> None:
    """Put another model in the place of a run's, in the very same file."""
    tensors, metadata = load_tensors(run / MODEL)
    whole = {name: tensor.clone() for name, tensor in tensors.items()}
    whole["points"] = whole["points"].flip(0)
    save_tensors(run / "other", whole, metadata)
    (run / MODEL).write_bytes((run / "other").read_bytes())


def ask(client: httpx.Client) -> Any:
    response = client.post("/api/answer", json=QUESTION)
    assert response.status_code == 200, response.text
    return [answer["distance"] for answer in response.json()["answers"]]


def test_the_old_run_is_served_until_reload(run: Path) -> None:
    with running(Desk(run)) as address, httpx.Client(base_url=address, timeout=60) as client:
        old = ask(client)
        write_over(run)
        assert ask(client) == old
        assert client.post("/api/reload").status_code == 200
        assert ask(client) != old


def test_a_run_that_cannot_be_read_changes_nothing(run: Path) -> None:
    with running(Desk(run)) as address, httpx.Client(base_url=address, timeout=60) as client:
        old = ask(client)
        shutil.rmtree(run)
        response = client.post("/api/reload")
        assert response.status_code == 503
        assert response.json()["error"]["type"] == "RunError"
        assert ask(client) == old


def test_no_request_fails_while_runs_change(run: Path) -> None:
    with running(Desk(run)) as address, httpx.Client(base_url=address, timeout=60) as client:
        seen: list[Any] = []
        done = threading.Event()

        def keep_asking() -> None:
            with httpx.Client(base_url=address, timeout=60) as own:
                while not done.is_set():
                    seen.append(ask(own))

        old = ask(client)
        threads = [threading.Thread(target=keep_asking) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            write_over(run)
            for _ in range(3):
                assert client.post("/api/reload").status_code == 200
            new = ask(client)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert old != new
        assert seen
        for distances in seen:
            assert distances == pytest.approx(old) or distances == pytest.approx(new)
