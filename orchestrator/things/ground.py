"""Where the words of a question about things lie: tables around a thing, and the nearest column that a name means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from orchestrator.compounds import entity_name
from orchestrator.link_names import Names, display_name, is_number, is_time
from orchestrator.plan import ColumnRef, Condition, InRows, Join
from orchestrator.planners.frames import Frame, frames_of
from orchestrator.scope import Scope, VisibleColumn, VisibleTable
from orchestrator.thesaurus import word_forms
from orchestrator.things.names import Hit, Thing, ThingNames
from orchestrator.things.sense import Measured
from orchestrator.things.words import ValueHit
from parsers.fold import fold
from parsers.table import ColumnType

MANY = 5
"""Level of a table that refers to the thing: below it lie the thing's own table (0) and those it refers to (1, 2)."""


class NoSense(Exception):
    """This reading of the question has no meaning over these tables."""


@dataclass(frozen=True)
class Place:
    """A column with how far its table is from the thing. `exact`: named by its own name; `step`: the join through a table that
    refers to the thing, None elsewhere."""

    ref: ColumnRef
    level: int
    exact: bool = True
    step: Join | None = None
    descending: bool = True


class Ground:
    """The tables of a scope seen from one thing."""

    def __init__(self, scope: Scope, names: Names, things: ThingNames) -> None:
        self.scope, self.names, self.things = scope, names, things
        self.frames = {frame.main: frame for frame in frames_of(scope, names)}

    def frame(self, table: str) -> Frame:
        return self.frames[table]

    def table(self, name: str) -> VisibleTable:
        return self.names.tables[name]

    def column(self, ref: ColumnRef) -> VisibleColumn:
        column = self.table(ref.table).column(ref.column)
        if column is None:
            raise NoSense
        return column

    def name(self, ref: ColumnRef) -> str:
        return display_name(self.column(ref))

    def referring(self, thing: Thing) -> tuple[Join, ...]:
        """Joins from other tables to the thing's own, one a table: an approved one, else the only measured one."""
        by_table: dict[str, list[Join]] = {}
        for each in self.scope.relations:
            if each.one_table == thing.table and each.many_table in self.names.tables:
                many, one = ColumnRef(each.many_table, each.many_column), ColumnRef(each.one_table, each.one_column)
                by_table.setdefault(each.many_table, []).append(Join(many, one, each.approved))
        chosen = ([join for join in joins if join.approved] or joins for joins in by_table.values())
        return tuple(joins[0] for joins in chosen if len(joins) == 1)

    def is_only_way(self, path: Iterable[Join]) -> bool:
        """No other relation of the same standing joins the same two tables (home team and visiting team)."""
        ends = [(each.many_table, each.one_table, each.approved) for each in self.scope.relations]
        return all(ends.count((join.many.table, join.one.table, join.approved)) == 1 for join in path)

    def distinct(self, ref: ColumnRef) -> int:
        return self.names.values[ref.table].distinct.get(ref.column, 0)

    def rows(self, table: str) -> int:
        return self.names.values[table].rows

    def place(self, ref: ColumnRef, thing: Thing, exact: bool = True) -> Place | None:
        """The column seen from the thing; None where no join leads there."""
        paths = self.frame(thing.table).paths
        if ref.table in paths:
            return Place(ref, len(paths[ref.table]), exact) if self.is_only_way(paths[ref.table]) else None
        for join in self.referring(thing):
            beyond = self.frame(join.many.table).paths
            if ref.table in beyond and len(beyond[ref.table]) <= 1 and self.is_only_way(beyond[ref.table]):
                return Place(ref, MANY + len(beyond[ref.table]), exact, join)
        return None

    def nearest(self, refs: Iterable[ColumnRef], thing: Thing, exact: bool = True) -> list[Place]:
        """The columns that lie nearest to the thing, all of them where several do."""
        found = [place for ref in refs if (place := self.place(ref, thing, exact)) is not None]
        least = min((place.level for place in found), default=0)
        return [place for place in found if place.level == least]

    def own(self, places: Iterable[Place], thing: Thing) -> list[Place]:
        """Those that tell something about the thing itself: in its own table, in rows that refer to it, or in a table where
        each of its rows has a row of its own. The area of a city's state is no area of the city."""
        return [place for place in places if self._is_own(place, thing)]

    def _is_own(self, place: Place, thing: Thing) -> bool:
        if place.level in (0, MANY):
            return True
        path = self.frame(thing.table).paths[place.ref.table] if place.level < MANY else ()
        return bool(path) and all(self.distinct(join.many) == self.rows(join.many.table) for join in path)

    def measured(self, what: Measured, thing: Thing) -> list[Place]:
        """The columns that a name or an adjective means; the direction of an adjective is in `descending`."""
        if isinstance(what, Hit):
            return self.own(self.nearest(what.columns, thing, what.exact), thing)
        for words, descending in ((what.columns, True), (what.inverse, False)):
            for word in words:
                hits = self.things.columns((word,))
                places = self.nearest([ref for hit in hits for ref in hit.columns], thing, hits[0].exact) if hits else []
                places = [place for place in self.own(places, thing) if self._may_measure(place.ref)]
                if any(place.level == MANY and is_time(self.column(place.ref)) for place in places):
                    return []  # the newest machine is not the one of the newest failure
                if not places and word in _OF_TIME:
                    places = [Place(ref, 0) for ref in self.times(thing)]
                if places:
                    return [Place(each.ref, each.level, each.exact, each.step, descending) for each in places]
        return []

    def is_ordered(self, ref: ColumnRef) -> bool:
        """Numbers that are no keys, and times, have a highest and a lowest."""
        return self._may_measure(ref)

    def _may_measure(self, ref: ColumnRef) -> bool:
        column = self.column(ref)
        return (is_number(column) and not self.is_key(ref)) or is_time(column)

    def times(self, thing: Thing) -> list[ColumnRef]:
        """Columns of the thing's own table that hold a year, a day or a moment."""
        table = self.table(thing.table)
        return [ColumnRef(thing.table, c.sql_name) for c in table.columns if is_time(c) or (is_number(c) and names_year(c))]

    def is_key(self, ref: ColumnRef) -> bool:
        """A number that only identifies: a key of the table, or one that refers to another table."""
        refers = any((each.many_table, each.many_column) == (ref.table, ref.column) for each in self.scope.relations)
        header = self.column(ref).column.header
        return refers or entity_name(header) is not None or fold(header) == "id" or self.things.thing(ref.table).key == ref

    def values(self, hit: ValueHit, thing: Thing, *, nearest: bool = True) -> list[tuple[Place, tuple[str | Decimal, ...]]]:
        """The columns that hold the value and lie nearest, or all within reach."""
        found = [(place, stored) for key, stored in hit.columns if (place := self.place(ColumnRef(*key), thing)) is not None]
        least = min((place.level for place, _ in found), default=0)
        return [(place, stored) for place, stored in found if place.level == least or not nearest]

    def lifted(self, condition: Condition, place: Place, thing: Thing) -> Condition:
        """The condition on a column that the thing is referred to from, as one on the thing itself."""
        if place.step is None:
            return condition
        inner = condition
        if place.level > MANY:
            (join,) = self.frame(place.step.many.table).paths[place.ref.table]
            inner = InRows(join.many, join.one, (condition,), approved=join.approved)
        return InRows(place.step.one, place.step.many, (inner,), approved=place.step.approved)

    def check_row_source(self, name: str, conditions: Sequence[Condition]) -> None:
        """Rows may be counted and added up as they stand: a plain list without printed totals, scenarios or several periods."""
        table = self.table(name)
        stored = table.stored.table
        if stored.layout != "list" or stored.suspected_totals:
            raise NoSense
        index = self.names.values[name]
        for column in table.columns:
            of_header = column.column.role == "dimension" and column.column.position is None
            if column.column.role in ("scenario", "value", "parent") or of_header:
                raise NoSense
            several = column.column.type is ColumnType.PERIOD and index.distinct.get(column.sql_name, 0) > 1
            if several and ColumnRef(name, column.sql_name) not in {getattr(each, "column", None) for each in conditions}:
                raise NoSense


_OF_TIME = ("datum", "jahr")


def names_year(column: VisibleColumn) -> bool:
    words = {form for name in (*column.names, column.column.header) for part in name.split("_") for form in word_forms(part)}
    return any(word == "year" or word.endswith("jahr") for word in words)


def only(places: Sequence[Place]) -> Place:
    """The one column meant. Raises NoSense where none or several are."""
    if len(places) != 1:
        raise NoSense
    return places[0]
