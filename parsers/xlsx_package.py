"""A zip package with bounds: parts by name, relationships, bounded streams. Nothing is ever unpacked to disk."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote

from parsers.limits import ReadLimits
from parsers.problem import Problem, UnreadableFile
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, local_attribute, parse_small

_CHUNK = 1 << 16
_MIB = 1 << 20
_SAVE_AGAIN = "Öffnen Sie die Datei in Excel, speichern Sie sie neu als XLSX und lesen Sie sie dann ein."


@dataclass(frozen=True)
class Relationship:
    """`kind` is the last word of the type ("worksheet", "sharedStrings"); `target` a part name, None if external."""

    id: str
    kind: str
    target: str | None


def unreadable(file: str, code: str, message: str, hint: str = "") -> UnreadableFile:
    """The exception for a file that cannot be read at all."""
    return UnreadableFile(Problem(code, file, message, hint, blocking=True))


class Package:
    """An opened zip file whose parts are read in bounded chunks.

    Part names are compared without case and with forward slashes; a name with "../" is just a name, for nothing is written.
    Raises UnreadableFile on a broken directory, on encrypted parts and on anything beyond the limits.
    """

    def __init__(self, path: Path, file: str, limits: ReadLimits) -> None:
        self.file = file
        self.limits = limits
        self._read_bytes = 0
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
            raise unreadable(
                file,
                "file_corrupt",
                "Die Datei ist beschädigt oder unvollständig (das ZIP-Verzeichnis fehlt).",
                "Bitte die Datei noch einmal vollständig übertragen.",
            ) from error
        try:
            self._parts = self._checked_parts()
        except UnreadableFile:
            self._zip.close()
            raise

    def __enter__(self) -> Package:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._zip.close()

    def _checked_parts(self) -> dict[str, zipfile.ZipInfo]:
        infos = self._zip.infolist()
        limits = self.limits
        if len(infos) > limits.parts:
            raise unreadable(self.file, "zip_bomb", f"Die Datei enthält {len(infos)} Teile; erlaubt sind {limits.parts}.")
        total = sum(info.file_size for info in infos)
        if total > limits.unpacked_bytes:
            raise unreadable(
                self.file,
                "zip_bomb",
                f"Die Datei wird entpackt {total // _MIB} MiB groß; erlaubt sind {limits.unpacked_bytes // _MIB} MiB.",
            )
        for info in infos:
            too_dense = info.file_size > limits.ratio_from_bytes and info.file_size > limits.ratio * max(info.compress_size, 1)
            if too_dense or info.file_size > limits.part_bytes:
                raise unreadable(
                    self.file,
                    "zip_bomb",
                    f"Der Teil {_shown(info.filename)} wächst beim Entpacken von {info.compress_size // 1024} KiB auf "
                    f"{info.file_size // _MIB} MiB; das wird nicht gelesen.",
                )
        parts: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            parts.setdefault(_key(info.filename), info)
        return parts

    def has(self, name: str) -> bool:
        return _key(name) in self._parts

    def names(self) -> tuple[str, ...]:
        """Part names in lower case with forward slashes, in directory order."""
        return tuple(self._parts)

    def chunks(self, name: str) -> Iterator[bytes]:
        """The unpacked bytes of a part. Raises UnreadableFile if it is missing, broken, encrypted or beyond the limits."""
        info = self._parts.get(_key(name))
        if info is None:
            raise unreadable(self.file, "part_missing", f"In der Datei fehlt der Teil {_shown(name)}.", _SAVE_AGAIN)
        if info.flag_bits & 1:
            raise unreadable(
                self.file,
                "encrypted",
                "Die Datei ist mit einem Kennwort verschlüsselt.",
                "Bitte ohne Kennwort speichern und neu einlesen.",
            )
        try:
            with self._zip.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    self._read_bytes += len(chunk)
                    if self._read_bytes > self.limits.unpacked_bytes:
                        raise unreadable(
                            self.file,
                            "zip_bomb",
                            f"Die Datei wird beim Entpacken größer als die erlaubten {self.limits.unpacked_bytes // _MIB} MiB.",
                        )
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
            raise unreadable(
                self.file,
                "file_corrupt",
                f"Die Datei ist beschädigt (Teil {_shown(name)}).",
                "Bitte die Datei noch einmal vollständig übertragen.",
            ) from error

    def xml_error(self, name: str, error: BrokenXml | ForbiddenXml) -> UnreadableFile:
        """The exception for a part that is no acceptable XML."""
        if isinstance(error, ForbiddenXml):
            return unreadable(
                self.file,
                "xml_entities",
                f"Der Teil {_shown(name)} deklariert einen Dokumenttyp oder Entities; solche Dateien werden nicht gelesen.",
                _SAVE_AGAIN,
            )
        return unreadable(self.file, "file_corrupt", f"Der Teil {_shown(name)} ist kein gültiges XML: {error}.", _SAVE_AGAIN)

    def relationships(self, part: str) -> tuple[Relationship, ...]:
        """Relationships of a part ("" for the package) in file order; empty if it has none."""
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(rels):
            return ()
        found: list[Relationship] = []

        def start(element: str, attributes: dict[str, str]) -> None:
            if element != "Relationship":
                return
            kind = (local_attribute(attributes, "Type") or "").rstrip("/").rpartition("/")[2]
            target = local_attribute(attributes, "Target") or ""
            external = (local_attribute(attributes, "TargetMode") or "").lower() == "external"
            found.append(
                Relationship(local_attribute(attributes, "Id") or "", kind, None if external else self._resolve(folder, target))
            )

        try:
            parse_small(self.chunks(rels), start)
        except (BrokenXml, ForbiddenXml) as error:
            raise self.xml_error(rels, error) from error
        return tuple(found)

    def _resolve(self, folder: str, target: str) -> str:
        target = target.replace("\\", "/").partition("#")[0]
        if not self.has(target):
            target = unquote(target) if "%" in target else target
        absolute = target if target.startswith("/") else posixpath.join("/", folder, target)
        resolved = posixpath.normpath(absolute).lstrip("/")
        return resolved


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _shown(name: str) -> str:
    """A part name for people: printable and short."""
    return "".join(letter for letter in name if letter.isprintable())[:80]
