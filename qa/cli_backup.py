"""`beleg backup`, `beleg restore`: a workspace kept elsewhere, and one made of what was kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from qa.cli_frame import BelegCommand, json_option, opened, workspace_root
from qa.cli_output import Progress, write, write_json


@click.command(
    "backup",
    cls=BelegCommand,
    short_help="Sichert den Arbeitsbereich in einen Ordner.",
    help="Schreibt alles, was der Arbeitsbereich hält, in einen leeren Ordner: Originale, Tabellen, Schema-Karten, Katalog und "
    "Protokoll, auch wenn diese in PostgreSQL liegen, und eine Liste mit der Prüfsumme jeder Datei. Fragen und Einlesen gehen "
    "dabei weiter. Geheimnisse aus der Umgebung sind nicht dabei, auch nicht der Schlüssel des Protokolls.",
    examples=("beleg backup /srv/sicherung/2024-10-16 --workspace /srv/beleg",),
)
@click.argument("directory", metavar="ORDNER", type=click.Path(path_type=Path, file_okay=False))
@json_option
@click.pass_context
def backup_command(ctx: click.Context, directory: Path, as_json: bool) -> None:
    from qa.audit_store import AuditStore
    from qa.backup import back_up

    workspace = opened(ctx)
    settings = workspace.settings
    audit = AuditStore(settings.audit_url, settings.audit_checkpoint, settings.audit_key)
    workspace.audit.carry_over(workspace.catalog, workspace.catalog.tenants())
    with Progress() as progress:
        told = partial(_told, progress, "gesichert")
        report = back_up(settings, workspace.catalog, audit, directory, told)
    if as_json:
        counts = {"files": report.files, "bytes": report.size, "records": report.records, "head": report.head}
        write_json({"directory": str(report.directory), **counts})
        return
    write(
        f"{report.files} Dateien ({report.size // 1_000_000 + 1} MB) und {report.records} Einträge des Protokolls sind in "
        f"{report.directory} gesichert; der letzte Hash ist {report.head}."
    )


@click.command(
    "restore",
    cls=BelegCommand,
    short_help="Stellt einen Arbeitsbereich aus einer Sicherung her.",
    help="Prüft jede Datei einer Sicherung und macht daraus einen Arbeitsbereich, der noch keine Daten hält. Eine beleg.toml, "
    "die dort schon liegt, bestimmt, wohin Katalog und Protokoll kommen (SQLite oder PostgreSQL) und wo die Mandanten liegen; "
    "sonst gilt die gesicherte. Am Ende wird das Protokoll geprüft; der Rückgabewert ist 4, wenn daran oder an einer Datei etwas "
    "geändert wurde.",
    examples=("beleg restore /srv/sicherung/2024-10-16 --workspace /srv/beleg-neu",),
)
@click.argument("directory", metavar="ORDNER", type=click.Path(path_type=Path, file_okay=False))
@json_option
@click.pass_context
def restore_command(ctx: click.Context, directory: Path, as_json: bool) -> None:
    from qa.backup import restore

    with Progress() as progress:
        report = restore(directory, workspace_root(ctx), progress=partial(_told, progress, "wiederhergestellt"))
    if as_json:
        counts = {
            "files": report.files,
            "tenants": list(report.tenants),
            "records": report.audit.count,
            "head": report.audit.head,
        }
        write_json({"workspace": str(report.root), **counts})
        return
    names = ", ".join(report.tenants) or "keiner"
    write(
        f"{report.root} ist wiederhergestellt: {report.files} Dateien, Mandanten: {names}; das Protokoll mit "
        f"{report.audit.count} Einträgen ist unverändert (letzter Hash {report.audit.head})."
    )


def _told(progress: Progress, what: str, files: int) -> None:
    progress(f"{files} Dateien {what}")
