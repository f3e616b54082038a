"""XLSB, ODS and XLS files written by hand, record by record."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

_ODS_SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("number", "datastyle"),
                         ("fo", "xsl-fo-compatible"))
) + ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'  # fmt: skip


def write_ods(path: Path, tables: str, *, styles: str = "") -> Path:
    """An ODS file with these table elements and automatic styles."""
    content = (
        f"<office:document-content {_ODS_SPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("content.xml", content)
        package.writestr("META-INF/manifest.xml", "<manifest/>")
    return path


def record12(kind: int, content: bytes = b"") -> bytes:
    """One record of a binary workbook part."""
    header = bytes((kind,)) if kind < 0x80 else bytes((kind & 0x7F | 0x80, kind >> 7))
    size = len(content)
    lengths = bytearray()
    while True:
        lengths.append(size & 0x7F | (0x80 if size > 0x7F else 0))
        size >>= 7
        if not size:
            return header + bytes(lengths) + content


def wide(text: str) -> bytes:
    """An XLWideString."""
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def write_xlsb(path: Path, sheet: bytes, *, styles: bytes = b"", strings: tuple[str, ...] = (), date1904: bool = False) -> Path:
    """An XLSB file with one sheet "Blatt" of these records."""
    relationships = "".join(
        f'<Relationship Id="{name}" Type="x/{kind}" Target="{target}"/>'
        for name, kind, target in (("r1", "worksheet", "s.bin"), ("r2", "styles", "styles.bin"), ("r3", "sharedStrings", "t.bin"))
    )
    bundle = record12(156, struct.pack("<II", 1, 1) + wide("r1") + wide("Blatt"))
    content_type = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("[Content_Types].xml", f'<Types><Default Extension="bin" ContentType="{content_type}"/></Types>')
        package.writestr(
            "_rels/.rels",
            '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>',
        )
        package.writestr("xl/_rels/workbook.bin.rels", f"<Relationships>{relationships}</Relationships>")
        package.writestr("xl/workbook.bin", record12(153, struct.pack("<I", int(date1904)) + bytes(8)) + bundle)
        package.writestr("xl/styles.bin", styles)
        package.writestr("xl/t.bin", b"".join(record12(19, b"\0" + wide(text)) for text in strings))
        package.writestr("xl/s.bin", sheet)
    return path


def record8(kind: int, content: bytes = b"") -> bytes:
    """One BIFF8 record."""
    return struct.pack("<HH", kind, len(content)) + content


def write_xls(path: Path, globals_: bytes, sheet: bytes) -> Path:
    """An XLS file with one sheet "Blatt": a compound file with header, FAT, directory and the Workbook stream."""
    begin = record8(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0, 0, 0, 0x06))
    name = b"Blatt"
    bound = record8(0x0085, struct.pack("<IBBBB", 0, 0, 0, len(name), 0) + name)
    end = record8(0x000A)
    start = len(begin + globals_ + bound + end)
    bound = record8(0x0085, struct.pack("<IBBBB", start, 0, 0, len(name), 0) + name)
    stream = begin + globals_ + bound + end + record8(0x0809, struct.pack("<HHHHII", 0x0600, 0x10, 0, 0, 0, 0x06)) + sheet + end
    stream = stream.ljust(4096, b"\0")  # shorter streams would live in the mini stream
    stream += bytes(-len(stream) % 512)
    sectors = len(stream) // 512
    fat = [0xFFFFFFFD, 0xFFFFFFFE, *(number + 3 for number in range(sectors - 1)), 0xFFFFFFFE]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(10)
    header += struct.pack("<IIIIIIIII", 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0) + b"\xff" * (4 * 108)
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(512, b"\xff")
    directory = _entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1) + _entry("Workbook", 2, 2, len(stream))
    path.write_bytes(header + table + directory.ljust(512, b"\0") + stream)
    return path


def _entry(name: str, kind: int, first: int, size: int, child: int = 0xFFFFFFFF) -> bytes:
    text = (name + "\0").encode("utf-16-le")
    links = struct.pack("<III", 0xFFFFFFFF, 0xFFFFFFFF, child)
    return (
        text.ljust(64, b"\0") + struct.pack("<HBB", len(text), kind, 1) + links + bytes(36) + struct.pack("<III", first, size, 0)
    )
