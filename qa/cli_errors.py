"""Every error as one sentence on stderr and the exit code of the contract."""

from __future__ import annotations

import errno

import click

_OS_REASONS = {
    errno.ENOENT: "Das gibt es nicht; den Pfad prüfen",
    errno.EACCES: "Der Zugriff ist nicht erlaubt; die Rechte prüfen",
    errno.EPERM: "Der Zugriff ist nicht erlaubt; die Rechte prüfen",
    errno.EISDIR: "Das ist ein Ordner; eine Datei nennen",
    errno.ENOTDIR: "Der Pfad führt durch eine Datei; den Pfad prüfen",
    errno.EEXIST: "Das gibt es schon; einen anderen Namen nennen",
    errno.ENOSPC: "Auf dem Datenträger ist kein Platz mehr; Platz schaffen",
    errno.EROFS: "Der Datenträger ist schreibgeschützt; einen anderen Ort nennen",
}


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
        return str(error), code
    return _domain_sentence(error)


def _domain_sentence(error: Exception) -> tuple[str, int]:
    from sqlalchemy.exc import SQLAlchemyError

    from goldsets.goldset import GoldsetError
    from indexer.catalog_errors import BadOption, CatalogError
    from parsers.problem import UnreadableFile

    if isinstance(error, BadOption):
        return str(error), 2
    if isinstance(error, CatalogError | UnreadableFile | GoldsetError):
        return str(error), 1
    if isinstance(error, SQLAlchemyError):
        reason = getattr(error, "orig", None) or error
        return f"Der Katalog oder das Protokoll ist nicht erreichbar ({reason}); Adresse und Rechte in beleg.toml prüfen.", 1
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {_OS_REASONS.get(error.errno or 0, error.strerror)}.", 1
    return f"Unerwarteter Fehler ({type(error).__name__}: {error}); mit --debug zeigt Beleg, wo er entstand.", 1


def _usage_sentence(error: click.UsageError) -> str:
    context = error.ctx
    command = context.command_path if context is not None else "beleg"
    remedy = f"'{command} --help' zeigt, wie es geht."
    match error:
        case click.NoSuchOption():
            near = f"; gemeint ist wohl {error.possibilities[0]}" if error.possibilities else ""
            return f"Die Option {error.option_name} gibt es bei '{command}' nicht{near}; {remedy}"
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
