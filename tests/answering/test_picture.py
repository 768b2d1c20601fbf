from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query2box.answering.picture import draw
from query2box.graph.knowledge_graph import KnowledgeGraph
from reasoners import random_reasoner
from strategies import NUM_ENTITIES, graphs, queries

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = ['<script>alert("x")</script>', "a & b", "\x00\x1b[31m", "]]>", "'\"", "\ud7ff\ufffe", ""]


@settings(max_examples=60)
@given(graphs(), queries(), st.integers(0, NUM_ENTITIES - 1))
def test_a_picture_has_every_edge_and_every_entity(graph, query, entity):
    labelled = KnowledgeGraph(
        graph.entities,
        graph.relations,
        {"train": graph.edges},
        {i: label for i, label in enumerate(HOSTILE) if label},
    )
    explanation = random_reasoner(labelled).explain(query, entity, 0)
    picture = ET.fromstring(draw(explanation))
    atoms = explanation.best.atoms
    edges = [path.get("class") for path in picture.iter(f"{SVG}path") if path.get("class")]
    assert edges.count("edge known") == sum(atom.known for atom in atoms)
    assert edges.count("edge predicted") == sum(not atom.known for atom in atoms)
    ends = {(end.variable, end.id) for atom in atoms for end in (atom.subject, atom.object)}
    boxes = [box.get("class") for box in picture.iter(f"{SVG}rect") if box.get("class")]
    assert len(boxes) == len(ends)
    assert boxes.count("answer") == 1
    assert not list(picture.iter(f"{SVG}script"))


@pytest.mark.parametrize("relation", ["a" * 500, "<&>"])
def test_texts_are_cut_and_escaped(relation: str):
    import numpy as np

    from query2box.graph.vocabulary import Vocabulary

    graph = KnowledgeGraph(
        Vocabulary("entity", ["x", "y"]),
        Vocabulary("relation", [relation]),
        {"train": np.array([[0, 0, 1]], np.int32)},
    )
    picture = ET.fromstring(draw(random_reasoner(graph).explain(["p", relation, ["e", "x"]], "y")))
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert {"x", "y", "?t"} < set(texts)
    assert all(len(text or "") <= 24 for text in texts)
