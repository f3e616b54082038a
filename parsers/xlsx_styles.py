"""Cell styles of a workbook, reduced to what a reader of values needs."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.cell_values import CellStyle
from parsers.number_format import BUILT_IN_FORMATS, is_date_format
from parsers.xlsx_package import Package
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, is_true, parse_small


@dataclass
class _Collected:
    path: list[str]
    formats: dict[int, str]
    bold_fonts: list[bool]
    formatting: list[CellStyle]


def read_styles(package: Package, part: str | None) -> tuple[CellStyle, ...]:
    """Styles by the index that cells name; empty if the workbook has no style part. Raises UnreadableFile."""
    if part is None or not package.has(part):
        return ()
    found = _Collected([], {}, [], [])

    def start(element: str, attributes: dict[str, str]) -> None:
        inside = found.path[-1] if found.path else ""
        if element == "numFmt" and inside == "numFmts":
            found.formats[_number(attributes.get("numFmtId"), -1)] = attributes.get("formatCode", "")
        elif element == "font" and inside == "fonts":
            found.bold_fonts.append(False)
        elif element == "b" and inside == "font" and found.bold_fonts and "fonts" in found.path:
            found.bold_fonts[-1] = "val" not in attributes or is_true(attributes["val"])
        elif element == "xf" and inside == "cellXfs":
            found.formatting.append(_style(attributes, found))
        elif element == "alignment" and found.path[-2:] == ["cellXfs", "xf"]:
            last = found.formatting[-1]
            indent = _number(attributes.get("indent"), 0)
            found.formatting[-1] = CellStyle(last.number_format, last.is_date, last.bold, indent, last.quote_prefix)
        found.path.append(element)

    def end(_element: str) -> None:
        found.path.pop()

    try:
        parse_small(package.chunks(part), start, end)
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(part, error) from error
    return tuple(found.formatting)


def _style(attributes: dict[str, str], found: _Collected) -> CellStyle:
    format_id = _number(attributes.get("numFmtId"), 0)
    code = found.formats.get(format_id, BUILT_IN_FORMATS.get(format_id, ""))
    if code.lower() in ("general", "standard"):
        code = ""
    font = _number(attributes.get("fontId"), -1)
    bold = 0 <= font < len(found.bold_fonts) and found.bold_fonts[font]
    return CellStyle(code, is_date_format(code), bold, 0, is_true(attributes.get("quotePrefix")))


def _number(text: str | None, otherwise: int) -> int:
    try:
        return int(text) if text is not None else otherwise
    except ValueError:
        return otherwise
