"""`beleg mcp`: Beleg as tools for language models that speak the Model Context Protocol."""

from __future__ import annotations

import os

import click

from qa.cli_frame import BelegCommand, opened
from qa.cli_output import tell
from qa.problems import BelegError

PORT = 8081


@click.command(
    "mcp",
    cls=BelegCommand,
    short_help="Startet den MCP-Server für Sprachmodelle.",
    help="Gibt Sprachmodellen über das Model Context Protocol die Werkzeuge ask, verify, tables und diff, mit den Rechten eines "
    "Schlüssels von 'beleg keys create'. Ohne --http spricht er über Standardein- und -ausgabe mit dem Programm, das ihn "
    "startet; der Schlüssel steht dann in BELEG_API_KEY. Mit --http bringt jede Anfrage ihren Schlüssel mit, "
    "als 'Authorization: Bearer …'.",
    examples=(
        "BELEG_API_KEY=… beleg mcp --workspace /srv/beleg",
        "beleg mcp --http --port 8081 --workspace /srv/beleg",
    ),
)
@click.option("--http", "over_http", is_flag=True, help="Hört als HTTP-Dienst statt auf der Standardeingabe.")
@click.option("--host", metavar="ADRESSE", help="Wo der Dienst hört; sonst service.host in beleg.toml.")
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, metavar="ZAHL", show_default=True, help="Sein Port.")
@click.pass_context
def mcp_command(ctx: click.Context, over_http: bool, host: str | None, port: int) -> None:
    try:
        from qa.mcp_serving import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise BelegError("Für 'beleg mcp' fehlt das Paket mcp; 'pip install beleg[mcp]' bringt es mit.") from None
    from qa.installed import installed_version

    workspace = opened(ctx)
    if not over_http:
        serve_stdio(workspace, os.environ, installed_version())
        return

    def say(address: str) -> None:
        tell(f"Der MCP-Server hört an {address}; Strg-C beendet ihn.")

    serve_http(workspace, host or workspace.settings.service.host, port, installed_version(), say)
