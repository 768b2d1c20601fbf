"""A trained model as a space to search: boxes of queries, and the entities nearest to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from query2box.graph.adjacency import IntArray, OffsetArray
from query2box.kernels.nearest import Boxes, Excluded, FloatArray, Nearest, nearest
from query2box.kernels.threads import cores
from query2box.model.embedding import QueryEmbedding
from query2box.model.single import SingleEmbedding
from query2box.query.dnf import MAX_DISJUNCTS, count_disjuncts
from query2box.query.nodes import Query
from query2box.query.skeleton import STRUCTURES
from query2box.workload.query_set import Ragged

if TYPE_CHECKING:
    from query2box.kernels.compact import Compact

ROOM = 1 << 23
"""Numbers that the boxes of one batch of queries may take."""

FEW = 64
"""Queries whose boxes are sooner computed than another thread is awake."""

WORTH_IT = 12
"""Boxes after which there will be as many more."""


class Space:
    """Where entities are points and questions are boxes."""

    def __init__(
        self,
        model: QueryEmbedding,
        threads: int = 0,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`check` refuses a damaged table; it is called before all of it is read anyway."""
        self.model = model
        self._check = check
        self.points: FloatArray = model.points.detach().numpy()
        self.alpha = model.config.alpha
        self.threads = threads
        self._single = SingleEmbedding(model, threads or cores())
        self._compact: Compact | None = None
        self._scans = 0

    @torch.no_grad()
    def boxes(self, skeleton: Query, entities: IntArray, relations: IntArray) -> Boxes:
        """The boxes of the queries that rows of entities and relations make of a skeleton."""
        if len(entities) == 1:
            box = self._single.boxes(skeleton, entities[0].tolist(), relations[0].tolist())
            return Boxes(*box, np.array([0, len(box.center)]))
        with _one_thread() if len(entities) <= FEW else nullcontext():
            anchors = self.model.points[torch.from_numpy(entities).long()]
            found = self.model.boxes(skeleton, anchors, torch.from_numpy(relations).long())
        queries, disjuncts, dim = found.center.shape
        return Boxes(
            found.center.reshape(-1, dim).numpy(),
            found.offset.reshape(-1, dim).numpy(),
            np.arange(queries + 1, dtype=np.int64) * disjuncts,
        )

    def batches(self, skeleton: Query, queries: int) -> Iterator[slice]:
        """Rows of queries of one skeleton whose boxes fit into memory together."""
        # One more than allowed is refused by `boxes`, with the count.
        disjuncts = min(count_disjuncts(skeleton), MAX_DISJUNCTS + 1)
        size = max(ROOM // (disjuncts * self.points.shape[1]), 1)
        for start in range(0, queries, size):
            yield slice(start, min(start + size, queries))

    def step(self, entities: npt.ArrayLike, relation: int) -> Boxes:
        """The boxes of where a relation leads from each of these entities, as 1p queries."""
        rows = np.asarray(entities, np.int32).reshape(-1, 1)
        return self.boxes(STRUCTURES["1p"], rows, np.full_like(rows, relation))

    def nearest(
        self,
        boxes: Boxes,
        k: int,
        candidates: IntArray | None = None,
        excluded: Ragged | None = None,
        within: float = np.inf,
    ) -> Nearest:
        """The k nearest entities of each query, none farther than `within`."""
        if candidates is None:
            self._scans += len(boxes.centers)
            if self._scans > WORTH_IT:
                self.prepare()
        return nearest(
            self.points,
            boxes,
            k,
            self.alpha,
            candidates=candidates,
            excluded=None if excluded is None else Excluded(excluded.offsets, excluded.values),
            within=within,
            compact=self._compact,
            threads=self.threads,
        )

    def prepare(self) -> None:
        """Make the compact copy of the table, which takes as long as a dozen scans."""
        if self._compact is None:
            from query2box.kernels.compact import Compact

            self._check()
            self._compact = Compact.of(self.points, self.threads or cores())

    def distances(self, boxes: Boxes, entities: npt.ArrayLike) -> FloatArray:
        """dist_box of these entities to every single box [M, entities]."""
        from query2box.kernels.distance import box_distances

        rows = np.asarray(entities, np.int64)
        found = np.empty((len(boxes.centers), len(rows)), np.float32)
        for row, center, offset in zip(found, boxes.centers, boxes.offsets, strict=True):
            box_distances(self.points, rows, center, offset, np.float32(self.alpha), row)
        return found

    def nearer(self, boxes: Boxes, entities: IntArray, known: IntArray) -> OffsetArray:
        """How many others, neither listed nor known, are nearer to a query than each listed one."""
        from query2box.kernels.ranks import ranks_kernel

        closer, level = np.zeros((2, len(entities)), np.int64)
        ranks_kernel(
            self.points,
            boxes.centers,
            boxes.offsets,
            boxes.starts,
            np.array([0, len(known)]),
            known,
            np.array([0, len(entities)]),
            entities,
            np.float32(self.alpha),
            closer,
            level,
        )
        return closer


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute in this thread alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
