"""XLSX and XLSM -> grids: the source of truth for Office Open XML workbooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from parsers.address import cell_address, parse_range
from parsers.grid import Grid, RawCell
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.problem import Problem
from parsers.xlsx_package import Package, unreadable
from parsers.xlsx_sheet import LAST_COLUMN, Area, SheetContent, SheetTooLarge, finding_problem, read_sheet_xml
from parsers.xlsx_strings import read_shared_strings
from parsers.xlsx_styles import read_styles
from parsers.xlsx_workbook import SheetEntry, Workbook, read_workbook
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, parse_small

Progress = Callable[[str, int], None]


def read_xlsx(
    package: Package, part: str, *, limits: ReadLimits = DEFAULT_LIMITS, progress: Progress | None = None
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids of all worksheets in workbook order (hidden ones too) and what was noticed on the way.

    `part` is the workbook part. External links are never followed and formulas never computed: `value` of a formula cell is
    the stored result. Raises UnreadableFile.
    """
    workbook = read_workbook(package, part)
    styles = read_styles(package, workbook.styles)
    strings = read_shared_strings(package, workbook.shared_strings)
    grids: list[Grid] = []
    problems: list[Problem] = [
        Problem("sheet_skipped", name, "Das Blatt ist kein Tabellenblatt (Diagramm, Dialog oder Makro) und wird nicht gelesen.")
        for name in workbook.skipped
    ]
    contents: list[tuple[SheetEntry, SheetContent]] = []
    remaining = limits.cells
    for sheet in workbook.sheets:
        try:
            content = read_sheet_xml(
                package.chunks(sheet.part),
                styles,
                strings,
                date1904=workbook.date1904,
                max_cells=remaining,
                progress=_sheet_progress(progress, sheet.name),
            )
        except (BrokenXml, ForbiddenXml) as error:
            raise package.xml_error(sheet.part, error) from error
        except SheetTooLarge as error:
            raise unreadable(package.file, "limit", f"Das Blatt „{sheet.name}“ wird nicht gelesen: {error}.") from error
        except (ValueError, KeyError) as error:
            raise unreadable(
                package.file,
                "file_corrupt",
                f"Das Blatt „{sheet.name}“ enthält ungültige Angaben ({error}).",
                "Bitte die Datei in Excel öffnen, prüfen und neu speichern.",
            ) from error
        remaining -= len(content.cells)
        contents.append((sheet, content))
    if workbook.recalculates:
        problems += _drop_results_never_computed(workbook, contents)
    for sheet, content in contents:
        grid, found = _grid(package, sheet, content, limits)
        grids.append(grid)
        problems += found
    return tuple(grids), tuple(problems)


def _sheet_progress(progress: Progress | None, sheet: str) -> Callable[[int], None] | None:
    return None if progress is None else lambda row: progress(sheet, row)


def _drop_results_never_computed(workbook: Workbook, contents: list[tuple[SheetEntry, SheetContent]]) -> list[Problem]:
    """Programs that write workbooks without computing them store 0 for every formula and ask Excel to recompute on opening.

    If every stored result is 0, none is believed; otherwise the file is only said to be possibly stale.
    """
    computed = [
        (content, position, cell)
        for _, content in contents
        for position, cell in content.cells.items()
        if cell.formula is not None and cell.kind != "formula_without_result"
    ]
    if not computed:
        return []
    if any(cell.raw != "0" for _, _, cell in computed):
        return [
            Problem(
                "recalculation_pending",
                workbook.part.rpartition("/")[2],
                "Die Datei verlangt eine Neuberechnung beim Öffnen; gespeicherte Formelergebnisse können veraltet sein.",
                "Im Zweifel in Excel öffnen und speichern.",
            )
        ]
    for content, position, cell in computed:
        content.cells[position] = replace(cell, value=None, kind="formula_without_result", raw="")
    return [
        Problem(
            "formulas_not_calculated",
            workbook.part.rpartition("/")[2],
            f"Die Datei wurde nie berechnet: alle {len(computed)} Formeln haben das Ergebnis 0.",
            "Bitte die Datei in Excel öffnen und speichern.",
        )
    ]


def _grid(package: Package, sheet: SheetEntry, content: SheetContent, limits: ReadLimits) -> tuple[Grid, list[Problem]]:
    cells = content.cells
    problems = _shortened(sheet.name, content.findings, limits.problems)
    _mark_array_results(cells, content.array_areas)
    problems += _drop_covered(sheet.name, cells, content.merges, limits.problems)
    comments, tables, found = _attachments(package, sheet)
    problems += found
    for position, comment in comments.items():
        if position in cells:
            cells[position] = replace(cells[position], comment=comment)
    last_row = max((row for row, _ in cells), default=0)
    last_column = max((column for _, column in cells), default=0)
    hidden_columns = frozenset(
        column
        for first, last in content.hidden_columns
        for column in range(max(first, 1), min(last, last_column, LAST_COLUMN) + 1)
    )
    return Grid(
        name=sheet.name,
        cells=cells,
        last_row=last_row,
        last_column=last_column,
        merges=tuple(content.merges),
        hidden=sheet.hidden,
        hidden_rows=frozenset(row for row in content.hidden_rows if row <= last_row),
        hidden_columns=hidden_columns,
        defined_tables=tables,
    ), problems


def _shortened(sheet: str, findings: Iterable[tuple[str, int, int, str]], named: int) -> list[Problem]:
    problems: list[Problem] = []
    counts: dict[str, int] = {}
    for code, row, column, raw in findings:
        counts[code] = counts.get(code, 0) + 1
        if counts[code] <= named:
            problems.append(finding_problem(code, f"{sheet}!{cell_address(row, column)}", raw))
    return problems + [
        Problem(code, sheet, f"Dasselbe gilt für {count - named} weitere Zellen dieses Blatts.")
        for code, count in counts.items()
        if count > named
    ]


def _mark_array_results(cells: dict[tuple[int, int], RawCell], areas: Iterable[tuple[Area, str]]) -> None:
    """Cells of an array formula other than its first hold only a result; they are computed all the same."""
    for (top, left, bottom, right), formula in areas:
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                cell = cells.get((row, column))
                if cell is not None and cell.formula is None:
                    cells[row, column] = replace(cell, formula=formula)


def _drop_covered(sheet: str, cells: dict[tuple[int, int], RawCell], merges: Iterable[Area], named: int) -> list[Problem]:
    """Take out values under a merged area, which nobody sees, and say so."""
    covered: list[tuple[int, int]] = []
    for top, left, bottom, right in merges:
        if (bottom - top + 1) * (right - left + 1) <= len(cells):
            area = ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
            covered += [position for position in area if position in cells and position != (top, left)]
        else:
            covered += [
                (row, column)
                for row, column in cells
                if top <= row <= bottom and left <= column <= right and (row, column) != (top, left)
            ]
    for position in covered:
        cells.pop(position, None)
    shown = ", ".join(cell_address(*position) for position in covered[:named])
    if not covered:
        return []
    return [
        Problem(
            "value_under_merge",
            f"{sheet}!{cell_address(*covered[0])}",
            f"Unter verbundenen Zellen liegen verdeckte Werte, die nicht gelesen werden: {shown}"
            f"{' …' if len(covered) > named else ''}.",
            "Bitte den Zellverbund in Excel aufheben und prüfen.",
        )
    ]


def _attachments(
    package: Package, sheet: SheetEntry
) -> tuple[dict[tuple[int, int], str], tuple[tuple[str, Area], ...], list[Problem]]:
    """Comments by position and defined tables of a sheet."""
    comments: dict[tuple[int, int], str] = {}
    tables: list[tuple[str, Area]] = []
    problems: list[Problem] = []
    for relationship in package.relationships(sheet.part):
        if relationship.target is None or relationship.kind not in ("comments", "table") or not package.has(relationship.target):
            continue
        try:
            if relationship.kind == "comments":
                _read_comments(package, relationship.target, comments)
            else:
                _read_table(package, relationship.target, tables)
        except (BrokenXml, ForbiddenXml) as error:
            raise package.xml_error(relationship.target, error) from error
        except ValueError as error:
            problems.append(
                Problem(
                    "attachment_unreadable", sheet.name, f"Ein Kommentar oder eine Tabellendefinition ist ungültig ({error})."
                )
            )
    return comments, tuple(tables), problems


def _read_comments(package: Package, part: str, comments: dict[tuple[int, int], str]) -> None:
    state: dict[str, str | None] = {"ref": None, "in_text": None}
    pieces: list[str] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        if element == "comment":
            state["ref"] = attributes.get("ref")
            pieces.clear()
        elif element == "t":
            state["in_text"] = "yes"

    def end(element: str) -> None:
        if element == "t":
            state["in_text"] = None
        elif element == "comment" and state["ref"]:
            top, left, _, _ = parse_range(state["ref"])
            comments[top, left] = "".join(pieces).strip()

    def text(piece: str) -> None:
        if state["in_text"]:
            pieces.append(piece)

    parse_small(package.chunks(part), start, end, text)


def _read_table(package: Package, part: str, tables: list[tuple[str, Area]]) -> None:
    def start(element: str, attributes: dict[str, str]) -> None:
        if element == "table" and "ref" in attributes:
            tables.append((attributes.get("displayName") or attributes.get("name") or "", parse_range(attributes["ref"])))

    parse_small(package.chunks(part), start)
