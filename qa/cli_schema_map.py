"""`beleg schema-map`: what the columns mean, proposed by rules and decided by people."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qa.cli_frame import BelegCommand, BelegGroup, by_option, opened, tenant_option
from qa.cli_output import tell, write
from qa.problems import UsageProblem

if TYPE_CHECKING:
    from parsers.problem import Problem


@click.group(
    "schema-map",
    cls=BelegGroup,
    short_help="Entscheidet, was Spalten bedeuten.",
    help="Schlägt für technische Spaltenköpfe wie rev_net_adj_eur Namen und Einheiten vor und hält fest, was eine Person davon "
    "freigibt oder ablehnt. Bis dahin ist eine solche Spalte nur unter ihrem eigenen Namen zu fragen.",
    examples=(
        "beleg schema-map propose --tenant nord",
        "beleg schema-map approve bestellungen.xlsx rev_net_adj_eur --sheet Bestellungen --tenant nord --by 'A. Weber'",
    ),
)
def schema_map_group() -> None:
    pass


@schema_map_group.command(
    "propose",
    cls=BelegCommand,
    short_help="Schlägt Bedeutungen für technische Spaltenköpfe vor.",
    help="Schlägt für jeden technischen Spaltenkopf, über den noch niemand entschieden hat, einen Namen und eine Einheit vor. "
    "Mit --model schlägt danach das Sprachmodell für die übrigen Spalten Namen und Synonyme vor; es sieht nur Spaltenköpfe.",
    examples=(
        "beleg schema-map propose bestellungen.xlsx --tenant nord",
        "beleg schema-map propose bestellungen.xlsx --tenant nord --model",
    ),
)
@click.argument("document", metavar="[DOKUMENT]", required=False)
@tenant_option
@click.option("--model", "by_model", is_flag=True, help="Fragt auch das Sprachmodell; der Abschnitt [llm] nennt es.")
@click.pass_context
def propose_command(ctx: click.Context, document: str | None, tenant: str, by_model: bool) -> None:
    from qa.cli_ingest import own_name
    from qa.map_administration import propose_meanings

    workspace = opened(ctx)
    unread = propose_meanings(workspace, tenant, document, own_name())
    if by_model:
        from qa.model_proposals import propose_by_model

        propose_by_model(workspace, tenant, document, own_name())
    stored = [sheet for sheet in workspace.schema_maps.load(tenant).sheets if document in (None, sheet.document)]
    proposed = [(sheet, column) for sheet in stored for column in sheet.columns if column.status == "proposed"]
    for sheet, column in proposed:
        place = sheet.document if sheet.sheet is None else f"{sheet.document}, Blatt {sheet.sheet}"
        unit = f" [{column.unit}]" if column.unit else ""
        personal = ", personenbezogen" if column.personal else ""
        also = f", auch: {', '.join(column.synonyms)}" if column.synonyms else ""
        write(f"{place}: {column.header} → {column.name}{unit}{also}{personal} ({column.reason})")
    for each in unread:
        write(f"{each.header}: {each.reason}", colour="yellow")
    if not proposed and not unread:
        write("Kein technischer Spaltenkopf wartet auf eine Entscheidung.")


@schema_map_group.command(
    "show",
    cls=BelegCommand,
    short_help="Zeigt, was vorgeschlagen und entschieden ist.",
    help="Zeigt alle Bedeutungen, Beziehungen und Synonyme eines Mandanten mit ihrem Stand und mit dem, der sie freigegeben hat.",
    examples=("beleg schema-map show bestellungen.xlsx --tenant nord",),
)
@click.argument("document", metavar="[DOKUMENT]", required=False)
@tenant_option
@click.pass_context
def show_command(ctx: click.Context, document: str | None, tenant: str) -> None:
    workspace = opened(ctx)
    workspace.catalog.place(tenant)
    write(workspace.schema_maps.show(tenant, document))


@schema_map_group.command(
    "approve",
    cls=BelegCommand,
    short_help="Gibt Bedeutungen frei.",
    help="Gibt frei, was für Spalten vorgeschlagen ist, oder legt für eine Spalte Namen, Einheit, Synonyme und Zugriffsstufen "
    "selbst fest. SPALTE ist der Spaltenkopf, wie er in der Datei steht.",
    examples=(
        "beleg schema-map approve bestellungen.xlsx --all --tenant nord --by 'A. Weber'",
        "beleg schema-map approve bestellungen.xlsx qty_pcs --name Menge --unit Stück --tenant nord --by 'A. Weber'",
    ),
)
@click.argument("document", metavar="DOKUMENT")
@click.argument("headers", metavar="[SPALTE…]", nargs=-1)
@tenant_option
@by_option
@click.option("--sheet", metavar="BLATT", help="Das Tabellenblatt; nötig, wenn die Datei mehrere hat.")
@click.option("--all", "everything", is_flag=True, help="Gibt alles frei, was für das Dokument vorgeschlagen ist.")
@click.option("--name", help="Der Name, unter dem nach der Spalte gefragt wird.")
@click.option("--unit", help="Die Einheit der Werte, z. B. EUR, TEUR oder %.")
@click.option("--synonym", "synonyms", multiple=True, metavar="WORT", help="Ein weiterer Name; mehrfach für mehrere.")
@click.option(
    "--level", "levels", multiple=True, metavar="STUFE", help="Nur diese Zugriffsstufe sieht die Spalte; mehrfach für mehrere."
)
@click.option(
    "--aggregation",
    type=click.Choice(["sum", "stock", "none"]),
    help="Ob sich die Werte addieren lassen: sum überall, stock nicht über Zeiträume, none nie.",
)
@click.option(
    "--personal/--not-personal",
    "personal",
    default=None,
    help="Ob die Werte etwas über Personen sagen und im Protokoll zu maskieren sind.",
)
@click.pass_context
def approve_command(
    ctx: click.Context,
    document: str,
    headers: tuple[str, ...],
    tenant: str,
    by: str,
    sheet: str | None,
    everything: bool,
    name: str | None,
    unit: str | None,
    synonyms: tuple[str, ...],
    levels: tuple[str, ...],
    aggregation: str | None,
    personal: bool | None,
) -> None:
    from qa.map_administration import Column, approve_meaning, approve_proposals
    from schema_maps.store import Decision

    said = any((name, unit, synonyms, levels, aggregation, personal is not None))
    if everything == bool(headers):
        raise UsageProblem("Entweder Spalten oder --all angeben; 'beleg schema-map approve --help' zeigt, wie es geht.")
    if said and len(headers) != 1:
        raise UsageProblem("Name, Einheit, Synonyme, Stufen und Addierbarkeit gelten für genau eine Spalte; eine Spalte angeben.")
    workspace = opened(ctx)
    if everything:
        for column in approve_proposals(workspace, tenant, document, sheet, by):
            write(f"{document}: {column.header} freigegeben von {by}.")
        return
    decision = Decision(
        name=name,
        unit=unit,
        synonyms=synonyms or None,
        levels={level: {} for level in levels} or None,
        aggregation=aggregation,  # type: ignore[arg-type]  # the choice above allows no other word
        personal=personal,
    )
    for header in headers:
        write_findings(approve_meaning(workspace, tenant, Column(document, sheet, header), by, decision))
        write(f"{document}: {header} freigegeben von {by}.")


@schema_map_group.command(
    "reject",
    cls=BelegCommand,
    short_help="Lehnt vorgeschlagene Bedeutungen ab.",
    help="Lehnt ab, was für Spalten vorgeschlagen ist; sie bleiben unter ihrem eigenen Namen zu fragen.",
    examples=("beleg schema-map reject bestellungen.xlsx disc_pct --sheet Bestellungen --tenant nord --by 'A. Weber'",),
)
@click.argument("document", metavar="DOKUMENT")
@click.argument("headers", metavar="SPALTE…", nargs=-1, required=True)
@tenant_option
@by_option
@click.option("--sheet", metavar="BLATT", help="Das Tabellenblatt; nötig, wenn die Datei mehrere hat.")
@click.option("--reason", default="", metavar="TEXT", help="Warum; steht danach in der Schema-Map und im Protokoll.")
@click.pass_context
def reject_command(
    ctx: click.Context, document: str, headers: tuple[str, ...], tenant: str, by: str, sheet: str | None, reason: str
) -> None:
    from qa.map_administration import Column, reject_meaning

    workspace = opened(ctx)
    for header in headers:
        reject_meaning(workspace, tenant, Column(document, sheet, header), by, reason)
        write(f"{document}: {header} abgelehnt von {by}.")


@schema_map_group.command(
    "apply",
    cls=BelegCommand,
    short_help="Gibt eine YAML-Datei mit Bedeutungen frei.",
    help="Gibt alles frei, was eine YAML-Datei unter schema_map, relations und synonyms sagt; bei einem Fehler nichts davon.",
    examples=("beleg schema-map apply bedeutungen.yaml --tenant nord --by 'A. Weber'",),
)
@click.argument("file", metavar="DATEI", type=click.Path(path_type=Path))
@tenant_option
@by_option
@click.pass_context
def apply_command(ctx: click.Context, file: Path, tenant: str, by: str) -> None:
    from qa.map_administration import apply_contract
    from schema_maps.contract import read_contract

    contract = read_contract(file)
    workspace = opened(ctx)
    write_findings(apply_contract(workspace, tenant, contract, by, file.name))
    mine = contract.for_tenant(tenant)
    columns = sum(len(sheet.columns) for sheet in mine.schema_map)
    words = sum(map(len, mine.synonyms.values()))
    write(f"{file.name}: {columns} Spalten, {len(mine.relations)} Beziehungen, {words} Synonyme freigegeben von {by}.")


def write_findings(findings: Iterable[Problem]) -> None:
    """What the checks of a schema map found: remarks on stderr."""
    for finding in findings:
        tell(f"{finding.where}: {finding.message} {finding.hint}".strip())
