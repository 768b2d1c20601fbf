"""What is said about countries, cities, languages and time zones."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping

from babel import Locale
from babel.core import get_global

from countries.names import NameBook, Record, plain

Fact = tuple[str, str, str]

ENGLISH = Locale("en")
CONTINENTS = {"AF": "Africa", "AS": "Asia", "EU": "Europe", "OC": "Oceania"}
CONTINENTS |= {"NA": "North America", "SA": "South America"}
MIN_LANGUAGE_PERCENT = 1
POPULATIONS = {"over 1 million": 10**6, "over 10 million": 10**7, "over 100 million": 10**8}
UNIONS = {"EU": "European Union", "UN": "United Nations"}
DAYS = {"mon": "Monday", "fri": "Friday", "sat": "Saturday", "sun": "Sunday"}
HAN = {"Hans": "Simplified Han", "Hant": "Traditional Han"}  # CLDR: Simplified, Traditional
SAME_LANGUAGE = {"nb": "no"}  # CLDR counts Bokmål also as Norwegian


def name_countries(
    book: NameBook, countries: Mapping[str, Record], better: Mapping[str, str]
) -> None:
    """As GeoNames calls them, which is in ASCII, with the accents that CLDR knows."""
    for iso, country in countries.items():
        name = better.get(iso, country["name"])
        accented = ENGLISH.territories[iso]
        book.add("country", iso, [accented if plain(accented) == name else name])


def country_facts(
    book: NameBook, countries: Mapping[str, Record], fixes: Mapping[str, list[list[str]]]
) -> Iterator[Fact]:
    """Continent, neighbours, population."""
    borders = {(iso, o) for iso, c in countries.items() for o in c["neighbours"].split(",")}
    borders |= {(one, other) for one, other in fixes["missing"]}
    borders -= {(one, other) for one, other in fixes["wrong"]}
    for iso, country in countries.items():
        name = book.country(iso)
        code = country["continentcode"]
        yield name, "continent", book.add("continent", code, [CONTINENTS[code]])
        for other in countries:
            if (iso, other) in borders:
                yield name, "borders", book.country(other)
        yield from population_facts(book, name, country["population"])


def population_facts(book: NameBook, name: str, population: int) -> Iterator[Fact]:
    """Each size that is exceeded."""
    for label, least in POPULATIONS.items():
        if population > least:
            yield name, "population", book.add("population", label, [label])


def region_facts(
    book: NameBook, countries: Mapping[str, Record], cldr: ET.Element
) -> Iterator[Fact]:
    """Subregion of the United Nations, unions of states, first day of the week."""
    for group in cldr.iterfind("territoryContainment/group"):
        code, members = group.attrib["type"], group.attrib["contains"].split()
        for iso in [member for member in members if member in countries]:
            if code in UNIONS:
                union = book.add("union", code, [UNIONS[code]])
                yield book.country(iso), "member_of", union
            elif code.isdigit():
                region = ENGLISH.territories[code]
                labels = [region, f"{region} (subregion)"]
                yield book.country(iso), "subregion", book.add("subregion", code, labels)
    first_days = {
        iso: entry.attrib["day"]
        for entry in cldr.iterfind("weekData/firstDay")
        if "alt" not in entry.attrib
        for iso in entry.attrib["territories"].split()
    }
    for iso in countries:
        day = DAYS[first_days.get(iso, first_days["001"])]
        yield book.country(iso), "week_starts_on", book.add("day", day, [day])


def language_facts(
    book: NameBook,
    countries: Mapping[str, Record],
    cldr: ET.Element,
    fixes: Mapping[str, list[list[str]]],
) -> Iterator[Fact]:
    """Languages of countries, which of them are official, and scripts of languages."""
    scripts = get_global("likely_subtags")
    for territory in cldr.iterfind("territoryInfo/territory"):
        iso = territory.attrib["type"]
        entries = [e.attrib for e in territory.iterfind("languagePopulation")]
        most = max((float(e["populationPercent"]) for e in entries), default=0)
        for entry in entries if iso in countries else ():
            code, _, script = entry["type"].partition("_")
            code = SAME_LANGUAGE.get(code, code)
            status = entry.get("officialStatus")
            percent = float(entry["populationPercent"])
            label = ENGLISH.languages.get(code)  # some lesser ones have no English name
            if label is None or (status is None and percent < MIN_LANGUAGE_PERCENT):
                continue
            language = book.add("language", code, [label, f"{label} language"])
            script = script or scripts[code].split("_")[1]
            script = HAN.get(script, ENGLISH.scripts[script])
            yield book.country(iso), "language", language
            yield language, "written_in", book.add("script", script, [f"{script} script"])
            # Custom makes official what most people speak, not Swiss German beside German.
            official = status == "official" or (status == "de_facto_official" and percent == most)
            if (official or [iso, code] in fixes["missing"]) and [iso, code] not in fixes["wrong"]:
                yield book.country(iso), "official_language", language


def currency_facts(
    book: NameBook,
    countries: Mapping[str, Record],
    cldr: ET.Element,
    changed: dict[str, list[str]],
) -> Iterator[Fact]:
    """Currencies that are legal tender now."""
    for region in cldr.iterfind("currencyData/region"):
        iso = region.attrib["iso3166"]
        current = [
            entry.attrib["iso4217"]
            for entry in region.iterfind("currency")
            if "to" not in entry.attrib and entry.get("tender") != "false"
        ]
        for code in changed.get(iso, current) if iso in countries else ():
            currency = book.add("currency", code, [ENGLISH.currencies[code]])
            yield book.country(iso), "currency", currency


def zone_facts(book: NameBook, countries: Mapping[str, Record]) -> Iterator[Fact]:
    """Time zones of countries, and what the clocks of each zone are set to."""
    zones, aliases = get_global("territory_zones"), get_global("zone_aliases")
    clocks = {aliases.get(zone, zone): clock for zone, clock in get_global("meta_zones").items()}
    for iso in countries:
        for zone in zones.get(iso, ()):
            name = book.add("zone", zone, [zone])
            yield book.country(iso), "time_zone", name
            names = ENGLISH.meta_zones.get(clocks.get(zone), {}).get("long", {})
            label = names.get("generic") or names.get("standard")
            if label:
                yield name, "standard_time", book.add("clock", label, [label])


def city_facts(
    book: NameBook, cities: list[Record], capitals: Mapping[str, Record]
) -> Iterator[Fact]:
    """Country, time zone and population of cities, and which are capitals."""
    aliases = get_global("zone_aliases")
    for city in cities:
        name, zone = book.city(city), city["timezone"]
        yield name, "in_country", book.country(city["countrycode"])
        yield name, "time_zone", book.names["zone", aliases.get(zone, zone)]
        yield from population_facts(book, name, city["population"])
    for iso, capital in capitals.items():
        yield book.country(iso), "capital", book.city(capital)
