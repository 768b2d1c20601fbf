"""Adam for a model whose entity table is touched a few rows at a time.

Deviation: rows that a step did not touch keep their values and moments, as in
torch's SparseAdam; everything else is updated by plain Adam. Other than there, the
moments of a row are corrected by how often that row was updated: by the number of all
steps they would be taken for settled long before they are, and rare entities would move
several times as far as the learning rate says.
"""

from __future__ import annotations

import torch
from torch import Tensor

from query2box.model.embedding import QueryEmbedding

BETAS = (0.9, 0.999)
EPSILON = 1e-8


class Optimizer:
    """Updates the model's points from row gradients and the rest from `.grad`."""

    def __init__(self, model: QueryEmbedding) -> None:
        self.points = model.points
        self.first_moment = torch.zeros_like(model.points)
        self.second_moment = torch.zeros_like(model.points)
        self.parameters = [
            p for name, p in model.named_parameters() if name != "points" and p.numel()
        ]
        self.dense = torch.optim.Adam(self.parameters, lr=0.0, betas=BETAS, eps=EPSILON, fused=True)
        self.updates = model.points.new_zeros(len(model.points))
        """How often each row was updated; exact until it no longer matters."""
        self._room = model.points.new_empty(0, model.points.shape[1])

    def room(self, rows: int) -> Tensor:
        """A table [rows, D] for a step's gradients; the next step gets the same memory."""
        if len(self._room) < rows:
            self._room = self._room.new_empty(rows, self._room.shape[1])
        return self._room[:rows]

    def step(self, rows: Tensor, gradients: Tensor, rate: float) -> None:
        """One update; `rows` [G] may repeat, their `gradients` [G, D] add up."""
        for group in self.dense.param_groups:
            group["lr"] = rate
        self.dense.step()
        self.dense.zero_grad()
        update = _fused if self.points.device.type == "cpu" else _plain
        update(self, rows, gradients, rate)

    def tensors(self) -> dict[str, Tensor]:
        """The moments of every parameter."""
        found = {
            "points.first": self.first_moment,
            "points.second": self.second_moment,
            "points.updates": self.updates,
        }
        for number, parameter in enumerate(self.parameters):
            state = self.dense.state[parameter]
            if state:
                found[f"{number}.first"] = state["exp_avg"]
                found[f"{number}.second"] = state["exp_avg_sq"]
        return found

    def restore(self, tensors: dict[str, Tensor], steps: int) -> None:
        """Take up moments that `tensors` gave after so many steps."""
        self.updates.copy_(tensors["points.updates"])
        self.first_moment.copy_(tensors["points.first"])
        self.second_moment.copy_(tensors["points.second"])
        for number, parameter in enumerate(self.parameters):
            if f"{number}.first" in tensors:
                first, second = (
                    torch.zeros_like(parameter).copy_(tensors[f"{number}.{moment}"])
                    for moment in ("first", "second")
                )
                self.dense.state[parameter] = {
                    "step": torch.tensor(float(steps), device=parameter.device),
                    "exp_avg": first,
                    "exp_avg_sq": second,
                }


def _fused(optimizer: Optimizer, rows: Tensor, gradients: Tensor, rate: float) -> None:
    import numpy as np

    from query2box.kernels.adam import adam_rows_kernel

    ids = rows.numpy()
    order = np.argsort(ids, kind="stable")
    ascending = ids[order]
    segments = np.flatnonzero(np.diff(ascending, prepend=-1, append=-1))
    adam_rows_kernel(
        optimizer.points.detach().numpy(),
        optimizer.first_moment.numpy(),
        optimizer.second_moment.numpy(),
        ascending[segments[:-1]],
        segments,
        order,
        gradients.numpy(),
        np.float32(rate),
        *BETAS,
        np.float32(EPSILON),
        optimizer.updates.numpy(),
    )


@torch.no_grad()
def _plain(optimizer: Optimizer, rows: Tensor, gradients: Tensor, rate: float) -> None:
    touched, place = torch.unique(rows, return_inverse=True)
    gradient = torch.zeros(len(touched), gradients.shape[1], device=gradients.device)
    gradient.index_add_(0, place, gradients)
    beta1, beta2 = BETAS
    first = beta1 * optimizer.first_moment[touched] + (1 - beta1) * gradient
    second = beta2 * optimizer.second_moment[touched] + (1 - beta2) * gradient**2
    optimizer.first_moment[touched] = first
    optimizer.second_moment[touched] = second
    optimizer.updates[touched] += 1
    updates = optimizer.updates[touched, None]
    size = rate / (1 - beta1**updates)
    scale = (1 - beta2**updates) ** -0.5
    optimizer.points[touched] -= size * first / (second.sqrt() * scale + EPSILON)
