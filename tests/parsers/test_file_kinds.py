"""Foreign, broken and hostile files: each is refused with its own true sentence; renamed tables are read."""

from __future__ import annotations

import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import xlsxwriter

from parsers.limits import ReadLimits
from parsers.problem import UnreadableFile
from parsers.read_file import read_grids
from tests.parsers.workbooks import sheet_xml, write_xlsx

ONE = sheet_xml('<row r="1"><c r="A1"><v>1</v></c></row>')


def _zip(**parts: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            for name, text in parts.items():
                package.writestr(name.replace("__", "/"), text)

    return write


def _office(main: str, content_type: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("[Content_Types].xml", f'<Types><Override PartName="/{main}" ContentType="{content_type}"/></Types>')
            package.writestr(
                "_rels/.rels", f'<Relationships><Relationship Id="1" Type="x/officeDocument" Target="{main}"/></Relationships>'
            )
            package.writestr(main, "<document/>")

    return write


def _ole(*streams: str) -> Callable[[Path], None]:
    """A compound file that consists of a header and one directory sector; enough to tell what it is."""

    def entry(name: str) -> bytes:
        wide = (name + "\0").encode("utf-16-le")
        return wide.ljust(64, b"\0") + struct.pack("<H", len(wide)) + bytes(62)

    def write(path: Path) -> None:
        directory = b"".join(entry(name) for name in ("Root Entry", *streams)).ljust(1024, b"\0")
        path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0") + directory)

    return write


def _workbook(**options: object) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        write_xlsx(path, [("Blatt", ONE)], **options)  # type: ignore[arg-type]

    return write


def _truncated(path: Path) -> None:
    _workbook()(path)
    path.write_bytes(path.read_bytes()[:-200])


def _flipped(path: Path) -> None:
    """A byte inside the sheet's compressed data is wrong."""
    _workbook()(path)
    with zipfile.ZipFile(path) as package:
        info = package.getinfo("xl/worksheets/sheet1.xml")
    data = bytearray(path.read_bytes())
    data[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 0xFF
    path.write_bytes(data)


def _encrypted_part(path: Path) -> None:
    _workbook()(path)
    data = path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    path.write_bytes(data)


def _bytes(data: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(data) and None


ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
ENCRYPTED_ODS = '<manifest><file-entry full-path="content.xml"><encryption-data checksum="x"/></file-entry></manifest>'


class Refused(NamedTuple):
    name: str
    file: str
    write: Callable[[Path], None]
    code: str
    says: str


REFUSED = (
    Refused("empty_file", "a.xlsx", _bytes(b""), "file_empty", "leer"),
    Refused("blank_lines_only", "a.csv", _bytes(b"\n  \n\r\n"), "file_empty", "Leerzeilen"),
    Refused("docx_renamed", "a.xlsx", _office("word/document.xml", WORD), "kind_unsupported", "Word-Dokument"),
    Refused("pptx_renamed", "a.xlsx", _office("ppt/presentation.xml", SLIDES), "kind_unsupported", "PowerPoint"),
    Refused("zip_of_something", "a.xlsx", _zip(**{"readme.txt": "x"}), "kind_unsupported", "ZIP-Archiv ohne Arbeitsmappe"),
    Refused(
        "text_document_odt", "a.ods", _zip(mimetype="application/vnd.oasis.opendocument.text"), "kind_unsupported", "OpenDocument"
    ),
    Refused(
        "encrypted_ods",
        "a.ods",
        _zip(
            mimetype="application/vnd.oasis.opendocument.spreadsheet",
            **{"META-INF__manifest.xml": ENCRYPTED_ODS, "content.xml": "x"},
        ),
        "encrypted",
        "Kennwort",
    ),
    Refused("password_protected_xlsx", "a.xlsx", _ole("EncryptionInfo", "EncryptedPackage"), "encrypted", "Kennwort"),
    Refused("doc_renamed", "a.xls", _ole("WordDocument"), "kind_unsupported", "Word-Dokument"),
    Refused("other_compound_file", "a.xls", _ole("Irgendwas"), "kind_unsupported", "ohne Arbeitsmappe"),
    Refused("broken_xls", "a.xls", _ole("Workbook"), "file_corrupt", "beschädigt"),
    Refused("encrypted_zip_part", "a.xlsx", _encrypted_part, "encrypted", "Kennwort"),
    Refused(
        "html_saved_as_xls", "a.xls", _bytes(b"<html><body><table><tr><td>1</td></tr></table></body></html>"), "kind_html", "HTML"
    ),
    Refused(
        "html_table_in_utf16",
        "a.xls",
        _bytes("\ufeff<table><tr><td>1</td></tr></table>".encode("utf-16-le")),
        "kind_html",
        "HTML",
    ),
    Refused(
        "xml_spreadsheet_2003",
        "a.xls",
        _bytes(b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>'),
        "kind_unsupported",
        "2003",
    ),
    Refused("pdf", "a.csv", _bytes(b"%PDF-1.7\n%..."), "kind_unsupported", "PDF"),
    Refused("json", "a.csv", _bytes(b'{"a": 1,\n "b": 2}\n'), "kind_unsupported", "JSON"),
    Refused("binary", "a.csv", _bytes(bytes(range(256)) * 8), "not_text", "kein Text"),
    Refused("plain_text_named_xls", "a.xls", _bytes(b"Nur ein Satz.\n"), "kind_unsupported", "Text ohne Spalten"),
    Refused("truncated_zip", "a.xlsx", _truncated, "file_corrupt", "unvollständig"),
    Refused("damaged_zip", "a.xlsx", _flipped, "file_corrupt", "beschädigt"),
    Refused(
        "entities_in_shared_strings",
        "a.xlsx",
        _workbook(parts={"xl/sharedStrings.xml": ENTITY + "<sst><si><t>&b;</t></si></sst>"}),
        "xml_entities",
        "Entities",
    ),
    Refused(
        "encoding_that_nobody_knows",
        "a.xlsx",
        _workbook(parts={"xl/sharedStrings.xml": '<?xml version="1.0" encoding="U-1TF-8"?><sst/>'}),
        "file_corrupt",
        "Zeichenkodierung",
    ),
    Refused(
        "entities_in_the_sheet", "a.xlsx", _workbook(parts={"xl/worksheets/sheet1.xml": ENTITY + ONE}), "xml_entities", "Entities"
    ),
    Refused(
        "external_entity_in_the_workbook",
        "a.xlsx",
        _workbook(parts={"xl/workbook.xml": '<!DOCTYPE w SYSTEM "http://127.0.0.1:9/x"><workbook/>'}),
        "xml_entities",
        "Entities",
    ),
    Refused(
        "sheet_is_missing",
        "a.xlsx",
        _workbook(
            parts={
                "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="rId1" '
                'Type="x/worksheet" Target="worksheets/nirgends.xml"/></Relationships>'
            }
        ),
        "part_missing",
        "Blatt",
    ),
    Refused("no_sheets", "a.xlsx", _workbook(parts={"xl/workbook.xml": "<workbook/>"}), "no_sheets", "kein Tabellenblatt"),
    Refused(
        "sheet_is_cut_off",
        "a.xlsx",
        _workbook(parts={"xl/worksheets/sheet1.xml": ONE[:-60]}),
        "file_corrupt",
        "kein gültiges XML",
    ),
    Refused(
        "sheet_is_something_else",
        "a.xlsx",
        _workbook(parts={"xl/worksheets/sheet1.xml": "<html/>"}),
        "file_corrupt",
        "kein Tabellenblatt",
    ),
    Refused(
        "cell_beyond_any_sheet",
        "a.xlsx",
        _workbook(parts={"xl/worksheets/sheet1.xml": ONE.replace("A1", "XFE1")}),
        "limit",
        "außerhalb",
    ),
    Refused(
        "address_that_is_none",
        "a.xlsx",
        _workbook(parts={"xl/worksheets/sheet1.xml": ONE.replace('"A1"', '"Ä-1"')}),
        "file_corrupt",
        "ungültige Angaben",
    ),
)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refused(case: Refused, tmp_path: Path) -> None:
    path = tmp_path / case.file
    case.write(path)
    with pytest.raises(UnreadableFile) as refusal:
        read_grids(path)
    problem = refusal.value.problem
    assert (problem.code, problem.where, problem.blocking) == (case.code, case.file, True)
    assert case.says in problem.message


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (ReadLimits(parts=3), "Teile"),
        (ReadLimits(unpacked_bytes=500), "entpackt"),
        (ReadLimits(part_bytes=200), "Entpacken"),
        (ReadLimits(file_bytes=100), "größer"),
        (ReadLimits(cells=0), "mehr als 0"),
    ],
)
def test_limits_are_named(limits: ReadLimits, says: str, tmp_path: Path) -> None:
    path = write_xlsx(tmp_path / "a.xlsx", [("Blatt", ONE)])
    with pytest.raises(UnreadableFile, match=says):
        read_grids(path, limits=limits)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    write_xlsx(path, [("Blatt", ONE)])
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as package,
        package.open("xl/media/x.bin", "w", force_zip64=True) as part,
    ):
        for _ in range(300):
            part.write(bytes(1 << 20))
    begun = time.perf_counter()
    with pytest.raises(UnreadableFile) as refusal:
        read_grids(path)
    assert refusal.value.problem.code == "zip_bomb"
    assert time.perf_counter() - begun < 1
    assert path.stat().st_size < 1 << 20


def test_many_tiny_parts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "many.xlsx"
    write_xlsx(path, [("Blatt", ONE)])
    with zipfile.ZipFile(path, "a") as package:
        for number in range(12_000):
            package.writestr(f"x/{number}", "")
    with pytest.raises(UnreadableFile, match="Teile"):
        read_grids(path)


def test_a_part_that_climbs_out_is_only_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = write_xlsx(folder / "a.xlsx", [("Blatt", ONE)], parts={"../../x": "böse", "xl/../../y.xml": "böse"})
    _, (grid,), _ = read_grids(path)
    assert grid.cells[1, 1].value == 1
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["a.xlsx", "in"]


def test_external_links_and_unread_parts_are_left_alone(tmp_path: Path) -> None:
    """A link to another workbook, a data connection and a part with entities that no cell needs."""
    rels = (
        '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="l" '
        'Type="x/externalLink" Target="http://127.0.0.1:9/buch.xlsx" TargetMode="External"/></Relationships>'
    )
    parts = {"xl/_rels/workbook.xml.rels": rels, "xl/xmlMaps.xml": ENTITY + "<x>&b;</x>"}
    path = write_xlsx(tmp_path / "a.xlsx", [("Blatt", ONE)], parts=parts)
    _, (grid,), _ = read_grids(path)
    assert grid.cells[1, 1].value == 1


@pytest.mark.parametrize(("file", "kind"), [("a.csv", "xlsx"), ("a", "xlsx"), ("b.xls", "csv"), ("b.xlsx", "csv")])
def test_the_content_decides_over_the_name(file: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / file
    if kind == "xlsx":
        with xlsxwriter.Workbook(path) as book:
            book.add_worksheet().write_number("A1", 1)
    else:
        path.write_text("Kunde;Umsatz\nAlpha;1\n")
    assert read_grids(path)[0] == kind


def test_a_macro_workbook_is_xlsm(tmp_path: Path) -> None:
    content_type = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
    types = f'<Types><Override PartName="/xl/workbook.xml" ContentType="{content_type}"/></Types>'
    path = write_xlsx(tmp_path / "a.xlsm", [("Blatt", ONE)], parts={"[Content_Types].xml": types})
    assert read_grids(path)[0] == "xlsm"


def test_the_given_name_stands_in_the_sentence(tmp_path: Path) -> None:
    path = tmp_path / "0a1b2c"
    path.write_bytes(b"")
    with pytest.raises(UnreadableFile, match=r"umsatz\.xlsx"):
        read_grids(path, file_name="umsatz.xlsx")
