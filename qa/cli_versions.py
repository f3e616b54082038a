"""`beleg versions`, `remove`, `set-level`, `diff`: which version holds, who may see it, what differs."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from qa.cli_frame import BelegCommand, BelegGroup, by_option, json_option, opened, tenant_option
from qa.cli_output import write, write_json, write_table
from qa.german_text import STATUS_WORDS

if TYPE_CHECKING:
    from indexer.stored import Version


@click.group(
    "versions",
    cls=BelegGroup,
    invoke_without_command=True,
    short_help="Zeigt die Versionen der Dokumente.",
    help="Zeigt, welche Versionen es von jedem Dokument gibt und welche davon verbindlich ist.",
    examples=(
        "beleg versions --tenant nord",
        "beleg versions authorize bericht_Q3.xlsx 'nach Korrektur' --tenant nord --by 'A. Weber'",
    ),
)
@click.option("--tenant", metavar="NAME", help="Nur die Dokumente dieses Mandanten.")
@json_option
@click.pass_context
def versions_group(ctx: click.Context, tenant: str | None, as_json: bool) -> None:
    if ctx.invoked_subcommand is not None:
        return
    catalog = opened(ctx).catalog
    if tenant is not None:
        catalog.place(tenant)  # an unknown tenant is an error, not an empty list
    found = [version for name in ([tenant] if tenant is not None else catalog.tenants()) for version in catalog.versions(name)]
    if as_json:
        write_json([version_json(version) for version in found])
        return
    if not found:
        write("Es ist noch keine Datei eingelesen; 'beleg ingest' liest eine ein.")
        return
    write_table(
        ("Mandant", "Dokument", "Version", "Tag", "Stand", "verbindlich", "eingelesen"),
        [
            (
                version.tenant,
                version.document,
                version.label,
                _day(version.date),
                STATUS_WORDS.get(version.status or "", ""),
                f"ja, laut {version.authorized_by}" if version.binding else "nein",
                version.ingested_at.strftime("%Y-%m-%d %H:%M"),
            )
            for version in found
        ],
    )


def version_json(version: Version) -> dict[str, Any]:
    """The shape of the contract, with the tenant."""
    return {
        "tenant": version.tenant,
        "document": version.document,
        "version": version.label,
        "date": version.date,
        "status": version.status,
        "binding": version.binding,
        "authorized_by": version.authorized_by,
        "authorized_at": version.authorized_at,
        "ingested_at": version.ingested_at,
        "sha256": version.sha256,
    }


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""


@versions_group.command(
    "authorize",
    cls=BelegCommand,
    short_help="Erklärt eine Version für verbindlich.",
    help="Hält fest, dass eine Person diese Version des Dokuments für verbindlich erklärt. VERSION ist ihr Name, ihre Nummer "
    "oder ihre Kennung.",
    examples=("beleg versions authorize bericht_Q3.xlsx 'nach Korrektur' --tenant nord --by 'A. Weber'",),
)
@click.argument("document", metavar="DOKUMENT")
@click.argument("version")
@tenant_option
@by_option
@click.pass_context
def authorize_command(ctx: click.Context, document: str, version: str, tenant: str, by: str) -> None:
    from qa.administration import authorize

    chosen = authorize(opened(ctx), tenant, document, version, by)
    write(f"{chosen.document}: Version „{chosen.label}“ ist jetzt verbindlich, erklärt von {by}.")


@click.command(
    "remove",
    cls=BelegCommand,
    short_help="Nimmt ein Dokument aus allen Antworten.",
    help="Nimmt ein Dokument oder eine seiner Versionen aus allen künftigen Antworten. Die Datei bleibt aufbewahrt, damit "
    "frühere Antworten nachprüfbar sind.",
    examples=("beleg remove bericht_Q3.xlsx --version Entwurf --tenant nord --by 'A. Weber'",),
)
@click.argument("document", metavar="DOKUMENT")
@click.option("--version", metavar="NAME", help="Nur diese Version; sonst alle.")
@tenant_option
@by_option
@click.pass_context
def remove_command(ctx: click.Context, document: str, version: str | None, tenant: str, by: str) -> None:
    from qa.administration import remove

    workspace = opened(ctx)
    gone = remove(workspace, tenant, document, version, by)
    write(f"{document}: {', '.join(f'„{each.label}“' for each in gone)} aus allen Antworten genommen von {by}.")
    left = [each for each in workspace.catalog.versions(tenant) if each.document == gone[0].document]
    if not left:
        write("Das Dokument hat jetzt keine Version mehr; Fragen finden es nicht.")
    elif any(each.binding for each in gone):
        labels = ", ".join(f"„{each.label}“" for each in left)
        what = f"gefragt wird die einzige, die bleibt: {labels}" if len(left) == 1 else f"es bleiben {labels}"
        remedy = "'beleg versions authorize' erklärt eine für verbindlich."
        write(f"Jetzt ist keine Version verbindlich; {what}. {remedy}", colour="yellow")


@click.command(
    "set-level",
    cls=BelegCommand,
    short_help="Ändert, wer ein Dokument sieht.",
    help="Gibt einem Dokument oder einem seiner Tabellenblätter eine andere Zugriffsstufe; sie gilt ab der nächsten Frage.",
    examples=("beleg set-level kosten_2024.xlsx hr --sheet Personalkosten --tenant nord --by 'A. Weber'",),
)
@click.argument("document", metavar="DOKUMENT")
@click.argument("level", metavar="STUFE")
@click.option("--sheet", metavar="BLATT", help="Nur dieses Tabellenblatt.")
@tenant_option
@by_option
@click.pass_context
def set_level_command(ctx: click.Context, document: str, level: str, sheet: str | None, tenant: str, by: str) -> None:
    from qa.administration import set_level

    set_level(opened(ctx), tenant, document, level, sheet, by)
    place = f"{document}, Tabellenblatt {sheet}" if sheet else document
    write(f"{place}: Zugriffsstufe ist jetzt „{level}“, festgelegt von {by}.")


@click.command(
    "diff",
    cls=BelegCommand,
    short_help="Zeigt, was sich zwischen zwei Versionen unterscheidet.",
    help="Zeigt die Zellen, in denen sich zwei Versionen eines Dokuments unterscheiden; verschobene Zeilen werden an ihrem "
    "Schlüssel erkannt.",
    examples=("beleg diff bericht_Q3.xlsx Entwurf 'nach Korrektur' --tenant nord",),
)
@click.argument("document", metavar="DOKUMENT")
@click.argument("old", metavar="VERSION1")
@click.argument("new", metavar="VERSION2")
@tenant_option
@json_option
@click.pass_context
def diff_command(ctx: click.Context, document: str, old: str, new: str, tenant: str, as_json: bool) -> None:
    from indexer.diff import diff_versions
    from qa.diff_shape import column_units, diff_json, write_diff

    catalog = opened(ctx).catalog
    catalog.place(tenant)
    difference = diff_versions(catalog, tenant, document, old, new)
    if as_json:
        write_json(diff_json(difference))
    else:
        write_diff(difference, column_units(catalog.tables(tenant)))
