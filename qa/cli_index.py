"""`beleg index check|rebuild|build`: the index of rows that are searched by their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qa.cli_frame import BelegCommand, BelegGroup, json_option, opened
from qa.cli_output import end_progress, progress_line, write, write_json
from qa.german_text import counted

if TYPE_CHECKING:
    from indexer.check_index import IndexFinding, IndexReport
    from qa.wiring import Workspace

_SENTENCES = {
    "left_over": "{what}: im Index, obwohl es niemand mehr sieht ({found} Zeilen).",
    "without_record": "{what}: {found} Vektoren ohne Verzeichnis.",
    "rows_differ": "{what}: {found} Zeilen im Index, {expected} in der Tabelle.",
    "texts_differ": "{what}: aus anderen Texten gemacht, als die Tabelle hat.",
}


@click.group(
    "index",
    cls=BelegGroup,
    short_help="Prüft und erneuert den Index der Zeilen.",
    help="Der Index der Zeilen, in deren Texten gesucht wird. Er entsteht aus den eingelesenen Tabellen, bei der ersten Frage "
    "nach Zeilen von selbst; was darin steht, lässt sich jederzeit neu machen.",
    examples=("beleg index check", "beleg index rebuild", "beleg index build --tenant nord --levels vertrieb,controlling"),
)
def index_group() -> None:
    pass


_TENANT = click.option("--tenant", metavar="NAME", help="Nur dieser Mandant.")


@index_group.command(
    "check",
    cls=BelegCommand,
    short_help="Vergleicht den Index mit den Tabellen.",
    help="Vergleicht den Index mit Katalog, Schema-Karten und Tabellen: nichts Veraltetes, nichts Übriges, keine Zeile zu viel "
    "oder zu wenig. Der Rückgabewert ist 4, wenn etwas nicht stimmt.",
    examples=("beleg index check",),
)
@_TENANT
@json_option
@click.pass_context
def check_command(ctx: click.Context, tenant: str | None, as_json: bool) -> int:
    workspace = opened(ctx)
    reports = {name: workspace.row_indexes.check(name) for name in _tenants(workspace, tenant)}
    if as_json:
        write_json([_report_json(name, report) for name, report in reports.items()])
    else:
        for name, report in reports.items():
            _write_report(name, report)
            if not report.ok:
                write("Mit 'beleg index rebuild' entfernt Beleg, was nicht stimmt, und macht es neu.")
    return 0 if all(report.ok for report in reports.values()) else 4


@index_group.command(
    "rebuild",
    cls=BelegCommand,
    short_help="Entfernt, was nicht stimmt, und macht es neu.",
    help="Entfernt aus dem Index, was 'beleg index check' findet, und macht neu, was noch jemand sieht.",
    examples=("beleg index rebuild --tenant nord",),
)
@_TENANT
@click.pass_context
def rebuild_command(ctx: click.Context, tenant: str | None) -> int:
    workspace = opened(ctx)
    left = False
    for name in _tenants(workspace, tenant):
        repaired = workspace.row_indexes.repair(name)
        report = workspace.row_indexes.check(name)
        write(f"{name}: {counted(len(repaired.findings), 'Befund', 'Befunde')} behoben.")
        _write_report(name, report)
        left |= not report.ok
    return 4 if left else 0


@index_group.command(
    "build",
    cls=BelegCommand,
    short_help="Macht den Index einer Stufe vorab.",
    help="Macht den Index dessen, was jemand mit diesen Stufen sieht, vorab und vollständig. Ohne dies entsteht er bei der "
    "ersten Frage; große Tabellen werden dann zunächst nur nach Wörtern durchsucht.",
    examples=("beleg index build --tenant nord --levels vertrieb,controlling",),
)
@click.option("--tenant", metavar="NAME", required=True, help="Der Mandant.")
@click.option("--levels", metavar="STUFEN", required=True, help="Zugriffsstufen, durch Komma getrennt.")
@click.pass_context
def build_command(ctx: click.Context, tenant: str, levels: str) -> int:
    workspace = opened(ctx)
    workspace.catalog.place(tenant)
    asked = frozenset(level.strip() for level in levels.split(",") if level.strip())
    made = workspace.row_indexes.build(tenant, asked, lambda done, of: progress_line(f"Zeile {done} von {of}"))
    end_progress()
    for notice in workspace.row_indexes.opened(tenant).notices:
        write(notice)
    write(f"{tenant}: {counted(made, 'Tabelle', 'Tabellen')} neu im Index.")
    return 0


def _tenants(workspace: Workspace, tenant: str | None) -> tuple[str, ...]:
    if tenant is None:
        return workspace.catalog.tenants()
    workspace.catalog.place(tenant)
    return (tenant,)


def _write_report(tenant: str, report: IndexReport) -> None:
    state = "stimmt" if report.ok else f"stimmt nicht: {counted(len(report.findings), 'Befund', 'Befunde')}"
    write(f"{tenant}: {counted(report.rows, 'Zeile', 'Zeilen')} in {counted(report.views, 'Sicht', 'Sichten')}, {state}.")
    for finding in report.findings:
        write(f"  {_sentence(finding)}")


def _sentence(finding: IndexFinding) -> str:
    where = finding.document + (f", Blatt {finding.sheet}" if finding.sheet else "")
    what = where or f"Sicht {finding.view[:12]}"
    return _SENTENCES[finding.kind].format(what=what, found=finding.found, expected=finding.expected)


def _report_json(tenant: str, report: IndexReport) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "ok": report.ok,
        "views": report.views,
        "rows": report.rows,
        "findings": [
            {
                "kind": finding.kind,
                "document": finding.document,
                "sheet": finding.sheet,
                "expected": finding.expected,
                "found": finding.found,
            }
            for finding in report.findings
        ],
    }
