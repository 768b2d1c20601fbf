"""Names to ids, a block of names at a time."""

from __future__ import annotations

import secrets
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from query2box.graph.adjacency import IntArray, OffsetArray

WordArray: TypeAlias = npt.NDArray[np.uint64]
T = TypeVar("T", bound=np.generic)

SPARE_BYTES = 8
"""How many bytes a block has after its last name, so that a word may begin anywhere."""

# Longer names, in bytes, are so rare that a dict will do for them.
_LONGEST = 128
# The part of a word that belongs to a name of which so many bytes are left.
_MASKS = np.array([(1 << 8 * left) - 1 for left in range(9)], np.uint64)


class NameTable:
    """Gives names ids in the order they appear.

    What a dict spends on a name of a large graph is nearly all waiting for memory,
    one name after another. numpy waits for many at once, so this is a hash table of
    arrays: open addressing, linear probing, and a secret in the hash against names
    made to collide. Names are compared in whole, as words of eight bytes.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._long: dict[bytes, int] = {}
        self._slots: IntArray = np.full(1 << 10, -1, np.int32)
        # By id, with room to grow; name i is _words[_starts[i]:], filled up with zeros.
        self._hashes: WordArray = np.zeros(0, np.uint64)
        self._lengths: OffsetArray = np.zeros(0, np.int64)
        self._starts: OffsetArray = np.zeros(0, np.int64)
        self._words: WordArray = np.zeros(0, np.uint64)
        self._num_words = 0
        self._secret = np.uint64(secrets.randbits(64) | 1)

    def ids(
        self, block: bytes, starts: OffsetArray, lengths: OffsetArray, add: bool = True
    ) -> IntArray:
        """The ids of the names that stand in a block; new ones are added or, if not, get -1."""
        words = _words(block, starts, lengths)
        hashes = self._hash(words, lengths)
        ids = self._find(words, hashes, lengths)

        def names(which: OffsetArray) -> list[bytes]:
            ends = starts[which] + lengths[which]
            return [block[a:b] for a, b in zip(starts[which].tolist(), ends.tolist(), strict=True)]

        long = np.flatnonzero(lengths > _LONGEST)
        ids[long] = [self._long.get(name, -1) for name in names(long)]
        unknown = np.flatnonzero(ids < 0)
        if add and len(unknown):
            new: dict[bytes, int] = {}
            for name in (found := names(unknown)):
                new.setdefault(name, len(self.names) + len(new))
            ids[unknown] = [new[name] for name in found]
            _, first = np.unique(ids[unknown], return_index=True)
            first = unknown[first]
            self._add(words[:, first], hashes[first], lengths[first])
            self._long.update((name, i) for name, i in new.items() if len(name) > _LONGEST)
            self.names.extend(name.decode() for name in new)
        return ids

    def _hash(self, words: WordArray, lengths: OffsetArray) -> WordArray:
        hashes = np.full(len(lengths), self._secret)
        for k, word in enumerate(words):
            at = _reaching(lengths, k)
            mixed = (hashes[at] ^ word[at]) * self._secret
            hashes[at] = mixed ^ (mixed >> np.uint64(32))
        return hashes

    def _find(self, words: WordArray, hashes: WordArray, lengths: OffsetArray) -> IntArray:
        """The ids of names, -1 where there is none."""
        ids = np.full(len(lengths), -1, np.int32)
        last = len(self._slots) - 1
        slots = (hashes & np.uint64(last)).astype(np.int64)
        names = np.arange(len(ids))
        while len(names):
            found = self._slots[slots]
            taken = found >= 0
            names, found, slots = names[taken], found[taken], slots[taken]
            same = self._lengths[found] == lengths[names]
            starts = self._starts[found]
            for k, word in enumerate(words):
                at = np.flatnonzero(same & (lengths[names] > 8 * k))
                if not len(at):
                    break
                same[at] = self._words[starts[at] + k] == word[names[at]]
            ids[names[same]] = found[same]
            names, slots = names[~same], (slots[~same] + 1) & last
        return ids

    def _add(self, words: WordArray, hashes: WordArray, lengths: OffsetArray) -> None:
        """Add distinct names that are not there yet; long ones get no slot."""
        old, size = len(self.names), len(self.names) + len(lengths)
        num_words = np.minimum(-(-lengths // 8), len(words))
        ends = self._num_words + np.cumsum(num_words)
        self._num_words = int(ends[-1])
        self._hashes = _with_room(self._hashes, size)
        self._lengths = _with_room(self._lengths, size)
        self._starts = _with_room(self._starts, size)
        self._words = _with_room(self._words, self._num_words)
        self._hashes[old:size] = hashes
        self._lengths[old:size] = lengths
        self._starts[old:size] = ends - num_words
        for k, word in enumerate(words):
            at = np.flatnonzero(num_words > k)
            self._words[self._starts[old:size][at] + k] = word[at]
        if 2 * size > len(self._slots):
            self._slots = np.full(1 << (4 * size).bit_length(), -1, np.int32)
            old = 0
        self._take_slots(np.arange(old, size))

    def _take_slots(self, ids: OffsetArray) -> None:
        ids = ids[self._lengths[ids] <= _LONGEST]
        last = len(self._slots) - 1
        slots = (self._hashes[ids] & np.uint64(last)).astype(np.int64)
        while len(ids):
            free = self._slots[slots] < 0
            self._slots[slots[free]] = ids[free]
            # Of several that took one slot, the last has it.
            late = self._slots[slots] != ids
            ids, slots = ids[late], (slots[late] + 1) & last


def _words(block: bytes, starts: OffsetArray, lengths: OffsetArray) -> WordArray:
    """The words of names, [word, name]; of long names those at the beginning."""
    anywhere = np.ndarray(len(block) - 7, "<u8", block, strides=(1,))
    longest = min(int(lengths.max(initial=0)), _LONGEST)
    words = np.zeros((-(-longest // 8), len(starts)), np.uint64)
    for k, word in enumerate(words):
        at = _reaching(lengths, k)
        left = np.minimum(lengths[at] - 8 * k, 8)
        word[at] = anywhere[starts[at] + 8 * k] & _MASKS[left]
    return words


def _reaching(lengths: OffsetArray, k: int) -> OffsetArray | slice:
    """The names that have a word k."""
    return np.flatnonzero(lengths > 8 * k) if k else slice(None)


def _with_room(array: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    if size <= len(array):
        return array
    larger = np.zeros(max(size, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger
