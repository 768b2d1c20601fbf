"""The k nearest entities of many queries, by the scan on all cores or by its torch twin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from query2box.kernels.threads import cores, share

if TYPE_CHECKING:
    import torch

    from query2box.kernels.compact import Compact

FloatArray: TypeAlias = npt.NDArray[np.float32]
IntArray: TypeAlias = npt.NDArray[np.int32]
OffsetArray: TypeAlias = npt.NDArray[np.int64]

TILE = 32
"""Queries that go over the entities together."""

PART = 4096
"""Entities that are worth a thread of their own."""


class Boxes(NamedTuple):
    """The boxes of B queries; query q has those of starts[q] : starts[q + 1]."""

    centers: FloatArray  # [M, D]
    offsets: FloatArray  # [M, D]
    starts: OffsetArray  # [B + 1]

    def of(self, queries: slice) -> Boxes:
        """The boxes of some queries."""
        starts = self.starts[queries.start : queries.stop + 1]
        rows = slice(starts[0], starts[-1])
        return Boxes(self.centers[rows], self.offsets[rows], starts - starts[0])


class Excluded(NamedTuple):
    """Entities that do not answer: those of query q ascend in offsets[q] : offsets[q + 1]."""

    offsets: OffsetArray  # [B + 1]
    entities: IntArray  # ragged


class Nearest(NamedTuple):
    """The nearest entities of B queries, the nearest first, the lower id first at one distance.

    Where fewer than k entities may answer, k is their number; where fewer are
    left for a query, -1 stands for the others, at infinite distance.
    """

    entities: IntArray  # [B, k]
    distances: FloatArray  # [B, k]


def nearest(
    points: FloatArray,  # [N, D]
    boxes: Boxes,
    k: int,
    alpha: float,
    *,
    candidates: IntArray | None = None,  # ascending
    excluded: Excluded | None = None,
    within: float = np.inf,
    compact: Compact | None = None,
    threads: int = 0,
) -> Nearest:
    """The exact k nearest entities by dist_agg (Query2box, Eq. 5), none farther than `within`.

    A `compact` copy of the points makes it quicker. 0 threads: all cores.
    """
    from query2box.kernels.compact import Compact
    from query2box.kernels.top_k import FAR, NOBODY, top_k_kernel
    from query2box.kernels.traversal import read_only

    threads = threads or cores()
    total = len(points) if candidates is None else len(candidates)
    queries = len(boxes.starts) - 1
    k = min(k, total)
    if k <= 0 or queries == 0:
        return Nearest(np.empty((queries, 0), np.int32), np.empty((queries, 0), np.float32))
    tiles = _slices(queries, TILE)
    shares = min(-(-2 * threads // len(tiles)), -(-total // PART))
    parts = _slices(total, -(-total // shares))
    points = read_only(points)
    candidates = read_only(np.asarray([] if candidates is None else candidates, np.int32))
    copy = compact or Compact.none(points.shape[1])
    codes, lows, errors = map(read_only, (copy.codes, copy.lows, copy.errors))
    left_out = excluded or Excluded(np.zeros(queries + 1, np.int64), np.empty(0, np.int32))
    bounds = np.full(queries, min(FAR, within), np.float32)
    distances = np.full((len(parts), queries, k), FAR)
    entities = np.full((len(parts), queries, k), NOBODY)

    def scan(work: tuple[slice, int]) -> None:
        tile, part = work
        centers, offsets, starts = boxes.of(tile)
        top_k_kernel(
            points,
            codes,
            lows,
            copy.step,
            errors,
            candidates,
            parts[part].start,
            parts[part].stop,
            read_only(centers),
            read_only(offsets),
            read_only(starts),
            read_only(left_out.offsets[tile.start : tile.stop + 1]),
            read_only(left_out.entities),
            np.float32(alpha),
            bounds[tile],
            distances[part, tile],
            entities[part, tile],
        )

    share(scan, [(tile, part) for tile in tiles for part in range(len(parts))], threads)
    return _merged(np.concatenate(distances, 1), np.concatenate(entities, 1), k)


def _merged(distances: FloatArray, entities: IntArray, k: int) -> Nearest:
    """The best k of each row, in order."""
    from query2box.kernels.top_k import NOBODY

    order = np.lexsort((entities, distances), axis=-1)[:, :k]
    distances = np.take_along_axis(distances, order, 1)
    entities = np.take_along_axis(entities, order, 1)
    nobody = entities == NOBODY
    distances[nobody] = np.inf
    entities[nobody] = -1
    return Nearest(entities, distances)


def plain_nearest(
    points: torch.Tensor,  # [N, D]
    centers: torch.Tensor,  # [M, D]
    offsets: torch.Tensor,  # [M, D]
    starts: torch.Tensor,  # [B + 1]
    k: int,
    alpha: float,
    chunk: int = 4096,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same in plain torch, a chunk of entities at a time: entities and distances [B, k]."""
    import torch

    from query2box.kernels.reference import dist_agg, dist_box

    queries = len(starts) - 1
    found = torch.empty(queries, 0, dtype=torch.int64, device=points.device)
    nearest = torch.empty(queries, 0, device=points.device)
    for low in range(0, len(points), chunk):
        some = points[low : low + chunk]
        distances = dist_agg(dist_box(some, centers[:, None], offsets[:, None], alpha), starts)
        ids = torch.arange(low, low + len(some), device=points.device).expand(queries, -1)
        nearest, order = torch.cat((nearest, distances), 1).sort(dim=1, stable=True)
        found = torch.cat((found, ids), 1).gather(1, order)[:, :k]
        nearest = nearest[:, :k]
    return found, nearest


def _slices(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
