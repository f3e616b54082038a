"""The second reader gives the same cells as the first, by other code; single cells can be read again from the file."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest
import xlsxwriter

from parsers.address import cell_address
from parsers.problem import UnreadableFile
from parsers.raw_cell import RawCell
from parsers.read_file import read_grids
from parsers.second_reader import reread_cells, second_read
from tests.parsers.legacy_files import write_ods
from tests.parsers.workbooks import STRICT, STYLES, sheet_xml, write_xlsx


def text_form(cell: RawCell) -> str:
    """The text form of the second reader's documentation, from a cell of the first."""
    value = cell.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | datetime):
        return value.isoformat()
    assert value is not None
    return value if isinstance(value, str) else format(value, "f")


CSV = 'sep=;\nKunde;Umsatz;Text\nAlpha;1.247,89;"a\nb"\n\nBeta;\'-4,0;  \n\u00a0;2;"x""y"\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_csv_with_physical_lines(encoding: str, line_end: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes((CSV.replace("\n", line_end) + "Süd;1;2").encode(encoding))
    kind, (grid,), _ = read_grids(path)
    ((name, cells),) = [(name, list(cells)) for name, cells in second_read(path, kind)]
    assert name is None
    assert {(row, column): text.replace("\r\n", "\n") for row, column, _, text in cells} == {
        place: cell.value for place, cell in grid.cells.items()
    }
    assert reread_cells(path, kind, None, ["B3", "B6", "C6", "A8"]) == {"B3": "1.247,89", "B6": "-4,0", "C6": None, "A8": "Süd"}


def _workbook(path: Path) -> None:
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Zahlen")
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        for row, number in enumerate((0.1, 0.342, -12.5, 1247890, 1e-7, 0.1 + 0.2, 123456789012345, 2**0.5)):
            sheet.write_number(row + 4, 2, number)
        sheet.write_datetime("E5", datetime(2024, 10, 15), day)
        sheet.write_datetime("E6", datetime(2024, 10, 15, 9, 30), day)
        sheet.write_boolean("F5", True)
        sheet.write_string("F6", " Łódź ")
        sheet.write_formula("F7", "=C5*2", None, 0.2)
        book.add_worksheet("Leer")


def test_workbook_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    _workbook(path)
    kind, grids, _ = read_grids(path)
    second = {name: {(row, column): text for row, column, _, text in cells} for name, cells in second_read(path, kind)}
    assert second == {grid.name: {place: text_form(cell) for place, cell in grid.cells.items()} for grid in grids}
    addresses = [cell_address(*place) for place in grids[0].cells]
    assert reread_cells(path, kind, "Zahlen", [*addresses, "Z99"]) == {
        **{cell_address(*place): text_form(cell) for place, cell in grids[0].cells.items()}, "Z99": None}  # fmt: skip
    assert reread_cells(path, kind, "Zahlen", []) == {}


def test_cells_are_reread_where_openpyxl_finds_no_sheet(tmp_path: Path) -> None:
    """openpyxl opens strict workbooks with no sheets and no error."""
    path = write_xlsx(tmp_path / "a.xlsx", [("Blatt", sheet_xml('<row r="3"><c r="B3"><v>0.342</v></c>'
        '</row>', namespace=STRICT))],
                      namespace=STRICT)  # fmt: skip
    assert reread_cells(path, "xlsx", "Blatt", ["B3", "A1"]) == {"B3": "0.342", "A1": None}


def test_cells_are_reread_where_openpyxl_stumbles_over_the_styles(tmp_path: Path) -> None:
    styles = STYLES.replace('<fill><patternFill patternType="none"/></fill>', "<fill/>")
    path = write_xlsx(tmp_path / "a.xlsx", [("Blatt", sheet_xml("<row><c><v>0.342</v></c></row>"))], styles=styles)
    assert reread_cells(path, "xlsx", "Blatt", ["A1"]) == {"A1": "0.342"}


def test_an_error_is_seen_again(tmp_path: Path) -> None:
    path = write_xlsx(
        tmp_path / "a.xlsx", [("Blatt", sheet_xml('<row r="1"><c r="A1" t="e"><v>#REF!</v></c></row>'))], styles=None
    )
    assert reread_cells(path, "xlsx", "Blatt", ["A1"]) == {"A1": "#REF!"}


def test_ods(tmp_path: Path) -> None:
    row = (
        '<table:table-row><table:table-cell/><table:table-cell office:value-type="float" office:value="0.342"/></table:table-row>'
    )
    path = write_ods(
        tmp_path / "a.ods", f'<table:table table:name="A"><table:table-column/><table:table-row/>{row}</table:table>'
    )
    assert reread_cells(path, "ods", "A", ["B2", "B3"]) == {"B2": "0.342", "B3": None}


def test_cells_at_the_far_ends_of_a_sheet_do_not_fill_the_memory(tmp_path: Path) -> None:
    """calamine would ask for 550 GB here and take the process with it."""
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2.5</v></c></row>'
    path = write_xlsx(tmp_path / "a.xlsx", [("Weit", sheet_xml(rows)), ("Nah", sheet_xml('<row><c t="b"><v>1</v></c></row>'))])
    assert [(name, list(cells)) for name, cells in second_read(path, "xlsx")] == [
        ("Weit", [(1, 1, "number", "1"), (1048576, 16384, "number", "2.5")]),
        ("Nah", [(1, 1, "boolean", "true")]),
    ]
    cell = '<table:table-cell office:value-type="float" office:value="1"/>'
    far = f'<table:table-row><table:table-cell table:number-columns-repeated="9999"/>{cell}</table:table-row>'
    far = '<table:table-row table:number-rows-repeated="9999"/>' + far
    ods = write_ods(tmp_path / "a.ods", f'<table:table table:name="A">{far}</table:table>')
    assert len(read_grids(ods)[1][0].cells) == 1
    with pytest.raises(UnreadableFile, match="zu weit auseinander"):
        list(second_read(ods, "ods"))
