"""Each case is a trap of worksheet XML and what a careful person reads there; both passes must read the same."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import openpyxl
import pytest
import xlsxwriter

from parsers.address import parse_address
from parsers.file_kind import kind_of_package
from parsers.grid import Grid
from parsers.limits import DEFAULT_LIMITS
from parsers.problem import Problem
from parsers.raw_cell import RawCell
from parsers.read_file import read_grids
from parsers.read_xlsx import read_xlsx
from parsers.xlsx_package import Package
from tests.parsers.workbooks import MAIN, STRICT, sheet_xml, write_xlsx


def _read(path: Path) -> tuple[tuple[Grid, ...], tuple[Problem, ...]]:
    """Grids and problems; asserts that the bulk pass and the event pass agree."""
    results = []
    for bulk in (True, False):
        with Package(path, path.name, DEFAULT_LIMITS) as package:
            results.append(read_xlsx(package, kind_of_package(package)[1], bulk=bulk))
    assert results[0] == results[1]
    return results[0]


class Case(NamedTuple):
    name: str
    rows: str
    cells: dict[str, tuple[str, object]]  # every cell of the sheet: kind and value
    codes: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    workbook: str = ""


D = Decimal
CASES = (
    Case(
        "typed_decimal_with_binary_noise_is_what_was_typed",
        '<row r="1"><c r="A1"><v>1247890.1000000001</v></c><c r="B1"><v>0.34200000000000003</v></c>'
        '<c r="C1"><v>1.5E-3</v></c></row>',
        {"A1": ("number", D("1247890.1")), "B1": ("number", D("0.342")), "C1": ("number", D("0.0015"))},
    ),
    Case(
        "sixteen_digits_of_a_pasted_result_stay",
        '<row r="1"><c r="A1"><v>78.635040611052418</v></c></row>',
        {"A1": ("number", D("78.63504061105242"))},
    ),
    Case(
        "trailing_zeros_minus_zero_and_exponents",
        '<row r="1"><c r="A1"><v>100.00</v></c><c r="B1"><v>-0</v></c><c r="C1"><v>1E+3</v></c><c r="D1"><v>-0.50</v></c></row>',
        {"A1": ("number", D("100")), "B1": ("number", D("0")), "C1": ("number", D("1000")), "D1": ("number", D("-0.5"))},
    ),
    Case(
        "long_id_is_marked_unreliable",
        '<row r="2"><c r="A2"><v>1234567890123456789</v></c><c r="B2"><v>1.2345678901234568E+18</v></c></row>',
        {"A2": ("number", D("1234567890123456789")), "B2": ("number", D("1234567890123456800"))},
        ("digits_unreliable", "digits_unreliable"),
    ),
    Case(
        "long_id_as_text_is_exact",
        '<row r="3"><c r="A3" t="s"><v>0</v></c></row>',
        {"A3": ("text", "4500012345678901234567")},
        strings=("<t>4500012345678901234567</t>",),
    ),
    Case(
        "errors_are_no_numbers",
        '<row r="3"><c r="B3" t="e"><v>#REF!</v></c><c r="C3" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>',
        {"B3": ("error", "#REF!"), "C3": ("error", "#DIV/0!")},
    ),
    Case(
        "formula_without_result_is_not_empty",
        '<row r="1"><c r="A1"><f>SUM(B1:B9)</f></c><c r="B1"><f>1+1</f><v></v></c><c r="C1" t="str"><f>""</f><v></v></c></row>',
        {"A1": ("formula_without_result", None), "B1": ("formula_without_result", None)},
    ),
    Case(
        "booleans",
        '<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c></row>',
        {"A1": ("boolean", True), "B1": ("boolean", False)},
    ),
    Case(
        "rich_text_without_phonetic_hints",
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>',
        {"A1": ("text", "Umsatz netto"), "B1": ("text", "東京")},
        strings=(
            '<r><t xml:space="preserve">Umsatz </t></r><r><rPr><b/></rPr><t>netto</t></r>',
            "<t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh>",
        ),
    ),
    Case(
        "inline_strings",
        '<row r="1"><c r="A1" t="inlineStr"><is><t>a &amp; b</t></is></c><c r="B1" t="inlineStr"><is>'
        "<r><t>x</t></r><r><t>y</t></r></is></c>"
        '<c r="C1" t="inlineStr"><is><t xml:space="preserve"> z </t></is></c></row>',
        {"A1": ("text", "a & b"), "B1": ("text", "xy"), "C1": ("text", " z ")},
    ),
    Case(
        "escaped_control_characters",
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="str"><f>A1</f><v>_x0041_</v></c></row>',
        {"A1": ("text", "a\rb_x"), "B1": ("text", "A")},
        strings=("<t>a_x000D_b_x005F_x</t>",),
    ),
    Case(
        "dates_by_number_format",
        '<row r="1"><c r="A1" s="1"><v>45565</v></c><c r="B1" s="8"><v>45565.5</v></c><c r="C1" s="6"><v>45536</v></c>'
        '<c r="D1" s="7"><v>1.5</v></c><c r="E1" s="1"><v>59</v></c><c r="F1" s="1"><v>61</v></c></row>',
        {
            "A1": ("date", date(2024, 9, 30)),
            "B1": ("date", datetime(2024, 9, 30, 12)),
            "C1": ("date", date(2024, 9, 1)),
            "D1": ("number", D("1.5")),
            "E1": ("date", date(1900, 2, 28)),
            "F1": ("date", date(1900, 3, 1)),
        },
    ),
    Case(
        "days_that_never_were",
        '<row r="1"><c r="A1" s="1"><v>60</v></c><c r="B1" s="1"><v>-5</v></c><c r="C1" s="1"><v>99999999</v></c></row>',
        {"A1": ("number", D(60)), "B1": ("number", D(-5)), "C1": ("number", D(99999999))},
        ("date_out_of_range",) * 3,
    ),
    Case(
        "1904_system",
        '<row r="2"><c r="A2" s="1"><v>44103</v></c><c r="B2"><v>10</v></c></row>',
        {"A2": ("date", date(2024, 9, 30)), "B2": ("number", D(10))},
        workbook='<workbookPr date1904="1"/>',
    ),
    Case(
        "iso_date_cells",
        '<row r="1"><c r="A1" t="d"><v>2024-10-15</v></c><c r="B1" t="d"><v>2024-10-15T09:30:00</v>'
        '</c><c r="C1" t="d"><v>bald</v></c></row>',
        {"A1": ("date", date(2024, 10, 15)), "B1": ("date", datetime(2024, 10, 15, 9, 30)), "C1": ("text", "bald")},
        ("date_unreadable",),
    ),
    Case(
        "rows_and_cells_without_addresses",
        "<row><c><v>1</v></c><c/><c><v>3</v></c></row><row><c><v>4</v></c></row><row r='7'><c r='C7'>"
        "<v>5</v></c><c><v>6</v></c></row>",
        {"A1": ("number", D(1)), "C1": ("number", D(3)), "A2": ("number", D(4)), "C7": ("number", D(5)), "D7": ("number", D(6))},
    ),
    Case(
        "formatted_empty_cells_are_nothing",
        '<row r="1" s="4" customFormat="1"/><row r="2"><c r="A2" s="1"/><c r="B2" s="1"></c><c r="C2"><v>1</v></c></row>',
        {"C2": ("number", D(1))},
    ),
    Case(
        "attributes_in_any_order_and_quotes",
        "<row spans='1:2' r='1'><c t='s' r='A1'><v>0</v></c><c s=\"1\" r=\"B1\" ><v>45565</v></c></row>",
        {"A1": ("text", "x"), "B1": ("date", date(2024, 9, 30))},
        strings=("<t>x</t>",),
    ),
    Case(
        "comments_and_cdata_in_the_xml",
        '<row r="1"><!-- <c r="A1"><v>9</v></c> --><c r="A1"><v>1</v></c><c r="B1" t="str"><v><![CDATA[a<b]]></v></c></row>',
        {"A1": ("number", D(1)), "B1": ("text", "a<b")},
    ),
    Case(
        "text_in_a_number_cell",
        '<row r="1"><c r="A1"><v>12,5</v></c><c r="B1"><v>1_000</v></c><c r="C1"><v>NaN</v></c></row>',
        {"A1": ("error", "12,5"), "B1": ("error", "1_000"), "C1": ("error", "NaN")},
        ("number_unreadable",) * 3,
    ),
    Case(
        "missing_shared_string",
        '<row r="1"><c r="A1" t="s"><v>7</v></c></row>',
        {"A1": ("error", "7")},
        ("shared_string_missing",),
    ),
    Case(
        "one_cell_twice",
        '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c><c r="B1"><v>3</v></c><c r="B1"><v>3</v></c></row>',
        {"A1": ("error", "2"), "B1": ("number", D(3))},
        ("cell_twice",),
    ),
    Case(
        "never_computed_zeros",
        '<row r="1"><c r="A1"><v>0</v></c><c r="B1"><f>A1+5</f><v>0</v></c></row>',
        {"A1": ("number", D(0)), "B1": ("formula_without_result", None)},
        ("formulas_not_calculated",),
        workbook='<calcPr fullCalcOnLoad="1"/>',
    ),
    Case(
        "computed_before_saving",
        '<row r="1"><c r="A1"><v>0</v></c><c r="B1"><f>A1+5</f><v>5</v></c></row>',
        {"A1": ("number", D(0)), "B1": ("number", D(5))},
        ("recalculation_pending",),
        workbook='<calcPr fullCalcOnLoad="1"/>',
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cells(case: Case, tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "f.xlsx", [("Blatt", sheet_xml(case.rows))], strings=case.strings, workbook_extra=case.workbook)
    (grid,), problems = _read(path)
    expected = {parse_address(address): content for address, content in case.cells.items()}
    assert {place: (cell.kind, cell.value) for place, cell in grid.cells.items()} == expected
    assert tuple(problem.code for problem in problems) == case.codes
    assert (grid.last_row, grid.last_column) == (max(row for row, _ in expected), max(column for _, column in expected))


def test_facts_of_style_formula_and_comment(tmp_path: Path) -> None:
    rows = (
        '<row r="1"><c r="A1" s="4" t="s"><v>0</v></c><c r="B1" s="2"><v>0.342</v></c><c r="C1" s="3" t="s"><v>1</v></c></row>'
        '<row r="2"><c r="A2" s="5"><v>100</v></c><c r="B2"><f t="shared" ref="B2:B4" si="0">A2*$A$1+"A1"</f><v>1</v></c></row>'
        '<row r="3"><c r="B3"><f t="shared" si="0"/><v>2</v></c><c r="C3"><f t="array" ref="C3:C4">A1:A2</f><v>5</v></c></row>'
        '<row r="4"><c r="C4"><v>6</v></c></row>'
    )
    comments = (
        f'<comments xmlns="{MAIN}"><commentList><comment ref="B1"><text><r><t>vorläufig</t></r></text></comment>'
        '<comment ref="A1"><text><t>[Kommentarthread] Ihre Version ...</t></text></comment>'
        '<comment ref="Z9"><text><t>leer</t></text></comment></commentList></comments>'
    )
    thread = (
        '<ThreadedComments xmlns="x"><threadedComment ref="A1"><text>Stimmt das?</text></threadedComment>'
        '<threadedComment ref="A1"><text>Ja.</text></threadedComment></ThreadedComments>'
    )
    rels = (
        '<Relationships><Relationship Id="t" Type="x/threadedComment" Target="../thread.xml"/>'
        '<Relationship Id="c" Type="x/comments" Target="../comments1.xml"/></Relationships>'
    )
    path = write_xlsx(
        tmp_path / "f.xlsx",
        [("Blatt", sheet_xml(rows))],
        strings=("<t>Posten</t>", "<t>-4</t>"),
        parts={"xl/comments1.xml": comments, "xl/thread.xml": thread, "xl/worksheets/_rels/sheet1.xml.rels": rels},
    )
    cells = _read(path)[0][0].cells
    assert cells[1, 1] == RawCell("Posten", "text", "Posten", comment="Stimmt das?\nJa.", bold=True, indent=2)
    assert cells[1, 2] == RawCell(D("0.342"), "number", "0.342", "0.0%", comment="vorläufig")
    assert cells[1, 3] == RawCell("-4", "text", "-4", "@", quote_prefix=True)
    assert cells[2, 1].number_format == "#,##0.00\\ [$€-407]"
    assert [cells[place].formula for place in ((2, 1), (2, 2), (3, 2), (3, 3), (4, 3))] == [
        None,
        'A2*$A$1+"A1"',
        'A3*$A$1+"A1"',
        "A1:A2",
        "A1:A2",
    ]


def test_merges_hidden_rows_and_columns_and_tables(tmp_path: Path) -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>7</v></c></row>'
        '<row r="2" hidden="1"><c r="A2"><v>9</v></c></row><row r="99" hidden="1"/>'
    )
    before = '<cols><col min="2" max="16384" hidden="1"/><col min="1" max="1" width="3"/></cols>'
    after = '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="C1:D1"/><mergeCell ref="D1:E3"/></mergeCells>'
    table = f'<table xmlns="{MAIN}" displayName="Umsatz" ref="A1:C2"/>'
    rels = '<Relationships><Relationship Id="c" Type="x/table" Target="/xl/tables/t.xml"/></Relationships>'
    path = write_xlsx(
        tmp_path / "f.xlsx",
        [("Blatt", sheet_xml(rows, before=before, after=after))],
        parts={"xl/tables/t.xml": table, "xl/worksheets/_rels/sheet1.xml.rels": rels},
    )
    (grid,), problems = _read(path)
    assert set(grid.cells) == {(1, 1), (1, 3)}
    assert grid.merges == ((1, 1, 2, 1), (1, 3, 1, 4))
    assert (grid.hidden_rows, grid.hidden_columns) == (frozenset(), frozenset({2, 3}))
    assert grid.defined_tables == (("Umsatz", (1, 1, 2, 3)),)
    assert {problem.code: problem.where for problem in problems} == {"value_under_merge": "Blatt!A2", "merges_overlap": "Blatt"}


def test_sheets_come_by_relationship_in_workbook_order(tmp_path: Path) -> None:
    """A37: sheet1.xml is not the first sheet; hidden ones are listed as such."""
    sheets = [
        (name, sheet_xml(f'<row r="2"><c r="B2"><v>{value}</v></c></row>'))
        for name, value in (("Deckblatt", 1), ("Daten", 100), ("Alt", 7), ("Weg", 8))
    ]
    path = write_xlsx(tmp_path / "f.xlsx", sheets, states={"Alt": "veryHidden", "Weg": "hidden"})
    grids, _ = _read(path)
    assert [(grid.name, grid.hidden, grid.cells[2, 2].value) for grid in grids] == [
        ("Deckblatt", False, 1),
        ("Daten", False, 100),
        ("Alt", True, 7),
        ("Weg", True, 8),
    ]


@pytest.mark.parametrize(
    "xml",
    [
        sheet_xml('<row r="1"><c r="A1"><v>5</v></c></row>', namespace=STRICT),
        f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>5</x:v></x:c></x:row>'
        f"</x:sheetData></x:worksheet>",
        sheet_xml('<row r="1"><c r="A1"><v>5</v></c></row>').encode("utf-16"),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>' + sheet_xml('<row r="1"><c r="A1"><v>5</v></c></row>')).encode("latin-1"),
        "\ufeff" + sheet_xml('\n <row r="1">\r\n\t<c r="A1">\n<v>5</v>\n</c></row>'),
    ],
    ids=["strict", "prefixed", "utf16", "latin1", "bom_and_blanks"],
)
def test_spellings_of_one_sheet(xml: str | bytes, tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "f.xlsx", [("Blatt", "")], parts={"xl/worksheets/sheet1.xml": xml}, namespace=STRICT)
    (grid,), problems = _read(path)
    assert {place: cell.value for place, cell in grid.cells.items()} == {(1, 1): 5}
    assert not problems


def test_phantom_rows_are_read_within_seconds_and_kept_out(tmp_path: Path) -> None:
    """F05: a million formatted empty rows, a wrong dimension, one cell at the very end."""
    rows = "".join(f'<row r="{row}" s="4" customFormat="1"><c r="A{row}" s="4"/></row>' for row in range(4, 300_000))
    values = "".join(f'<row r="{row}"><c r="A{row}"><v>{row}</v></c></row>' for row in (1, 2, 3))
    path = write_xlsx(tmp_path / "f.xlsx", [("Blatt", sheet_xml(values + rows, before='<dimension ref="A1:XFD1048576"/>'))])
    _, (grid,), _ = read_grids(path)
    assert {place: cell.value for place, cell in grid.cells.items()} == {(1, 1): 1, (2, 1): 2, (3, 1): 3}
    assert (grid.last_row, grid.last_column) == (3, 1)


def test_what_xlsxwriter_writes(tmp_path: Path) -> None:
    path = tmp_path / "writer.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("März & Co")
        percent = book.add_format({"num_format": "0.0%", "bold": True})
        sheet.write_string("A1", "Größe <1>")
        sheet.write_number("B1", 0.342, percent)
        sheet.write_formula("C1", "=B1*2", None, 0.684)
        sheet.merge_range("A3:B4", "Nord")
        sheet.write_comment("A1", "Hinweis")
        sheet.set_column("B:B", None, None, {"hidden": True})
        sheet.set_row(0, None, None, {"hidden": True})
        sheet.add_table("D1:E3", {"name": "Liste"})
    (grid,), _ = _read(path)
    assert grid.name == "März & Co"
    assert grid.cells[1, 1].value == "Größe <1>"
    assert grid.cells[1, 1].comment is not None and "Hinweis" in grid.cells[1, 1].comment
    assert (grid.cells[1, 2].value, grid.cells[1, 2].number_format, grid.cells[1, 2].bold) == (D("0.342"), "0.0%", True)
    assert (grid.cells[1, 3].value, grid.cells[1, 3].formula) == (D("0.684"), "B1*2")
    assert grid.merges == ((3, 1, 4, 2),)
    assert (grid.hidden_rows, grid.hidden_columns) == ({1}, {2})
    assert grid.defined_tables == (("Liste", (1, 4, 3, 5)),)


def test_what_openpyxl_writes(tmp_path: Path) -> None:
    path = tmp_path / "open.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Daten"
    sheet.append(["Kunde", 1.1, datetime(2024, 10, 15), True, "=B1*2"])
    book.create_sheet("Leer").sheet_state = "hidden"
    book.save(path)
    grids, _ = _read(path)
    assert [(cell.kind, cell.value) for cell in grids[0].cells.values()] == [
        ("text", "Kunde"),
        ("number", D("1.1")),
        ("date", date(2024, 10, 15)),
        ("boolean", True),
        ("formula_without_result", None),
    ]
    assert [(grid.name, grid.hidden, len(grid.cells)) for grid in grids] == [("Daten", False, 5), ("Leer", True, 0)]
