"""One region of a sheet -> one printed table with typed, addressed values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parsers.address import cell_address, range_address
from parsers.cell_units import with_title
from parsers.column_cells import ColumnCells, gather
from parsers.condense import condensed
from parsers.find_banners import find_banners
from parsers.find_headers import Block
from parsers.find_sections import Sections, find_sections
from parsers.find_tables import Region
from parsers.find_totals import TotalRow, find_totals, sums_its_row
from parsers.name_columns import ColumnHeader, name_columns, sql_names
from parsers.open_blanks import open_blanks
from parsers.problem import Problem
from parsers.quantity import StyleDecision
from parsers.sheet_view import SheetView
from parsers.table import (
    SECTION_HEADER,
    SECTION_STEP,
    CellState,
    Column,
    ColumnRole,
    ColumnType,
    ParsedTable,
    Table,
    TableData,
    Value,
)
from parsers.table_totals import control_totals, differing_totals, find_more_totals, suspicion_problems
from parsers.table_units import NUMBERS, UnitColumn, row_units_under, takes_title_unit, unit_columns, unit_columns_of
from parsers.total_words import names_total
from parsers.type_columns import Reading, TypedColumn, decide_kind, style_of, type_column
from parsers.units import is_money


@dataclass(frozen=True)
class Draft:
    """A region with its columns named and gathered, totals by words and formulas found, nothing typed yet."""

    region: Region
    headers: tuple[ColumnHeader, ...]
    cells: tuple[ColumnCells, ...]
    rows: tuple[int, ...]
    totals: dict[int, TotalRow]
    sections: Sections
    problems: tuple[Problem, ...]
    heading: str | None = None
    """Text of a header row over all value columns that holds only down to the next such row among the data."""

    @property
    def block(self) -> Block:
        return self.region.block


@dataclass(frozen=True)
class Built:
    """A printed table with what a cross-tab needs besides: the headers with the places of their path, and the typed columns."""

    parsed: ParsedTable
    headers: tuple[ColumnHeader, ...]
    title_unit: str | None


def draft_table(view: SheetView, region: Region) -> Draft:
    """Names the columns, sets sections apart, finds totals by words and formulas, gathers the cells."""
    banners = find_banners(view, region.block, region.split)
    headers, problems = name_columns(view, region.block, region.split, banners.header)
    ragged = view.grid.ragged_rows
    if ragged:
        headers = tuple(
            h for h in headers if h.path or any(h.column in view.rows[row] for row in region.split.data_rows if row not in ragged)
        )
    columns = [header.column for header in headers]
    sections = find_sections(view, region.block, region.split.data_rows, region.split.typed_columns, banners)
    rows = tuple(row for row in region.split.data_rows if row not in sections.rows)
    totals = find_totals(view, rows, columns, region.split.typed_columns)
    cells = gather(view, columns, rows, frozenset(totals) | frozenset(ragged))
    heading = view.text(*banners.header) if banners.header is not None else None
    return Draft(region, headers, cells, rows, totals, sections, problems, heading)


def styles_of(draft: Draft, reading: Reading) -> list[StyleDecision]:
    """The number styles of a draft's columns, as evidence for the other columns of the file."""
    return [
        style_of(cells, reading)
        for header, cells in zip(draft.headers, draft.cells, strict=True)
        if cells.number_texts and decide_kind(cells, header.header, header.unit, reading) == "number"
    ]


def build_table(
    view: SheetView, draft: Draft, name: str, reading: Reading, title_unit: str | None, in_crosstab: frozenset[int]
) -> Built:
    """Types every column, settles units and totals. `in_crosstab`: sheet columns that hold the values of a cross-tab."""
    typed = _typed(view, draft, reading, in_crosstab)
    judged = find_more_totals(view, draft.block, draft.rows, draft.headers, typed, draft.totals)
    totals = {**draft.totals, **judged.totals}
    if judged.totals:
        ragged = view.grid.ragged_rows
        cells = gather(view, [header.column for header in draft.headers], draft.rows, frozenset(totals) | frozenset(ragged))
        draft = replace(draft, cells=cells)
        typed = _typed(view, draft, reading, in_crosstab)
    columns, extra = _columns(view, draft, typed, title_unit, in_crosstab)
    repeating = open_blanks(draft.cells, typed, draft.rows, totals.keys())
    columns = tuple(replace(column, open_blanks=index in repeating) for index, column in enumerate(columns))
    data = _data(view, draft, columns, typed, extra, totals)
    controls = control_totals(draft.rows, columns, typed, totals)
    suspected = control_totals(draft.rows, columns, typed, judged.suspected)
    problems = [*draft.problems, *(problem for column in typed for problem in column.problems)]
    problems += differing_totals(draft.rows, draft.block.left, columns, typed, totals, reading)
    problems += suspicion_problems(draft.block, suspected, reading)
    problems += [_open_blanks_problem(column, reading) for column in columns if column.open_blanks]
    problems = condensed(problems)
    ordinary = [row for row in draft.rows if row not in totals]
    table = Table(
        name=name,
        sheet=view.grid.name,
        range=range_address(*_range(draft)),
        layout="crosstab" if in_crosstab else "list",
        columns=columns,
        header_rows=draft.region.split.header_rows,
        first_data_row=ordinary[0] if ordinary else None,
        last_data_row=ordinary[-1] if ordinary else None,
        data_rows=len(ordinary),
        total_rows=tuple(sorted(totals)),
        note_rows=draft.region.note_rows,
        caption="\n".join(text for _, text in draft.region.captions) or None,
        notes=draft.region.notes,
        control_totals=controls,
        suspected_totals=suspected,
        has_totals=bool(totals),
        has_hidden_rows=any(row in view.grid.hidden_rows for row in draft.rows),
        sheet_hidden=view.grid.hidden,
        problems=tuple(problems),
    )
    return Built(ParsedTable(table, data), draft.headers, title_unit)


def _open_blanks_problem(column: Column, reading: Reading) -> Problem:
    what = "nennt jede Gruppe nur in ihrer ersten Zeile; ob leere Zellen dazugehören, sagt die Datei nicht."
    message = f"Spalte „{column.header}“ {what}"
    hint = "Füllen Sie die leeren Zellen aus oder verbinden Sie sie mit der darüber."
    return Problem("labels_left_out", f"{reading.where}{column.header}", message, hint)


def _typed(view: SheetView, draft: Draft, reading: Reading, in_crosstab: frozenset[int]) -> list[TypedColumn]:
    typed = [
        type_column(cells, header.header, header.unit, reading, is_value=header.column in in_crosstab)
        for header, cells in zip(draft.headers, draft.cells, strict=True)
    ]
    return [_without_ragged(view, draft, column, index) for index, column in enumerate(typed)]


def _path(draft: Draft, header: ColumnHeader) -> tuple[str, ...]:
    """What stands over the column in the header rows, a heading of the first rows included."""
    own = tuple(cell.text for cell in header.path)
    return (draft.heading, *own) if draft.heading is not None and header.column in draft.region.split.typed_columns else own


def _range(draft: Draft) -> tuple[int, int, int, int]:
    """From the first header row to the last data or total row."""
    split, block = draft.region.split, draft.block
    rows = [*split.header_rows, *split.data_rows]
    columns = [header.column for header in draft.headers] or [block.left]
    return min(rows), min(columns), max(rows), max(columns)


def _without_ragged(view: SheetView, draft: Draft, column: TypedColumn, index: int) -> TypedColumn:
    """In a row whose number of fields does not fit, no value after the first field is taken for anything."""
    ragged = view.grid.ragged_rows
    if not ragged or index == 0 or not any(row in ragged for row in draft.rows):
        return column
    values = list(column.values)
    positions = [position for position, row in enumerate(draft.rows) if row in ragged]
    for position in positions:
        values[position] = None
    return replace(column, values=tuple(values), unreadable=column.unreadable.union(positions))


def _columns(
    view: SheetView, draft: Draft, typed: Sequence[TypedColumn], title_unit: str | None, in_crosstab: frozenset[int]
) -> tuple[tuple[Column, ...], list[UnitColumn]]:
    """The columns in sheet order, then a section column and synthetic unit columns where needed."""
    headers = draft.headers
    typed = [_under_title(column, header, title_unit) for header, column in zip(headers, typed, strict=True)]
    printed = [column.units.unit for column in typed]
    units_beside = unit_columns_of(headers, typed)
    row_units: dict[int, list[str | None]] = {}
    labels = next((column.values for column in typed if column.type is ColumnType.TEXT), ())
    columns: list[Column] = []
    values = frozenset(
        h.column for h, c in zip(headers, typed, strict=True) if c.type in NUMBERS and h.column != draft.block.left
    )
    for index, (header, column) in enumerate(zip(headers, typed, strict=True)):
        unit = column.units.unit
        unit_column = None
        if title_unit is not None and takes_title_unit(header, column, title_unit, printed, header.column in in_crosstab):
            unit = title_unit
        elif index in units_beside:
            unit_column = headers[units_beside[index]].sql_name
        if column.type in NUMBERS and header.unit is None and (column.units.rows or draft.sections.unit_of_row):
            base = title_unit if column.units.rows and header.column in in_crosstab else unit
            own = column.units.rows or (None,) * len(draft.rows)
            rows = [unit_ or _section_unit(draft, row) or base for row, unit_ in zip(draft.rows, own, strict=True)]
        else:
            rows = list(column.units.rows)
        if not rows and unit is not None and is_money(unit) and column.type in NUMBERS and header.column in in_crosstab:
            rows = row_units_under(unit, labels) or []
        if len(set(rows)) > 1:
            row_units[index], unit = rows, None
        elif rows:
            unit = rows[0]
        decimal = column.type is ColumnType.INTEGER and unit is not None and column.type in NUMBERS and _is_measure(unit)
        columns.append(
            Column(
                header.header, header.name, header.sql_name,
                ColumnType.DECIMAL if decimal else column.type,
                path=_path(draft, header), position=header.column,
                unit=unit if column.type in NUMBERS else None,
                unit_column=unit_column, scale=column.scale, role=_role(view, draft, header, column, values),
                hidden=header.column in view.grid.hidden_columns,
                has_cells=draft.cells[index].has_merges,
                has_unreadable=bool(column.unreadable), has_settled=bool(column.settled), blocked=column.blocked,
            )
        )  # fmt: skip
    extra = unit_columns(headers, typed, row_units)
    headings = [SECTION_HEADER] if draft.sections.of_row else []
    headings += [unit.header for unit in extra]
    names = sql_names([*((header.header, header.column) for header in headers), *((heading, None) for heading in headings)])[
        len(headers) :
    ]
    for heading, sql in zip(headings, names, strict=True):
        role: ColumnRole = "parent" if heading == SECTION_HEADER and draft.sections.parents_only else "dimension"
        columns.append(Column(heading, heading, sql, ColumnType.TEXT, role=role, has_cells=True))
    for made, sql in zip(extra, names[len(names) - len(extra) :], strict=True):
        for index in made.of:
            columns[index] = replace(columns[index], unit_column=sql)
    return tuple(columns), extra


def _under_title(column: TypedColumn, header: ColumnHeader, title_unit: str | None) -> TypedColumn:
    """The column's own currency refined by a scale that the title names."""
    if title_unit is None or header.unit is not None or column.type not in NUMBERS:
        return column
    units = with_title(column.units, title_unit)
    return replace(column, units=units, blocked=column.blocked or units.blocked)


def _is_measure(unit: str) -> bool:
    return unit == "%" or unit[-3:].isupper()


def _section_unit(draft: Draft, row: int) -> str | None:
    found = draft.sections.unit_of_row.get(row)
    return found[0] if found else None


def _role(view: SheetView, draft: Draft, header: ColumnHeader, column: TypedColumn, values: frozenset[int]) -> ColumnRole:
    """ "total" for a column that adds up others of its row, by its header or its formulas."""
    others = values - {header.column}
    if column.type not in NUMBERS or len(others) < 2:
        return "plain"
    if any(names_total(cell.text) for cell in header.path):
        return "total"
    formulas = 0
    for row in draft.rows if view.formula_rows else ():
        cell = view.grid.cells.get((row, header.column))
        if cell is not None and cell.formula is not None:
            formulas += sums_its_row(cell.formula, row, header.column, others)
    return "total" if formulas * 2 > len(draft.rows) else "plain"


def _data(
    view: SheetView,
    draft: Draft,
    columns: Sequence[Column],
    typed: Sequence[TypedColumn],
    extra: Sequence[UnitColumn],
    totals: dict[int, TotalRow],
) -> TableData:
    values: dict[str, Sequence[Value | None]] = {}
    cells: dict[str, Sequence[str]] = {}
    states: dict[str, Sequence[CellState]] = {}
    for index, (column, found) in enumerate(zip(columns, typed, strict=False)):
        values[column.sql_name] = found.values
        if column.has_cells:
            cells[column.sql_name] = tuple(map(draft.cells[index].address, range(len(draft.rows))))
        if column.has_unreadable or column.has_settled:
            states[column.sql_name] = found.states()
    rest = list(columns[len(typed) :])
    if draft.sections.of_row:
        section = rest.pop(0)
        found_sections = [draft.sections.of_row.get(row) for row in draft.rows]
        values[section.sql_name] = tuple(None if s is None else SECTION_STEP.join(s.path) for s in found_sections)
        cells[section.sql_name] = tuple(
            cell_address(row, draft.block.left) if s is None else cell_address(*s.place)
            for row, s in zip(draft.rows, found_sections, strict=True)
        )
    for column, unit in zip(rest, extra, strict=True):
        values[column.sql_name] = unit.units
        first = draft.headers[unit.of[0]].column
        cells[column.sql_name] = tuple(
            cell_address(*draft.sections.unit_of_row[row][1]) if row in draft.sections.unit_of_row else cell_address(row, first)
            for row in draft.rows
        )
    return TableData(
        rows=draft.rows,
        values=values,
        cells=cells,
        states=states,
        totals=tuple(row in totals for row in draft.rows),
        hidden=tuple(row in view.grid.hidden_rows for row in draft.rows),
    )
