from __future__ import annotations

from itertools import product

from hypothesis import given, settings

import oracle
from query2box.answering.pattern import Bound, Pattern
from query2box.query.dnf import disjuncts, to_dnf
from strategies import NUM_ENTITIES, graphs, queries


def satisfied(pattern, graph):
    """The values of the target for which others fit, by trying them all."""
    edges = {(int(h), 2 * int(r), int(t)) for h, r, t in graph.edges}
    edges |= {(t, r + 1, h) for h, r, t in edges}
    found = set()
    for values in product(range(NUM_ENTITIES), repeat=len(pattern.definitions)):
        if all(
            (
                values[a.source.number] if isinstance(a.source, Bound) else a.source.entity,
                a.relation,
                values[a.destination],
            )
            in edges
            for a in pattern.atoms
        ):
            found.add(values[0])
    return found


@settings(max_examples=60)
@given(graphs(), queries())
def test_atoms_say_what_the_query_says(graph, query):
    for disjunct in disjuncts(to_dnf(query))[:3]:
        pattern = Pattern.of(disjunct)
        if len(pattern.definitions) <= 4:
            assert satisfied(pattern, graph) == oracle.denote(disjunct, graph)


@given(queries())
def test_every_variable_leads_to_one_before_it(query):
    for disjunct in disjuncts(to_dnf(query)):
        pattern = Pattern.of(disjunct)
        assert pattern.definitions[0] == disjunct
        for variable in range(1, len(pattern.definitions)):
            assert any(atom.destination < variable for atom in pattern.out_of(variable))
            assert pattern.into(variable)
