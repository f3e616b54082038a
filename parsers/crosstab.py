"""Wide tables whose columns are periods or scenarios -> one row per value, every value with its own cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from parsers.address import cell_address
from parsers.column_labels import ColumnLabel, label_column
from parsers.fold import fold
from parsers.name_columns import ColumnHeader, sql_names
from parsers.sheet_view import Place, SheetView
from parsers.table import CellState, Column, ColumnType, ControlTotal, ParsedTable, Table, TableData, Value
from parsers.table_units import NUMBERS, names_measure
from parsers.units import split_unit

PERIOD_HEADER = "Zeitraum"
SCENARIO_HEADER = "Szenario"
FEATURE_HEADER = "Merkmal"
UNIT_HEADER = "Einheit"
VALUE_HEADER = "Wert"
_TIME_WORDS = re.compile(r"\b(?:ended|as of|as at|year|years|fiscal|stand|zum|per|jahr|stichtag|stan na)\b")
_T = TypeVar("_T")


@dataclass(frozen=True)
class CrosstabShape:
    """Sheet columns that hold values, with their labels, left to right. `feature`: heading of the labels that are neither
    period nor scenario. `measures`: what the headers themselves say the values are."""

    labels: Mapping[int, ColumnLabel]
    feature: str = FEATURE_HEADER
    measures: tuple[str, ...] = ()

    @property
    def columns(self) -> frozenset[int]:
        return frozenset(self.labels)


def find_crosstab(
    view: SheetView,
    headers: Sequence[ColumnHeader],
    numeric: frozenset[int],
    blank: frozenset[int],
    year_hint: int | None,
    fiscal_year_start: tuple[int, int],
) -> CrosstabShape | None:
    """The value columns of a cross-tab, None if the table is a plain list.

    At least two columns that hold numbers (`numeric`) must be named by different periods or scenarios; columns that are
    blank throughout (`blank`) join them. Totals and derived columns (deviations) stay out. A year or quarter that covers at
    least two of the other periods of its scenario is a total, too. Else one banner over a run of like number columns makes
    them values of one dimension ("Region" over Nord, Süd, Ost).
    """
    labels = {header.column: label_column(view, header, year_hint, fiscal_year_start) for header in headers}
    values = {column: label for column, label in labels.items() if label.is_value and column in numeric | blank}
    values = _without_covering(values)
    filled = {column: label for column, label in values.items() if column in numeric}
    keys = {(label.period and (label.period.start, label.period.end), label.scenario, label.rest) for label in filled.values()}
    periods = {(label.period.start, label.period.end) for label in values.values() if label.period is not None}
    scenarios = {label.scenario for label in values.values() if label.scenario is not None}
    if len(filled) < 2 or len(keys) < 2 or (len(periods) < 2 and len(scenarios) < 2) or not _same_kind(values):
        return _run_under_banner(headers, labels, numeric)
    rests = {label.rest for label in values.values()}
    named = tuple(rest for rest in rests if rest and len(rests) == 1 and not _TIME_WORDS.search(fold(rest)))
    return CrosstabShape(dict(sorted(values.items())), measures=named)


def _run_under_banner(
    headers: Sequence[ColumnHeader], labels: Mapping[int, ColumnLabel], numeric: frozenset[int]
) -> CrosstabShape | None:
    """All number columns but totals stand under one and the same banner, with different names that are no measures and
    without units of their own. A banner that names a measure ("Umsatz [TEUR]") names the values, not the dimension."""
    run = [header for header in headers if header.column in numeric and not labels[header.column].total]
    under = [header for header in run if len(header.path) == 2]
    if len(under) < 2 or len({header.path[0].place for header in under}) != 1:
        return None
    outside = [header for header in run if header not in under and header.column > under[0].column]
    leaves = [header.path[1] for header in under]
    if outside or len({leaf.text for leaf in leaves}) != len(leaves) or len({header.unit for header in under}) != 1:
        return None
    if any(split_unit(leaf.text)[1] is not None or names_measure(leaf.text) for leaf in leaves):
        return None
    if any(labels[header.column].derived or labels[header.column].period or labels[header.column].scenario for header in under):
        return None
    banner, unit = split_unit(under[0].path[0].text)
    is_measure = unit is not None or names_measure(banner)
    found = {
        header.column: ColumnLabel(rest=leaf.text, rest_place=leaf.place) for header, leaf in zip(under, leaves, strict=True)
    }
    return CrosstabShape(found, FEATURE_HEADER if is_measure else banner, (banner,) if is_measure else ())


def tidy_table(
    printed: ParsedTable, headers: Sequence[ColumnHeader], shape: CrosstabShape, measure_names: tuple[str, ...], fallback_row: int
) -> ParsedTable:
    """One row per printed row and value column; label columns repeated, period, scenario and other labels from the header.
    `fallback_row`: header row for labels that stand in no cell of their own."""
    table, data = printed.table, printed.data
    by_position = {column.position: column for column in table.columns if column.position is not None}
    value_columns = [by_position[column] for column in shape.labels if column in by_position]
    labels = [shape.labels[column.position] for column in value_columns if column.position is not None]
    first_value = min(shape.columns)
    made = {column.unit_column for column in value_columns} & {
        column.sql_name for column in table.columns if column.position is None
    }
    kept = [
        column
        for column in table.columns
        if column.position not in shape.columns and column.sql_name not in made and _is_label(column, first_value)
    ]
    count = len(data.rows)
    width = len(value_columns)
    columns: list[Column] = []
    values: dict[str, Sequence[Value | None]] = {}
    cells: dict[str, Sequence[str]] = {}
    states: dict[str, Sequence[CellState]] = {}
    names = _names(kept, labels, value_columns, shape.feature)
    for column, name in zip(kept, names, strict=False):
        columns.append(replace(column, sql_name=name, role="parent" if column.role == "parent" else "dimension"))
        values[name] = _repeated(data.values[column.sql_name], width)
        if column.has_cells:
            cells[name] = _repeated(data.cells[column.sql_name], width)
        if column.sql_name in data.states:
            states[name] = _repeated(data.states[column.sql_name], width)
    rest = iter(names[len(kept) :])
    for heading, kind, found, places in _label_columns(labels, shape.feature, fallback_row, first_value):
        name = next(rest)
        role = "scenario" if heading == SCENARIO_HEADER else "dimension"
        header = heading if not any(column.header == heading for column in columns) else f"{heading} (Spalten)"
        columns.append(Column(header, header, name, kind, role=role, has_cells=True))  # type: ignore[arg-type]
        values[name] = list(found) * count
        cells[name] = list(places) * count
    unit, unit_values = _units(value_columns, data, count)
    unit_column = None
    value_cells = [cell_address(row, column.position or 1) for row in data.rows for column in value_columns]
    if unit_values is not None:
        unit_column = next(rest)
        columns.append(Column(UNIT_HEADER, UNIT_HEADER, unit_column, ColumnType.TEXT, role="dimension", has_cells=True))
        values[unit_column], cells[unit_column] = unit_values, value_cells
    value_name = next(rest)
    columns.append(
        Column(
            VALUE_HEADER, measure_names[0] if measure_names else VALUE_HEADER, value_name, _value_type(value_columns), unit=unit,
            unit_column=unit_column, scale=max(column.scale for column in value_columns), role="value", has_cells=True,
            has_unreadable=any(column.has_unreadable for column in value_columns),
            has_settled=any(column.has_settled for column in value_columns),
            blocked=next((column.blocked for column in value_columns if column.blocked), None),
        )
    )  # fmt: skip
    values[value_name] = [data.values[column.sql_name][row] for row in range(count) for column in value_columns]
    cells[value_name] = value_cells
    if any(column.sql_name in data.states for column in value_columns):
        states[value_name] = [_state(data, column, row) for row in range(count) for column in value_columns]
    tidy = replace(
        table, name=f"{table.name}__tidy", layout="tidy", columns=tuple(columns), control_totals=(),
        suspected_totals=_suspected(table, value_columns, value_name), printed=table.name,
        measure_names=measure_names, problems=(),
    )  # fmt: skip
    return ParsedTable(
        tidy,
        TableData(
            rows=_repeated(data.rows, width),
            values=values,
            cells=cells,
            states=states,
            totals=_repeated(data.totals, width),
            hidden=_repeated(data.hidden, width),
        ),
    )


def _suspected(table: Table, value_columns: Sequence[Column], value_name: str) -> tuple[ControlTotal, ...]:
    """The suspected totals of the printed table, their values those of the value column."""
    names = {column.sql_name for column in value_columns}
    return tuple(
        replace(total, values=tuple((value_name, value, cell) for name, value, cell in total.values if name in names))
        for total in table.suspected_totals
    )


def _without_covering(values: dict[int, ColumnLabel]) -> dict[int, ColumnLabel]:
    """Leaves out columns whose period covers at least two shorter ones of the same scenario and measure."""

    def covers(label: ColumnLabel) -> bool:
        period = label.period
        if period is None:
            return False
        inside = [
            other.period
            for other in values.values()
            if other.period is not None and (other.scenario, other.rest) == (label.scenario, label.rest)
            and period.start <= other.period.start and other.period.end <= period.end
            and (other.period.start, other.period.end) != (period.start, period.end)
        ]  # fmt: skip
        return len(inside) >= 2

    return {column: label for column, label in values.items() if not covers(label)}


def _same_kind(values: dict[int, ColumnLabel]) -> bool:
    """Some measure must be there for at least two of the labels; a single "Umsatz 2023" beside "Bestand 2024" is a list."""
    groups: dict[str, int] = {}
    for label in values.values():
        groups[label.rest] = groups.get(label.rest, 0) + 1
    return max(groups.values()) >= 2


def _is_label(column: Column, first_value: int) -> bool:
    if column.role == "total":
        return False
    if column.type in NUMBERS:
        return (
            column.type is ColumnType.INTEGER
            and column.position is not None
            and column.position < first_value
            and column.unit is None
        )
    return True


def _names(kept: Sequence[Column], labels: Sequence[ColumnLabel], value_columns: Sequence[Column], feature: str) -> list[str]:
    wanted: list[tuple[str, int | None]] = [(column.header, column.position) for column in kept]
    wanted += [(heading, None) for heading in _headings(labels, feature)]
    wanted += [(UNIT_HEADER, None)] if _needs_units(value_columns) else []
    return sql_names([*wanted, (VALUE_HEADER, None)])


def _headings(labels: Sequence[ColumnLabel], feature: str) -> list[str]:
    found = []
    if any(label.period is not None for label in labels):
        found.append(PERIOD_HEADER)
    if any(label.scenario is not None for label in labels):
        found.append(SCENARIO_HEADER)
    if len({label.rest for label in labels}) > 1:
        found.append(feature)
    return found


def _label_columns(
    labels: Sequence[ColumnLabel], feature: str, fallback_row: int, fallback_column: int
) -> list[tuple[str, ColumnType, list[Value | None], list[str]]]:
    columns: list[tuple[str, ColumnType, list[Value | None], list[str]]] = []

    def address(place: Place | None) -> str:
        return cell_address(*(place or (fallback_row, fallback_column)))

    for heading in _headings(labels, feature):
        if heading == PERIOD_HEADER:
            columns.append(
                (
                    heading,
                    ColumnType.PERIOD,
                    [label.period for label in labels],
                    [address(label.period_place) for label in labels],
                )
            )
        elif heading == SCENARIO_HEADER:
            columns.append(
                (
                    heading,
                    ColumnType.TEXT,
                    [label.scenario for label in labels],
                    [address(label.scenario_place) for label in labels],
                )
            )
        else:
            columns.append(
                (
                    heading,
                    ColumnType.TEXT,
                    [label.rest or None for label in labels],
                    [address(label.rest_place) for label in labels],
                )
            )
    return columns


def _needs_units(value_columns: Sequence[Column]) -> bool:
    return len({column.unit for column in value_columns}) > 1 or any(column.unit_column for column in value_columns)


def _units(value_columns: Sequence[Column], data: TableData, count: int) -> tuple[str | None, list[Value | None] | None]:
    if not _needs_units(value_columns):
        return value_columns[0].unit, None
    units: list[Value | None] = []
    for row in range(count):
        for column in value_columns:
            units.append(data.values[column.unit_column][row] if column.unit_column else column.unit)
    return None, units


def _value_type(value_columns: Sequence[Column]) -> ColumnType:
    return ColumnType.INTEGER if all(column.type is ColumnType.INTEGER for column in value_columns) else ColumnType.DECIMAL


def _state(data: TableData, column: Column, row: int) -> CellState:
    if column.sql_name in data.states:
        return data.states[column.sql_name][row]
    return CellState.MISSING if data.values[column.sql_name][row] is None else CellState.VALUE


def _repeated(items: Sequence[_T], width: int) -> list[_T]:
    return [item for item in items for _ in range(width)]
