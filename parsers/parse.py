"""The line from a file to typed tables: grids, regions, drafts, styles, tables, cross-tabs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.build_table import Draft, build_table, draft_table, styles_of
from parsers.captions import as_of_date, measure_names, title_unit
from parsers.column_labels import without_year, year_in
from parsers.crosstab import CrosstabShape, find_crosstab, tidy_table
from parsers.find_tables import SheetLayout, find_tables
from parsers.fold import fold
from parsers.foreign_text import foreign_text
from parsers.grid import Grid
from parsers.name_columns import sql_name
from parsers.problem import Problem
from parsers.quantity import mark_of_file
from parsers.read_file import paused_collector, read_grids
from parsers.sheet_view import SheetView
from parsers.table import ParsedFile, ParsedSheet, ParsedTable
from parsers.type_columns import Reading, decide_kind


def parse_file(
    path: Path,
    *,
    file_name: str | None = None,
    locale: str = "de",
    fiscal_year_start: tuple[int, int] = (1, 1),
    progress: Callable[[str, int], None] | None = None,
) -> ParsedFile:
    """Reads a file and everything tabular in it.

    `file_name` is the base name to report (an upload may lie under another); `locale` de, en, pl or ch decides where the
    values do not; `fiscal_year_start` is (month, day); `progress` is called with a step and a count. Raises UnreadableFile.
    """
    name = file_name or path.name
    with paused_collector():
        kind, grids, problems = read_grids(path, file_name=name, progress=progress)
        return parse_grids(name, kind, grids, problems, locale=locale, fiscal_year_start=fiscal_year_start)


def parse_grids(
    file: str,
    kind: str,
    grids: Sequence[Grid],
    problems: Sequence[Problem] = (),
    *,
    locale: str = "de",
    fiscal_year_start: tuple[int, int] = (1, 1),
) -> ParsedFile:
    """The same from grids already read."""
    drafts = [_draft_sheet(grid) for grid in grids]
    reading = _file_reading(drafts, Reading(locale, fiscal_year_start=fiscal_year_start))
    taken: set[str] = set()
    sheets = tuple(_build_sheet(draft, file, reading, taken) for draft in drafts)
    found = [problem for sheet in sheets for table in sheet.tables for problem in table.table.problems]
    return ParsedFile(file, kind, sheets, (*problems, *found, *foreign_text(file, sheets)))


@dataclass(frozen=True)
class _SheetDraft:
    view: SheetView
    layout: SheetLayout
    drafts: tuple[Draft, ...]


def _draft_sheet(grid: Grid) -> _SheetDraft:
    view = SheetView(grid)
    layout = find_tables(view)
    return _SheetDraft(view, layout, tuple(draft_table(view, region) for region in layout.regions))


def _file_reading(drafts: Sequence[_SheetDraft], reading: Reading) -> Reading:
    """With the decimal mark that the file's unambiguous columns agree on."""
    decisions = [decision for sheet in drafts for draft in sheet.drafts for decision in styles_of(draft, reading)]
    return replace(reading, mark=mark_of_file(decisions))


def _build_sheet(sheet: _SheetDraft, file: str, reading: Reading, taken: set[str]) -> ParsedSheet:
    grid = sheet.view.grid
    own = replace(reading, where=f"{grid.name}!" if grid.name else "")
    tables: list[ParsedTable] = []
    for draft in sheet.drafts:
        tables += _build_tables(sheet.view, draft, file, own, _table_name(grid, taken))
    return ParsedSheet(grid.name, grid.hidden, tuple(tables), grid, tuple(text for _, text in sheet.layout.loose))


def _build_tables(view: SheetView, draft: Draft, file: str, reading: Reading, name: str) -> list[ParsedTable]:
    """The printed table, and the tidy form of a cross-tab."""
    captions = [text for _, text in draft.region.captions]
    year = year_in([*captions, view.grid.name or "", file])
    own = replace(reading, year_hint=None if _has_year_column(draft) else year)
    unit = title_unit([*captions, *_unit_headers(draft)])
    shape = _crosstab_shape(view, draft, replace(own, year_hint=year))
    built = build_table(view, draft, name, own, unit, shape.columns if shape else frozenset())
    as_of = as_of_date([*captions, *draft.region.notes])
    printed = replace(built.parsed, table=replace(built.parsed.table, as_of=as_of))
    if shape is None:
        return [printed]
    # Headers that say the measure themselves ("Laufstunden 2023") leave the sheet's name to what its rows are ("Maschinen").
    names = shape.measures or measure_names(captions, view.grid.name)
    if year is not None and any(
        label.period is not None and without_year(built.headers, column) for column, label in shape.labels.items()
    ):
        where = f"{reading.where}{printed.table.range}"
        message = f"Die Spaltenköpfe nennen kein Jahr; {year} stammt aus Titel, Blatt- oder Dateiname."
        problem = Problem("year_assumed", where, message, "Nennen Sie das Jahr in der Überschrift, wenn das nicht stimmt.")
        printed = replace(printed, table=replace(printed.table, problems=(*printed.table.problems, problem)))
    tidy = tidy_table(printed, built.headers, shape, names, draft.region.split.header_rows[-1])
    return [replace(printed, table=replace(printed.table, measure_names=names)), tidy]


def _unit_headers(draft: Draft) -> list[str]:
    """Headers of label columns that name the unit of the whole table: "(in thousands)", "in TEUR"."""
    typed = draft.region.split.typed_columns
    texts = [cell.text for header in draft.headers if header.column not in typed for cell in header.path]
    return [text for text in texts if fold(text).lstrip("([ ").startswith(("in ", "w ", "angaben", "betraege"))]


def _crosstab_shape(view: SheetView, draft: Draft, reading: Reading) -> CrosstabShape | None:
    if not draft.region.split.header_rows:
        return None
    numeric, blank = set(), set()
    for header, cells in zip(draft.headers, draft.cells, strict=True):
        if not cells.has_evidence:
            blank.add(header.column)
        elif decide_kind(cells, header.header, header.unit, reading) == "number":
            numeric.add(header.column)
    return find_crosstab(view, draft.headers, frozenset(numeric), frozenset(blank), reading.year_hint, reading.fiscal_year_start)


def _has_year_column(draft: Draft) -> bool:
    return any(fold(header.name) in ("jahr", "year", "rok", "gj", "geschaeftsjahr", "fiscal year") for header in draft.headers)


def _table_name(grid: Grid, taken: set[str]) -> str:
    """ "guv", "guv_2", …; "" for the first table of a CSV."""
    base = "" if grid.is_csv else sql_name(grid.name or "") or "tabelle"
    name, number = base, 2
    while name in taken:
        name, number = f"{base or 'tabelle'}_{number}", number + 1
    taken.add(name)
    return name
