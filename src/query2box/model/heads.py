"""A model of several heads as models of one head each, and back.

Distances of boxes add up over dimensions (Eq. 3), so models whose points and boxes are
put side by side answer by the sum of their distances. Several that were trained apart
err in different places: together they know more than one of as many dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from query2box.model.config import ModelConfig
from query2box.model.embedding import QueryEmbedding

NETWORKS = "intersect.heads."
"""Where the names of parameters begin that belong to one head; all others are tables."""


@torch.no_grad()
def split(model: QueryEmbedding) -> list[QueryEmbedding]:
    """The heads of a model; a single one is the model itself."""
    count = model.config.heads
    if count == 1:
        return [model]
    states: list[dict[str, Tensor]] = [{} for _ in range(count)]
    for name, tensor in model.state_dict().items():
        if name.startswith(NETWORKS):
            number, _, rest = name.removeprefix(NETWORKS).partition(".")
            states[int(number)][f"{NETWORKS}0.{rest}"] = tensor.clone()
        else:
            for state, part in zip(states, tensor.chunk(count, 1), strict=True):
                state[name] = part.clone(memory_format=torch.contiguous_format)
    return [_with_parameters(model.config.head, state) for state in states]


@torch.no_grad()
def join(heads: Sequence[QueryEmbedding]) -> QueryEmbedding:
    """The model whose heads these are, in their order."""
    if len(heads) == 1:
        return heads[0]
    state: dict[str, Tensor] = {}
    for name in heads[0].state_dict():
        if not name.startswith(NETWORKS):
            state[name] = torch.cat([head.get_parameter(name) for head in heads], 1)
            continue
        rest = name.removeprefix(f"{NETWORKS}0.")
        state |= {f"{NETWORKS}{i}.{rest}": h.get_parameter(name) for i, h in enumerate(heads)}
    return _with_parameters(replace(heads[0].config, heads=len(heads)), state)


def _with_parameters(config: ModelConfig, state: dict[str, Tensor]) -> QueryEmbedding:
    with torch.device("meta"):
        model = QueryEmbedding(config, len(state["points"]), len(state["centers"]))
    model.load_state_dict(state, assign=True)
    return model
