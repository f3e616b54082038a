"""Small whole files to start from, and random damage to them."""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Mapping
from datetime import date
from xml.sax.saxutils import escape

import xlsxwriter

# What readers trip over: limits of sheets and of number types, addresses far away, words of the format in the wrong place.
_TOKENS = (
    "", "-1", "0", "1", "1048576", "1048577", "16385", "4294967296", "99999999999999999999", "1e309", "-1e-320", "NaN", "inf",
    "#REF!", "A1", "XFD1048576", "A1:XFD1048576", "B2:A1", "ZZZZ9", "A0", "<", ">", "&", "&amp;", "&lt;", "&#0;",
    "&#x10FFFF;", "&x;", "]]>", "<!-- x -->", "<![CDATA[z]]>", "<c/>", "<row/>", "</row>", "<v>1</v>", "<f>A1</f>",
    '<f t="shared" si="0"/>', "<is><t>x</t></is>", '<row r="1048576"/>', '<row r="7"><c r="B7"><v>7</v></c></row>',
    '<mergeCell ref="A1:XFD1048576"/>', '<mergeCell ref="A1:A900000"/>', '<col min="1" max="16384" hidden="1"/>',
    '<col min="1" max="2000000000" hidden="1"/>', '<c r="XFD9"><v>1</v></c>',
    '<c r="C9"><f t="array" ref="A1:XFD1048576">1</f><v>2</v></c>', '<!DOCTYPE x [<!ENTITY y "z">]>', " ", "\n", "\t", "\x00",
    "\x0b", "\ufeff", "é", "\u202e", "_x0000_", "dd.mm.yyyy", "[h]:mm", '"€"', "0%", "2958466", "60", "-0", "1E400", "0.1e",
    "true", "on", "s", "inlineStr", "d", "2024-02-30", "2024-10-15T25:00:00",
)  # fmt: skip
_TEXT_TOKENS = (
    b"", b'"', b'""', b"'", b";", b",", b"\t", b"|", b"\r", b"\n", b"\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf",
    b"\xfe\xff", b"\x80", b"\xc3", b"\\", b'\\"', b"sep=;\n", b"sep=", b";" * 3000, b'"' * 501, b"9" * 5000, b"1.234,56",
    b"1,234.56", b"-", b"%", "€".encode(), b"1e999", b"(1)", b"31.02.2024", b"2024-13-01", b"Summe", b"Total;", b"Q3 2024",
    b"\n\n\n", b" " * 2000, b"k. A.", b"0042", b"1" * 40, b"#REF!", b"in TEUR", b"January", b"00.00.0000", b"0/0",
)  # fmt: skip
_XML_SPOT = re.compile(r'"[^"]*"|>[^<]+<|<[^>]+>')


def workbook_seeds() -> dict[str, bytes]:
    """Name -> bytes of workbooks that use everything that the readers look at."""
    return {"liste.xlsx": _list_workbook(in_memory_strings=True), "streng.xlsx": _list_workbook(in_memory_strings=False)}


def text_seeds() -> dict[str, bytes]:
    """Name -> bytes of delimited text in several dialects and encodings."""
    german = (
        "Umsätze der Filialen 2024, Angaben in TEUR\n\nFiliale;Ort;Umsatz;Anteil;Stand\n"
        '"Nord; Mitte";Köln;1.234,50;12,5 %;31.01.2024\n'
        'Süd;Łódź;987,00;8 %;29.02.2024\n"Ost\nzwei";Gdańsk;-12,30;k. A.;31.03.2024\n'
        "Summe;;2.209,20;;\n\nQuelle: Controlling\n"
    )
    english = (
        'Region,Q1 2024,Q2 2024,Q3 2024\n"East, ""new""","1,234.5","2,000","3,111"\nWest,(12.0),n/a,7\n'
        'Total,"1,222.5","2,000","3,118"\n'
    )
    return {
        "deutsch.csv": german.encode(),
        "deutsch16.csv": german.encode("utf-16"),
        "deutsch1250.csv": german.encode("cp1250", "replace"),
        "english.csv": english.encode(),
        "tabs.tsv": ("sep=\t\n" + english.replace(",", "\t")).encode("utf-8-sig"),
        "ragged.csv": b"A|B|C\n1|2\n3|4|5|6\n\n7|8|9|\n",
    }


def mutated_workbook(data: bytes, chance: random.Random) -> bytes:
    """One to six changes: mostly in the text of parts, now and then to the parts or the bytes of the package."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    for _ in range(chance.randint(1, 6)):
        chance.choices((_mutate_part, _exchange_parts), (14, 1))[0](parts, chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return _mutated_bytes(out.getvalue(), chance) if chance.random() < 0.08 else out.getvalue()


def mutated_text(data: bytes, chance: random.Random) -> bytes:
    """One to eight changes of bytes or tokens; now and then the whole is repeated or encoded anew."""
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(data))
        match chance.randint(0, 5):
            case 0 | 1 | 2:
                data = data[:at] + chance.choice(_TEXT_TOKENS) + data[at + chance.choice((0, 0, 1, 7)) :]
            case 3:
                data = data[:at] + data[at + chance.randint(1, 20) :]
            case 4:
                end = at + chance.randint(1, 60)
                data = data[:at] + data[at:end] * chance.choice((2, 3, 40)) + data[end:]
            case _:
                data = _mutated_bytes(data, chance)
    if chance.random() < 0.03:
        data = data.decode("latin-1").encode(chance.choice(("utf-16-le", "utf-16-be", "utf-16", "utf-8-sig", "utf-32")))
    return data


def _mutated_bytes(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    match chance.randint(0, 3):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        case 2:
            return data[:at] + chance.randbytes(chance.randint(1, 8)) + data[at:]
        case _:
            return data[:at] + data[at + chance.randint(1, 64) :]


def _mutate_part(parts: dict[str, bytes], chance: random.Random) -> None:
    """Change one spot of one part: an attribute's value, a text, a whole tag, or a stretch of characters."""
    name = chance.choices(list(parts), [6 if "sheet" in part and "rels" not in part else 2 for part in parts])[0]
    text = parts[name].decode("utf-8", "replace")
    spots = list(_XML_SPOT.finditer(text))
    if not spots or chance.random() < 0.05:
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(_TOKENS) + text[at + chance.choice((0, 1, 5)) :]
    else:
        spot, other = chance.choice(spots), chance.choice(spots)
        old, start, end = spot[0], spot.start(), spot.end()
        token = chance.choice(_TOKENS)
        if chance.random() < 0.85:  # mostly, what comes out is still XML
            token = escape(token, {'"': "&quot;"}) if old[0] != "<" or "<" not in token else token
        match chance.randint(0, 3):
            case _ if old[0] != "<":
                new = old[0] + token + old[-1]
            case 0:
                new = token if "<" in token else old
            case 1:
                new = old + token
            case 2:
                new = other[0] if other[0][0] == "<" else old * 2
            case _:
                end = min(len(text), max(end, text.find(f"</{old[1:].split()[0].strip('/>')}>", end)))
                new = text[start:end] * chance.choice((0, 2))
        text = text[:start] + new + text[end:]
    parts[name] = text.encode("utf-8", "surrogatepass")


def _exchange_parts(parts: dict[str, bytes], chance: random.Random) -> None:
    name, other = chance.choice(list(parts)), chance.choice(list(parts))
    match chance.randint(0, 3):
        case 0:
            del parts[name]
        case 1:
            parts[name] = parts[other]
        case 2:
            parts[name] = b""
        case _:
            parts[name.upper()] = parts.pop(name)
    parts.setdefault("[Content_Types].xml", b"<Types/>")


def _list_workbook(*, in_memory_strings: bool) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {} if in_memory_strings else {"constant_memory": True})
    formats = {
        name: book.add_format(properties)
        for name, properties in {
            "bold": {"bold": True}, "money": {"num_format": '#,##0.00 "€"'}, "percent": {"num_format": "0.0%"},
            "day": {"num_format": "dd.mm.yyyy"}, "deep": {"indent": 2}, "month": {"num_format": "mmm yyyy"},
        }.items()
    }  # fmt: skip
    _fill_list(book.add_worksheet("Liste"), formats)
    _fill_report(book.add_worksheet("Bericht"), formats, defined_table=in_memory_strings)
    book.define_name("Umsatz", "=Liste!$C$4:$C$9")
    book.close()
    return out.getvalue()


def _fill_list(sheet: xlsxwriter.worksheet.Worksheet, formats: Mapping[str, xlsxwriter.format.Format]) -> None:
    sheet.write_string(0, 0, "Umsätze 2024, Angaben in TEUR", formats["bold"])
    for row in range(6):
        sheet.write_string(3 + row, 0, f"Filiale {row}")
        sheet.write_string(3 + row, 1, f"00{row}2")
        sheet.write_number(3 + row, 2, 1234.5 * row, formats["money"])
        sheet.write_number(3 + row, 3, 0.05 * row, formats["percent"])
        sheet.write_datetime(3 + row, 4, date(2024, 1 + row, 28), formats["day"])
        sheet.write_formula(3 + row, 5, f"=C{4 + row}*2", None, 2469 * row)
        sheet.write_boolean(3 + row, 6, row % 2 == 0)
    sheet.write_row(2, 0, ["Filiale", "Nummer", "Umsatz", "Anteil", "Stand", "Doppelt", "Aktiv"])
    sheet.write_formula(9, 2, "=SUM(C4:C9)", formats["money"], 18517.5)
    sheet.write_string(9, 0, "Summe", formats["bold"])
    sheet.write_comment(3, 0, "geprüft")
    sheet.set_row(5, None, None, {"hidden": True})
    sheet.set_column(6, 6, None, None, {"hidden": True})


def _fill_report(
    sheet: xlsxwriter.worksheet.Worksheet, formats: Mapping[str, xlsxwriter.format.Format], *, defined_table: bool
) -> None:
    sheet.merge_range(1, 1, 1, 3, "2023")
    sheet.merge_range(1, 4, 1, 6, "2024")
    sheet.write_row(2, 0, ["Position", "Plan", "Ist", "Abw. %", "Plan", "Ist", "Abw. %"])
    sheet.merge_range(3, 0, 4, 0, "Erlöse")
    for row in range(3, 8):
        if row > 4:
            sheet.write_string(row, 0, f"davon {row}", formats["deep"])
        for column in range(1, 7):
            sheet.write_number(row, column, row * column * 1.5, formats["money"])
    sheet.write_rich_string(8, 0, "Summe ", formats["bold"], "gesamt")
    sheet.write_array_formula(8, 1, 8, 6, "{=A1:F1}", None, 3.5)
    if defined_table:
        sheet.add_table(11, 0, 14, 2, {"name": "Orte", "columns": [{"header": "Ort"}, {"header": "Monat"}, {"header": "Wert"}],
                                       "data": [["Köln", 45292, 1], ["Bonn", 45323, 2], ["Łódź", 45352, 3]]})  # fmt: skip


MUTATIONS: Mapping[str, Callable[[bytes, random.Random], bytes]] = {
    ".xlsx": mutated_workbook, ".csv": mutated_text, ".tsv": mutated_text,
}  # fmt: skip
