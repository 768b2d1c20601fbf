"""Names to be searched: by how they begin, then by what they look like.

Built once, so that a million names answer while somebody types: beginnings are
found by bisection, likeness by counting common trigrams before names are compared.
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
    degrees: npt.NDArray[np.int64]
    """By entity; of those that begin alike the best connected come first."""
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
        pairs = [(name.casefold(), entity) for entity, name in enumerate(names)]
        pairs += [
            (folded, entity)
            for entity, label in labels.items()
            if (folded := label.casefold()) != pairs[entity][0]
        ]
        pairs.sort()
        keys = [key for key, _ in pairs]
        entities = np.fromiter((entity for _, entity in pairs), np.int32, len(pairs))
        return cls(keys, entities, degrees, *_buckets(keys))

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
        exact = start
        while exact < end and self.keys[exact] == text:
            exact += 1
        same, longer = self.entities[start:exact], self.entities[exact:end]
        # An entity may begin so twice, by its name and by its label.
        return list(dict.fromkeys([*self._best(same, limit), *self._best(longer, 2 * limit)]))

    def _best(self, entities: IntArray, limit: int) -> list[int]:
        """The best connected, at most so many."""
        # Unlike degrees alone, these order all entities in one way only.
        order = entities - self.degrees[entities] * len(self.degrees)
        if 0 < limit < len(entities):
            chosen = np.argpartition(order, limit - 1)[:limit]
            entities, order = entities[chosen], order[chosen]
        found: list[int] = entities[np.argsort(order)][:limit].tolist()
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
        """The keys that share most trigrams with a text."""
        buckets = np.unique(_trigrams([text])[0])
        parts = [self.members[self.starts[b] : self.starts[b + 1]] for b in buckets.tolist()]
        common = np.bincount(np.concatenate([*parts, []]).astype(np.int64))
        count = min(LIKELY, int(np.count_nonzero(common)))
        if not count:
            return []
        found: list[int] = np.argpartition(-common, count - 1)[:count].tolist()
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
    """The keys of each bucket, one bucket after the other."""
    buckets, owners = _trigrams(keys)
    order = np.argsort(buckets, kind="stable")
    counts = np.bincount(buckets, minlength=BUCKETS)
    return np.concatenate(([0], np.cumsum(counts))), owners[order]
