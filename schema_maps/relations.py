"""Join candidates between tables, measured on their values: same business name, unique on the one side, every value found there.

The values come from the caller: this package reads no stores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from parsers.fold import fold


@dataclass(frozen=True)
class KeyValues:
    """The values of one column of one table version, as text, without missing ones and without printed total rows.

    `rows`: how many rows hold a value. `digest` names the version's content: equal digest and column, equal values.
    """

    values: frozenset[str]
    rows: int
    digest: str = ""

    @property
    def unique(self) -> bool:
        return self.rows == len(self.values) > 0

    def __hash__(self) -> int:
        return hash((self.digest, self.rows, len(self.values)))


@dataclass(frozen=True)
class KeyColumn:
    """A column that may take part in a join. `name`: the business name. `group`: columns of one group (views of one printed
    sheet) are never joined with each other. `read`: gives the values, None where they cannot be had."""

    table: str
    column: str
    name: str
    type: str
    group: str
    read: Callable[[], KeyValues | None]


@dataclass(frozen=True)
class Measured:
    """many side -> one side. `one_to_one`: the many side is unique, too."""

    many: KeyColumn
    one: KeyColumn
    one_to_one: bool


def measure_relations(columns: Sequence[KeyColumn]) -> tuple[Measured, ...]:
    """All pairs of same-named, same-typed columns of different groups for which the values say many -> one."""
    found: list[Measured] = []
    for same in _by_name(columns):
        if len({column.group for column in same}) < 2:
            continue
        values = {id(column): column.read() for column in same}
        for one in same:
            one_values = values[id(one)]
            if one_values is None or not one_values.unique:
                continue
            for many in same:
                many_values = values[id(many)]
                if many.group == one.group or many_values is None or not many_values.values:
                    continue
                if _contained(many_values, one_values):
                    found.append(Measured(many, one, many_values.unique))
    return tuple(found)


def _by_name(columns: Iterable[KeyColumn]) -> list[list[KeyColumn]]:
    groups: dict[tuple[str, str], list[KeyColumn]] = defaultdict(list)
    for column in columns:
        groups[fold(column.name), column.type].append(column)
    return list(groups.values())


@lru_cache(maxsize=4096)
def _contained(many: KeyValues, one: KeyValues) -> bool:
    return many.values <= one.values
