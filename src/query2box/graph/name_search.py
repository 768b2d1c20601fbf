"""Names to be searched: by how they begin, then by what they look like.

Built once, so that a million names answer while somebody types: beginnings are
found by bisection, likeness by counting common trigrams, the rare ones first and not
more of them than can be counted in some milliseconds, before names are compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from query2box.graph.adjacency import IntArray, OffsetArray

LIKELY = 256
"""Names with the most common trigrams, which are compared letter by letter."""

POSTINGS = 1 << 17
"""Keys that are counted for one search; what a frequent trigram has beyond them says little."""

CHUNK = 1 << 17
"""Keys whose trigrams are made at a time."""

LIKENESS = 55.0
"""Of 100; names less alike are no suggestion."""

LONGEST = 200
"""Characters of a search that count."""

BUCKETS = 1 << 16
"""Trigrams share a bucket where their hashes are equal; names are compared anyway."""


@dataclass(frozen=True, eq=False)
class NameSearch:
    """Entities by name and by label; capitals do not count."""

    keys: list[str]
    """What can be searched for, ascending."""
    entities: IntArray
    """Whose key it is."""
    ranks: IntArray
    """Of the entity behind each key; of those that begin alike the best connected come first."""
    starts: OffsetArray
    """Where each bucket's keys start in `members` [BUCKETS + 1]."""
    members: IntArray
    """The keys that have a trigram of each bucket."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        labels: Mapping[int, str],
        degrees: npt.NDArray[np.int64],
    ) -> NameSearch:
        """The search over the names of entities, in id order, and their labels."""
        folded = [name.casefold() for name in names]
        owners = list(range(len(folded)))
        for entity, label in labels.items():
            if (key := label.casefold()) != folded[entity]:
                folded.append(key)
                owners.append(entity)
        order = sorted(range(len(folded)), key=folded.__getitem__)
        keys = [folded[place] for place in order]
        entities = np.array(owners, np.int32)[order]
        ranks = np.empty(len(names), np.int32)
        ranks[np.argsort(-degrees, kind="stable")] = np.arange(len(names), dtype=np.int32)
        return cls(keys, entities, ranks[entities], *_buckets(keys))

    def find(self, text: str, limit: int) -> list[int]:
        """The entities that a text may mean, the best first.

        Those whose name or label is the text, then those that begin with it,
        then those that look like it. No text: the best connected ones.
        """
        text = text.casefold()[:LONGEST]
        found = dict.fromkeys(self._beginning(text, limit))
        if len(found) < limit and text:
            found.update(dict.fromkeys(self.alike(text, limit)))
        return list(found)[:limit]

    def _beginning(self, text: str, limit: int) -> list[int]:
        start = bisect_left(self.keys, text)
        end = bisect_left(self.keys, True, start, key=lambda key: not key.startswith(text))
        exact = bisect_left(self.keys, True, start, end, key=lambda key: key != text)
        # An entity may begin so twice, by its name and by its label.
        both = [*self._best(start, exact, limit), *self._best(exact, end, 2 * limit)]
        return list(dict.fromkeys(both))

    def _best(self, start: int, end: int, limit: int) -> list[int]:
        """The best connected behind the keys start : end, at most so many."""
        ranks = self.ranks[start:end]
        if 0 < limit < len(ranks):
            chosen = np.argpartition(ranks, limit - 1)[:limit]
        else:
            chosen = np.arange(len(ranks))[: max(limit, 0) and None]
        best = chosen[np.argsort(ranks[chosen])]
        found: list[int] = self.entities[start:end][best].tolist()
        return found

    def alike(self, text: str, limit: int) -> list[int]:
        """The entities whose name or label looks like a text, the most alike first."""
        from rapidfuzz import fuzz, process

        likely = self._likely(text.casefold()[:LONGEST])
        near = process.extract(
            text,
            [self.keys[key] for key in likely],
            scorer=fuzz.WRatio,
            limit=None,
            score_cutoff=LIKENESS,
        )
        near.sort(key=lambda match: -match[1])
        found = dict.fromkeys(int(self.entities[likely[place]]) for _, _, place in near)
        return list(found)[:limit]

    def _likely(self, text: str) -> list[int]:
        """The keys that share most trigrams with a text, by its rarest ones."""
        buckets = np.unique(_trigrams([text])[0]).astype(np.int64)
        starts, ends = self.starts[buckets], self.starts[buckets + 1]
        parts: list[IntArray] = []
        room = POSTINGS
        for place in np.argsort(ends - starts, kind="stable").tolist():
            part = self.members[starts[place] : min(ends[place], starts[place] + room)]
            parts.append(part)
            room -= len(part)
        if room == POSTINGS:
            return []
        keys, common = np.unique(np.concatenate(parts), return_counts=True)
        if len(keys) > LIKELY:
            keys = keys[np.argpartition(-common, LIKELY - 1)[:LIKELY]]
        found: list[int] = keys.tolist()
        return found


def _trigrams(keys: Sequence[str]) -> tuple[npt.NDArray[np.uint16], IntArray]:
    """The buckets of the trigrams of each key, with a mark at either end, and whose they are."""
    text = "".join(f"\x02{key}\x03" for key in keys)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.fromiter(map(len, keys), np.int64, len(keys)) + 2
    owners = np.repeat(np.arange(len(keys), dtype=np.int32), lengths)
    mixed = (codes[:-2] * np.uint32(0x9E3779B1)) ^ (codes[1:-1] * np.uint32(0x85EBCA6B))
    mixed = (mixed ^ (codes[2:] * np.uint32(0xC2B2AE35))) * np.uint32(0x27D4EB2F)
    within = owners[:-2] == owners[2:]
    return (mixed[within] >> np.uint32(16)).astype(np.uint16), owners[:-2][within]


def _buckets(keys: Sequence[str]) -> tuple[OffsetArray, IntArray]:
    """The keys of each bucket, one bucket after the other.

    Some keys at a time, first counted, then written: trigrams take much more room than keys.
    """
    chunks = [slice(start, start + CHUNK) for start in range(0, len(keys), CHUNK)]
    counts = np.zeros(BUCKETS, np.int64)
    for chunk in chunks:
        counts += np.bincount(_trigrams(keys[chunk])[0], minlength=BUCKETS)
    starts = np.concatenate(([0], np.cumsum(counts)))
    members = np.empty(int(starts[-1]), np.int32)
    free = starts[:-1].copy()
    for chunk in chunks:
        buckets, owners = _trigrams(keys[chunk])
        order = np.argsort(buckets, kind="stable")
        own = np.bincount(buckets, minlength=BUCKETS)
        # Where a bucket's keys of this chunk begin, less where they stand in the chunk's order.
        shift = np.repeat(free - (np.cumsum(own) - own), own)
        members[shift + np.arange(len(order))] = owners[order] + np.int32(chunk.start)
        free += own
    return starts, members
