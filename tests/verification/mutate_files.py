"""One small change to a stored original, as a person or a program might make it, without touching anything else in the file."""

from __future__ import annotations

import io
import random
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from parsers.address import cell_address, parse_address

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True)
class Mutated:
    """`content`: the new bytes of the file. `cell`: one cell that a person must be told of, `now`: what stands there afterwards
    (None: nothing); `reading`: only how the cell is read changed, not its text."""

    content: bytes
    cell: str
    now: str | None
    reading: bool = False


Mutation = Callable[[bytes, str | None, str, str | None, random.Random], Mutated | None]
"""(content, sheet or None for CSV, address of a cited cell, text of that cell, chance) -> the change; None: not applicable."""


# --- workbooks


class _Sheet:
    """One sheet of a workbook as XML that can be changed and written back."""

    def __init__(self, content: bytes, name: str) -> None:
        self._content = content
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            book = ET.fromstring(package.read("xl/workbook.xml"))
            links = ET.fromstring(package.read("xl/_rels/workbook.xml.rels"))
            wanted = next(each.get(_RELATION) for each in book.iter(f"{_MAIN}sheet") if each.get("name") == name)
            target = next(link.get("Target", "") for link in links if link.get("Id") == wanted)
            self.part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            self.root = ET.fromstring(package.read(self.part))

    def cell(self, address: str) -> ET.Element | None:
        return next((cell for cell in self.root.iter(f"{_MAIN}c") if cell.get("r") == address), None)

    def rows(self) -> list[ET.Element]:
        return list(self.root.iter(f"{_MAIN}row"))

    def written(self) -> bytes:
        return _with_part(self._content, self.part, _as_xml(self.root))


def _as_xml(root: ET.Element) -> bytes:
    ET.register_namespace("", _MAIN[1:-1])
    return ET.tostring(root, encoding="UTF-8", xml_declaration=True)


def _with_part(content: bytes, part: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            target.writestr(entry, data if entry.filename == part else source.read(entry.filename))
    return out.getvalue()


def _number_changed(change: Callable[[Decimal, random.Random], Decimal]) -> Mutation:
    def mutate(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
        if sheet is None:
            return None
        page = _Sheet(content, sheet)
        cell = page.cell(address)
        value = cell.find(f"{_MAIN}v") if cell is not None else None
        if cell is None or value is None or cell.get("t", "n") != "n":
            return None
        new = change(Decimal(value.text or "0"), chance)
        if new == Decimal(value.text or "0"):
            return None
        value.text = format(new, "f")
        return Mutated(page.written(), address, _plain(new))

    return mutate


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def set_text(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    """A name or a label in another spelling."""
    page = _Sheet(content, sheet) if sheet is not None else None
    cell = page.cell(address) if page is not None else None
    if page is None or cell is None or cell.get("t") not in ("s", "inlineStr"):
        return None
    new = (text or "") + " neu"
    for child in list(cell):
        cell.remove(child)
    cell.set("t", "inlineStr")
    ET.SubElement(ET.SubElement(cell, f"{_MAIN}is"), f"{_MAIN}t").text = new
    return Mutated(page.written(), address, new)


def blank_cell(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    page = _Sheet(content, sheet) if sheet is not None else None
    cell = page.cell(address) if page is not None else None
    if page is None or cell is None or len(cell) == 0:
        return None
    for child in list(cell):
        cell.remove(child)
    cell.attrib.pop("t", None)
    return Mutated(page.written(), address, None)


def move_row(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    """The row of the cell changes places with another that holds something else there."""
    if sheet is None:
        return None
    page = _Sheet(content, sheet)
    row, column = parse_address(address)
    here = next((each for each in page.rows() if each.get("r") == str(row)), None)
    own = _content_of(page.cell(address))
    others = [each for each in page.rows() if each.get("r") != str(row) and (_of(each, column) not in (None, own))]
    if here is None or own is None or not others:
        return None
    other = chance.choice(others)
    number = other.get("r", "")
    cells = list(here), list(other)
    for target, moved in ((here, cells[1]), (other, cells[0])):
        for cell in list(target):
            target.remove(cell)
        for cell in moved:
            cell.set("r", cell_address(int(target.get("r", "0")), parse_address(cell.get("r", "A1"))[1]))
            target.append(cell)
    moved_here = page.cell(address)
    assert moved_here is not None and number
    return Mutated(page.written(), address, _UNKNOWN)


_UNKNOWN = "?"
"""`Mutated.now` of a cell whose new text is not worked out here: it only has to be another one."""


def _of(row: ET.Element, column: int) -> str | None:
    return _content_of(next((cell for cell in row if parse_address(cell.get("r", "A1"))[1] == column), None))


def _content_of(cell: ET.Element | None) -> str | None:
    value = cell.find(f"{_MAIN}v") if cell is not None else None
    return None if cell is None or value is None or cell.find(f"{_MAIN}f") is not None else f"{cell.get('t', 'n')}:{value.text}"


def insert_row(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    """Everything from the cell's row on moves down by one."""
    if sheet is None or text is None:
        return None
    page = _Sheet(content, sheet)
    first = parse_address(address)[0]
    for row in page.rows():
        number = int(row.get("r", "0"))
        if number >= first:
            row.set("r", str(number + 1))
            for cell in row:
                cell.set("r", cell_address(number + 1, parse_address(cell.get("r", "A1"))[1]))
    return Mutated(page.written(), address, None)


def rename_sheet(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    if sheet is None:
        return None
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        book = ET.fromstring(package.read("xl/workbook.xml"))
    entry = next(each for each in book.iter(f"{_MAIN}sheet") if each.get("name") == sheet)
    entry.set("name", f"{sheet} alt")
    return Mutated(_with_part(content, "xl/workbook.xml", _as_xml(book)), address, None)


def drop_percent(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    """The cell loses its percent format; its number stays."""
    if sheet is None:
        return None
    page = _Sheet(content, sheet)
    cell = page.cell(address)
    if cell is None or not _is_percent(content, int(cell.get("s", "0"))):
        return None
    cell.set("s", "0")
    return Mutated(page.written(), address, _UNKNOWN, reading=True)


def _is_percent(content: bytes, style: int) -> bool:
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        styles = ET.fromstring(package.read("xl/styles.xml"))
    own = {each.get("numFmtId"): each.get("formatCode", "") for each in styles.iter(f"{_MAIN}numFmt")}
    formats = styles.find(f"{_MAIN}cellXfs")
    used = formats[style].get("numFmtId", "0") if formats is not None else "0"
    return used in ("9", "10") or "%" in own.get(used, "")


# --- delimited text


def _line_changed(change: Callable[[str], str]) -> Mutation:
    def mutate(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
        if sheet is not None or text is None or '"' in text:
            return None
        row, _ = parse_address(address)
        lines = content.decode("cp1252").splitlines(keepends=True)
        new = change(text)
        if lines[row - 1].count(text) != 1 or new == text:
            return None
        lines[row - 1] = lines[row - 1].replace(text, new)
        return Mutated("".join(lines).encode("cp1252"), address, new or None)

    return mutate


def _digit(text: str) -> str:
    place = next((index for index, letter in enumerate(text) if letter.isdigit()), None)
    return text if place is None else f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"


def _shift(text: str) -> str:
    head, comma, tail = text.partition(",")
    return f"{head}{tail[0]},{tail[1:]}0" if comma and len(tail) > 1 and tail[0].isdigit() else text


def swap_lines(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    if sheet is not None or text is None:
        return None
    row, _ = parse_address(address)
    lines = content.decode("cp1252").splitlines(keepends=True)
    others = [n for n, line in enumerate(lines) if n > 0 and line.count(";") == lines[0].count(";") and text not in line]
    if not others or '"' in lines[row - 1]:
        return None
    other = chance.choice(others)
    lines[row - 1], lines[other] = lines[other], lines[row - 1]
    return Mutated("".join(lines).encode("cp1252"), address, _UNKNOWN)


def drop_line(content: bytes, sheet: str | None, address: str, text: str | None, chance: random.Random) -> Mutated | None:
    if sheet is not None:
        return None
    row, column = parse_address(address)
    lines = content.decode("cp1252").splitlines(keepends=True)
    fields = [line.rstrip("\r\n").split(";") for line in lines[row - 1 : row + 1]]
    quoted = any(chr(34) in line for line in lines[row - 1 : row + 1])
    if quoted or len(fields) < 2 or fields[0][column - 1 : column] == fields[1][column - 1 : column]:
        return None
    del lines[row - 1]
    return Mutated("".join(lines).encode("cp1252"), address, _UNKNOWN)


MUTATIONS: Mapping[str, Mutation] = {
    "value": _number_changed(lambda number, chance: number + Decimal(chance.choice(["1", "-1", "0.01", "1000"]))),
    "decimal shift": _number_changed(lambda number, chance: number * Decimal(chance.choice(["10", "0.1", "100"]))),
    "sign": _number_changed(lambda number, chance: -number),
    "label": set_text,
    "blank": blank_cell,
    "row moved": move_row,
    "row inserted": insert_row,
    "sheet renamed": rename_sheet,
    "percent format removed": drop_percent,
    "csv digit": _line_changed(_digit),
    "csv decimal shift": _line_changed(_shift),
    "csv field emptied": _line_changed(lambda text: ""),
    "csv lines exchanged": swap_lines,
    "csv line removed": drop_line,
}
