"""The cells of a grid: a system, a dataset and a seed each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from query2box.bundle import CONFIG, read_config
from query2box.errors import ConfigError, RunError
from query2box.experiment.config import RunConfig, resolve
from query2box.experiment.grid.file import Experiment, dataset_name


@dataclass(frozen=True, eq=False)
class Cell:
    """One run of an experiment."""

    source: str
    """The dataset, as the file names it."""
    model: str
    seed: int
    folder: Path
    """The run folder."""
    preset: str
    options: Mapping[str, object]
    """Those that the file gives, the seed included."""

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return dataset_name(self.source)

    @property
    def name(self) -> str:
        """How the cell is called in the journal and on the screen."""
        return f"{self.dataset}/{self.model}-{self.seed}"

    @property
    def config(self) -> RunConfig:
        """Everything that the run depends on; an option that there is not is refused."""
        return resolve(self.model, self.preset, self.options)

    def began(self) -> bool:
        """Whether there is a run already."""
        return (self.folder / CONFIG).is_file()


def cells_of(experiment: Experiment) -> list[Cell]:
    """All cells; the first seed of everything comes first, so that a table is soon full."""
    grid, found = experiment.grid, []
    for seed in grid.seeds:
        for source in grid.datasets:
            for model in grid.models:
                dataset = dataset_name(source)
                options = experiment.options(dataset, model) | {"seed": seed}
                folder = experiment.out / dataset / f"{model}-{seed}"
                found.append(Cell(source, model, seed, folder, grid.preset, options))
    return found


def check_options(cell: Cell) -> None:
    """Refuse options that there are not, and others than those that a run began with."""
    wanted = cell.config
    if not cell.began():
        return
    document = read_config(cell.folder)
    document.pop("graph", None)
    try:
        config = RunConfig.from_json(document)
    except ConfigError as error:
        raise RunError(f"{cell.folder / CONFIG}: {error}") from error
    before, now = config.flat(), wanted.flat()
    # What a run computes stays; where it does so may change.
    changed = [n for n in now if before[n] != now[n] and n not in ("threads", "device")]
    if changed:
        raise RunError(
            f"{cell.folder}: this run began with another {', '.join(changed)}; "
            "put that back, or remove the folder to train anew"
        )
