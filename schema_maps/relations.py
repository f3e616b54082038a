"""Join candidates between tables, measured on their values: same business name, unique on the one side, every value found there.

The values come from the caller: this package reads no stores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from parsers.fold import fold


@dataclass(frozen=True)
class KeyValues:
    """The values of one column of one table version, as text, without missing ones and without printed total rows.

    `rows`: how many rows hold a value.
    """

    values: frozenset[str]
    rows: int

    @property
    def unique(self) -> bool:
        return self.rows == len(self.values) > 0


@dataclass(frozen=True)
class KeyColumn:
    """A column that may take part in a join. `name`: the business name. `group`: columns of one group (views of one printed
    sheet) are never joined with each other. `digest`: names the content; equal digest and column, equal values."""

    table: str
    column: str
    name: str
    type: str
    group: str
    digest: str


@dataclass(frozen=True)
class Measured:
    """many side -> one side. `one_to_one`: the many side is unique, too."""

    many: KeyColumn
    one: KeyColumn
    one_to_one: bool


class RelationMeter:
    """Measures, and remembers results (never values) by content digest. One for the life of a process."""

    def __init__(self) -> None:
        self._unique: dict[tuple[str, str], bool] = {}
        self._contained: dict[tuple[str, str, str, str], bool] = {}
        self._repeats: dict[tuple[str, str], bool] = {}

    def repeats(self, content: str, column: str, look: Callable[[], bool]) -> bool:
        """Whether a column holds a value in more than one row. `content` names what is read, `look` is asked once for it."""
        key = (content, column)
        if key not in self._repeats:
            self._repeats[key] = look()
        return self._repeats[key]

    def measure(self, columns: Sequence[KeyColumn], read: Callable[[KeyColumn], KeyValues | None]) -> tuple[Measured, ...]:
        """All pairs of same-named, same-typed columns of different groups for which the values say many -> one.

        `read` gives the values of a column, None where they cannot be had; it is asked only for columns whose name another
        group shares, once each, and not for what is remembered.
        """
        found: list[Measured] = []
        values = _Values(read)
        for same in _by_name(columns):
            if len({column.group for column in same}) < 2:
                continue
            for one in same:
                if not self._is_unique(one, values):
                    continue
                for many in same:
                    if many.group != one.group and self._is_contained(many, one, values):
                        found.append(Measured(many, one, self._is_unique(many, values)))
        return tuple(found)

    def _is_unique(self, column: KeyColumn, values: _Values) -> bool:
        key = (column.digest, column.column)
        if key not in self._unique:
            read = values.of(column)
            self._unique[key] = read is not None and read.unique
        return self._unique[key]

    def _is_contained(self, many: KeyColumn, one: KeyColumn, values: _Values) -> bool:
        """Every value of the many side is found on the one side, and there is at least one."""
        key = (many.digest, many.column, one.digest, one.column)
        if key not in self._contained:
            of_many, of_one = values.of(many), values.of(one)
            self._contained[key] = (
                of_many is not None and of_one is not None and bool(of_many.values) and of_many.values <= of_one.values
            )
        return self._contained[key]


class _Values:
    """The values read during one measurement."""

    def __init__(self, read: Callable[[KeyColumn], KeyValues | None]) -> None:
        self._read = read
        self._known: dict[tuple[str, str], KeyValues | None] = {}

    def of(self, column: KeyColumn) -> KeyValues | None:
        key = (column.digest, column.column)
        if key not in self._known:
            self._known[key] = self._read(column)
        return self._known[key]


def _by_name(columns: Iterable[KeyColumn]) -> list[list[KeyColumn]]:
    groups: dict[tuple[str, str], list[KeyColumn]] = defaultdict(list)
    for column in columns:
        groups[fold(column.name), column.type].append(column)
    return list(groups.values())
