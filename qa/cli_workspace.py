"""`beleg init`, `inspect`, `tables`: a new workspace, how a file is read, what is in the workspace."""

from __future__ import annotations

from pathlib import Path

import click

from qa.cli_frame import BelegCommand, json_option, workspace_root
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
    from qa.wiring import open_workspace

    workspace = open_workspace(workspace_root(ctx))
    tenants = [tenant] if tenant is not None else list(workspace.catalog.tenants())
    tables = [table for name in tenants for table in list_tables(workspace, name)]
    if as_json:
        write_json(tables)
    elif tables:
        write_tables(tables)
    else:
        write("Es ist noch keine Tabelle eingelesen; 'beleg ingest' liest eine Datei ein.")
