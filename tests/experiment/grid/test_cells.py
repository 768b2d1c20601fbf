"""The cells of a grid: which there are, where, and what may not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import write_experiment
from families import TINY
from query2box.errors import ConfigError, RunError
from query2box.experiment.grid.cells import Cell, cells_of, check_options
from query2box.experiment.grid.file import read_experiment
from query2box.experiment.run import train


def cells(folder: Path, tables: dict | None = None, /, **grid: object) -> list[Cell]:
    return cells_of(read_experiment(write_experiment(folder / "e.toml", tables, **grid)))


def test_each_seed_of_everything_in_turn(tmp_path: Path) -> None:
    found = cells(tmp_path, datasets=["countries", "x/families"], seeds=[3, 1])
    assert [cell.name for cell in found] == [
        "countries/query2box-3",
        "countries/transe-3",
        "families/query2box-3",
        "families/transe-3",
        "countries/query2box-1",
        "countries/transe-1",
        "families/query2box-1",
        "families/transe-1",
    ]
    assert len({cell.folder for cell in found}) == 8
    assert found[3].folder == tmp_path / "out" / "families" / "transe-3"
    assert found[3].config.seed == 3
    assert found[3].config.system == "transe"
    assert found[3].config.model.dim == TINY["dim"]


@pytest.mark.parametrize(
    ("tables", "grid", "message"),
    [
        ({"settings": {"dimm": 3}}, {}, "unknown option 'dimm'; did you mean 'dim'"),
        ({"models.gqe": {"dim": "wide"}}, {"models": ["gqe"]}, "dim is a whole number"),
        ({"datasets.families": {"dim": 0}}, {}, "dim must be from 1"),
        ({}, {"models": ["gpe"]}, "no model 'gpe'"),
        ({}, {"preset": "slow"}, "no preset 'slow'"),
        ({}, {"seeds": [-1]}, "seed must be at least 0"),
        ({}, {"minutes": 0}, "minutes must be above 0"),
    ],
)
def test_bad_options(tmp_path: Path, tables: dict, grid: dict, message: str) -> None:
    cell = cells(tmp_path, tables, datasets=["families"], **grid)[0]
    with pytest.raises(ConfigError, match=message):
        check_options(cell)


@pytest.fixture(scope="module")
def began(families_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one cell was trained."""
    folder = tmp_path_factory.mktemp("began")
    cell = cells(folder, datasets=[str(families_data)])[0]
    train(families_data, cell.folder, cell.model, cell.preset, settings=cell.options)
    return folder


@pytest.mark.parametrize(
    ("tables", "grid", "names"),
    [
        ({"settings": TINY | {"dim": 16, "gamma": 12}}, {}, "dim, gamma"),
        ({"settings": {k: v for k, v in TINY.items() if k != "pool"}}, {}, "pool"),
        ({"datasets.families": {"floor": 0.5}}, {}, "floor"),
        ({"models.query2box": {"structures": ["1p"]}}, {}, "structures"),
        ({}, {"minutes": 3}, "minutes"),
    ],
)
def test_what_a_run_began_with_stays(
    began: Path, families_data: Path, tables: dict, grid: dict, names: str
) -> None:
    cell = cells(began, tables, datasets=[str(families_data)], **grid)[0]
    with pytest.raises(RunError, match=f"began with another {names};"):
        check_options(cell)


@pytest.mark.parametrize(
    ("tables", "grid"),
    [
        ({}, {}),
        ({"settings": TINY | {"threads": 2}}, {}),
        ({"models.transe": {"dim": 4}}, {}),
        ({}, {"seeds": [0, 5], "splits": ["test"], "jobs": 2}),
    ],
)
def test_what_may_change(began: Path, families_data: Path, tables: dict, grid: dict) -> None:
    for cell in cells(began, tables, datasets=[str(families_data)], **grid):
        check_options(cell)
