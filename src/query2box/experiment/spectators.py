"""Several spectators as one."""

from __future__ import annotations

from query2box.evaluation.evaluator import Report
from query2box.experiment.config import RunConfig
from query2box.experiment.run import Spectator
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.training.trainer import Progress


class Spectators(Spectator):
    """Tells each of them everything; any of them may stop the run."""

    def __init__(self, *members: Spectator) -> None:
        self.members = members

    def begin(self, config: RunConfig, graph: KnowledgeGraph) -> None:
        """The run starts or goes on."""
        for member in self.members:
            member.begin(config, graph)

    def progress(self, progress: Progress) -> None:
        """Some steps were done."""
        for member in self.members:
            member.progress(progress)

    def validated(self, progress: Progress, report: Report, best: bool) -> None:
        """The model was judged on validation queries."""
        for member in self.members:
            member.validated(progress, report, best)

    def stopped(self) -> bool:
        """Whether any of them wants to save and end now."""
        return any(member.stopped() for member in self.members)
