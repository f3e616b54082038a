"""Every error as one sentence on stderr and the exit code of the contract."""

from __future__ import annotations

import errno
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qa.problems import BelegError

if TYPE_CHECKING:
    from indexer.catalog_errors import UnknownTenant

_OS_REASONS = {
    errno.ENOENT: "Das gibt es nicht; den Pfad prüfen",
    errno.EACCES: "Der Zugriff ist nicht erlaubt; die Rechte der Datei und ihres Ordners prüfen",
    errno.EPERM: "Der Zugriff ist nicht erlaubt; die Rechte der Datei und ihres Ordners prüfen",
    errno.EISDIR: "Das ist ein Ordner; eine Datei nennen",
    errno.ENOTDIR: "Der Pfad führt durch eine Datei; den Pfad prüfen",
    errno.EEXIST: "Das gibt es schon; einen anderen Namen nennen",
    errno.ENOSPC: "Auf dem Datenträger ist kein Platz mehr; Platz schaffen",
    errno.EROFS: "Der Datenträger ist schreibgeschützt; einen anderen Ort nennen",
}


_LATER_COMMANDS = frozenset({"mcp"})
"""Announced commands: where one is missing, no other command is meant."""


def describe(error: Exception) -> tuple[str, int]:
    """The sentence and the exit code: 2 for wrong usage, 1 for the rest, or what the error itself says."""
    if isinstance(error, click.UsageError):
        return _usage_sentence(error), 2
    if isinstance(error, click.Abort):
        return "Abgebrochen.", 1
    if isinstance(error, click.ClickException):
        return error.format_message(), error.exit_code
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        return _in_german(error), code
    return _domain_sentence(error)


def _domain_sentence(error: Exception) -> tuple[str, int]:
    from sqlalchemy.exc import SQLAlchemyError

    from goldsets.goldset import GoldsetError
    from indexer.catalog_errors import BadOption, CatalogError, UnknownTenant
    from indexer.embed_sentences import MissingModel
    from indexer.vectors import VectorStoreError
    from parsers.problem import UnreadableFile
    from schema_maps.known_tables import SchemaMapError

    if isinstance(error, BadOption):
        return str(error), 2
    if isinstance(error, UnknownTenant):
        return _unknown_tenant(error), 1
    if isinstance(error, SchemaMapError):
        return str(error), 2 if all(problem.where.startswith("--") for problem in error.problems) else 1
    if isinstance(error, CatalogError | UnreadableFile | GoldsetError):
        return _in_german(error), 1
    if isinstance(error, VectorStoreError | MissingModel):
        return str(error), 1
    if isinstance(error, SQLAlchemyError):
        reason = getattr(error, "orig", None) or error
        return f"Der Katalog oder das Protokoll ist nicht erreichbar ({reason}); Adresse und Rechte in beleg.toml prüfen.", 1
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {_os_reason(error)}.", 1
    return f"Unerwarteter Fehler ({type(error).__name__}: {error}); mit --debug zeigt Beleg, wo er entstand.", 1


def in_workspace(error: Exception, data: Path) -> Exception:
    """The error, or one that names the workspace's folder `data` where SQLite says only that it cannot write."""
    for cause in (error, error.__cause__):
        if cause is not None and re.search(r"readonly database|unable to open database file", str(cause)):
            return BelegError(
                f"{data}: Beleg darf hier nicht schreiben; die Rechte des Ordners und der Dateien darin prüfen oder mit "
                "--workspace einen anderen nennen."
            )
    return error


def _unknown_tenant(error: UnknownTenant) -> str:
    """Without the advice to make a tenant: only `ingest`, which can, gives it."""
    if not error.known:
        return f"Den Mandanten „{error.tenant}“ gibt es nicht, es ist noch keine Datei eingelesen; 'beleg ingest' liest eine ein."
    return f"Den Mandanten „{error.tenant}“ gibt es nicht; nehmen Sie einen von diesen: {', '.join(error.known)}."


def _in_german(error: Exception) -> str:
    """The sentence of an error, with the words of what caused it (the operating system, the reader of TOML) in German."""
    cause = error.__cause__
    if isinstance(cause, tomllib.TOMLDecodeError):
        place = re.search(r"at line (\d+), column (\d+)", str(cause))
        german = f"Zeile {place[1]}, Spalte {place[2]}" if place else "am Ende der Datei"
    elif isinstance(cause, UnicodeDecodeError):
        german = f"kein UTF-8 ab Byte {cause.start + 1}"
    elif isinstance(cause, OSError):
        german = _os_reason(cause).partition(";")[0]
        return str(error).replace(str(cause), german).replace(f"({cause.strerror})", f"({german})")
    else:
        return str(error)
    return str(error).replace(str(cause), german)


def _os_reason(error: OSError) -> str:
    return _OS_REASONS.get(error.errno or 0, error.strerror or "Das Betriebssystem meldet einen Fehler")


def _usage_sentence(error: click.UsageError) -> str:
    context = error.ctx
    command = context.command_path if context is not None else "beleg"
    remedy = f"'{command} --help' zeigt, wie es geht."
    match error:
        case click.NoSuchOption():
            near = f"; gemeint ist wohl {error.possibilities[0]}" if error.possibilities else ""
            return f"Die Option {error.option_name} gibt es bei '{command}' nicht{near}; {remedy}"
        case click.exceptions.NoSuchCommand() if error.command_name in _LATER_COMMANDS and command == "beleg":
            return f"Den Befehl '{error.command_name}' hat diese Version noch nicht; 'beleg --help' zeigt, welche es gibt."
        case click.exceptions.NoSuchCommand():
            near = f"; gemeint ist wohl '{error.possibilities[0]}'" if error.possibilities else ""
            return f"Den Befehl '{error.command_name}' gibt es bei '{command}' nicht{near}; {remedy}"
        case click.MissingParameter():
            return f"{_parameter(error.param)} fehlt bei '{command}'; {remedy}"
        case click.BadParameter():
            return f"{_parameter(error.param)}: {_bad_value(error)}; {remedy}"
        case click.exceptions.NoArgsIsHelpError():
            return error.format_message()
        case click.BadOptionUsage():
            return f"Die Option {error.option_name} ist bei '{command}' falsch verwendet (mit oder ohne Wert); {remedy}"
    if error.message.startswith("Got unexpected extra argument"):
        extra = error.message.partition("(")[2].rstrip(")")
        return (
            f"Das Argument '{extra}' ist bei '{command}' zu viel (Texte mit Leerzeichen gehören in Anführungszeichen); {remedy}"
        )
    if error.message == "Missing command.":
        return f"Nach '{command}' fehlt ein Befehl; {remedy}"
    return error.message


def _parameter(parameter: click.Parameter | None) -> str:
    if parameter is None:
        return "Eine Angabe"
    if isinstance(parameter, click.Argument):
        return f"Das Argument {parameter.make_metavar(click.Context(click.Command('beleg')))}"
    return f"Die Option {max(parameter.opts, key=len)}"


def _bad_value(error: click.BadParameter) -> str:
    kind = error.param.type if error.param is not None else None
    if isinstance(kind, click.Choice):
        return f"erlaubt ist nur {', '.join(str(choice) for choice in kind.choices)}"
    if isinstance(kind, click.Path):
        name = error.message.partition("'")[2].partition("'")[0]
        return f"'{name}' gibt es nicht oder ist nicht lesbar"
    if isinstance(kind, click.IntRange):
        return f"verlangt ist eine ganze Zahl ab {kind.min}"
    return error.message
