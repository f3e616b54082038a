"""What a file is, told from its first bytes and inner names; the file name is only used in sentences."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Literal

from parsers.problem import UnreadableFile
from parsers.xlsx_package import Package, unreadable
from parsers.xlsx_workbook import workbook_part
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, parse_small

Container = Literal["zip", "ole", "text"]
ZipKind = Literal["xlsx", "xlsm", "xlsb", "ods"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ACCEPTED = "Gelesen werden XLSX, XLSM, XLS, XLSB, ODS, CSV und TSV."
_NO_PASSWORD = "Bitte ohne Kennwort speichern und neu einlesen."

_BINARY_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "eine PDF-Datei"),
    (b"{\\rtf", "ein RTF-Dokument"),
    (b"\x89PNG", "ein Bild (PNG)"),
    (b"\xff\xd8\xff", "ein Bild (JPEG)"),
    (b"GIF8", "ein Bild (GIF)"),
    (b"\x1f\x8b", "ein GZIP-Archiv"),
    (b"7z\xbc\xaf", "ein 7-Zip-Archiv"),
    (b"Rar!", "ein RAR-Archiv"),
    (b"PAR1", "eine Parquet-Datei"),
    (b"SQLite format 3", "eine SQLite-Datenbank"),
    (b"ID;P", "eine SYLK-Datei"),
    (b"MZ\x90", "ein Programm"),
    (b"\x7fELF", "ein Programm"),
)
_BARE_BIFF = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08\x10\x00", b"\x09\x08\x08\x00")
_OLE_STREAMS: tuple[tuple[str, str], ...] = (
    ("WordDocument", "ein Word-Dokument"), ("PowerPoint Document", "eine PowerPoint-Präsentation"),
    ("VisioDocument", "eine Visio-Zeichnung"), ("__properties_version1.0", "eine Outlook-Nachricht"),
)  # fmt: skip
_PACKAGE_TYPES: tuple[tuple[str, str], ...] = (
    ("wordprocessingml", "ein Word-Dokument"), ("presentationml", "eine PowerPoint-Präsentation"),
    ("visio", "eine Visio-Zeichnung"),
)  # fmt: skip
_ODS = "application/vnd.oasis.opendocument.spreadsheet"


def container_of(path: Path, file: str) -> Container:
    """zip, ole or text. Raises UnreadableFile for an empty file and for anything that is no spreadsheet at all."""
    size = path.stat().st_size
    if size == 0:
        raise unreadable(file, "file_empty", "Die Datei ist leer (0 Byte).", "Bitte die Datei noch einmal übertragen.")
    with path.open("rb") as stream:
        head = stream.read(4096)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return "zip"
    if head.startswith(_OLE):
        return "ole"
    if head.startswith(_BARE_BIFF):
        raise unreadable(
            file,
            "kind_unsupported",
            "Die Datei stammt aus einer Excel-Version vor 1997.",
            "Bitte in Excel öffnen und als XLSX speichern.",
        )
    for start, what in _BINARY_STARTS:
        if head.startswith(start):
            raise _no_table(file, what)
    _refuse_markup(head, file)
    return "text"


def _no_table(file: str, what: str) -> UnreadableFile:
    return unreadable(file, "kind_unsupported", f"Die Datei ist {what}, keine Tabelle.", _ACCEPTED)


def _refuse_markup(head: bytes, file: str) -> None:
    bare = head.replace(b"\x00", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    if not bare.startswith(b"<"):
        if bare.startswith(b"mime-version:"):
            raise _no_table(file, "eine Webseite (MHTML)")
        return
    if any(mark in bare for mark in (b"<html", b"<!doctype html", b"<table", b"<body", b"<head")):
        raise unreadable(
            file,
            "kind_html",
            "Die Datei ist eine HTML-Seite, keine Arbeitsmappe (manche Programme speichern so „als Excel“).",
            "Bitte in Excel öffnen und als XLSX speichern.",
        )
    if b"schemas-microsoft-com:office:spreadsheet" in bare:
        raise unreadable(
            file,
            "kind_unsupported",
            "Die Datei ist eine XML-Kalkulationstabelle 2003.",
            "Bitte in Excel öffnen und als XLSX speichern.",
        )
    if bare.startswith(b"<?xml"):
        raise _no_table(file, "ein XML-Dokument")


def check_ole(path: Path, file: str) -> None:
    """Return if the compound file holds a BIFF workbook. Raises UnreadableFile for anything else."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if len(data) < 1536:
            raise unreadable(
                file,
                "file_corrupt",
                "Die Datei ist beschädigt oder unvollständig.",
                "Bitte die Datei noch einmal vollständig übertragen.",
            )
        if _has_stream(data, "EncryptedPackage"):
            raise unreadable(file, "encrypted", "Die Arbeitsmappe ist mit einem Kennwort verschlüsselt.", _NO_PASSWORD)
        if _has_stream(data, "Workbook") or _has_stream(data, "Book"):
            return
        for name, what in _OLE_STREAMS:
            if _has_stream(data, name):
                raise _no_table(file, what)
    raise unreadable(file, "kind_unsupported", "Die Datei ist ein Office-Dokument ohne Arbeitsmappe.", _ACCEPTED)


def _has_stream(data: mmap.mmap, name: str) -> bool:
    """True if a directory entry has this name. Entries are 128 bytes, aligned; bytes 64 and 65 count the name's bytes."""
    wanted = (name + "\0").encode("utf-16-le")
    position = data.find(wanted)
    while position >= 0:
        if position % 128 == 0 and int.from_bytes(data[position + 64 : position + 66], "little") == len(wanted):
            return True
        position = data.find(wanted, position + 1)
    return False


def kind_of_package(package: Package) -> tuple[ZipKind, str]:
    """(kind, name of the main part) of a zip package. Raises UnreadableFile if it holds no workbook."""
    file = package.file
    if package.has("mimetype"):
        mimetype = _first_bytes(package, "mimetype").decode("ascii", "replace").strip()
        if mimetype.startswith(_ODS):
            _refuse_encrypted_ods(package)
            return "ods", "content.xml"
        if mimetype.startswith("application/vnd.oasis.opendocument"):
            raise _no_table(file, "ein OpenDocument-Dokument anderer Art")
    part = workbook_part(package)
    content_type = _content_type(package, part) if part is not None else ""
    for mark, what in _PACKAGE_TYPES:
        if mark in content_type:
            raise _no_table(file, what)
    if part is None:
        raise unreadable(file, "kind_unsupported", "Die Datei ist ein ZIP-Archiv ohne Arbeitsmappe.", _ACCEPTED)
    if "sheet.binary" in content_type or part.lower().endswith(".bin"):
        return "xlsb", part
    if content_type and "spreadsheetml" not in content_type and "excel" not in content_type and part.lower() != "xl/workbook.xml":
        raise unreadable(file, "kind_unsupported", "Die Datei ist ein Office-Dokument ohne Arbeitsmappe.", _ACCEPTED)
    return ("xlsm" if "macroenabled" in content_type else "xlsx"), part


def _first_bytes(package: Package, name: str) -> bytes:
    return next(iter(package.chunks(name)), b"")[:4096]


def _content_type(package: Package, part: str) -> str:
    """Content type of a part in lower case, "" if the package does not say."""
    name = "[Content_Types].xml"
    if not package.has(name):
        return ""
    found = {"override": "", "default": ""}
    extension = part.rpartition(".")[2].lower()

    def start(element: str, attributes: dict[str, str]) -> None:
        if element == "Override" and attributes.get("PartName", "").lstrip("/").lower() == part.lower():
            found["override"] = attributes.get("ContentType", "").lower()
        elif element == "Default" and attributes.get("Extension", "").lower() == extension:
            found["default"] = attributes.get("ContentType", "").lower()

    try:
        parse_small(package.chunks(name), start)
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(name, error) from error
    return found["override"] or (found["default"] if found["default"] != "application/xml" else "")


def _refuse_encrypted_ods(package: Package) -> None:
    if package.has("META-INF/manifest.xml"):
        manifest = b"".join(package.chunks("META-INF/manifest.xml"))
        if b"encryption-data" in manifest:
            raise unreadable(package.file, "encrypted", "Die Tabelle ist mit einem Kennwort verschlüsselt.", _NO_PASSWORD)
