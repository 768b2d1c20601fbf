"""One head of a model in training."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor, tensor

from query2box.kernels.loss import LossShape
from query2box.model.embedding import QueryEmbedding
from query2box.training.batches import Batch
from query2box.training.optimizer import Optimizer
from query2box.training.step import train_step


class Pupil:
    """A head of the model, and what it takes from one of its steps to the next."""

    def __init__(self, model: QueryEmbedding) -> None:
        self.model = model
        self.optimizer = Optimizer(model)
        self.steps = 0
        self.level = 0.0
        """The mean height of the last step's queries, which the next one holds to."""

    def train(self, batch: Batch, shape: LossShape, rate: float, threads: int) -> float:
        """One step; gives its loss."""
        shape = replace(shape, level=self.level)
        if not self.steps:  # there is no level yet to hold to
            shape = replace(shape, evenness=0.0)
        loss, self.level = train_step(self.model, self.optimizer, batch, shape, rate, threads)
        self.steps += 1
        return loss

    def tensors(self) -> dict[str, Tensor]:
        """Everything that a step changes."""
        found = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        found |= {f"optimizer.{k}": v for k, v in self.optimizer.tensors().items()}
        return found | {"level": tensor(self.level)}

    def restore(self, tensors: dict[str, Tensor], steps: int) -> None:
        """Continue where `tensors` were taken, after so many steps."""
        self.model.load_state_dict(below("model", tensors))
        self.optimizer.restore(below("optimizer", tensors), steps)
        self.level = float(tensors["level"])
        self.steps = steps


def below(part: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors whose names begin with that of a part, by the rest of their names."""
    begin = f"{part}."
    return {name.removeprefix(begin): t for name, t in tensors.items() if name.startswith(begin)}
