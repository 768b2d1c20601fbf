"""How good a run is after an update with new edges, beside one that is trained from scratch.

    python benchmarks/updating.py [DATA] [--minutes M | --steps N] [--share 0.01]
        [--newcomers 0.003] [--caution C] [--set key=value ...] [--work FOLDER] [--json FILE]

Some training edges of DATA (FB15k-237 in $Q2B_SHARED/data where it is at hand, else
`countries`) are kept back: all those of some entities drawn at random, which are then
unknown, and others up to the share. One model is trained on the rest and updated with
them as `q2b update` does it, another is trained on everything for as long. Both and the
model before the update are asked

  old questions       validation questions of all structures, with known names
  new edges           those kept back whose names were known before, from both ends
  edges of newcomers  all others that were kept back
  newcomers, unseen   validation edges of the newcomers, which no model was trained on

The bar: after the update about as good as from scratch, in a tenth of the time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from query2box.bundle import CONFIG, Bundle
from query2box.cli.settings import read_settings
from query2box.evaluation.evaluator import evaluate_queries, rank_group
from query2box.evaluation.link_prediction import edge_queries
from query2box.evaluation.metrics import Metrics
from query2box.experiment import updating
from query2box.experiment.journal import Journal
from query2box.experiment.queries import evaluation_queries
from query2box.graph.adjacency import Adjacency, IntArray
from query2box.graph.datasets import locate
from query2box.graph.files import atomic_text
from query2box.graph.folder import load_folder, save_graph
from query2box.graph.knowledge_graph import KnowledgeGraph
from query2box.graph.vocabulary import Vocabulary
from query2box.graph.writers import write_tsv
from query2box.library import train, update
from query2box.model.embedding import QueryEmbedding
from query2box.workload.query_set import QueryGroup, Ragged

SHARED = Path(os.environ.get("Q2B_SHARED", Path(__file__).parents[2] / "shared")) / "data"
LIMIT = 500
"""Validation questions of each structure."""


@dataclass(frozen=True)
class Apart:
    """A graph without some of its edges, and those."""

    before: KnowledgeGraph
    new: list[tuple[str, str, str]]
    newcomers: set[str]


def take_apart(graph: KnowledgeGraph, share: float, newcomers: float, seed: int) -> Apart:
    """Keep back so many training edges: those of newcomers first, then any others."""
    rng = np.random.default_rng(seed)
    edges = graph.edges_of("train")
    wanted = round(share * len(edges))
    kept_back = np.zeros(len(edges), bool)
    degrees = np.bincount(edges[:, [0, 2]].ravel(), minlength=graph.num_entities)
    chosen: list[int] = []
    for entity in rng.permutation(graph.num_entities).tolist():
        own = (edges[:, 0] == entity) | (edges[:, 2] == entity)
        # Nobody whose edges are most of the new ones: there are to be others.
        if 0 < degrees[entity] <= wanted // 4 and (kept_back | own).sum() <= wanted:
            kept_back |= own
            chosen.append(entity)
        if len(chosen) >= newcomers * graph.num_entities:
            break
    counts = [np.bincount(edges[~kept_back][:, p].ravel()).tolist() for p in ([0, 2], [1])]
    for row in rng.permutation(np.flatnonzero(~kept_back)).tolist():
        if kept_back.sum() >= wanted:
            break
        head, relation, tail = edges[row].tolist()
        if min(counts[0][head], counts[0][tail], counts[1][relation]) > 2:  # names stay known
            kept_back[row] = True
            counts[0][head] -= 1
            counts[0][tail] -= 1
            counts[1][relation] -= 1
    triples = list(graph.triples("train"))
    return Apart(
        _without(graph, ~kept_back, set(chosen)),
        [triples[row] for row in np.flatnonzero(kept_back)],
        {graph.entities[entity] for entity in chosen},
    )


def _without(graph: KnowledgeGraph, rows: np.ndarray, strangers: set[int]) -> KnowledgeGraph:
    """The graph of these training edges; whom or what they do not name is not there."""
    train_edges = graph.edges_of("train")[rows]
    entities = [e for e in range(graph.num_entities) if e not in strangers]
    relations = np.unique(train_edges[:, 1]).tolist()
    places = _places(graph.num_entities, entities), _places(graph.num_relations, relations)

    def renumbered(edges: IntArray) -> IntArray:
        found = np.stack(
            (places[0][edges[:, 0]], places[1][edges[:, 1]], places[0][edges[:, 2]]), 1
        )
        return found[(found >= 0).all(1)]

    return KnowledgeGraph(
        Vocabulary("entity", (graph.entities[e] for e in entities)),
        Vocabulary("relation", (graph.relations[r] for r in relations)),
        {"train": renumbered(train_edges), "valid": renumbered(graph.edges_of("valid"))},
        {int(places[0][e]): label for e, label in graph.labels.items() if places[0][e] >= 0},
        graph.name,
    )


def _places(size: int, members: Sequence[int]) -> IntArray:
    places = np.full(size, -1, np.int32)
    places[members] = np.arange(len(members))
    return places


@dataclass(frozen=True)
class Exam:
    """What models are asked; ids are those of the larger graph, of which the smaller is a part."""

    old: tuple[QueryGroup, ...]
    edges: dict[str, QueryGroup]

    @classmethod
    def of(cls, whole: KnowledgeGraph, folder: str, apart: Apart, larger: KnowledgeGraph) -> Exam:
        """Of a graph that was taken apart and put together again under other ids."""
        entities = np.array([larger.entities.get(n) for n in whole.entities], np.int32)
        relations = np.array([larger.relations.get(n) for n in whole.relations], np.int32)
        known = apart.before.num_entities, apart.before.num_relations
        everything = np.concatenate([whole.edges_of(split) for split in ("train", "valid")])
        everything = _renumbered(everything, entities, relations)
        total = len(whole.edges_of("train"))
        new = larger.edges_of("train")[-len(apart.new) :]
        familiar = (new[:, [0, 2]] < known[0]).all(1) & (new[:, 1] < known[1])
        valid = everything[total:]
        unseen = valid[(valid[:, [0, 2]] >= known[0]).any(1)]
        kinds = {
            "new edges": new[familiar],
            "edges of newcomers": new[~familiar],
            "newcomers, unseen": unseen,
        }
        questions = evaluation_queries(whole, "valid", folder, LIMIT)
        return cls(
            tuple(_familiar(group, entities, relations, known) for group in questions),
            {
                name: edge_queries(asked, _others(everything, asked, larger))
                for name, asked in kinds.items()
                if len(asked)
            },
        )

    def figures(self, model: QueryEmbedding) -> dict[str, Metrics | None]:
        """The figures of a model; None where it lacks the names."""
        found: dict[str, Metrics | None] = {}
        found["old questions"] = evaluate_queries(
            model, (_within(group, len(model.points)) for group in self.old)
        ).average
        for name, group in self.edges.items():
            knows = max(group.entities.max(), group.hard.values.max()) < len(model.points)
            knows &= group.relations.max() < len(model.centers)
            found[name] = (
                Metrics.by_answer(rank_group(model, _within(group, len(model.points))).realistic)
                if knows
                else None
            )
        return found


def _renumbered(edges: IntArray, entities: IntArray, relations: IntArray) -> IntArray:
    return np.stack((entities[edges[:, 0]], relations[edges[:, 1]], entities[edges[:, 2]]), 1)


def _others(everything: IntArray, asked: IntArray, graph: KnowledgeGraph) -> Adjacency:
    """All edges but those that are asked for."""
    size = np.array((graph.num_relations * graph.num_entities, graph.num_entities, 1), np.int64)
    left = ~np.isin(everything @ size, asked @ size)
    return Adjacency.build(everything[left], graph.num_entities, graph.num_relations)


def _familiar(
    group: QueryGroup, entities: IntArray, relations: IntArray, known: tuple[int, int]
) -> QueryGroup:
    """The queries under other ids that name nothing new and have a hard answer that is not new."""
    anchors = entities[group.entities]
    between = 2 * relations[group.relations >> 1] + (group.relations & 1)
    easy, hard = (
        Ragged(part.offsets, entities[part.values]).ascending() for part in (group.easy, group.hard)
    )
    old = _below(hard, known[0])
    # A newcomer that is right must not count against others.
    easy = Ragged.from_lists(np.union1d(a, b) for a, b in zip(easy, hard.without(old), strict=True))
    rows = np.flatnonzero(
        (anchors < known[0]).all(1) & (between < 2 * known[1]).all(1) & (old.counts > 0)
    )
    return QueryGroup(
        group.structure, group.skeleton, anchors, between.astype(np.int32), easy, old
    ).take(rows)


def _within(group: QueryGroup, size: int) -> QueryGroup:
    """The same queries for a model of so many entities."""
    easy = _below(group.easy, size)
    return QueryGroup(
        group.structure, group.skeleton, group.entities, group.relations, easy, group.hard
    )


def _below(ragged: Ragged, limit: int) -> Ragged:
    kept = ragged.values < limit
    counts = np.bincount(ragged.rows[kept], minlength=len(ragged))
    return Ragged.from_counts(counts, ragged.values[kept])


def trained(
    graph: KnowledgeGraph, out: Path, minutes: float | None, settings: dict[str, object]
) -> float:
    """The seconds that a model was trained for; one that is there already is used again."""
    if not (out / CONFIG).exists():
        train(graph, out, minutes=minutes, settings=settings)
    return max(e["seconds"] for e in Journal(out).entries() if e["kind"] == "progress")


def measure(options: argparse.Namespace, work: Path, say: Console) -> dict[str, object]:
    """Train, update and train again; what each knows and how long it took."""
    source = locate(options.data)
    whole = KnowledgeGraph.load(source)
    apart = take_apart(whole, options.share, options.newcomers, options.seed)
    say.print(f"{whole.name}: {len(apart.new):,} edges kept back, {len(apart.newcomers)} newcomers")
    settings = read_settings(options.settings)
    minutes = options.minutes
    if options.steps is not None:
        minutes, settings = None, {"steps": options.steps, **settings}
    seconds: dict[str, float] = {}
    say.print("training on the rest ...")
    seconds["before"] = trained(apart.before, work / "before", minutes, settings)
    write_tsv(work / "new.tsv", apart.new)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        say.print("updating ...")
        began = time.perf_counter()
        done = update(
            work / "before", work / "new.tsv", Path(folder) / "after", options.update_minutes
        )
        seconds["after"] = done.seconds
        whole_update = time.perf_counter() - began
        after = Bundle.load(Path(folder) / "after")
        say.print("training from scratch ...")
        if not (work / "everything").exists():
            save_graph(after.graph, work / "everything")
        larger = load_folder(work / "everything").graph
        seconds["scratch"] = trained(larger, work / "scratch", minutes, settings)
        exam = Exam.of(whole, source, apart, after.graph)
        models = {
            "before": Bundle.load(work / "before").model,
            "after": after.model,
            "scratch": Bundle.load(work / "scratch").model,
        }
        figures = {name: exam.figures(model) for name, model in models.items()}
    return {
        "data": whole.name,
        "settings": settings,
        "new_edges": len(apart.new),
        "newcomers": len(apart.newcomers),
        "update_steps": done.steps,
        "update_caution": options.caution,
        "update_seconds_with_judging": round(whole_update, 1),
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "figures": {
            name: {kind: one and asdict(one) for kind, one in found.items()}
            for name, found in figures.items()
        },
    }


def table(results: dict) -> Table:
    """A row for each kind of question, H@3 and MRR of each model."""
    models = list(results["figures"])
    found = Table(box=None, pad_edge=False)
    found.add_column("H@3 / MRR")
    found.add_column("answers", justify="right")
    for name in models:
        found.add_column(name, justify="right")
    for kind, last in results["figures"]["scratch"].items():
        parts = [results["figures"][name][kind] for name in models]
        cells = (f"{p['hits_3']:.3f} / {p['mrr']:.3f}" if p else "-" for p in parts)
        found.add_row(kind, f"{last['queries']:,}", *cells)
    times = (f"{results['seconds'][name]:,.0f} s" for name in models)
    found.add_row("training", "", *times)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = SHARED / "FB15k-237"
    parser.add_argument(
        "data", nargs="?", default=str(default) if default.is_dir() else "countries"
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="of each training")
    parser.add_argument("--steps", type=int, help="of each training, instead of minutes")
    parser.add_argument("--update-minutes", type=float, help="else as `q2b update` does it")
    parser.add_argument(
        "--caution",
        type=float,
        default=updating.CAUTION,
        help="the learning rate of the update, as a share of the run's own",
    )
    parser.add_argument("--share", type=float, default=0.01, help="of the edges that are new")
    parser.add_argument("--newcomers", type=float, default=0.003, help="share of the entities")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--set", action="append", default=[], dest="settings", metavar="key=value",
        help="an option of training",
    )  # fmt: skip
    parser.add_argument("--work", type=Path, help="keep the runs here; trained ones are used again")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    options = parser.parse_args()
    updating.CAUTION = options.caution
    say = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder:
        work = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        results = measure(options, work, say)
    results = {"python": platform.python_version(), "cores": os.cpu_count(), **results}
    Console(width=110).print(table(results))
    if options.json:
        with atomic_text(options.json) as out:
            out.write(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
