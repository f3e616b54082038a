"""`beleg ask`, `sql`, `verify`: a question, an analyst's own SQL, and the proof of an answer from the original files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from qa.cli_frame import DAY, BelegCommand, clean_text, json_option, opened, tenant_option
from qa.cli_output import write_json
from qa.problems import UsageProblem

if TYPE_CHECKING:
    from orchestrator.scope import Asker


def _asker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--levels", required=True, metavar="STUFE,…", help="Die Zugriffsstufen dieser Person, durch Komma getrennt."
    )(command)
    command = click.option("--as", "user", required=True, metavar="NAME", help="Wer fragt; steht danach im Protokoll.")(command)
    return tenant_option(command)


def _asker(user: str, tenant: str, levels: str) -> Asker:
    from orchestrator.scope import Asker

    named = frozenset(filter(None, (level.strip() for level in levels.split(","))))
    if not named:
        raise UsageProblem("Die Option --levels nennt keine Zugriffsstufe; nennen Sie mindestens eine, z. B. controlling.")
    if not user.strip():
        raise UsageProblem("Die Option --as ist leer; verlangt ist der Name der Person, die fragt, z. B. --as weber.")
    return Asker(user, tenant, named)


@click.command(
    "ask",
    cls=BelegCommand,
    short_help="Beantwortet eine Frage.",
    help="Beantwortet eine Frage mit einer Zahl und ihrem Beleg, lehnt sie ab oder fragt zurück. Der Rückgabewert ist 0 für eine "
    "Antwort und 3, wenn abgelehnt oder zurückgefragt wurde.",
    examples=(
        "beleg ask 'Wie hoch war der Nettoumsatz in Danzig im Q3 2024?' --tenant nord --as weber --levels controlling",
        "beleg ask 'und im Q2?' --session 4f7c --tenant nord --as weber --levels controlling --json",
    ),
)
@click.argument("question", metavar="FRAGE")
@_asker_options
@click.option("--session", "session_id", metavar="KENNUNG", help="Setzt ein Gespräch fort; die Kennung steht in der Antwort.")
@click.option("--today", type=DAY, help="Der Tag, auf den sich „letzter Monat“ bezieht; sonst heute.")
@json_option
@click.pass_context
def ask_command(
    ctx: click.Context,
    question: str,
    tenant: str,
    user: str,
    levels: str,
    session_id: str | None,
    today: date | None,
    as_json: bool,
) -> int:
    from qa.asking import ask

    workspace = opened(ctx)
    answer = ask(workspace, clean_text(question), _asker(user, tenant, levels), session_id=session_id, today=today)
    return _show(answer, as_json, in_session=True)


def _show(answer: Any, as_json: bool, *, in_session: bool = False) -> int:
    from qa.answer_text import write_answer

    if as_json:
        write_json(answer)
    else:
        write_answer(answer, in_session=in_session)
    return 0 if answer["status"] == "answered" else 3


@click.command(
    "verify",
    cls=BelegCommand,
    short_help="Rechnet eine Antwort aus den Originaldateien nach.",
    help="Liest die Zellen jeder Zahl einer früheren Antwort noch einmal aus den Originaldateien und rechnet sie nach. Der "
    "Rückgabewert ist nur dann 0, wenn alle bis zur letzten Stelle gleich sind, sonst 4.",
    examples=("beleg verify 4f7c0e9ad5c14d7e9f0b6f2f3f6f8a11",),
)
@click.argument("answer_id", metavar="ANTWORT")
@json_option
@click.pass_context
def verify_command(ctx: click.Context, answer_id: str, as_json: bool) -> int:
    from qa.verification import verify
    from qa.verification_text import write_verification

    workspace = opened(ctx)
    result = verify(workspace, answer_id)
    if as_json:
        write_json(result.to_json())
        return 0 if result.ok else 4
    write_verification(result, workspace.audit.answer(answer_id) or {})
    return 0 if result.ok else 4


@click.command(
    "sql",
    cls=BelegCommand,
    short_help="Führt eine eigene SQL-Abfrage aus.",
    help="Führt ein SELECT über die Tabellen und Spalten aus, die 'beleg tables' zeigt: mit derselben Prüfung, denselben "
    "Rechten, demselben Beleg und demselben Eintrag im Protokoll wie eine Frage. Der Rückgabewert ist 3, wenn es abgelehnt wird.",
    examples=(
        "beleg sql 'SELECT sum(netwr_eur) FROM auftraege__positionen' --tenant nord --as weber --levels controlling",
        "beleg sql 'SELECT * FROM auftraege__positionen' --check --tenant nord --as weber --levels controlling",
    ),
)
@click.argument("statement", metavar="SELECT")
@_asker_options
@click.option("--check", is_flag=True, help="Prüft nur, ob die Abfrage erlaubt ist, und führt sie nicht aus.")
@json_option
@click.pass_context
def sql_command(ctx: click.Context, statement: str, tenant: str, user: str, levels: str, check: bool, as_json: bool) -> int:
    from qa.asking import run_sql

    answer = run_sql(opened(ctx), clean_text(statement), _asker(user, tenant, levels), check_only=check)
    return _show(answer, as_json)
