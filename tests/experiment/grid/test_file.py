"""Experiment files: what they may say, and how they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query2box.errors import ConfigError, Query2boxError
from query2box.experiment.grid.file import Grid, dataset_name, read_experiment
from query2box.model.config import SYSTEMS

ROOT = Path(__file__).parents[3]


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    found = read_experiment(
        write(
            tmp_path,
            """
            [experiment]
            name = "all"
            out = "there"
            models = ["gqe", "transe"]
            datasets = ["countries", "data/people/"]
            seeds = [0, 7]
            preset = "paper"
            minutes = 2
            steps = 100
            splits = ["test"]
            limit = 10
            link_prediction = true
            jobs = 2
            [settings]
            dim = 16
            alpha = 0.5
            [datasets.people]
            dim = 32
            gamma = 12
            [models.transe]
            gamma = 6.0
            """,
        )
    )
    assert found.grid == Grid(
        "all",
        "there",
        ("gqe", "transe"),
        ("countries", "data/people/"),
        (0, 7),
        "paper",
        2.0,
        100,
        ("test",),
        10,
        True,
        2,
    )
    assert found.out == Path("there")
    own = {"minutes": 2.0, "steps": 100, "alpha": 0.5}
    assert found.options("countries", "gqe") == own | {"dim": 16}
    assert found.options("people", "gqe") == own | {"dim": 32, "gamma": 12}
    assert found.options("people", "transe") == own | {"dim": 32, "gamma": 6.0}


def test_little_has_to_be_said(tmp_path: Path) -> None:
    found = read_experiment(write(tmp_path, '[experiment]\ndatasets = ["countries"]'))
    assert found.grid == Grid(name="mine", datasets=("countries",), models=tuple(SYSTEMS))
    assert found.out == Path("runs/mine")
    assert found.options("countries", "gqe") == {}


def test_what_is_said_elsewhere_goes_before(tmp_path: Path) -> None:
    path = write(
        tmp_path, '[experiment]\ndatasets = ["a"]\njobs = 2\n[settings]\ndim = 4\npool = 9'
    )
    found = read_experiment(path, {"jobs": 1, "out": "x"}, {"dim": "8"})
    assert (found.grid.jobs, found.out) == (1, Path("x"))
    assert found.options("a", "gqe") == {"dim": "8", "pool": 9}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs datasets, a list of at least one"),
        ("[experiment", "this is no TOML"),
        ("[experimant]", "unknown option 'experimant'; did you mean 'experiment'?"),
        ("[experiment]\ndataset = ['a']", "unknown option 'dataset'; did you mean 'datasets'?"),
        ("[experiment]\ndatasets = []", "needs datasets"),
        ("[experiment]\ndatasets = ['a']\nmodels = []", "needs models"),
        ("[experiment]\ndatasets = ['a']\nseeds = []", "needs seeds"),
        ("[experiment]\ndatasets = ['a']\nsplits = []", "needs splits"),
        ("[experiment]\ndatasets = ['a']\nsplits = ['train']", "splits is one of valid, test"),
        ("[experiment]\ndatasets = ['a', 'x/a']", "datasets: 'a' is there twice"),
        ("[experiment]\ndatasets = ['a']\nseeds = [1, 1]", "seeds: 1 is there twice"),
        ("[experiment]\ndatasets = ['a']\nseeds = [1.5]", "seeds is a whole number"),
        ("[experiment]\ndatasets = ['x/report']", "cannot be called 'report'"),
        ("[experiment]\ndatasets = ['..']", "cannot be called '..'"),
        ("[experiment]\ndatasets = ['a']\njobs = 0", "jobs must be from 1"),
        ("[experiment]\ndatasets = ['a']\nlimit = -1", "limit must not be negative"),
        ("[experiment]\ndatasets = ['a']\n[settings]\nseed = 1", "`seeds`"),
        ("[experiment]\ndatasets = ['a']\n[models.gqe]\nseed = 1", "`seeds`"),
        ("[experiment]\ndatasets = ['a']\n[datasets.b]\ndim = 1", "[datasets.b]: the experiment"),
        ("[experiment]\ndatasets = ['a']\n[models]\ngqe = 1", "[models.gqe] is a table"),
        ("experiment = 3", "[experiment] is a table of options, not 3"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        read_experiment(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(b"[experiment]\ndatasets = ['a']\n" + data)
    try:
        found = read_experiment(path)
    except Query2boxError:
        return
    assert found.grid.datasets


def test_names_of_datasets() -> None:
    assert [dataset_name(source) for source in ("countries", "data/x", "data/x/")] == [
        "countries",
        "x",
        "x",
    ]
    assert dataset_name(".") == Path.cwd().name


@pytest.mark.parametrize("name", ["paper", "quick"])
def test_the_files_of_this_repository(name: str) -> None:
    from query2box.experiment.grid.cells import cells_of

    cells = cells_of(read_experiment(ROOT / "experiments" / f"{name}.toml"))
    minutes = {cell.config.minutes for cell in cells}
    assert len(minutes) == 1  # equal time for each
    assert minutes != {None}
    if name == "paper":
        assert {cell.model for cell in cells} == set(SYSTEMS)
        assert {cell.dataset for cell in cells} == {"countries", "FB15k-237", "NELL995", "FB15k"}
        widths = {cell.model: cell.config.model.dim for cell in cells}
        assert widths["gqe-double"] == 2 * widths["gqe"]
