"""ODS, XLSB and XLS: values with the facts that their format holds."""

from __future__ import annotations

import struct
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from parsers.address import parse_address
from parsers.grid import Grid
from parsers.problem import UnreadableFile
from parsers.read_file import read_grids
from tests.parsers.legacy_files import record8, record12, wide, write_ods, write_xls, write_xlsb

D = Decimal
ODS_STYLES = (
    '<number:percentage-style style:name="N1"><number:number number:decimal-places="1"/>'
    "<number:text>%</number:text></number:percentage-style>"
    '<number:currency-style style:name="N2"><number:number number:decimal-places="2" number:grouping="true"/>'
    "<number:text> </number:text>"
    "<number:currency-symbol>€</number:currency-symbol></number:currency-style>"
    '<number:date-style style:name="N3"><number:month number:textual="true"/><number:text> </number:text>'
    '<number:year number:style="long"/></number:date-style>'
    '<style:style style:name="p" style:family="table-cell" style:data-style-name="N1"/>'
    '<style:style style:name="c" style:family="table-cell" style:data-style-name="N2"/>'
    '<style:style style:name="m" style:family="table-cell" style:data-style-name="N3"/>'
    '<style:style style:name="b" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="bb" style:family="table-cell" style:parent-style-name="b"/>'
    '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>'
)


def _facts(grid: Grid, *names: str) -> dict[str, tuple[object, ...]]:
    return {
        address: tuple(getattr(grid.cells[parse_address(address)], name) for name in names)
        for address in (f"{chr(64 + column)}{row}" for row, column in sorted(grid.cells))
    }


def test_ods_cells(tmp_path: Path) -> None:
    rows = (
        '<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>'
        '<table:table-row><table:table-cell table:style-name="bb" office:value-type="string" table:number-columns-spanned="2" '
        'table:number-rows-spanned="2"><text:p>Umsatz  netto<text:s text:c="2"/>in<text:line-break/>€</text:p>'
        "<office:annotation><text:p>Hinweis</text:p></office:annotation></table:table-cell>"
        "<table:covered-table-cell/></table:table-row>"
        '<table:table-row table:visibility="filter"><table:covered-table-cell table:number-columns-repeated="2"/>'
        '<table:table-cell table:style-name="p" office:value-type="percentage" office:value="0.342">'
        "<text:p>34,2 %</text:p></table:table-cell>"
        '<table:table-cell office:value-type="percentage" office:value="0.5"/>'
        '<table:table-cell table:style-name="c" office:value-type="currency" office:currency="EUR" '
        'office:value="1.1000000000000001"/>'
        '<table:table-cell office:value-type="currency" office:currency="PLN" office:value="2"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="2">'
        '<table:table-cell table:number-columns-repeated="2" office:value-type="float" '
        'office:value="7"/></table:table-row>'
        "<table:table-row>"
        '<table:table-cell table:formula="of:=SUM([.A3:.B4];[$Blatt2.A1])&amp;&quot;;&quot;" '
        'office:value-type="float" office:value="28"/>'
        '<table:table-cell table:formula="of:=1/0" office:value-type="string" calcext:value-type="error">'
        "<text:p>#DIV/0!</text:p></table:table-cell>"
        '<table:table-cell table:formula="of:=1+1"/><table:table-cell office:value-type="boolean" office:boolean-value="true"/>'
        '<table:table-cell table:style-name="m" office:value-type="date" office:date-value="2024-09-01"/>'
        '<table:table-cell office:value-type="date" office:date-value="2024-09-01T10:00:00"/>'
        '<table:table-cell office:value-type="time" office:time-value="PT36H00M00S"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="1048569"><table:table-cell table:number-columns-repeated="16384"/>'
        "</table:table-row>"
    )
    copy = '<table:table table:name="\'file:///x.ods\'#A"><table:table-source table:mode="copy-results-only"/></table:table>'
    tables = (
        f'<table:table table:name="Blatt1">{rows}</table:table>{copy}<table:table table:name="Blatt2" table:style-name="off"/>'
    )
    kind, grids, problems = read_grids(write_ods(tmp_path / "a.ods", tables, styles=ODS_STYLES))
    assert (kind, [(grid.name, grid.hidden) for grid in grids], problems) == ("ods", [("Blatt1", False), ("Blatt2", True)], ())
    grid = grids[0]
    assert _facts(grid, "kind", "value", "number_format") == {
        "A1": ("text", "Umsatz netto  in\n€", ""),
        "C2": ("number", D("0.342"), "0.0%"),
        "D2": ("number", D("0.5"), "0%"),
        "E2": ("number", D("1.1"), "#,##0.00 [$€]"),
        "F2": ("number", D(2), "#,##0.00 [$PLN]"),
        "A3": ("number", D(7), ""),
        "B3": ("number", D(7), ""),
        "A4": ("number", D(7), ""),
        "B4": ("number", D(7), ""),
        "A5": ("number", D(28), ""),
        "B5": ("error", "#DIV/0!", ""),
        "C5": ("formula_without_result", None, ""),
        "D5": ("boolean", True, ""),
        "E5": ("date", date(2024, 9, 1), "mmm yyyy"),
        "F5": ("date", datetime(2024, 9, 1, 10), ""),
        "G5": ("number", D("1.5"), "[h]:mm:ss"),
    }
    assert (grid.cells[1, 1].bold, grid.cells[1, 1].comment) == (True, "Hinweis")
    assert grid.cells[5, 1].formula == 'SUM(A3:B4,Blatt2!A1)&";"'
    assert (grid.merges, grid.hidden_rows, grid.hidden_columns) == (((1, 1, 2, 2),), {2}, {2, 3})


def test_ods_repetition_bomb(tmp_path: Path) -> None:
    cell = '<table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"/>'
    rows = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    with pytest.raises(UnreadableFile) as refusal:
        read_grids(write_ods(tmp_path / "a.ods", f'<table:table table:name="A">{rows}</table:table>'))
    assert refusal.value.problem.code == "limit"


def _cell12(kind: int, column: int, content: bytes, style: int = 0) -> bytes:
    return record12(kind, struct.pack("<II", column, style) + content)


def _row12(row: int, hidden: bool = False) -> bytes:
    return record12(0, struct.pack("<IIHBB", row, 0, 300, 0, 0x10 if hidden else 0) + bytes(5))


def _xf12(number_format: int, font: int = 0, indent: int = 0, flags: int = 0) -> bytes:
    return record12(47, struct.pack("<HHHHHBBHH", 0, number_format, font, 0, 0, 0, indent, flags, 0))


def test_xlsb_cells(tmp_path: Path) -> None:
    styles = (
        record12(44, struct.pack("<H", 164) + wide("0.0%"))
        + record12(611)
        + record12(43, struct.pack("<HHH", 200, 0, 400))
        + record12(43, struct.pack("<HHH", 200, 0, 700))
        + record12(612)
        + record12(617)
        + _xf12(0)
        + _xf12(164)
        + _xf12(14)
        + _xf12(0, font=1, indent=2)
        + _xf12(49, flags=0x8000)
        + record12(618)
    )
    sheet = (
        record12(60, struct.pack("<IIIIH", 2, 3, 0, 0, 1))
        + _row12(0)
        + _cell12(7, 0, struct.pack("<I", 0), 3)
        + _cell12(5, 1, struct.pack("<d", 0.342), 1)
        + _cell12(2, 2, struct.pack("<I", 12345 << 2 | 3))
        + _cell12(2, 3, struct.pack("<I", (-7 & 0x3FFFFFFF) << 2 | 2))
        + _row12(4, hidden=True)
        + _cell12(5, 0, struct.pack("<d", 45565.0), 2)
        + _cell12(3, 1, b"\x17")
        + _cell12(9, 2, struct.pack("<d", 0.30000000000000004) + bytes(6))
        + _cell12(11, 3, b"\x07" + bytes(6))
        + _cell12(4, 4, b"\x01")
        + _cell12(6, 5, wide("-4"), 4)
        + _cell12(62, 6, b"\x01" + wide("reich"))
        + _cell12(1, 7, b"")
        + _cell12(8, 8, wide("") + bytes(6))
        + record12(176, struct.pack("<IIII", 0, 3, 0, 0))
    )
    kind, (grid,), problems = read_grids(write_xlsb(tmp_path / "a.xlsb", sheet, styles=styles, strings=("Posten",)))
    assert (kind, grid.name, grid.hidden, problems) == ("xlsb", "Blatt", True, ())
    assert _facts(grid, "kind", "value", "number_format", "formula") == {
        "A1": ("text", "Posten", "", None),
        "B1": ("number", D("0.342"), "0.0%", None),
        "C1": ("number", D("123.45"), "", None),
        "D1": ("number", D(-7), "", None),
        "A5": ("date", date(2024, 9, 30), "mm-dd-yy", None),
        "B5": ("error", "#REF!", "", None),
        "C5": ("number", D("0.30000000000000004"), "", ""),
        "D5": ("error", "#DIV/0!", "", ""),
        "E5": ("boolean", True, "", None),
        "F5": ("text", "-4", "@", None),
        "G5": ("text", "reich", "", None),
    }
    assert (grid.cells[1, 1].bold, grid.cells[1, 1].indent, grid.cells[5, 6].quote_prefix) == (True, 2, True)
    assert (grid.merges, grid.hidden_rows, grid.hidden_columns) == (((1, 1, 4, 1),), {5}, {3, 4})


@pytest.mark.parametrize(
    "sheet",
    [
        _row12(0) + _cell12(7, 0, struct.pack("<I", 9)),
        _row12(0)[:-3],
        _row12(0) + _cell12(5, 0, b"\0"),
        _cell12(5, 0, bytes(8)),
        _row12(1 << 20),
    ],
)
def test_xlsb_that_contradicts_itself(sheet: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_grids(write_xlsb(tmp_path / "a.xlsb", sheet))
    assert refusal.value.problem.code == "file_corrupt"


def test_xls_cells(tmp_path: Path) -> None:
    fonts = b"".join(
        record8(0x31, struct.pack("<HHHHHBBBBBB", 200, 0, 0, weight, 0, 0, 0, 0, 0, 1, 0) + b"A") for weight in (400, 700)
    )
    percent = record8(0x041E, struct.pack("<HHB", 164, 4, 0) + b"0.0%")

    def xf(font: int, number_format: int, indent: int = 0) -> bytes:
        return record8(0xE0, struct.pack("<HHHBBBB", font, number_format, 0, 0, 0, indent, 0) + bytes(10))

    globals_ = record8(0x42, struct.pack("<H", 1200)) + fonts + percent + xf(0, 0) + xf(0, 164) + xf(0, 14) + xf(1, 0, 2)

    def cell(kind: int, row: int, column: int, style: int, content: bytes) -> bytes:
        return record8(kind, struct.pack("<HHH", row, column, style) + content)

    sheet = (
        record8(0x0200, struct.pack("<IIHHH", 0, 9, 0, 9, 0))
        + record8(0x0208, struct.pack("<HHHHHHI", 3, 0, 9, 300, 0, 0, 0x20))
        + record8(0x007D, struct.pack("<HHHHHH", 1, 2, 0, 0, 1, 0))
        + cell(0x0204, 0, 0, 3, struct.pack("<HB", 6, 0) + b"Posten")
        + cell(0x0203, 0, 1, 1, struct.pack("<d", 0.342))
        + cell(0x0203, 3, 0, 2, struct.pack("<d", 45565.0))
        + cell(0x0205, 3, 1, 0, b"\x17\x01")
        + cell(0x0006, 3, 2, 0, struct.pack("<dHI", 0.5, 0, 0) + struct.pack("<H", 3) + b"\x1e\x01\x00")
        + cell(0x0205, 3, 3, 0, b"\x01\x00")
        + record8(0x00E5, struct.pack("<HHHHH", 1, 0, 2, 0, 0))
    )
    kind, (grid,), problems = read_grids(write_xls(tmp_path / "a.xls", globals_, sheet))
    assert (kind, grid.name, problems) == ("xls", "Blatt", ())
    assert _facts(grid, "kind", "value", "number_format", "formula") == {
        "A1": ("text", "Posten", "", None),
        "B1": ("number", D("0.342"), "0.0%", None),
        "A4": ("date", date(2024, 9, 30), "m/d/yy", None),
        "B4": ("error", "#REF!", "", None),
        "C4": ("number", D("0.5"), "", ""),
        "D4": ("boolean", True, "", None),
    }
    assert (grid.cells[1, 1].bold, grid.cells[1, 1].indent) == (True, 2)
    assert (grid.merges, grid.hidden_rows, grid.hidden_columns) == (((1, 1, 3, 1),), {4}, {2, 3})
