"""How soon a name is found among a million, as somebody types it or misspells it.

    python benchmarks/name_search.py [--names N] [--searches N] [--json FILE]

Makes names as large graphs have them, of people, places, works and bodies, with frequent
and rare words and a label for every second one, and searches them as `GET
/api/entities?search=` does: by beginnings of all lengths, by names with mistakes in them,
by words from the middle, and by texts that are made to be slow. The bars are a few
milliseconds for a beginning and some tens for whatever else; `cpu` is processor time,
which counts where other programs run as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from query2box.graph.files import atomic_text
from query2box.graph.name_search import LONGEST, NameSearch

LIMIT = 10
"""Names that a search gives, as the page asks for them."""

STARTS = [*"bcdfghjklmnprstvwz", "br", "ch", "dr", "gr", "kl", "sch", "st", "tr"]
VOWELS = [*"aeiouaeio", "ai", "au", "ee", "ie", "ou"]
ENDS = ["", "", "", *"nrlstm", "nd", "rt", "ck", "ng"]
SHAPES = (
    "{0} {1}",
    "{0} {1}",
    "{0} {2} {1}",
    "{1} {3}",
    "{3} of {1}",
    "The {2} {3}",
    "{0} {1} ({4})",
    "{1}, {2}",
)
KINDS = ("River", "County", "University", "Institute", "Film", "Band", "Church", "Station")


def make_words(count: int, rng: np.random.Generator) -> list[str]:
    """Words that can be spoken, of one to three syllables."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = (
            str(rng.choice(STARTS)) + str(rng.choice(VOWELS)) + str(rng.choice(ENDS))
            for _ in range(rng.integers(1, 4))
        )
        words["".join(syllables).capitalize()] = None
    return list(words)


def make_names(count: int, seed: int = 0) -> tuple[list[str], dict[int, str]]:
    """Distinct names, and the labels of every second one."""
    rng = np.random.default_rng(seed)
    words = make_words(20_000, rng)
    # Few words are in many names, as everywhere.
    drawn = np.minimum(rng.zipf(1.3, (count, 3)) - 1, 10**6) % len(words)
    kinds, years = rng.integers(len(KINDS), size=count), rng.integers(1500, 2030, size=count)
    shapes = rng.integers(len(SHAPES), size=count)
    texts = [
        SHAPES[shape].format(words[a], words[b], words[c], KINDS[kind], year)
        for shape, (a, b, c), kind, year in zip(
            shapes.tolist(), drawn.tolist(), kinds.tolist(), years.tolist(), strict=True
        )
    ]
    # As in Freebase and Wikidata: what is unique is no name, so half have a label beside it.
    names = [f"/m/0{number:x}" if number % 2 else text for number, text in enumerate(texts)]
    seen: set[str] = set()
    for number, name in enumerate(names):
        names[number] = name if name not in seen else f"{name} #{number}"
        seen.add(names[number])
    return names, {number: texts[number] for number in range(1, count, 2)}


def misspelt(text: str, rng: np.random.Generator, mistakes: int) -> str:
    """A text with letters swapped, left out or doubled."""
    for _ in range(mistakes):
        at = int(rng.integers(max(len(text) - 1, 1)))
        change = rng.integers(3)
        if change == 0:
            text = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
        else:
            text = text[:at] + (text[at] * 2 if change == 1 else "") + text[at + 1 :]
    return text


Searches = list[tuple[str, str | None]]
"""What is searched for, and the name that is meant, where one name alone can be."""


def searches(texts: list[str], count: int) -> dict[str, Callable[[], Searches]]:
    """Searches of each kind."""
    rng = np.random.default_rng(1)

    def some() -> list[str]:
        return [texts[i] for i in rng.integers(len(texts), size=count)]

    def noise() -> Searches:
        return [("".join(map(chr, row)), None) for row in rng.integers(97, 123, (count, 12))]

    return {
        "one letter": lambda: [(text[:1], None) for text in some()],
        "two letters": lambda: [(text[:2], None) for text in some()],
        "three letters": lambda: [(text[:3], None) for text in some()],
        "half of a name": lambda: [(text[: len(text) // 2], None) for text in some()],
        "a whole name": lambda: [(text, text) for text in some()],
        "one mistake": lambda: [(misspelt(text, rng, 1), text) for text in some()],
        "two mistakes": lambda: [(misspelt(text, rng, 2), text) for text in some()],
        "its last word": lambda: [(text.split()[-1], None) for text in some()],
        "nothing like it": noise,
        "twelve names": lambda: [
            (" ".join(some()[:12])[:LONGEST], None) for _ in range(count // 4)
        ],
    }


def measure(search: NameSearch, texts: list[str], wanted: Searches) -> dict[str, float | None]:
    """Milliseconds of single searches, and how many of them find whom they mean."""
    took, worked, found, meant = [], [], 0, 0
    for text, target in wanted:
        began, cpu_began = time.perf_counter(), time.process_time()
        entities = search.find(text, LIMIT)
        took.append(1000 * (time.perf_counter() - began))
        worked.append(1000 * (time.process_time() - cpu_began))
        meant += target is not None
        found += target in {texts[entity] for entity in entities}
    p50, p99, most = np.percentile(took, [50, 99, 100]).round(2).tolist()
    cpu, cpu_most = np.percentile(worked, [50, 100]).round(2).tolist()
    return {
        "p50_ms": p50,
        "p99_ms": p99,
        "max_ms": most,
        "cpu_p50_ms": cpu,
        "cpu_max_ms": cpu_most,
        "found": round(found / meant, 3) if meant else None,
    }


def memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _cell(figure: float | None) -> str:
    return f"{'' if figure is None else f'{figure:.2f}':>10}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", type=int, default=1_000_000)
    parser.add_argument("--searches", type=int, default=400, help="of each kind")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    options = parser.parse_args()
    names, labels = make_names(options.names)
    degrees = np.random.default_rng(2).zipf(1.8, len(names)).clip(max=10**6).astype(np.int64)
    before = memory()
    began, cpu_began = time.perf_counter(), time.process_time()
    search = NameSearch.of(names, labels, degrees)
    built = {
        "seconds": round(time.perf_counter() - began, 2),
        "cpu_seconds": round(time.process_time() - cpu_began, 2),
        "mb_for_names": before,
        "peak_mb": memory(),
    }
    search.find("warm", LIMIT)
    texts = [labels.get(number, name) for number, name in enumerate(names)]
    kinds = searches(texts, options.searches)
    found = {kind: measure(search, texts, wanted()) for kind, wanted in kinds.items()}
    print(f"{len(names):,} names, {len(labels):,} labels: built in {built['seconds']} s, ", end="")
    print(f"{built['peak_mb']:,} MB at most, of which the names {built['mb_for_names']:,} MB\n")
    columns = ("p50_ms", "p99_ms", "max_ms", "cpu_p50_ms", "cpu_max_ms", "found")
    print(f"{'searched for':<16}", *(f"{column:>10}" for column in columns))
    for kind, figures in found.items():
        print(f"{kind:<16}", *(_cell(figures[column]) for column in columns))
    if options.json:
        results = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "names": len(names),
            "built": built,
            "searches": found,
        }
        with atomic_text(options.json) as out:
            out.write(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
