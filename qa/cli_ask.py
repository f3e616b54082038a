"""`beleg ask`, `sql`, `verify`: a question, an analyst's own SQL, and the proof of an answer from the original files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from qa.cli_frame import DAY, BelegCommand, clean_text, json_option, opened, tenant_option
from qa.cli_output import write, write_json

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

    return Asker(user, tenant, frozenset(filter(None, (level.strip() for level in levels.split(",")))))


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
    return _show(answer, as_json)


def _show(answer: Any, as_json: bool) -> int:
    from qa.answer_text import write_answer

    if as_json:
        write_json(answer)
    else:
        write_answer(answer)
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

    result = verify(opened(ctx), answer_id)
    if as_json:
        write_json(result.to_json())
        return 0 if result.ok else 4
    for cell in result.differences:
        place = f"{cell.file}, {cell.sheet}!{cell.cell}" if cell.sheet is not None else f"{cell.file}, {cell.cell}"
        write(f"{place}: eingelesen „{_or_blank(cell.then)}“, in der Datei steht jetzt „{_or_blank(cell.now)}“.", colour="red")
    for message in result.messages:
        write(message, colour="yellow")
    if result.ok:
        for checked, said in _CHECKED.items():
            count = sum(fact.checked == checked for fact in result.facts)
            if count:
                colour = "green" if checked in ("recomputed", "rerun") else "yellow"
                write(said.format(count=count, all=len(result.facts)), colour=colour)
    return 0 if result.ok else 4


_CHECKED = {
    "recomputed": "{count} von {all} Werten sind aus den Originaldateien nachgerechnet und gleich.",
    "rerun": "{count} von {all} Werten gab die Abfrage auf denselben Versionen noch einmal; ihre Zellen sind in den "
    "Originaldateien unverändert.",
    "cells": "{count} von {all} Werten sind nicht nachgerechnet; ihre Zellen sind in den Originaldateien unverändert.",
    "nothing": "{count} von {all} Werten nennen keine Zelle; an ihnen ist nichts zu prüfen.",
}


def _or_blank(text: str | None) -> str:
    return text if text is not None else "leer"


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
