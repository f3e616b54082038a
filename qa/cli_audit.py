"""`beleg audit`: the log as JSON lines, its check, its signing and its shortening; an answer once more."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from qa.cli_frame import DAY, BelegCommand, BelegGroup, by_option, json_option, opened, workspace_root
from qa.cli_output import tell, write, write_json
from qa.problems import AuditError, UsageProblem


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
    examples=("beleg audit export > protokoll.jsonl", "beleg audit export --since 2024-10-01 --until 2024-12-31 --user weber"),
)
@click.option("--since", type=DAY, help="Erst ab diesem Tag (UTC).")
@click.option("--until", type=DAY, help="Nur bis einschließlich diesem Tag (UTC).")
@click.option("--user", metavar="NAME", help="Nur was diese Person gefragt oder entschieden hat.")
@click.option("--tenant", metavar="NAME", help="Nur dieser Mandant.")
@click.pass_context
def export_command(ctx: click.Context, since: date | None, until: date | None, user: str | None, tenant: str | None) -> None:
    from qa.audit import Selection

    if since is not None and until is not None and since > until:
        raise UsageProblem(f"--since {since} liegt nach --until {until}; die beiden Tage tauschen.")
    workspace = opened(ctx)
    if tenant is not None:
        workspace.catalog.place(tenant)
    try:
        workspace.audit.carry_over(workspace.catalog, workspace.catalog.tenants())
    except AuditError as error:  # what is in the log is wanted all the more when it is damaged
        tell(str(error))
    selected = any((since, until, user, tenant))
    for line in workspace.audit.export_lines(Selection(since, until, user, tenant) if selected else None):
        click.echo(line)


@audit_group.command(
    "verify",
    cls=BelegCommand,
    short_help="Prüft, dass am Protokoll nichts geändert wurde.",
    help="Prüft jeden Eintrag des Protokolls, seine Verkettung, den Prüfpunkt und, wo BELEG_AUDIT_KEY gesetzt ist, die "
    "Signaturen; der Rückgabewert ist 4, wenn etwas geändert oder entfernt wurde.",
    examples=("beleg audit verify --workspace /srv/beleg",),
)
@json_option
@click.pass_context
def verify_command(ctx: click.Context, as_json: bool) -> int:
    from qa.audit_store import AuditStore
    from qa.settings import load_settings

    settings = load_settings(workspace_root(ctx))
    report = AuditStore(settings.audit_url, Path(settings.audit_checkpoint), settings.audit_key).check()
    if as_json:
        findings = [{"seq": finding.seq, "message": finding.message} for finding in report.findings]
        counts = {"records": report.count, "pruned": report.pruned, "head": report.head, "behind": report.behind}
        write_json({"ok": report.ok, **counts, "signed": report.signed, "findings": findings})
    elif report.ok:
        behind = (
            f" Nach dem Prüfpunkt stehen {report.behind} Einträge, die ein abgebrochener Vorgang hinterließ."
            if report.behind
            else ""
        )
        pruned = f", davon {report.pruned} nach Frist gelöscht" if report.pruned else ""
        signed = " Alle Signaturen stimmen." if report.signed else " Es ist nicht signiert."
        write(
            f"Das Protokoll ist unverändert: {report.count} Einträge{pruned}, letzter Hash {report.head}.{signed}{behind}",
            colour="green",
        )
    else:
        for finding in report.findings:
            tell(finding.message)
    return 0 if report.ok else 4


@audit_group.command(
    "replay",
    cls=BelegCommand,
    short_help="Führt die Abfrage einer Antwort noch einmal aus.",
    help="Führt den Plan oder das SQL einer früheren Antwort noch einmal auf denselben Tabellenversionen aus, auch wenn sie "
    "inzwischen ersetzt oder entfernt sind. Der Rückgabewert ist 4, wenn etwas anderes herauskommt.",
    examples=("beleg audit replay 4f7c0e9ad5c14d7e9f0b6f2f3f6f8a11",),
)
@click.argument("answer_id", metavar="ANTWORT")
@json_option
@click.pass_context
def replay_command(ctx: click.Context, answer_id: str, as_json: bool) -> int:
    from qa.replay import replay

    found = replay(opened(ctx), answer_id)
    if as_json:
        rows = {"then": found.then, "now": found.now}
        shown = {name: [[{"value": value, "unit": unit} for value, unit in row] for row in each] for name, each in rows.items()}
        write_json({"answer_id": answer_id, "same": found.same, **shown, "why": found.why})
        return 0 if found.same else 4
    if found.same:
        write(f"Dieselben {sum(map(len, found.then))} Werte auf denselben Tabellenversionen.", colour="green")
        return 0
    if found.why:
        write(found.why, colour="red")
        return 4
    for row, column, then, now in found.differences():
        write(f"Zeile {row + 1}, Spalte {column + 1}: damals {_said(then)}, jetzt {_said(now)}.", colour="red")
    return 4


def _said(value: tuple[str | None, str | None] | None) -> str:
    return "nichts" if value is None or value[0] is None else " ".join(part for part in value if part)


@audit_group.command(
    "sign",
    cls=BelegCommand,
    short_help="Beginnt, ein vorhandenes Protokoll zu signieren.",
    help="Prüft ein Protokoll, das ohne Schlüssel begonnen wurde, und signiert es ab jetzt mit BELEG_AUDIT_KEY aus der Umgebung.",
    examples=("beleg audit sign --by 'A. Weber'",),
)
@by_option
@click.pass_context
def sign_command(ctx: click.Context, by: str) -> None:
    opened(ctx).audit.sign_on(by)
    write("Das Protokoll wird ab jetzt signiert; ohne BELEG_AUDIT_KEY lässt sich nichts mehr eintragen.")


@audit_group.command(
    "prune",
    cls=BelegCommand,
    short_help="Löscht Fragen nach Ablauf der Frist.",
    help="Löscht den Inhalt aller Fragen vor einem Tag; ihr Platz und ihr Hash bleiben, sodass das Protokoll prüfbar bleibt. Wer "
    "was entschieden und verwaltet hat, bleibt. Die gelöschten Antworten lassen sich danach nicht mehr nachprüfen.",
    examples=("beleg audit prune --before 2019-01-01 --by 'A. Weber' --archive protokoll_bis_2018.jsonl",),
)
@click.option("--before", required=True, type=DAY, help="Löscht, was vor diesem Tag (UTC) gefragt wurde.")
@by_option
@click.option("--tenant", metavar="NAME", help="Nur dieser Mandant.")
@click.option("--archive", metavar="DATEI", type=click.Path(path_type=Path), help="Schreibt das Gelöschte vorher hierhin.")
@click.pass_context
def prune_command(ctx: click.Context, before: date, by: str, tenant: str | None, archive: Path | None) -> None:
    from qa.audit_retention import prune

    workspace = opened(ctx)
    if tenant is not None:
        workspace.catalog.place(tenant)
    count = prune(workspace.audit, before, by, tenant, archive)
    write(f"{count} Fragen vor {before} sind gelöscht." if count else f"Vor {before} steht keine Frage im Protokoll.")
