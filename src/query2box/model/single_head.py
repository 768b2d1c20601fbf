"""One head's intersection of the few boxes of one question: `operators.IntersectHead` by numpy.

What a network sees of a box is a sum: of its centre, and of its offset. The second part can be
computed ahead, and is the same for all points' neighbours by one relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from query2box.model.networks import Attention, Average, DeepSets, Inner
from query2box.model.operators import IntersectHead

FloatArray: TypeAlias = npt.NDArray[np.float32]

Seen: TypeAlias = tuple[FloatArray, ...]
"""What each network of a head sees of an offset, its bias included [H]."""


class OneBox(NamedTuple):
    """A box by centre and offset, [D] each; operands are stacked first: [n, D]."""

    center: FloatArray
    offset: FloatArray


class SingleHead:
    """The networks of a head, with the parameters that they have now."""

    def __init__(self, head: IntersectHead) -> None:
        self._networks = [
            _Network(module)
            for module in (head.center, head.shrink)
            if isinstance(module, Attention | DeepSets)
        ]
        self._averages = isinstance(head.center, Average)
        self._shrinks = head.shrink is not None

    def see(self, offset: FloatArray) -> Seen:
        """What there is to see of an offset [D]."""
        return tuple(network.see(offset) for network in self._networks)

    def intersect(self, boxes: OneBox, seen: Sequence[Seen]) -> OneBox:
        """Boxes [n, D], and what is seen of their offsets -> [D]."""
        centers = np.ascontiguousarray(boxes.center)
        found = [
            network(centers, np.stack(own))
            for network, own in zip(self._networks, zip(*seen, strict=True), strict=True)
        ]
        center = centers.mean(0) if self._averages else found[0]
        smallest = boxes.offset.min(0)
        if not self._shrinks:
            return OneBox(center, smallest)
        sigmoid = (1 + np.tanh(found[-1] / 2)) / 2  # which overflows nowhere
        return OneBox(center, smallest * sigmoid)


class _Network:
    """Attention or DeepSets: centers [n, D], and what is seen of offsets [n, H] -> [D]."""

    def __init__(self, module: Attention | DeepSets) -> None:
        from query2box.kernels.dense import attention, deep_sets

        of_centers, self._of_offsets, self._bias = _inner(module.inner)
        outer = array(module.outer.weight)
        self._combine = (
            partial(attention, of_centers, outer)
            if isinstance(module, Attention)
            else partial(deep_sets, of_centers, outer, array(module.outer.bias))
        )

    def see(self, offset: FloatArray) -> FloatArray:
        """What there is to see of an offset [D] -> [H]."""
        from query2box.kernels.dense import linear

        found = self._bias.copy()
        if self._of_offsets.size:
            linear(self._of_offsets, offset[None], found[None])
        return found

    def __call__(self, centers: FloatArray, seen: FloatArray) -> FloatArray:
        found: FloatArray = self._combine(centers, seen)
        return found


def _inner(layer: Inner) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A first layer's weights for centres, and for offsets, [H, D] or [H, 0], and its bias [H]."""
    weights = array(layer.weight)
    places = layer.sight.centers * weights.shape[1] // sum(layer.sight)
    return weights[:, :places].copy(), weights[:, places:].copy(), array(layer.bias)


def array(tensor: Tensor) -> FloatArray:
    """The numbers of a parameter, where they lie and not to be changed."""
    with torch.no_grad():
        found: FloatArray = tensor.detach().contiguous().numpy().view()
    found.flags.writeable = False
    return found
