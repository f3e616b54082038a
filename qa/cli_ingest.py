"""`beleg ingest`: files in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qa.cli_frame import DAY, BelegCommand, json_option, opened, tenant_option
from qa.cli_output import Progress, tell, write, write_json
from qa.german_text import counted
from qa.problems import BelegError, UsageProblem

if TYPE_CHECKING:
    from indexer.ingest import IngestReport
    from qa.administration import IngestRequest
    from qa.wiring import Workspace


@click.command(
    "ingest",
    cls=BelegCommand,
    short_help="Liest Tabellendateien ein.",
    help="Liest XLSX-, XLSM-, XLS-, XLSB-, ODS-, CSV- und TSV-Dateien ein. Derselbe Inhalt ein zweites Mal ändert nichts; "
    "neuer Inhalt unter demselben Dateinamen ist eine neue Version desselben Dokuments. Ein Ordner steht für alle Dateien darin.",
    examples=(
        "beleg ingest berichte/ --tenant nord --access-level controlling --create-tenant",
        "beleg ingest bericht_Q3.xlsx --tenant nord --access-level controlling --version Entwurf --status draft",
        "beleg ingest kosten.xlsx --tenant nord --access-level controlling --sheet-level Personal=hr",
    ),
)
@click.argument("paths", nargs=-1, required=True, metavar="PFAD…", type=click.Path(path_type=Path), help="Dateien oder Ordner.")
@tenant_option
@click.option("--access-level", metavar="STUFE", help="Die Zugriffsstufe, die die Datei öffnet.")
@click.option("--kind", type=click.Choice(["financial", "sales", "hr", "other"]), default="other", help="Die Art des Inhalts.")
@click.option("--version", "label", metavar="NAME", help="Der Name der Version, z. B. Entwurf; sonst die nächste Nummer.")
@click.option("--version-date", type=DAY, help="Der Tag, von dem die Version ist.")
@click.option(
    "--status", type=click.Choice(["draft", "corrected", "final"]), help="Der Stand der Version; er macht sie nicht verbindlich."
)
@click.option(
    "--locale",
    type=click.Choice(["de", "en", "pl", "ch"]),
    help="Zahlen- und Datumsschreibweise, wo die Datei nicht entscheidet.",
)
@click.option(
    "--sheet-level", "sheet_levels", multiple=True, metavar="BLATT=STUFE", help="Eine eigene Zugriffsstufe für ein Tabellenblatt."
)
@click.option("--create-tenant", is_flag=True, help="Legt den Mandanten an, wenn es ihn nicht gibt.")
@click.option("--by", metavar="NAME", help="Wer die Datei einliest; sonst der angemeldete Benutzer.")
@json_option
@click.pass_context
def ingest_command(
    ctx: click.Context, /, paths: tuple[Path, ...], sheet_levels: tuple[str, ...], by: str | None, as_json: bool, **said: Any
) -> int:
    from qa.administration import IngestRequest, files_under, ingest
    from qa.cli_errors import describe
    from qa.ingest_report import report_json

    request = IngestRequest(**said, sheet_levels=dict(map(_sheet_level, sheet_levels)), by=by or own_name())
    workspace = opened(ctx)
    _check_tenant(workspace, request)
    reports: list[IngestReport] = []
    failed: dict[str, int] = {}
    for path in (file for given in paths for file in files_under(given)):
        before = _version_ids(workspace, request.tenant)
        try:
            with Progress() as progress:
                watch = _Watch(path.name, progress)
                report = ingest(workspace, path, request, watch.read, watch.step)
        except KeyboardInterrupt:
            raise BelegError(_interrupted(path, _version_ids(workspace, request.tenant) - before, reports)) from None
        except Exception as error:
            found = _as_usage(error)
            if len(paths) == 1 and not paths[0].is_dir():
                if found is error:
                    raise
                raise found from error
            sentence, code = describe(found)
            if sentence not in failed:
                tell(sentence)
            failed[sentence] = code
            continue
        reports.append(report)
        if not as_json:
            _write_report(report)
            _write_return(workspace, report)
            _write_meanings(workspace, report)
    if as_json:
        write_json([report_json(report) for report in reports])
    return (2 if set(failed.values()) == {2} else 1) if failed else 0


def _as_usage(error: Exception) -> Exception:
    """A level or sheet that the options lack is wrong usage here; elsewhere a sheet may have been named from memory."""
    from indexer.catalog_errors import MissingLevel, UnknownSheet

    return UsageProblem(str(error)) if isinstance(error, MissingLevel | UnknownSheet) else error


def _check_tenant(workspace: Workspace, request: IngestRequest) -> None:
    """A wrong tenant is said once, before any file, and with the way to make it. Raises BelegError."""
    from indexer.catalog_errors import UnknownTenant

    if request.create_tenant or request.tenant in workspace.settings.sections:
        return
    try:
        workspace.catalog.place(request.tenant)
    except UnknownTenant as error:
        raise BelegError(str(error)) from error


def _version_ids(workspace: Workspace, tenant: str) -> set[str]:
    return {version.version_id for version in workspace.catalog.versions(tenant)}


def _interrupted(path: Path, stored: set[str], reports: Sequence[IngestReport]) -> str:
    if stored:
        return f"Abgebrochen; {path.name} war da schon vollständig gespeichert."
    if reports:
        return f"Abgebrochen; von {path.name} wurde nichts gespeichert, {counted(len(reports), 'Datei', 'Dateien')} davor schon."
    return "Abgebrochen; es wurde nichts gespeichert."


class _Watch:
    """Says how far the reading of one file is."""

    def __init__(self, name: str, progress: Progress) -> None:
        self._name = name
        self._progress = progress

    def read(self, place: str, rows: int) -> None:
        sheet = f"Blatt {place}, " if place != self._name else ""
        self._progress(f"{self._name}: {sheet}{counted(rows, 'Zeile', 'Zeilen')} gelesen")

    def step(self, step: str) -> None:
        if step in _STEPS:
            self._progress(f"{self._name}: {_STEPS[step]}")


_STEPS = {
    "received": "wird gelesen",
    "parsed": "wird gespeichert",
    "reconciled": "wird mit der Datei verglichen",
    "cells_written": "wird mit der Datei verglichen",
}
"""Step of indexer.ingest.STEPS -> what is done after it."""


def _sheet_level(text: str) -> tuple[str, str]:
    sheet, mark, level = text.rpartition("=")
    if not mark or not sheet or not level:
        raise UsageProblem(f"Die Option --sheet-level ist „{text}“; verlangt ist BLATT=STUFE, z. B. Personal=hr.")
    return sheet, level


def own_name() -> str:
    """The user of the operating system, where a command does not say who decides."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in some containers
        return "unbekannt"


def _write_report(report: IngestReport) -> None:
    version = report.version
    if report.already_there:
        renamed = f" (als {report.document})" if report.renamed else ""
        write(f"{report.given_name}: schon eingelesen{renamed} als Version „{version.label}“; nichts geändert.", bold=True)
        return
    rows = sum(table.table.data_rows for table in report.tables if table.table.layout != "tidy")
    printed = [table for table in report.tables if table.table.layout != "tidy"]
    size = f"{counted(len(printed), 'Tabelle', 'Tabellen')} mit {counted(rows, 'Zeile', 'Zeilen')}"
    write(f"{report.document}: Version „{version.label}“ eingelesen, {size}.", bold=True)
    for table in printed:
        place = " ".join(part for part in (table.table.sheet, table.table.range) if part)
        rows_text = counted(table.table.data_rows, "Zeile", "Zeilen")
        columns_text = counted(len(table.table.columns), "Spalte", "Spalten")
        write(f"  {place}: {rows_text}, {columns_text}, in SQL {table.sql_name}")
    for problem in report.problems:
        write(f"  {problem.where}: {problem.message} {problem.hint}".rstrip(), colour="yellow")


def _write_return(workspace: Workspace, report: IngestReport) -> None:
    """Content that somebody had taken out and that comes back: it is a new version, without what was decided about the old."""
    if report.already_there:
        return
    tenant, sha256 = report.version.tenant, report.version.sha256
    versions = workspace.catalog.versions(tenant, include_removed=True)
    gone = [each for each in versions if each.removed_at and each.sha256 == sha256]
    if gone:
        last = max(gone, key=lambda each: each.number)
        taken = f"{last.removed_at:%d.%m.%Y} von {last.removed_by or 'unbekannt'}"
        write(
            f"  Dieser Inhalt war als {last.document}, Version „{last.label}“, schon eingelesen und wurde am {taken} entfernt; "
            f"er ist jetzt eine neue Version{' und nicht verbindlich' if not report.version.binding else ''}.",
            colour="yellow",
        )


def _write_meanings(workspace: Workspace, report: IngestReport) -> None:
    """What the schema map knows of the new file: inherited maps, drifted headers, headers that wait for a decision."""
    from qa.map_administration import map_findings, undecided

    if report.already_there:
        return
    inherited, problems = map_findings(workspace, report.tables)
    for sheet_map in inherited:
        place = f" für Blatt {sheet_map.sheet}" if sheet_map.sheet else ""
        write(f"  Schema-Map{place} übernommen von {sheet_map.inherited_from}.")
    for problem in problems:
        write(f"  {problem.where}: {problem.message} {problem.hint}".rstrip(), colour="yellow")
    waiting = undecided(workspace, report.tables)
    if waiting:
        headers = counted(len(waiting), "technischer Spaltenkopf", "technische Spaltenköpfe")
        write(
            f"  {headers} ohne freigegebene Bedeutung ({', '.join(waiting[:5])}"
            f"{' …' if len(waiting) > 5 else ''}); 'beleg schema-map propose' schlägt welche vor."
        )
