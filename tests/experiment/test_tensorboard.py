"""What TensorBoard gets to read, and what is said where it is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from families import TINY
from query2box.errors import ConfigError
from query2box.experiment.run import Spectator, train
from query2box.experiment.spectators import Spectators
from query2box.experiment.tensorboard import TensorBoard

# Its own dependencies warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_figures_are_written(families_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    with TensorBoard(tmp_path / "log") as log:
        run = train(families_data, tmp_path / "run", settings=TINY, spectator=log)
    found = EventAccumulator(str(tmp_path / "log"))
    found.Reload()
    journal = run.journal.entries()

    def written(name: str) -> list[tuple[int, float]]:
        return [(event.step, event.value) for event in found.Scalars(name)]

    losses = [(e["step"], pytest.approx(e["loss"])) for e in journal if e["kind"] == "progress"]
    assert written("training/loss") == losses
    validations = [entry for entry in journal if entry["kind"] == "validation"]
    averages = [(e["step"], pytest.approx(e["average"]["hits@3"])) for e in validations]
    assert written("hits@3/average") == averages
    figures = [(e["step"], pytest.approx(e["structures"]["1p"]["mrr"])) for e in validations]
    assert written("mrr/1p") == figures
    assert "config/text_summary" in found.Tags()["tensors"]


def test_without_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("torch.utils.tensorboard")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ConfigError, match=r"pip install 'query2box\[tensorboard\]'"):
        TensorBoard(tmp_path)


def test_any_spectator_may_stop_the_run() -> None:
    class Impatient(Spectator):
        def stopped(self) -> bool:
            return True

    assert Spectators(Spectator(), Impatient()).stopped()
    assert not Spectators(Spectator(), Spectator()).stopped()
    assert not Spectators().stopped()
