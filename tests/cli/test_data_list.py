from __future__ import annotations

import pytest

from command_line import Run
from query2box.graph.builtin import BUILTIN, Builtin


@pytest.fixture
def only_countries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the others takes its time."""
    for name in set(BUILTIN) - {"countries"}:
        monkeypatch.delitem(BUILTIN, name)


def _load() -> None:
    pytest.fail("what is not there is not loaded")


GHOST = Builtin("ghost", "nobody has it", _load, lambda: False)  # type: ignore[arg-type]


@pytest.mark.usefixtures("only_countries")
def test_built_in_datasets_are_listed(q2b: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILTIN, "ghost", GHOST)
    countries, ghost = q2b("data", "list", "--json").json
    assert countries["name"] == "countries"
    assert countries["available"] is True
    assert countries["edges"] > countries["entities"] > countries["relations"] > 0
    assert ghost == {
        "name": "ghost",
        "description": "nobody has it",
        "available": False,
        "entities": None,
        "relations": None,
        "edges": None,
    }

    table = q2b("data", "list").out
    assert f"{countries['edges']:,}" in table
    assert "nobody has it (not on this machine)" in table
