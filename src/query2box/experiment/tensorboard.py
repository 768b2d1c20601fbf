"""A run's figures for TensorBoard; the extra `tensorboard` brings what this needs."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Self

from query2box.errors import ConfigError
from query2box.evaluation.evaluator import Report
from query2box.evaluation.metrics import Metrics
from query2box.experiment.config import RunConfig
from query2box.experiment.run import Spectator
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.training.trainer import Progress


class TensorBoard(Spectator):
    """Writes loss, speed, learning rate and validation figures by step."""

    def __init__(self, folder: str | Path) -> None:
        try:
            from torch.utils.tensorboard.writer import SummaryWriter
        except ImportError as error:
            raise ConfigError(
                "logging for TensorBoard needs an extra: pip install 'query2box[tensorboard]'"
            ) from error
        self._writer = SummaryWriter(str(folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._writer.close()

    def begin(self, config: RunConfig, graph: KnowledgeGraph) -> None:
        """Note the config."""
        text = json.dumps({"graph": repr(graph), **config.to_json()}, indent=2)
        # TensorBoard reads Markdown: four spaces keep the lines as they are.
        self._writer.add_text("config", "\n".join("    " + line for line in text.splitlines()))

    def progress(self, progress: Progress) -> None:
        """The loss and how fast it comes."""
        for name in ("loss", "learning_rate", "queries_per_second"):
            self._add(f"training/{name}", getattr(progress, name), progress.step)

    def validated(self, progress: Progress, report: Report, best: bool) -> None:  # noqa: ARG002
        """The figures of each structure and their mean."""
        for name, metrics in (("average", report.average), *report.structures.items()):
            self._add_metrics(name, metrics, progress.step)

    def _add_metrics(self, structure: str, metrics: Metrics, step: int) -> None:
        for name, value in metrics.to_json().items():
            if name != "queries":
                self._add(f"{name}/{structure}", value, step)

    def _add(self, name: str, value: float, step: int) -> None:
        self._writer.add_scalar(name, value, step)
