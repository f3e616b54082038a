"""What all commands share: German help with an example, `--workspace` and `--debug`, exit codes, output in UTF-8."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from qa.cli_errors import describe, in_workspace

if TYPE_CHECKING:
    from qa.wiring import Workspace

WORKSPACE_VARIABLE = "BELEG_WORKSPACE"


class BelegCommand(click.Command):
    """A command whose help ends with examples and which knows `--workspace` and `--debug`.

    A callback returns None (exit code 0) or the exit code.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        kwargs.setdefault("options_metavar", "[OPTIONEN]")
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.params += [_workspace_option(), _debug_option()]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            found = in_workspace(error, workspace_root(ctx) / "data")
            if found is error:
                raise
            raise found from error

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix="Aufruf: ")

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        arguments = [param for param in self.get_params(ctx) if isinstance(param, click.Argument)]
        if any(argument.help for argument in arguments):
            with formatter.section("Argumente"):
                formatter.write_dl([argument.get_help_record(ctx) for argument in arguments])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = [param.get_help_record(ctx) for param in self.get_params(ctx) if not isinstance(param, click.Argument)]
        with formatter.section("Optionen"):
            formatter.write_dl([(names, _german(text)) for names, text in filter(None, records)])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            formatter.write_paragraph()
            formatter.write("Beispiel:\n" if len(self.examples) == 1 else "Beispiele:\n")
            for example in self.examples:
                formatter.write(f"  {example}\n")

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "Zeigt diese Hilfe."
        return option


class BelegGroup(BelegCommand, click.Group):
    """A group of commands; as the outermost one it turns every error into one sentence and an exit code."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, subcommand_metavar="BEFEHL …", **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        BelegCommand.format_options(self, ctx, formatter)
        commands = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        with formatter.section("Befehle"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in commands])

    def main(self, args: Sequence[str] | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Runs a command line and ends the process (SystemExit) with the exit code of the contract."""
        arguments = list(sys.argv[1:] if args is None else args)
        _write_utf8()
        code = 0
        try:
            extra.pop("prog_name", None)
            code = super().main(arguments, "beleg", standalone_mode=False, **extra) or 0
            sys.stdout.flush()
        except BrokenPipeError:  # the reader of our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as error:
            if "--debug" in arguments:
                import traceback

                traceback.print_exception(error)
            sentence, code = describe(error)
            click.echo(sentence, err=True)
        sys.exit(code)


def root_group(help_text: str, examples: Sequence[str], version: Callable[[], str]) -> BelegGroup:
    """The outermost group; `--workspace` before the command holds for it too."""
    return BelegGroup(
        "beleg",
        help=help_text,
        examples=examples,
        params=[
            click.Option(
                ["--version"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                help="Zeigt die Version.",
                callback=lambda ctx, _, given: _print_version(ctx, version) if given else None,
            )
        ],
    )


def workspace_root(ctx: click.Context) -> Path:
    """The directory that `--workspace` or BELEG_WORKSPACE names, else the current one."""
    return Path(ctx.meta.get("qa.workspace") or os.environ.get(WORKSPACE_VARIABLE) or ".").expanduser()


def opened(ctx: click.Context) -> Workspace:
    """The workspace of this command, open until the command ends."""
    from qa.wiring import open_workspace

    return ctx.with_resource(open_workspace(workspace_root(ctx)))


class DayType(click.ParamType[date]):
    """A day as YYYY-MM-DD."""

    name = "JJJJ-MM-TT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"„{value}“ ist kein Tag der Form JJJJ-MM-TT, z. B. 2024-10-16", param, ctx)


DAY = DayType()


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Gibt das Ergebnis als JSON aus.")(command)


def tenant_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--tenant", required=True, metavar="NAME", help="Der Mandant, dem die Daten gehören.")(command)


def by_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--by", required=True, metavar="NAME", help="Wer es entscheidet; steht danach im Protokoll.")(command)


def clean_text(text: str) -> str:
    """Text of an argument as valid Unicode: bytes that the terminal's encoding did not know are read as UTF-8."""
    return os.fsencode(text).decode("utf-8", "replace") if any("\ud800" <= letter <= "\udfff" for letter in text) else text


def _workspace_option() -> click.Option:
    return click.Option(
        ["--workspace"],
        metavar="ORDNER",
        expose_value=False,
        callback=_remember_workspace,
        help=f"Der Arbeitsbereich mit beleg.toml; sonst {WORKSPACE_VARIABLE} oder der aktuelle Ordner.",
    )


def _remember_workspace(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta["qa.workspace"] = value


def _debug_option() -> click.Option:
    return click.Option(["--debug"], is_flag=True, expose_value=False, help="Zeigt bei einem Fehler, wo im Programm er entstand.")


def _print_version(ctx: click.Context, version: Callable[[], str]) -> None:
    click.echo(f"beleg {version()}")
    ctx.exit(0)


def _german(text: str) -> str:
    return text.replace("[required]", "[Pflicht]")


def _write_utf8() -> None:
    """The same bytes whatever the locale says; what a terminal cannot show is replaced, never an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
