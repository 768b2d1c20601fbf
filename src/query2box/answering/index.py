"""An index for big graphs: entities in cells, the promising ones searched first.

With L1 distances, dist_box(v) >= L1(v, centre) - (1 - alpha) * |offset| and
dist_box(v) >= alpha * L1(v, centre); and a cell's entities are no nearer to the
box's centre than the cell's centre is, less its radius. In each dimension they are
no nearer than the cell's lowest and highest values are; the larger of both bounds
counts. So once the next cell's bound is beyond the k-th answer, no entity that was
not looked at can be one: the result is certified, and equal to the scan's.

That saves work where entities lie in clusters. In 400 dimensions of a trained
model most cells reach almost everywhere; then a budget ends the search sooner,
with a result that is not certified.
"""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from query2box.answering.space import Space
from query2box.errors import ConfigError, RunError
from query2box.graph.adjacency import IntArray, OffsetArray
from query2box.graph.files import atomic_binary
from query2box.kernels.nearest import Boxes, FloatArray, Nearest
from query2box.workload.query_set import Ragged

INDEX = "index.npz"

CHUNK = 1 << 16
"""Entities that are put into cells at a time."""

STRIDE = 8192
"""Entities that are looked at between two looks at the bounds, at least."""

SLACK = 1e-4
"""Bounds are summed in another order than distances; they may be off by less than this."""


class Found(NamedTuple):
    """What a search found, whether nothing else can be nearer, and how many it looked at."""

    nearest: Nearest
    certified: bool
    seen: int


@dataclass(frozen=True, eq=False)
class CellIndex:
    """Cells of entities: where their centres are, and how far their members from those."""

    entities: IntArray
    """[N], cell after cell, ascending in each."""
    starts: OffsetArray
    """[cells + 1]"""
    centers: FloatArray
    """[cells, D]"""
    radii: npt.NDArray[np.float64]
    """[cells], L1."""
    lows: FloatArray
    """[cells, D], the lowest values of their members."""
    highs: FloatArray
    """[cells, D]"""
    mark: str
    """Of which table this is the index."""

    @classmethod
    def build(cls, points: FloatArray, cells: int = 0, seed: int = 0) -> CellIndex:
        """Cells of a table by k-means; by default about sqrt(N) of them."""
        faiss = _faiss()
        count, dim = points.shape
        cells = min(cells or round(count**0.5), count)
        kmeans = faiss.Kmeans(dim, cells, niter=10, seed=seed, min_points_per_centroid=1)
        kmeans.train(points)
        cell = np.empty(count, np.int64)
        away = np.empty(count)
        for low in range(0, count, CHUNK):
            some = points[low : low + CHUNK]
            rows = slice(low, low + len(some))
            cell[rows] = kmeans.index.search(some, 1)[1][:, 0]
            away[rows] = np.abs(some - kmeans.centroids[cell[rows]]).sum(1, dtype=np.float64)
        radii = np.zeros(cells)
        np.maximum.at(radii, cell, away)
        members = Ragged.from_counts(
            np.bincount(cell, minlength=cells), np.argsort(cell, kind="stable").astype(np.int32)
        )
        lows, highs = kmeans.centroids.copy(), kmeans.centroids.copy()
        for number in np.flatnonzero(members.counts).tolist():
            own = points[members[number]]
            lows[number], highs[number] = own.min(0), own.max(0)
        return cls(
            members.values, members.offsets, kmeans.centroids, radii, lows, highs, _mark(points)
        )

    def search(
        self,
        space: Space,
        boxes: Boxes,
        k: int,
        excluded: Ragged | None = None,
        budget: int | None = None,
    ) -> Found:
        """The k nearest entities of one query, looking at no more than about `budget`."""
        bounds = self._bounds(boxes, space.alpha)
        order = np.argsort(bounds, kind="stable")
        sizes = np.diff(self.starts)[order]
        found = Nearest(np.empty((1, 0), np.int32), np.empty((1, 0), np.float32))
        seen = place = 0
        while place < len(order) and k > 0:
            worst = float(found.distances[0, -1]) if found.entities.shape[1] == k else np.inf
            if bounds[order[place]] > worst:
                return Found(found, True, seen)
            if budget is not None and seen >= budget:
                return Found(found, False, seen)
            more = 1 + int(np.searchsorted(np.cumsum(sizes[place:]), STRIDE))
            members = np.concatenate(
                [self.entities[slice(*self.starts[c : c + 2])] for c in order[place : place + more]]
            )
            place += more
            seen += len(members)
            near = space.nearest(boxes, k, np.sort(members), excluded, within=worst)
            found = _merged(found, near, k)
        return Found(found, True, seen)

    def _bounds(self, boxes: Boxes, alpha: float) -> npt.NDArray[np.float64]:
        """No entity of a cell is nearer to the query than this."""
        best = np.full(len(self.radii), np.inf)
        for center, offset in zip(boxes.centers, boxes.offsets, strict=True):
            away = np.abs(self.centers - center).sum(1, dtype=np.float64)
            away = np.maximum(away * (1 - SLACK) - self.radii, 0)
            inside = (1 - alpha) * offset.astype(np.float64)
            bound = np.maximum(alpha * away, away - inside.sum())
            apart = np.maximum(self.lows - center, center - self.highs).clip(0).astype(np.float64)
            sides = np.maximum(alpha * apart, apart - inside).sum(1)
            best = np.minimum(best, np.maximum(bound, sides))
        return best * (1 - SLACK)

    def save(self, run: str | Path) -> None:
        """Write it into a run folder."""
        with atomic_binary(Path(run) / INDEX) as file:
            np.savez(
                file,
                entities=self.entities,
                starts=self.starts,
                centers=self.centers,
                radii=self.radii,
                lows=self.lows,
                highs=self.highs,
                mark=np.array(self.mark),
            )

    @classmethod
    def load(cls, run: str | Path, points: FloatArray) -> CellIndex | None:
        """The index of a run's entity table; None where it has none, or one of another table."""
        path = Path(run) / INDEX
        if not path.is_file():
            return None
        try:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                index = cls(
                    file["entities"],
                    file["starts"],
                    file["centers"],
                    file["radii"],
                    file["lows"],
                    file["highs"],
                    str(file["mark"]),
                )
            index._check(points)
        except (KeyError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise RunError(f"{path}: the file is damaged ({error})") from error
        return index if index.mark == _mark(points) else None

    def _check(self, points: FloatArray) -> None:
        cells = len(self.radii)
        fits = (
            self.entities.dtype == np.int32
            and self.starts.dtype == np.int64
            and all(
                part.dtype == np.float32
                and part.shape == (cells, points.shape[1])
                and bool(np.isfinite(part).all())
                for part in (self.centers, self.lows, self.highs)
            )
            and self.starts.shape == (cells + 1,)
            and self.starts[0] == 0
            and self.starts[-1] == len(self.entities)
            and bool((np.diff(self.starts) >= 0).all())
            and bool(np.isfinite(self.radii).all())
            and np.array_equal(np.sort(self.entities), np.arange(len(points)))
        )
        if not fits:
            raise ValueError("its parts do not fit together")


def _merged(one: Nearest, other: Nearest, k: int) -> Nearest:
    """The best k of both; what is missing is left out."""
    entities = np.concatenate((one.entities, other.entities), 1)
    distances = np.concatenate((one.distances, other.distances), 1)
    order = np.lexsort((entities[0], distances[0]))
    order = order[entities[0, order] >= 0][:k]
    return Nearest(entities[:, order], distances[:, order])


def _mark(points: FloatArray) -> str:
    """Tells tables apart by a thousand rows of theirs."""
    rows = np.linspace(0, len(points) - 1, min(len(points), 1000)).astype(np.int64)
    return hashlib.sha256(np.ascontiguousarray(points[rows]).tobytes()).hexdigest()


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ConfigError("an index needs faiss: pip install 'query2box[index]'") from error
    return faiss
