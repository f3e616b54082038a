"""The workbook part: which sheets there are, in order, through their relationships."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.xlsx_package import Package, Relationship, unreadable
from parsers.xlsx_xml import BrokenXml, ForbiddenXml, is_true, local_attribute, parse_small


@dataclass(frozen=True)
class SheetEntry:
    """`part` is the worksheet's part name; `hidden` covers hidden and veryHidden."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True)
class Workbook:
    """`recalculates`: the file asks Excel to compute everything on opening, so its stored results may be stale or made up.
    `skipped`: names of chart, dialog and macro sheets."""

    part: str
    sheets: tuple[SheetEntry, ...]
    date1904: bool
    recalculates: bool
    styles: str | None
    shared_strings: str | None
    skipped: tuple[str, ...]


def workbook_part(package: Package) -> str | None:
    """Part name of the package's main document, None if there is none."""
    for relationship in package.relationships(""):
        if relationship.kind == "officeDocument" and relationship.target is not None and package.has(relationship.target):
            return relationship.target
    return "xl/workbook.xml" if package.has("xl/workbook.xml") else None


def read_workbook(package: Package, part: str) -> Workbook:
    """Raises UnreadableFile if the part is broken, names a sheet that is not there, or has no sheet at all."""
    relationships = package.relationships(part)
    by_id = {relationship.id: relationship for relationship in relationships}
    listed: list[tuple[str, str, bool]] = []
    flags = {"date1904": False, "recalculates": False}

    def start(element: str, attributes: dict[str, str]) -> None:
        if element == "sheet":
            state = attributes.get("state", "visible").lower()
            listed.append((attributes.get("name", ""), _relationship_id(attributes), state in ("hidden", "veryhidden")))
        elif element == "workbookPr":
            flags["date1904"] = is_true(attributes.get("date1904"))
        elif element == "calcPr":
            flags["recalculates"] = is_true(attributes.get("fullCalcOnLoad"))

    try:
        parse_small(package.chunks(part), start)
    except (BrokenXml, ForbiddenXml) as error:
        raise package.xml_error(part, error) from error

    sheets: list[SheetEntry] = []
    skipped: list[str] = []
    for position, (name, relationship_id, hidden) in enumerate(listed, start=1):
        relationship = by_id.get(relationship_id)
        if relationship is not None and relationship.kind != "worksheet":
            skipped.append(name)
            continue
        target = relationship.target if relationship is not None else None
        if not relationships:
            target = f"xl/worksheets/sheet{position}.xml"
        if target is None or not package.has(target):
            raise unreadable(
                package.file,
                "part_missing",
                f"Das Blatt „{name}“ steht im Inhaltsverzeichnis der Datei, sein Inhalt fehlt aber.",
                "Bitte die Datei in Excel öffnen, prüfen und neu speichern.",
            )
        sheets.append(SheetEntry(name, target, hidden))
    if not listed:
        raise unreadable(package.file, "no_sheets", "Die Arbeitsmappe enthält kein Tabellenblatt.")
    return Workbook(
        part,
        tuple(sheets),
        flags["date1904"],
        flags["recalculates"],
        _target(relationships, "styles"),
        _target(relationships, "sharedStrings"),
        tuple(skipped),
    )


def _relationship_id(attributes: dict[str, str]) -> str:
    return next((value for key, value in attributes.items() if key.endswith(":id")), local_attribute(attributes, "id") or "")


def _target(relationships: tuple[Relationship, ...], kind: str) -> str | None:
    return next((r.target for r in relationships if r.kind == kind and r.target is not None), None)
