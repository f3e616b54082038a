"""The columns that an answer about things shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.link_names import is_time
from orchestrator.plan import ColumnRef
from orchestrator.thesaurus import same_groups
from orchestrator.things.book import Adjective
from orchestrator.things.conditions import year_place
from orchestrator.things.ground import Ground, NoSense, Place, only
from orchestrator.things.names import Hit, Thing
from orchestrator.things.sense import Show, YearIs
from parsers.fold import fold

_PLACES = ("ort", "stadt", "bundesland", "land", "bezirk", "region", "adresse", "straße", "kontinent", "gebiet")


@dataclass(frozen=True)
class Shown:
    """Columns with their headings; `places`: where they lie; `guesses`: how many were read by their meaning only."""

    refs: tuple[ColumnRef, ...]
    names: tuple[str, ...]
    places: tuple[Place, ...] = ()
    guesses: int = 0


def shown_columns(shows: Sequence[Show], thing: Thing, ground: Ground, bound: frozenset[ColumnRef] = frozenset()) -> Shown:
    """The columns of every show, each once. Raises NoSense where one is not found or several fit."""
    places: dict[ColumnRef, Place] = {}
    for show in shows:
        for place in _places(show, thing, ground, bound):
            places.setdefault(place.ref, place)
    if not places:
        raise NoSense
    refs = tuple(places)
    guesses = sum(int(not place.exact) for place in places.values())
    return Shown(refs, tuple(ground.name(ref) for ref in refs), tuple(places.values()), guesses)


def _places(show: Show, thing: Thing, ground: Ground, bound: frozenset[ColumnRef]) -> list[Place]:
    match show.kind:
        case "thing":
            return [Place(ref, 0) for ref in thing.labels]
        case "column":
            return _column(show, thing, ground)
        case "adjective":
            if not isinstance(show.what, Adjective):
                raise NoSense
            return [only(ground.measured(show.what, thing))]
        case "place":
            return _where(thing, ground, bound)
        case "time":
            return [year_place(YearIs((), verb=show.verb), thing, ground)] if show.verb else [_when(thing, ground)]
    raise NoSense


def _column(show: Show, thing: Thing, ground: Ground) -> list[Place]:
    if not isinstance(show.what, Hit):
        raise NoSense
    if show.of is None:
        return _named(show.what, thing, ground)
    found: list[list[Place]] = []
    for owner in show.of.things:
        own = _named(show.what, owner, ground)
        seen = [ground.place(place.ref, thing, place.exact and show.of.exact) for place in own if place.level == 0]
        if seen and all(place is not None for place in seen):
            found.append([place for place in seen if place is not None])
    if len(found) != 1:
        raise NoSense
    return found[0]


def _named(hit: Hit, thing: Thing, ground: Ground) -> list[Place]:
    """The nearest column called so; "Name" is what the thing is called."""
    places = ground.own(ground.nearest(hit.columns, thing, hit.exact), thing)
    if len(places) == 1 and (places[0].level == 0 or not hit.labels):
        return places
    if hit.labels:
        return [Place(ref, 0) for ref in thing.labels]
    return [only(places)]


def _where(thing: Thing, ground: Ground, bound: Iterable[ColumnRef]) -> list[Place]:
    """Every column of the thing's own table that names a place, but what the thing is called and what the question says."""
    own = {*thing.labels, thing.key, *bound}
    wanted = {group for word in _PLACES for group in same_groups(word)}
    found = []
    for column in ground.table(thing.table).columns:
        ref = ColumnRef(thing.table, column.sql_name)
        words = [word for name in (*column.names, column.column.header) for word in name.replace("_", " ").split()]
        if ref not in own and any(same_groups(word) & wanted for word in words):
            found.append(Place(ref, 0))
    return found


def _when(thing: Thing, ground: Ground) -> Place:
    times = [
        ref for ref in ground.times(thing) if is_time(ground.column(ref)) or fold(ground.column(ref).column.header) == "jahr"
    ]
    if len(times) != 1:
        raise NoSense
    return Place(times[0], 0)
