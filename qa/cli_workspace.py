"""`beleg init`, `inspect`, `tables`: a new workspace, how a file is read, what is in the workspace."""

from __future__ import annotations

from pathlib import Path

import click

from qa.cli_frame import BelegCommand, json_option, opened, workspace_root
from qa.cli_output import write, write_json


@click.command(
    "init",
    cls=BelegCommand,
    short_help="Legt einen Arbeitsbereich an.",
    help="Legt einen Arbeitsbereich an: die Datei beleg.toml, in der jede Einstellung erklärt ist, und den Ordner data. Eine "
    "vorhandene beleg.toml bleibt, wie sie ist.",
    examples=("beleg init /srv/beleg",),
)
@click.argument("directory", metavar="[ORDNER]", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.pass_context
def init_command(ctx: click.Context, directory: Path | None) -> None:
    from qa.settings_file import init_workspace

    path = init_workspace(directory or workspace_root(ctx))
    write(f"{path} ist angelegt; 'beleg ingest' liest die ersten Dateien ein.")


@click.command(
    "tables",
    cls=BelegCommand,
    short_help="Zeigt die Tabellen und ihre Spalten.",
    help="Zeigt alle Tabellen mit Datei, Tabellenblatt, Bereich, Spalten, Zeilenzahl und Versionen, dazu die Namen, unter denen "
    "'beleg sql' sie kennt.",
    examples=("beleg tables --tenant nord", "beleg tables --json"),
)
@click.option("--tenant", metavar="NAME", help="Nur die Tabellen dieses Mandanten.")
@json_option
@click.pass_context
def tables_command(ctx: click.Context, tenant: str | None, as_json: bool) -> None:
    from qa.table_listing import list_tables, write_tables

    workspace = opened(ctx)
    tenants = [tenant] if tenant is not None else list(workspace.catalog.tenants())
    tables = [table for name in tenants for table in list_tables(workspace, name)]
    if as_json:
        write_json(tables)
    elif tables:
        write_tables(tables)
    else:
        write("Es ist noch keine Tabelle eingelesen; 'beleg ingest' liest eine Datei ein.")


@click.command(
    "inspect",
    cls=BelegCommand,
    short_help="Zeigt, wie eine Datei gelesen wird.",
    help="Zeigt, wie Beleg eine Datei liest, ohne etwas zu speichern: Tabellen, Kopfzeilen, Spalten, Summen, Anmerkungen und "
    "alles, was sich nicht lesen lässt. 'beleg ingest' liest sie genauso.",
    examples=("beleg inspect bericht_Q3.xlsx", "beleg inspect bericht_Q3.xlsx --cells 'GuV!C47,GuV!C48' --json"),
)
@click.argument("file", metavar="DATEI", type=click.Path(path_type=Path))
@click.option("--cells", metavar="ZELLE,…", help="Zeigt einzelne Zellen, z. B. GuV!C47; bei CSV nur C47.")
@click.option("--locale", type=click.Choice(["de", "en", "pl", "ch"]), help="Zahlenschreibweise, wo die Datei nicht entscheidet.")
@json_option
@click.pass_context
def inspect_command(ctx: click.Context, file: Path, cells: str | None, locale: str | None, as_json: bool) -> None:
    from parsers.inspection import draw, inspection
    from parsers.parse import parse_file
    from qa.cell_text import asked_cells, describe_cell
    from qa.settings import FILE_NAME, WorkspaceSection, load_settings, month_and_day

    root = workspace_root(ctx)
    said = load_settings(root).workspace if (root / FILE_NAME).exists() else WorkspaceSection.model_validate({})
    parsed = parse_file(file, locale=locale or said.locale, fiscal_year_start=month_and_day(said.fiscal_year_start))
    shape = inspection(parsed, asked_cells(cells, parsed) if cells is not None else [])
    if as_json:
        write_json(shape)
        return
    write(draw(parsed))
    found = shape["cells"]
    assert isinstance(found, dict)
    for address, cell in found.items():
        write(describe_cell(parsed, address, cell))
