"""A file -> a visible version, in one straight line; the catalogue's transaction comes last.

A kill at any point leaves the old state. The same content is read once per tenant, whatever its name and however many processes
bring it at the same moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import get_args

from indexer.add_version import NewSheet, NewTable, NewVersion, add_version
from indexer.catalog import Catalog
from indexer.catalog_changes import LONGEST_NAME, clean_level, clean_person, document_name, note_known
from indexer.catalog_errors import BadOption, UnknownSheet
from indexer.staging import clean_leftovers, content_digest, ingest_lock, receive, staging_directory
from indexer.stored import Kind, StoredTable, Version, VersionStatus
from indexer.write_version import publish_version, write_cell_caches, write_tables
from parsers.parse import parse_file
from parsers.problem import Problem, UnreadableFile
from parsers.table import ParsedFile

STEPS = (
    "locked",
    "received",
    "parsed",
    "segment_written",  # once a table
    "reconciled",  # once a table
    "cells_written",  # once a sheet
    "published",
    "before_commit",
    "in_transaction",
    "committed",
)
"""Names with which `checkpoint` is called, in order: the points at which tests kill the process."""

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


@dataclass(frozen=True)
class IngestOptions:
    """What is said about a file. `access_level` None: every sheet must have its own. `label` None: the next number.
    `by`: who brings it, for the events."""

    tenant: str
    access_level: str | None
    kind: Kind = "financial"
    label: str | None = None
    version_date: date | None = None
    status: VersionStatus | None = None
    locale: str = "de"
    sheet_levels: Mapping[str, str] | None = None
    fiscal_year_start: tuple[int, int] = (1, 1)
    by: str = ""


@dataclass(frozen=True)
class IngestReport:
    """`already_there`: the content was known; `version` is the one that holds it, `given_name` the name it came under now.
    `problems`: everything the reader decided or could not read, by cell."""

    document: str
    version: Version
    already_there: bool
    given_name: str
    tables: tuple[StoredTable, ...]
    problems: tuple[Problem, ...]

    @property
    def renamed(self) -> bool:
        """The content is known under another name."""
        return self.given_name != self.document


def ingest_file(
    catalog: Catalog,
    path: Path,
    *,
    tenant: str,
    access_level: str | None,
    kind: Kind = "financial",
    label: str | None = None,
    version_date: date | None = None,
    status: VersionStatus | None = None,
    locale: str = "de",
    sheet_levels: Mapping[str, str] | None = None,
    create_tenant: bool = False,
    fiscal_year_start: tuple[int, int] = (1, 1),
    progress: Callable[[str, int], None] | None = None,
    file_name: str | None = None,
    by: str = "",
    checkpoint: Callable[[str], None] = lambda step: None,
) -> IngestReport:
    """Reads one file into a tenant. `file_name` stands for the path's base name (an upload); `progress` is the parser's.

    Raises UnreadableFile (nothing is stored), UnknownTenant, UnknownSheet, MissingLevel, LabelTaken, BadOption, and
    NotReconciled if what was written is not what was read.
    """
    options = _checked(
        IngestOptions(tenant, access_level, kind, label, version_date, status, locale, sheet_levels, fiscal_year_start, by)
    )
    name = document_name(file_name or path.name)
    if not 0 < len(name) <= LONGEST_NAME or "\x00" in name:
        raise BadOption("Dateiname", f"{name[:40]}…", f"ein Name mit 1 bis {LONGEST_NAME} Zeichen")
    if create_tenant:
        catalog.create_tenant(tenant, by)
    place = catalog.place(tenant)
    known = catalog.version_by_content(tenant, content_digest(path))
    if known is not None:
        return _known_report(catalog, known, name, options)
    in_use = partial(catalog.paths_in_use, tenant)
    with ingest_lock(place):
        checkpoint("locked")
        clean_leftovers(place, in_use)
        with staging_directory(place, in_use) as staging:
            original = staging / f"original{_suffix(name)}"
            sha256 = receive(path, original)
            checkpoint("received")
            known = catalog.version_by_content(tenant, sha256)
            if known is not None:
                return _known_report(catalog, known, name, options)
            parsed = parse_file(original, file_name=name, locale=locale, fiscal_year_start=fiscal_year_start, progress=progress)
            _refuse_what_blocks(parsed, name)
            _check_sheet_levels(parsed, name, options)
            checkpoint("parsed")
            tables = write_tables(parsed, name, staging, checkpoint)
            sheets, unproved = write_cell_caches(parsed, name, original, sha256, staging, checkpoint)
            final_original = f"originals/{sha256[:2]}/{sha256}{_suffix(name)}"
            publish_version(place, staging, original, final_original, tables, sheets)
            checkpoint("published")
            new = _new_version(name, sha256, final_original, options, parsed, sheets, tables, unproved)
            return _make_visible(catalog, new, name, checkpoint)


def _checked(options: IngestOptions) -> IngestOptions:
    if options.kind not in get_args(Kind):
        raise BadOption("--kind", options.kind, ", ".join(get_args(Kind)))
    if options.status is not None and options.status not in get_args(VersionStatus):
        raise BadOption("--status", options.status, ", ".join(get_args(VersionStatus)))
    if options.label is not None and not 0 < len(options.label.strip()) <= 200:
        raise BadOption("--version", options.label, "ein Name mit 1 bis 200 Zeichen")
    clean_person(options.by)
    return replace(
        options,
        access_level=None if options.access_level is None else clean_level(options.access_level),
        label=None if options.label is None else options.label.strip(),
        sheet_levels={sheet: clean_level(level) for sheet, level in (options.sheet_levels or {}).items()},
    )


def _refuse_what_blocks(parsed: ParsedFile, name: str) -> None:
    for problem in parsed.problems:
        if problem.blocking:
            raise UnreadableFile(problem)
    for sheet in parsed.sheets:
        if len(sheet.name or "") > LONGEST_NAME or "\x00" in (sheet.name or ""):
            start = (sheet.name or "")[:40]
            message = f"Der Name des Tabellenblatts „{start}…“ hat mehr als {LONGEST_NAME} Zeichen oder ein Nullzeichen."
            raise UnreadableFile(Problem("sheet_name", name, message, "Geben Sie dem Blatt einen kürzeren Namen.", True))
    if not any(sheet.tables or sheet.notes for sheet in parsed.sheets):
        raise UnreadableFile(
            Problem("no_table", name, "Die Datei enthält keine Tabelle.", "Prüfen Sie mit beleg inspect, was darin steht.", True)
        )


def _without_tables(parsed: ParsedFile, name: str) -> tuple[Problem, ...]:
    if any(sheet.tables for sheet in parsed.sheets):
        return ()
    return (
        Problem(
            "no_table",
            name,
            "Die Datei enthält keine Tabelle; nur ihr Text wurde aufgenommen.",
            "Prüfen Sie mit beleg inspect, was darin steht.",
        ),
    )


def _check_sheet_levels(parsed: ParsedFile, name: str, options: IngestOptions) -> None:
    known = [sheet.name for sheet in parsed.sheets if sheet.name is not None]
    missing = [sheet for sheet in options.sheet_levels or {} if sheet not in known]
    if missing:
        raise UnknownSheet(name, missing, known)


def _new_version(
    name: str,
    sha256: str,
    original: str,
    options: IngestOptions,
    parsed: ParsedFile,
    sheets: tuple[NewSheet, ...],
    tables: tuple[NewTable, ...],
    unproved: tuple[Problem, ...],
) -> NewVersion:
    levels = options.sheet_levels or {}
    of_tables = (problem for sheet in parsed.sheets for table in sheet.tables for problem in table.table.problems)
    return NewVersion(
        tenant=options.tenant,
        document=name,
        sha256=sha256,
        original=original,
        access_level=options.access_level or "",
        kind=options.kind,
        locale=options.locale,
        label=options.label,
        date=options.version_date,
        status=options.status,
        sheets=tuple(replace(s, access_level=None if s.name is None else levels.get(s.name)) for s in sheets),
        tables=tables,
        problems=tuple(dict.fromkeys((*parsed.problems, *of_tables, *_without_tables(parsed, name), *unproved))),
        by=options.by,
    )


def _make_visible(catalog: Catalog, new: NewVersion, name: str, checkpoint: Callable[[str], None]) -> IngestReport:
    checkpoint("before_commit")
    with catalog.change() as connection:
        version_id = add_version(connection, new, datetime.now(UTC))
        checkpoint("in_transaction")
    checkpoint("committed")
    return _report(catalog, new.tenant, version_id, already_there=False, given_name=name, notes=())


def _known_report(catalog: Catalog, version: Version, name: str, options: IngestOptions) -> IngestReport:
    with catalog.change() as connection:
        note_known(connection, version, name, options.by, datetime.now(UTC))
    notes: list[Problem] = []
    for what, given, kept in (
        ("Zugriffsstufe", options.access_level, version.access_level),
        ("Version", options.label, version.label),
        ("Stand", options.version_date, version.date),
        ("Status", options.status, version.status),
    ):
        if given is not None and given != kept:
            notes.append(
                Problem(
                    code="settings_kept",
                    where=name,
                    message=f"Der Inhalt ist schon eingelesen; {what} bleibt „{kept or 'ohne'}“ und wird nicht „{given}“.",
                    hint="Ändern Sie die Stufe mit beleg set-level; sonst entfernen Sie die Version und lesen neu ein.",
                )
            )
    return _report(catalog, version.tenant, version.version_id, already_there=True, given_name=name, notes=tuple(notes))


def _report(
    catalog: Catalog, tenant: str, version_id: str, *, already_there: bool, given_name: str, notes: tuple[Problem, ...]
) -> IngestReport:
    version = next(version for version in catalog.versions(tenant) if version.version_id == version_id)
    return IngestReport(
        document=version.document,
        version=version,
        already_there=already_there,
        given_name=given_name,
        tables=tuple(table for table in catalog.tables(tenant) if table.version.version_id == version_id),
        problems=notes + catalog.problems(tenant, version_id),
    )


def _suffix(name: str) -> str:
    match = _SUFFIX.search(name)
    return match[0].lower() if match else ""
