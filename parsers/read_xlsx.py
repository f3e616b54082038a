"""XLSX and XLSM -> grids: the source of truth for Office Open XML workbooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parsers.address import parse_range
from parsers.cell_values import CellStyle
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS, ReadLimits
from parsers.problem import Problem
from parsers.sheet_content import SheetContent, finish_grid
from parsers.xlsx_bulk import read_in_bulk
from parsers.xlsx_cells import CellSink, SheetTooLarge
from parsers.xlsx_package import Package, unreadable
from parsers.xlsx_plain import NotUsual
from parsers.xlsx_sheet import NoWorksheet, read_by_events
from parsers.xlsx_strings import read_shared_strings
from parsers.xlsx_styles import read_styles
from parsers.xlsx_workbook import SheetEntry, Workbook, read_workbook
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, parse_small

_ATTACHMENTS = ("comments", "threadedComment", "table")
Progress = Callable[[str, int], None]


def read_xlsx(
    package: Package, part: str, *, limits: ReadLimits = DEFAULT_LIMITS, progress: Progress | None = None, bulk: bool = True
) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids of all worksheets in workbook order (hidden ones too) and what was noticed on the way.

    `part` is the workbook part. External links are never followed and formulas never computed: `value` of a formula cell is
    the stored result. `bulk=False` reads every sheet event by event (the same result, slower). Raises UnreadableFile.
    """
    workbook = read_workbook(package, part)
    shared = _Shared(
        read_styles(package, workbook.styles), read_shared_strings(package, workbook.shared_strings), workbook.date1904
    )
    contents: list[tuple[SheetEntry, SheetContent]] = []
    remaining = limits.cells
    for sheet in workbook.sheets:
        content = _read_sheet(package, sheet, shared, remaining, _rows_of(progress, sheet.name), bulk)
        remaining -= len(content.cells)
        contents.append((sheet, content))
    problems = [
        Problem("sheet_skipped", name, "Das Blatt ist kein Tabellenblatt (Diagramm, Dialog oder Makro) und wird nicht gelesen.")
        for name in workbook.skipped
    ]
    if workbook.recalculates:
        problems += _distrust_results(workbook, [content for _, content in contents])
    grids: list[Grid] = []
    for sheet, content in contents:
        problems += _read_attachments(package, sheet, content)
        grid, found = finish_grid(sheet.name, sheet.hidden, content, limits.problems)
        grids.append(grid)
        problems += found
    return tuple(grids), tuple(problems)


@dataclass(frozen=True)
class _Shared:
    styles: Sequence[CellStyle]
    strings: Sequence[str]
    date1904: bool


def _rows_of(progress: Progress | None, sheet: str) -> Callable[[int], None] | None:
    return None if progress is None else lambda row: progress(sheet, row)


def _read_sheet(
    package: Package, sheet: SheetEntry, shared: _Shared, max_cells: int, progress: Callable[[int], None] | None, bulk: bool
) -> SheetContent:
    try:
        for read in (read_in_bulk, read_by_events) if bulk else (read_by_events,):
            content = SheetContent()
            sink = CellSink(content, shared.styles, shared.strings, shared.date1904, max_cells)
            try:
                read(package.chunks(sheet.part), content, sink, progress)
            except NotUsual:
                continue
            return content
        raise AssertionError("the event pass reads every spelling")
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(sheet.part, error) from error
    except SheetTooLarge as error:
        raise unreadable(package.file, "limit", f"Das Blatt „{sheet.name}“ wird nicht gelesen: {error}.") from error
    except NoWorksheet as error:
        raise unreadable(package.file, "file_corrupt", f"Der Inhalt des Blatts „{sheet.name}“ ist kein Tabellenblatt.") from error
    except (ValueError, KeyError) as error:
        raise unreadable(
            package.file,
            "file_corrupt",
            f"Das Blatt „{sheet.name}“ enthält ungültige Angaben ({error}).",
            "Bitte die Datei in Excel öffnen, prüfen und neu speichern.",
        ) from error


def _distrust_results(workbook: Workbook, contents: list[SheetContent]) -> list[Problem]:
    """Programs that write workbooks without computing them store 0 for every formula and ask Excel to recompute on opening.

    If every stored result is 0, none is believed; otherwise the file is only said to be possibly stale.
    """
    computed = [
        (content, position, cell)
        for content in contents
        for position, cell in content.cells.computed()
        if cell.kind != "formula_without_result"
    ]
    where = workbook.part.rpartition("/")[2]
    if not computed:
        return []
    if any(cell.raw != "0" for _, _, cell in computed):
        return [
            Problem(
                "recalculation_pending",
                where,
                "Die Datei verlangt eine Neuberechnung beim Öffnen; gespeicherte Formelergebnisse können veraltet sein.",
                "Im Zweifel in Excel öffnen und speichern.",
            )
        ]
    for content, position, cell in computed:
        content.cells[position] = replace(cell, value=None, kind="formula_without_result", raw="")
    return [
        Problem(
            "formulas_not_calculated",
            where,
            f"Die Datei wurde nie berechnet: gespeichert ist für alle Formeln (Anzahl: {len(computed)}) nur das Ergebnis 0.",
            "Bitte die Datei in Excel öffnen und speichern.",
        )
    ]


def _read_attachments(package: Package, sheet: SheetEntry, content: SheetContent) -> list[Problem]:
    """Add the sheet's comments and defined tables to its content."""
    problems: list[Problem] = []
    threads: dict[tuple[int, int], str] = {}
    for relationship in package.relationships(sheet.part):
        if relationship.target is None or relationship.kind not in _ATTACHMENTS or not package.has(relationship.target):
            continue
        try:
            if relationship.kind == "table":
                _read_table(package, relationship.target, content)
            else:
                threaded = relationship.kind == "threadedComment"
                (threads if threaded else content.comments).update(_read_comments(package, relationship.target, threaded))
        except (BrokenXml, ForbiddenXml) as error:
            raise package.xml_error(relationship.target, error) from error
        except ValueError as error:
            message = f"Ein Kommentar oder eine Tabellendefinition des Blatts ist ungültig ({error})."
            problems.append(Problem("attachment_unreadable", sheet.name, message))
    content.comments.update(threads)  # the plain comment of a thread only says that the program is too old for threads
    return problems


def _read_comments(package: Package, part: str, threaded: bool) -> dict[tuple[int, int], str]:
    """Comments by place; the remarks of a thread one a line."""
    comment, run = ("threadedComment", "text") if threaded else ("comment", "t")
    found: dict[tuple[int, int], str] = {}
    place: list[tuple[int, int]] = []
    pieces: list[str] = []
    inside: list[str] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        if element == comment:
            place[:] = [parse_range(attributes.get("ref", ""))[:2]]
            pieces.clear()
        inside.append(element)

    def end(element: str) -> None:
        inside.pop()
        if element == comment:
            written = "".join(pieces).strip()
            found[place[0]] = f"{found[place[0]]}\n{written}" if place[0] in found else written

    def text(piece: str) -> None:
        if inside[-1] == run and "rPh" not in inside:
            pieces.append(piece)

    parse_small(package.chunks(part), start, end, text)
    return found


def _read_table(package: Package, part: str, content: SheetContent) -> None:
    def start(element: str, attributes: dict[str, str]) -> None:
        if element == "table" and "ref" in attributes:
            name = attributes.get("displayName") or attributes.get("name") or ""
            content.defined_tables.append((name, parse_range(attributes["ref"])))

    parse_small(package.chunks(part), start)
