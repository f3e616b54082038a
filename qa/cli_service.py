"""`beleg serve` and `beleg keys`: the HTTP service, and who may use it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import click

from qa.cli_frame import DAY, BelegCommand, BelegGroup, json_option, opened, workspace_root
from qa.cli_ingest import own_name
from qa.cli_output import Progress, tell, write, write_json, write_table


@click.command(
    "serve",
    cls=BelegCommand,
    short_help="Startet den HTTP-Dienst.",
    help="Startet den HTTP-Dienst mit der Web-Seite. Beim ersten Start steht ein Schlüssel für die Verwaltung auf der Ausgabe, "
    "nur dieses eine Mal; weitere macht 'beleg keys create'. Ohne --host hört der Dienst nur auf diesem Rechner.",
    examples=(
        "beleg serve --workspace /srv/beleg",
        "beleg serve --host 0.0.0.0 --port 8000",
        "beleg serve --init --workspace /srv/beleg",
        "beleg serve --demo --workspace demo",
    ),
)
@click.option("--host", metavar="ADRESSE", help="Wo der Dienst hört; sonst service.host in beleg.toml.")
@click.option("--port", type=click.IntRange(0, 65_535), metavar="ZAHL", help="Der Port; sonst service.port in beleg.toml.")
@click.option("--demo", is_flag=True, help="Füllt einen neuen Arbeitsbereich vor dem ersten Start mit den Beispieldateien.")
@click.option("--init", "create", is_flag=True, help="Legt den Arbeitsbereich an, wo noch keiner ist.")
@click.pass_context
def serve_command(ctx: click.Context, host: str | None, port: int | None, demo: bool, create: bool) -> None:
    from qa.settings import FILE_NAME

    root = workspace_root(ctx)
    if demo and not (root / FILE_NAME).exists():
        from qa.demo import build_demo

        with Progress() as progress:
            build_demo(root, progress)
    if create and not (root / FILE_NAME).exists():
        from qa.settings_file import init_workspace

        init_workspace(root)
    from qa.http.serving import first_keys, serve
    from qa.installed import installed_version

    workspace = opened(ctx)
    for key, held in first_keys(workspace):
        write(f"Schlüssel für die Verwaltung des Mandanten „{held.tenant}“, nur dieses eine Mal gezeigt, gültig 30 Tage:")
        write(key, bold=True)
    said = workspace.settings.service
    serve(workspace, host or said.host, said.port if port is None else port, installed_version(), _say_where)


def _say_where(address: str) -> None:
    tell(f"Beleg hört an {address}; Strg-C beendet den Dienst.")


@click.group(
    "keys",
    cls=BelegGroup,
    short_help="Verwaltet die Schlüssel des Dienstes.",
    help="Verwaltet die Schlüssel, mit denen sich Menschen und Programme am Dienst anmelden.",
    examples=("beleg keys create --user weber --tenant nord --levels controlling --role asker",),
)
def keys_group() -> None:
    pass


@keys_group.command(
    "create",
    cls=BelegCommand,
    short_help="Macht einen Schlüssel.",
    help="Macht einen Schlüssel und zeigt ihn dieses eine Mal; gespeichert wird nur sein Prüfwert. Die Rollen: asker fragt; "
    "analyst prüft außerdem Antworten, liest Dateien ein und benennt Spalten; admin tut alles, auch Schlüssel verwalten; "
    "monitor liest nur die Zähler unter /metrics. "
    "Die Stufe * steht für alle Stufen des Mandanten.",
    examples=(
        "beleg keys create --user weber --tenant nord --levels controlling,vertrieb",
        "beleg keys create --user lang --tenant nord --levels '*' --role analyst --expires 2030-12-31",
    ),
)
@click.option("--user", required=True, metavar="NAME", help="Wem der Schlüssel gehört; steht bei jeder Frage im Protokoll.")
@click.option("--tenant", required=True, metavar="NAME", help="Der Mandant, dessen Daten der Schlüssel öffnet.")
@click.option("--levels", required=True, metavar="STUFE,…", help="Die Zugriffsstufen, durch Komma getrennt.")
@click.option("--role", "roles", multiple=True, default=("asker",), metavar="ROLLE", help="asker, analyst, admin, monitor.")
@click.option("--expires", type=DAY, help="Der letzte Tag, an dem der Schlüssel gilt; sonst gilt er, bis er widerrufen wird.")
@click.option("--by", metavar="NAME", help="Wer ihn ausstellt; sonst der angemeldete Benutzer.")
@json_option
@click.pass_context
def create_command(
    ctx: click.Context, user: str, tenant: str, levels: str, roles: tuple[str, ...], expires: date | None, by: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    from qa.key_administration import create_key

    end = datetime.combine(expires, time.max, UTC) if expires is not None else None
    key, held = create_key(
        opened(ctx), user=user, tenant=tenant, levels=levels.split(","), roles=roles, expires_at=end, by=by or own_name()
    )
    if as_json:
        write_json({"key": key, **held.to_json()})
        return
    tell(f"Schlüssel {held.key_id} für {held.user}; er wird nur dieses eine Mal gezeigt:")
    write(key)


@keys_group.command(
    "list",
    cls=BelegCommand,
    short_help="Zeigt die Schlüssel.",
    help="Zeigt, welche Schlüssel es gibt, wem sie gehören und ob sie gelten; die Schlüssel selbst kennt niemand mehr.",
    examples=("beleg keys list --tenant nord",),
)
@click.option("--tenant", metavar="NAME", help="Nur die Schlüssel dieses Mandanten.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, tenant: str | None, as_json: bool) -> None:
    from qa.key_administration import all_keys

    keys = all_keys(opened(ctx), tenant)
    if as_json:
        write_json([key.to_json() for key in keys])
    elif keys:
        shown = [key.to_json() for key in keys]
        write_table(
            ("Kennung", "Person", "Mandant", "Stufen", "Rollen", "gilt bis", "Stand"),
            [
                (
                    each["key_id"],
                    each["user"],
                    each["tenant"],
                    ", ".join(each["levels"]),
                    ", ".join(each["roles"]),
                    (each["expires_at"] or "")[:10],
                    _STATES[each["state"]],
                )
                for each in shown
            ],
        )
    else:
        write("Es gibt noch keinen Schlüssel; 'beleg keys create' macht einen.")


_STATES = {"active": "gilt", "expired": "abgelaufen", "revoked": "widerrufen"}


@keys_group.command(
    "revoke",
    cls=BelegCommand,
    short_help="Widerruft einen Schlüssel.",
    help="Widerruft einen Schlüssel: Von da an öffnet er nichts mehr, und die Browser, die mit ihm angemeldet sind, sind es "
    "nicht mehr.",
    examples=("beleg keys revoke 0123456789ab",),
)
@click.argument("key_id", metavar="KENNUNG")
@click.option("--by", metavar="NAME", help="Wer ihn widerruft; sonst der angemeldete Benutzer.")
@click.pass_context
def revoke_command(ctx: click.Context, key_id: str, by: str | None) -> None:
    from qa.key_administration import revoke_key

    key = revoke_key(opened(ctx), key_id, by or own_name())
    write(f"Der Schlüssel {key.key_id} von {key.user} gilt nicht mehr.")
