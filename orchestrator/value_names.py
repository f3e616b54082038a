"""The distinct values of a table's text and identifier columns, by the words that people say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indexer.row_filter import filtered
from orchestrator.question import words_of
from orchestrator.scope import VisibleTable
from parsers.periods import Grain, Period
from parsers.table import ColumnType

_MOST_NUMBERS = 200_000
"""Identifier columns with more distinct numbers than this are not indexed; a number is then compared, not looked up."""


_MOST_PARTIAL = 10
"""Values of one column that a part of a name may stand for: it is asked back, with a few of them."""


@dataclass(frozen=True)
class Named:
    """A stored value of a column; `words`: cut as questions are."""

    column: str
    stored: str | Decimal
    rows: int
    total_only: bool
    words: tuple[str, ...]


@dataclass(frozen=True)
class ValueNames:
    """`exact`: words joined by blanks -> values; `by_word`: one word -> column -> values that hold it. `distinct`: column ->
    number of distinct values; `periods`: column -> the distinct periods in it; `bounds`: date column -> (first, last)."""

    exact: Mapping[str, tuple[Named, ...]]
    by_word: Mapping[str, Mapping[str, Sequence[Named]]]
    distinct: Mapping[str, int]
    periods: Mapping[str, tuple[Period, ...]]
    bounds: Mapping[str, tuple[object, object]]
    rows: int
    table: VisibleTable

    def one_to_one(self, left: str, right: str) -> bool:
        """Whether each value of one column goes with just one of the other, in both directions (blanks aside)."""
        data = visible_rows(self.table, [left, right]).select([left, right]).drop_null()
        pairs = data.group_by([left, right]).aggregate([]).num_rows
        return bool(pairs == pc.count_distinct(data[left]).as_py() == pc.count_distinct(data[right]).as_py())

    def tell_apart(self, left: str, right: str) -> bool:
        """Whether no two rows have the same values in both columns (blanks aside)."""
        data = visible_rows(self.table, [left, right]).select([left, right]).drop_null()
        return bool(data.num_rows == data.group_by([left, right]).aggregate([]).num_rows)

    def members_under(self, column: str, values: Mapping[str, Sequence[object]]) -> int:
        """How many values of a column occur in rows with these values of other columns."""
        return len(self.members(column, values))

    def members(self, column: str, values: Mapping[str, Sequence[object]]) -> frozenset[object]:
        """The values of a column in rows with these values of other columns; blanks aside."""
        data = visible_rows(self.table, [column, *values])
        for name, wanted in values.items():
            kind = data.schema.field(name).type
            data = data.filter(pc.is_in(data[name], value_set=pa.array([_stored(value, kind) for value in wanted], kind)))
        return frozenset(pc.unique(data[column].drop_null()).to_pylist())

    def occurs_under_several(self, parent: str, label: str, value: object) -> bool:
        """Whether the rows with this label differ in another column, blanks included."""
        data = visible_rows(self.table, [parent, label])
        rows = data.filter(pc.equal(data[label], pa.scalar(_stored(value, data.schema.field(label).type))))
        return len(pc.unique(rows[parent])) > 1

    def containing(self, words: Sequence[str]) -> tuple[Named, ...]:
        """Values that hold all the words, as whole words, and more; of each column the first ones only."""
        if not words:
            return ()
        if len(words) == 1:
            return tuple(hit for hits in self.by_word.get(words[0], {}).values() for hit in hits[:_MOST_PARTIAL])
        held = [self.by_word.get(word, {}) for word in words]
        if not all(held):
            return ()
        rarest = min(held, key=lambda by_column: sum(map(len, by_column.values())))
        found: list[Named] = []
        for hits in rarest.values():
            longer = (hit for hit in hits if len(hit.words) > len(words) and _in_order(words, hit.words))
            found += islice(longer, _MOST_PARTIAL)
        return tuple(found)

    def of_column(self, column: str) -> tuple[Named, ...]:
        return tuple(dict.fromkeys(hit for hits in self.exact.values() for hit in hits if hit.column == column))


def _stored(value: object, kind: pa.DataType) -> object:
    return int(value) if isinstance(value, Decimal) and pa.types.is_integer(kind) else value


def _in_order(words: Sequence[str], said: Sequence[str]) -> bool:
    return any(tuple(said[i : i + len(words)]) == tuple(words) for i in range(len(said)))


def read_value_names(table: VisibleTable) -> ValueNames:
    """Reads the segment once; rows outside the asker's row filter and hidden columns are never looked at."""
    data = visible_rows(table)
    exact: dict[str, list[Named]] = defaultdict(list)
    by_word: dict[str, dict[str, list[Named]]] = defaultdict(lambda: defaultdict(list))
    distinct: dict[str, int] = {}
    periods: dict[str, tuple[Period, ...]] = {}
    bounds: dict[str, tuple[object, object]] = {}
    for visible in table.columns:
        column, name = visible.column, visible.sql_name
        if column.type is ColumnType.PERIOD:
            periods[name] = _periods(data, name)
            distinct[name] = len(periods[name])
        elif column.type in (ColumnType.DATE, ColumnType.TIMESTAMP):
            ends = pc.min_max(data[name]).as_py()
            bounds[name] = (ends["min"], ends["max"])
            distinct[name] = pc.count_distinct(data[name]).as_py()
        else:
            distinct[name] = pc.count_distinct(data[name]).as_py()
        is_key = column.type is ColumnType.INTEGER and visible.aggregation == "none" and visible.unit is None
        if column.type is ColumnType.TEXT or (is_key and distinct[name] <= _MOST_NUMBERS):
            hits = tuple(_values(data, name))
            for alias, hit in _abbreviations(hits).items():
                exact[alias].append(hit)
            for hit in hits:
                exact[" ".join(hit.words)].append(hit)
                if len(hit.words) > 1:
                    for word in dict.fromkeys(hit.words):
                        by_word[word][name].append(hit)
    return ValueNames(
        {key: tuple(hits) for key, hits in exact.items() if key},
        by_word,
        distinct,
        periods,
        bounds,
        data.num_rows - (pc.sum(data["_total"]).as_py() or 0 if "_total" in data.schema.names else 0),
        table,
    )


def visible_rows(table: VisibleTable, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a segment that this person sees, with these columns (all visible ones by default), the ends of periods and
    the mark of total rows; a row filter is applied before anything is looked at."""
    names = list(dict.fromkeys(columns if columns is not None else [column.sql_name for column in table.columns]))
    available = pq.read_schema(table.stored.segment).names
    extra = [f"{end}{name}" for name in names for end in ("_from_", "_to_") if f"{end}{name}" in available]
    extra += [flag for flag in ("_total",) if flag in available]
    filters = [name for name in table.row_filter if name not in names and name in available]
    data = pq.read_table(table.stored.segment, columns=[*names, *extra, *filters])
    return filtered(data, table.stored.table, table.row_filter)


def _values(data: pa.Table, name: str) -> Iterable[Named]:
    keys = [name, "_total"] if "_total" in data.schema.names else [name]
    groups = data.select(keys).group_by(keys).aggregate([([], "count_all")])
    merged: dict[str | Decimal, tuple[int, bool]] = {}
    totals = groups["_total"].to_pylist() if len(keys) > 1 else [False] * groups.num_rows
    for value, count, total in zip(groups[name].to_pylist(), groups["count_all"].to_pylist(), totals, strict=True):
        if value is None:
            continue
        stored = value if isinstance(value, str) else Decimal(value)
        rows, only = merged.get(stored, (0, True))
        merged[stored] = (rows + count, only and bool(total))
    return (Named(name, stored, rows, only, words_of(str(stored))) for stored, (rows, only) in merged.items())


_BRACKETED = re.compile(r"(.+?)\s*\(([^()\s]{1,8})\)\Z")
_UNITS = frozenset({"%", "€", "$", "Anzahl", "Stück", "number"})


def _abbreviations(hits: Sequence[Named]) -> dict[str, Named]:
    """ "Betriebsergebnis (EBIT)" may be called by either part, "Marge (%)" without its unit, where no other value of the column
    shares it."""
    found: dict[str, list[Named]] = defaultdict(list)
    for hit in hits:
        match = _BRACKETED.match(str(hit.stored)) if str(hit.stored).endswith(")") else None
        if match and match[2].isupper() and len(match[2]) > 1:
            for part in (match[1], match[2]):
                found[" ".join(words_of(part))].append(hit)
        elif match and match[2] in _UNITS:
            found[" ".join(words_of(match[1]))].append(hit)
    whole = {" ".join(hit.words) for hit in hits}
    return {alias: same[0] for alias, same in found.items() if len(same) == 1 and alias not in whole}


def _periods(data: pa.Table, name: str) -> tuple[Period, ...]:
    keys = [name, f"_from_{name}", f"_to_{name}"]
    groups = data.select(keys).group_by(keys).aggregate([])
    found = [
        Period(start, end, grain_of(start, end), label)
        for label, start, end in zip(*(groups[key].to_pylist() for key in keys), strict=True)
        if start is not None and end is not None
    ]
    return tuple(sorted(found, key=lambda period: (period.start, period.end, period.label)))


def grain_of(start: date, end: date) -> Grain:
    """Grain of a period from its days alone."""
    days = (end - start).days + 1
    if days == 1:
        return "day"
    if days == 7:
        return "week"
    sizes: tuple[tuple[int, Grain], ...] = ((31, "month"), (92, "quarter"), (184, "half_year"), (366, "year"))
    return next((grain for size, grain in sizes if size - 4 <= days <= size), "range")
