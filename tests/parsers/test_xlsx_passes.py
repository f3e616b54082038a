"""Whatever stands in a worksheet part: where the bulk pass reads it, the event pass reads the same."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.cell_values import CellStyle
from parsers.problem import UnreadableFile
from parsers.sheet_content import SheetContent
from parsers.xlsx_bulk import NotUsual, read_in_bulk
from parsers.xlsx_cells import CellSink, SheetTooLarge
from parsers.xlsx_sheet import NoWorksheet, read_by_events
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
@given(ROWS, EDITS, st.sampled_from((9, 100, 10_000)))
def test_bulk_pass_reads_as_the_event_pass(
    rows: list[list[tuple[str, int, int, str]]], edits: list[tuple[float, str | int]], size: int
) -> None:
    after = '<mergeCells><mergeCell ref="A1:B2"/></mergeCells>'
    data = _edited(sheet_xml(_rows(rows), before='<cols><col min="1" max="2" hidden="1"/></cols>', after=after), edits).encode()
    bulk = _outcome(read_in_bulk, data, size)
    assert bulk is NotUsual or bulk == _outcome(read_by_events, data, 10_000)
    if not edits:
        assert bulk is not NotUsual
