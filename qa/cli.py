"""The command `beleg`. Each group of commands has its own file; what is heavy is imported when a command runs."""

from __future__ import annotations

from qa.cli_ask import ask_command, sql_command, verify_command
from qa.cli_audit import audit_group
from qa.cli_backup import backup_command, restore_command
from qa.cli_frame import root_group
from qa.cli_goldset import demo_command, goldset_group
from qa.cli_index import index_group
from qa.cli_ingest import ingest_command
from qa.cli_mcp import mcp_command
from qa.cli_review import review_group
from qa.cli_schema_map import schema_map_group
from qa.cli_service import keys_group, serve_command
from qa.cli_versions import diff_command, remove_command, set_level_command, versions_group
from qa.cli_workspace import init_command, inspect_command, tables_command
from qa.installed import installed_version

main = root_group(
    "Beleg beantwortet Fragen zu Tabellendateien mit Zahlen, die sich nachprüfen lassen: zu jeder Zahl nennt es Datei, "
    "Tabellenblatt, Zelle und Version. Was sich nicht belegen lässt, wird abgelehnt oder zurückgefragt.",
    examples=(
        "beleg demo",
        "beleg ask 'Wie hoch war der Nettoumsatz in Danzig im Q3 2024?' --tenant nord --as weber --levels controlling",
    ),
    version=installed_version,
)

for _command in (
    demo_command,
    init_command,
    ingest_command,
    inspect_command,
    tables_command,
    versions_group,
    remove_command,
    set_level_command,
    schema_map_group,
    ask_command,
    sql_command,
    verify_command,
    diff_command,
    review_group,
    audit_group,
    goldset_group,
    index_group,
    backup_command,
    restore_command,
    serve_command,
    keys_group,
    mcp_command,
):
    main.add_command(_command)
