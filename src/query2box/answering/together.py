"""Questions of any shapes answered by one scan, each as if it were alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from query2box.answering.answers import Reply
from query2box.answering.loops import joined
from query2box.answering.reasoner import Only, Reasoner
from query2box.kernels.nearest import Boxes, Nearest
from query2box.query.nodes import Query, Symbol
from query2box.query.skeleton import skeleton_of
from query2box.workload.denotation import answer_rows
from query2box.workload.query_set import Ragged


class Wanted(NamedTuple):
    """A question by id, and how many answers of which kind."""

    query: Query
    k: int
    only: Only = None


class _Group(NamedTuple):
    """The questions of one skeleton: where they stand, their boxes, who is known, who is out."""

    skeleton: Query
    places: tuple[int, ...]
    boxes: Boxes
    known: Ragged
    out: Ragged


def reply_together(reasoner: Reasoner, wanted: Sequence[Wanted]) -> list[Reply]:
    """The replies to many questions, in their order.

    Who wants known answers only needs no scan, and who is alone is answered alone.
    """
    began = time.perf_counter()
    alone = [one.only == "known" or reasoner.index is not None for one in wanted]
    together = [place for place, single in enumerate(alone) if not single]
    if len(together) < 2:
        return [reasoner.reply(one.query, one.k, only=one.only) for one in wanted]
    groups = _groups(reasoner, [(place, wanted[place].query) for place in together])
    found = _scan(reasoner, groups, wanted)
    replies: dict[int, Reply] = {}
    seconds = time.perf_counter() - began
    for group, nearest in zip(groups, found, strict=True):
        answered = reasoner.named(
            group.skeleton, group.boxes, group.known, group.out, nearest, False
        )
        disjuncts = len(group.boxes.centers) // len(group.places)
        for place, answers in zip(group.places, answered, strict=True):
            replies[place] = Reply(wanted[place].query, disjuncts, answers, seconds)
    for place, one in enumerate(wanted):
        if alone[place]:
            replies[place] = reasoner.reply(one.query, one.k, only=one.only)
    return [replies[place] for place in range(len(wanted))]


def _groups(reasoner: Reasoner, questions: list[tuple[int, Query]]) -> list[_Group]:
    members: dict[Query, list[tuple[int, tuple[Symbol, ...], tuple[Symbol, ...]]]] = {}
    for place, query in questions:
        skeleton, named, between = skeleton_of(query)
        members.setdefault(skeleton, []).append((place, named, between))
    groups = []
    for skeleton, rows in members.items():
        places, *slots = zip(*rows, strict=True)
        entities, relations = (np.array(slot, np.int32) for slot in slots)
        boxes = reasoner.space.boxes(skeleton, entities, relations)
        known = answer_rows(skeleton, entities, relations, reasoner.stored.adjacency, threads=1)
        out = reasoner.ruled_out(skeleton, entities, relations)
        groups.append(_Group(skeleton, places, boxes, known, out))
    return groups


def _scan(
    reasoner: Reasoner, groups: list[_Group], wanted: Sequence[Wanted]
) -> list[list[Nearest]]:
    """What is nearest to each question of each group, with the boxes of all in one scan."""
    boxes = [group.boxes for group in groups]
    counts = np.concatenate([np.diff(part.starts) for part in boxes])
    everything = Boxes(
        np.concatenate([part.centers for part in boxes]),
        np.concatenate([part.offsets for part in boxes]),
        np.concatenate(([0], np.cumsum(counts))),
    )
    places = [place for group in groups for place in group.places]
    known = [row for group in groups for row in group.known]
    nobody = np.empty(0, np.int32)
    unwanted = Ragged.from_lists(
        row if wanted[place].only == "predicted" else nobody
        for place, row in zip(places, known, strict=True)
    )
    excluded = joined(unwanted, Ragged.concatenate([group.out for group in groups]))
    most = max(wanted[place].k for place in places)
    near = reasoner.space.nearest(everything, most, excluded=excluded)
    rows = iter(
        Nearest(entities[: wanted[place].k], distances[: wanted[place].k])
        for place, entities, distances in zip(places, *near, strict=True)
    )
    return [[next(rows) for _ in group.places] for group in groups]
