"""`beleg audit`: the log as JSON lines, and the check that nothing in it was changed or removed."""

from __future__ import annotations

from pathlib import Path

import click

from qa.cli_frame import BelegCommand, BelegGroup, json_option, opened, workspace_root
from qa.cli_output import tell, write, write_json, write_json_line
from qa.problems import AuditError


@click.group(
    "audit",
    cls=BelegGroup,
    short_help="Gibt das Protokoll aus und prüft es.",
    help="Gibt das Protokoll aller Fragen und Verwaltungsschritte aus und prüft, dass nichts daran geändert oder entfernt wurde.",
    examples=("beleg audit verify", "beleg audit export > protokoll.jsonl"),
)
def audit_group() -> None:
    pass


@audit_group.command(
    "export",
    cls=BelegCommand,
    short_help="Gibt das Protokoll als JSON-Zeilen aus.",
    help="Gibt jeden Eintrag des Protokolls als ein JSON-Objekt je Zeile aus, den ältesten zuerst. Der Hash eines Eintrags ist "
    "SHA-256 über sein JSON ohne das Feld hash, mit sortierten Schlüsseln, ohne Leerraum und in ASCII-Schreibweise.",
    examples=("beleg audit export > protokoll.jsonl",),
)
@click.pass_context
def export_command(ctx: click.Context) -> None:
    workspace = opened(ctx)
    try:
        workspace.audit.carry_over(workspace.catalog, workspace.catalog.tenants())
    except AuditError as error:  # what is in the log is wanted all the more when it is damaged
        tell(str(error))
    for record in workspace.audit.export():
        write_json_line(record)


@audit_group.command(
    "verify",
    cls=BelegCommand,
    short_help="Prüft, dass am Protokoll nichts geändert wurde.",
    help="Prüft jeden Eintrag des Protokolls, seine Verkettung und den Prüfpunkt; der Rückgabewert ist 4, wenn etwas geändert "
    "oder entfernt wurde.",
    examples=("beleg audit verify --workspace /srv/beleg",),
)
@json_option
@click.pass_context
def verify_command(ctx: click.Context, as_json: bool) -> int:
    from qa.audit_store import AuditStore
    from qa.settings import load_settings

    settings = load_settings(workspace_root(ctx))
    report = AuditStore(settings.audit_url, Path(settings.audit_checkpoint)).check()
    if as_json:
        findings = [{"seq": finding.seq, "message": finding.message} for finding in report.findings]
        write_json({"ok": report.ok, "records": report.count, "head": report.head, "behind": report.behind, "findings": findings})
    elif report.ok:
        behind = (
            f" Nach dem Prüfpunkt stehen {report.behind} Einträge, die ein abgebrochener Vorgang hinterließ."
            if report.behind
            else ""
        )
        write(f"Das Protokoll ist unverändert: {report.count} Einträge, letzter Hash {report.head}.{behind}", colour="green")
    else:
        for finding in report.findings:
            tell(finding.message)
    return 0 if report.ok else 4
