from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from command_line import Run

QUESTION = "?c : lives(?p, ?c) & child(?p, 'child0.0')"


def test_json_has_every_atom(q2b: Run, tiny_run: Path):
    found = q2b("explain", tiny_run, QUESTION, "city0", "--others", 2, "--json").json
    assert set(found) == {"query", "answer", "disjuncts", "exact", "best", "runners_up"}
    assert found["answer"]["entity"] == "city0"
    assert len(found["runners_up"]) == 2
    for witness in (found["best"], *found["runners_up"]):
        child, lives = witness["atoms"]
        assert (child["relation"], lives["relation"]) == ("child", "lives")
        assert child["object"] == {"entity": "child0.0", "label": "child0.0", "variable": None}
        assert child["subject"]["variable"] == lives["subject"]["variable"] == "?x"
        assert child["subject"]["entity"] == lives["subject"]["entity"]
        assert lives["object"]["variable"] == "?t"


def test_the_tree_names_both_ends(q2b: Run, tiny_run: Path):
    outcome = q2b("explain", tiny_run, QUESTION, "city0", "--others", 1)
    lines = outcome.out.splitlines()
    assert lines[0].startswith("city0")
    assert "lives(?x = " in lines[1]
    assert ", ?t = city0)" in lines[1]
    assert "child(?x = " in lines[2]
    assert ", child0.0)" in lines[2]
    assert lines[3].startswith("or, ")
    assert all(("known" in line) != ("predicted" in line) for line in lines[1:3])


def test_a_picture_is_written(q2b: Run, tiny_run: Path, tmp_path: Path):
    out = tmp_path / "why.svg"
    q2b("explain", tiny_run, QUESTION, "city1", "--svg", out)
    texts = "".join(ET.fromstring(out.read_text()).itertext())
    assert "city1" in texts
    assert "child0.0" in texts


def test_bad_input_is_one_line(q2b: Run, tiny_run: Path):
    assert "citty0" in q2b("explain", tiny_run, QUESTION, "citty0").complaint
    assert q2b("explain", tiny_run, "?c : child(", "city0").code == 2
