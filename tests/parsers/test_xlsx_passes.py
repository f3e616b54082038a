"""Whatever stands in a worksheet part: where the bulk pass reads it, by rows or by cells, the event pass reads the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.cell_values import CellStyle
from parsers.problem import UnreadableFile
from parsers.sheet_content import SheetContent
from parsers.xlsx_bulk import read_in_bulk
from parsers.xlsx_cells import CellSink, SheetTooLarge
from parsers.xlsx_plain import NotUsual
from parsers.xlsx_sheet import NoWorksheet, read_by_events
from parsers.xlsx_strings import strings_by_events, strings_in_bulk
from parsers.xlsx_xml import BrokenXml, ForbiddenXml
from tests.parsers.workbooks import sheet_xml

STYLES = (CellStyle(), CellStyle("dd.mm.yyyy", True), CellStyle("0%"))
CELLS = (
    '<c r="{a}" s="{s}"><v>{v}</v></c>',
    '<c r="{a}" s="{s}" t="s"><v>1</v></c>',
    '<c r="{a}" s="1"/>',
    '<c r="{a}" s="1"></c>',
    "<c><v>7</v></c>",
    '<c r="{a}"><f>A1+1</f><v>{v}</v></c>',
    '<c r="{a}"><f t="shared" ref="A1:B3" si="0">B2</f><v>1</v></c>',
    "<c/>",
    '<c r="{a}"><f t="shared" si="0"/><v>1</v></c>',
    '<c r="{a}" t="inlineStr"><is><t> a&amp;b </t></is></c>',
    '<c r="{a}" t="e"><v>#REF!</v></c>',
    '<c r="{a}" t="inlineStr"><is><r><t>x</t></r><rPh><t>q</t></rPh></is></c>',
    '<c t="b" r="{a}"><v>1</v></c>',
    "<c r='{a}' ><v >3</v></c>",
    '<c r="{a}" t="str"><f>"é"</f><v>_x0041_&lt;</v></c>',
    '<c r="{a}"><f t="array" ref="{a}:D9">B1:B2</f><v>2</v></c>',
)
TOKENS = (
    "<c/>",
    "</c>",
    "<v>",
    "</v>",
    "<row>",
    "</row>",
    '"',
    " ",
    "<!-- x -->",
    "<![CDATA[z]]>",
    "&amp;",
    "&",
    "<f/>",
    "\n",
    'r="B7"',
    "<",
    ">",
    "/",
    "1",
    "</sheetData>",
    "<is>",
    't="s"',
    "&#65;",
    "\r\n",
    "é",
    "\x01",
    "]]>",
    "<row/>",
    '<row r="9" hidden="1"/>',
)
CELL = st.builds(
    lambda form, column, style, value: (form, column, style, value),
    st.sampled_from(CELLS),
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from(("1", "0", "45565", "-0.5", "1E3", "", "x", "1.0")),
)
ROWS = st.lists(st.lists(CELL, max_size=4), max_size=4)
MERGES = st.lists(
    st.sampled_from(('<mergeCell ref="A1:B2"/>', '<mergeCell ref="D4:C3"/>', '<mergeCell ref="A7:A12"></mergeCell>')), max_size=3
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.one_of(st.sampled_from(TOKENS), st.integers(1, 12))), max_size=2)


def _rows(rows: list[list[tuple[str, int, int, str]]]) -> str:
    text = ""
    for number, cells in enumerate(rows, start=1):
        inner = "".join(form.format(a=f"{chr(64 + column)}{number}", s=style, v=value) for form, column, style, value in cells)
        text += f'<row r="{number}">{inner}</row>'
    return text


def _edited(text: str, edits: list[tuple[float, str | int]]) -> str:
    """Insert a token, or cut some characters out, at a relative place."""
    for place, edit in edits:
        at = int(place * len(text))
        text = text[:at] + (edit + text[at:] if isinstance(edit, str) else text[at + edit :])
    return text


def _outcome(read: Callable[..., None], data: bytes, size: int) -> object:
    content = SheetContent()
    sink = CellSink(content, STYLES, ("a", "", "b c"), False, 1000)
    try:
        read((data[start : start + size] for start in range(0, len(data), size)), content, sink, None)
    except NotUsual:
        return NotUsual
    except (BrokenXml, ForbiddenXml, SheetTooLarge, NoWorksheet, UnreadableFile, ValueError, KeyError) as error:
        return type(error)
    return content


@settings(max_examples=400)
@given(ROWS, MERGES, EDITS, st.sampled_from((9, 100, 10_000)))
def test_bulk_pass_reads_as_the_event_pass(
    rows: list[list[tuple[str, int, int, str]]], merges: list[str], edits: list[tuple[float, str | int]], size: int
) -> None:
    after = f"<sheetPr/><mergeCells>{''.join(merges)}</mergeCells><x>a</x>"
    data = _edited(sheet_xml(_rows(rows), before='<cols><col min="1" max="2" hidden="1"/></cols>', after=after), edits).encode()
    bulk = _outcome(read_in_bulk, data, size)
    assert bulk is NotUsual or bulk == _outcome(read_by_events, data, 10_000)
    if not edits:
        assert bulk is not NotUsual


STRINGS = (
    "<si><t>a</t></si>",
    '<si><t xml:space="preserve"> b\r\n c </t></si>',
    "<si><t> &lt;&#228;_x0041_ </t></si>",
    "<si><r><t>x</t></r><r><rPr><b/></rPr><t>y &amp; z</t></r></si>",
    "<si><t>k</t><rPh sb='0' eb='1'><t>hint</t></rPh></si>",
    "<si><t/></si>",
    "<si/>",
    "\n",
    "<si><t>&#1;</t></si>",
    "<si><t>]]></t></si>",
)


def _strings_outcome(read: Callable[[Iterable[bytes]], Iterable[str]], data: bytes, size: int) -> object:
    try:
        return list(read(data[start : start + size] for start in range(0, len(data), size)))
    except (NotUsual, UnicodeDecodeError):
        return NotUsual
    except (BrokenXml, ForbiddenXml) as error:
        return type(error)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(STRINGS), max_size=5), EDITS, st.sampled_from(("sst", "x:sst")), st.sampled_from((7, 10_000)))
def test_shared_strings_in_bulk_are_those_of_the_event_pass(
    strings: list[str], edits: list[tuple[float, str | int]], root: str, size: int
) -> None:
    data = _edited(f'<?xml version="1.0"?><{root} xmlns:x="u" count="1">{"".join(strings)}</{root}>', edits).encode()
    bulk = _strings_outcome(strings_in_bulk, data, size)
    assert bulk in (NotUsual, BrokenXml) or bulk == _strings_outcome(strings_by_events, data, 10_000)
    if not edits and root == "sst" and set(strings) <= set(STRINGS[:5]):
        assert isinstance(bulk, list)


# Spelt as office programs do: read a whole row at a time, unless a value has anything to report.
USUAL_CELLS = (
    '<c r="{a}" s="{s}"><v>{v}</v></c>',
    '<c r="{a}"><v>{v}</v></c>',
    '<c r="{a}" s="1" t="n"><v>{v}</v></c>',
    '<c r="{a}" s="{s}" t="s"><v>{v}</v></c>',
    '<c r="{a}" s="2"/>',
    '<c r="{a}" t="b"><v>{v}</v></c>',
    '<c r="{a}" t="e"><v>#DIV/0!</v></c>',
    '<c r="{a}" t="str"><f>B1&amp;"{v}"</f><v>{v}</v></c>',
    '<c r="{a}" s="{s}"><f>A1*{v}</f><v>{v}</v></c>',
    '<c r="{a}"><f>A1+1</f></c>',
    '<c r="{a}"><f t="shared" si="0"/><v>{v}</v></c>',
    '<c r="{a}" t="inlineStr"><is><t>{v}</t></is></c>',
    '<c r="{a}" t="inlineStr"><is><t xml:space="preserve"> {v} </t></is></c>',
)
USUAL_VALUES = st.sampled_from(
    ("0", "1", "2", "3", "-0", "007", "12.50", "60", "61.5", "45565", "2958466", "999999999999999", "1000000000000000", "1E-7",
     "1E+3", "99999999999999.999999", "", " ", "x", "a&amp;b", "&#65;", "_x0041_", "1e400", "-", "é", "a > b", "#REF!", "1&x;"),
)  # fmt: skip
USUAL_CELL = st.builds(
    lambda form, style, value: (form, style, value), st.sampled_from(USUAL_CELLS), st.integers(0, 3), USUAL_VALUES
)
USUAL_ROWS = st.lists(st.lists(USUAL_CELL, min_size=1, max_size=5), min_size=1, max_size=5)
SHARED = '<row r="1" spans="1:5" hidden="1"><c r="A1"><f t="shared" ref="A1:C9" si="0">B2*2</f><v>1</v></c></row>'


def _cell_by_cell(data: object, content: SheetContent, sink: CellSink, progress: None) -> None:
    read_in_bulk(data, content, sink, progress, rows=False)  # type: ignore[arg-type]


@settings(max_examples=300)
@given(USUAL_ROWS, EDITS)
def test_whole_rows_are_read_as_single_cells(
    rows: list[list[tuple[str, int, str]]], edits: list[tuple[float, str | int]]
) -> None:
    text = SHARED
    for number, cells in enumerate(rows, start=2):
        inner = "".join(
            form.format(a=f"{chr(65 + column)}{number}", s=style, v=value) for column, (form, style, value) in enumerate(cells)
        )
        text += f'<row r="{number}" spans="1:5">{inner}</row>'
    data = _edited(sheet_xml(text), edits).encode()
    whole = _outcome(read_in_bulk, data, 10_000)
    assert whole == _outcome(_cell_by_cell, data, 10_000)
    assert whole is NotUsual or whole == _outcome(read_by_events, data, 10_000)


def test_usual_rows_stay_text() -> None:
    content = SheetContent()
    sink = CellSink(content, STYLES, ("a", "b"), False, 1000)
    row = '<row r="{0}" spans="1:2"><c r="A{0}" t="s"><v>1</v></c><c r="B{0}" s="1"><v>45565</v></c></row>'
    data = sheet_xml("".join(row.format(number) for number in range(1, 200))).encode()
    read_in_bulk((data,), content, sink, None)
    assert len(content.cells) == 398
    # In row 1 the style 1 cannot be told from the row's number at once: that row is read cell by cell.
    assert content.cells.text_entries() == 396
    assert {cell.kind for cell in content.cells.values()} == {"text", "date"}
    assert content.cells.text_entries() == 396
