"""`beleg review`: analysts look at logged queries, approve or reject them, find stale answers and judge the go-live sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qa.cli_frame import BelegCommand, BelegGroup, by_option, json_option, opened, tenant_option
from qa.cli_output import write, write_json, write_table

if TYPE_CHECKING:
    from qa.review import Entry, Sample

_STATES = {"pending": "wartet", "approved": "freigegeben", "rejected": "abgelehnt", "not_required": "nicht nötig"}


@click.group(
    "review",
    cls=BelegGroup,
    short_help="Prüft Antworten durch eine Person.",
    help="Zeigt die Antworten, die nach der Einstellung 'review' des Mandanten auf eine Prüfung warten, und hält fest, was eine "
    "Person dazu entscheidet. Freigegeben wird die Abfrageform auf genau diesen Tabellenversionen und dieser Schema-Map.",
    examples=(
        "beleg review list --tenant nord",
        "beleg review approve 4f7c0e9ad5c14d7e9f0b6f2f3f6f8a11 --by 'A. Weber' --reason 'Mit dem Monatsabschluss verglichen'",
    ),
)
def review_group() -> None:
    pass


def _any_tenant(command: Any) -> Any:
    return click.option("--tenant", metavar="NAME", help="Nur dieser Mandant.")(command)


@review_group.command(
    "list",
    cls=BelegCommand,
    short_help="Zeigt, was auf Prüfung wartet.",
    help="Zeigt die Antworten, die auf eine Prüfung warten; mit --all alle, die sich prüfen lassen.",
    examples=("beleg review list --tenant nord", "beleg review list --all --json"),
)
@_any_tenant
@click.option("--all", "everything", is_flag=True, help="Auch was entschieden ist oder keine Prüfung brauchte.")
@json_option
@click.pass_context
def list_command(ctx: click.Context, tenant: str | None, everything: bool, as_json: bool) -> None:
    from qa.review import entry_json, queue

    workspace = opened(ctx)
    if tenant is not None:
        workspace.catalog.place(tenant)
    found = list(queue(workspace, tenant, None if everything else "pending"))
    if as_json:
        write_json([entry_json(entry) for entry in found])
    elif found:
        _write_entries(found)
    else:
        write("Keine Antwort wartet auf eine Prüfung." if not everything else "Es ist noch keine Antwort im Protokoll.")


def _write_entries(entries: list[Entry]) -> None:
    rows = [
        (entry.answer_id, str(entry.record["at"])[:16].replace("T", " "), entry.record["user"], _STATES[entry.state],
         entry.record["question"])
        for entry in entries
    ]  # fmt: skip
    write_table(("Antwort", "gefragt", "von", "Prüfung", "Frage"), rows)


@review_group.command(
    "show",
    cls=BelegCommand,
    short_help="Zeigt eine Antwort ganz.",
    help="Zeigt Frage, Verständnis, Abfrage, Beleg und Ergebnis einer Antwort, auch wenn sie zurückgehalten wird.",
    examples=("beleg review show 4f7c0e9ad5c14d7e9f0b6f2f3f6f8a11",),
)
@click.argument("answer_id", metavar="ANTWORT")
@json_option
@click.pass_context
def show_command(ctx: click.Context, answer_id: str, as_json: bool) -> None:
    from qa.answer_text import write_answer
    from qa.foreign_findings import foreign_findings
    from qa.review import approved_elsewhere, entry_json, entry_of, full_answer

    workspace = opened(ctx)
    entry = entry_of(workspace, answer_id)
    record, review = entry.record, entry.record["detail"]["review"]
    elsewhere = approved_elsewhere(workspace, record)
    if as_json:
        said = {"answer": full_answer(record), "understood": record["detail"].get("understood"), "query": review["query"]}
        before = {"by": elsewhere.by, "at": elsewhere.at} if elsewhere is not None else None
        found = foreign_findings(workspace, record)
        foreign = [{"code": each.code, "where": each.where, "message": each.message} for each in found]
        more = {"tables": record["tables"], "approved_on_other_versions": before, "foreign_text": foreign}
        write_json({**entry_json(entry), **said, **more})
        return
    write(f"{record['user']} ({', '.join(record['levels'])}) fragte am {str(record['at'])[:10]}: {record['question']}", bold=True)
    if record["detail"].get("understood"):
        write(f"Verstanden als: {record['detail']['understood']}")
    write_answer(full_answer(record))
    for table in record["tables"]:
        write(f"Gelesen: {table['document']}, Version „{table['version']}“, Tabelle {table['table']}, {table['rows']} Zeilen")
    for problem in foreign_findings(workspace, record):
        write(f"Auffällig: {problem.where}: {problem.message}", colour="yellow")
    write(f"Form der Abfrage: {review['query']}", dim=True)
    write(f"Prüfung: {_STATES[entry.state]}")
    if entry.verdict is not None:
        write(f"Entschieden von {entry.verdict.by} am {entry.verdict.day}. {entry.verdict.reason}".rstrip())
    if elsewhere is not None:
        write(f"Dieselbe Form gab {elsewhere.by} am {elsewhere.day} für andere Versionen oder eine andere Schema-Map frei.")


def _decision_options(command: Any) -> Any:
    command = click.option("--reason", default="", metavar="TEXT", help="Warum; steht danach im Protokoll.")(command)
    return click.argument("answer_id", metavar="ANTWORT")(by_option(command))


@review_group.command(
    "approve",
    cls=BelegCommand,
    short_help="Gibt eine Antwort und ihre Abfrageform frei.",
    help="Rechnet die Antwort aus den Originaldateien nach und gibt sie und ihre Abfrageform frei. Dieselbe Frage wird danach "
    "beantwortet und nennt, wer sie wann geprüft hat. Rückgabewert 4, wenn sie sich nicht mehr nachrechnen lässt.",
    examples=("beleg review approve 4f7c0e9ad5c14d7e9f0b6f2f3f6f8a11 --by 'A. Weber' --to-goldset fragen.yaml",),
)
@_decision_options
@click.option("--to-goldset", metavar="DATEI", type=click.Path(path_type=Path), help="Fügt die Antwort diesem Goldset an.")
@click.pass_context
def approve_command(ctx: click.Context, answer_id: str, by: str, reason: str, to_goldset: Path | None) -> None:
    from qa.review import decide

    workspace = opened(ctx)
    entry = decide(workspace, answer_id, approve=True, by=by, reason=reason)
    write(f"Antwort {answer_id} und ihre Abfrageform sind freigegeben von {by}.", colour="green")
    if to_goldset is not None:
        from qa.review_goldset import append_case

        write(f"{to_goldset}: Fall {append_case(to_goldset, entry.record)} angefügt.")


@review_group.command(
    "reject",
    cls=BelegCommand,
    short_help="Lehnt eine Antwort ab.",
    help="Lehnt eine Antwort ab: Dieselbe Frage wird auf diesen Versionen nicht mehr beantwortet, ihre Abfrageform ist nicht "
    "mehr freigegeben.",
    examples=("beleg review reject 4f7c0e9ad5c14d7e9f0b6f2f3f6f8a11 --by 'A. Weber' --reason 'Meint das Geschäftsjahr'",),
)
@_decision_options
@click.pass_context
def reject_command(ctx: click.Context, answer_id: str, by: str, reason: str) -> None:
    from qa.review import decide

    decide(opened(ctx), answer_id, approve=False, by=by, reason=reason)
    write(f"Antwort {answer_id} ist abgelehnt von {by}.")


@review_group.command(
    "stale",
    cls=BelegCommand,
    short_help="Zeigt überholte Antworten.",
    help="Zeigt die Antworten aus Versionen, die seitdem durch eine andere ersetzt oder entfernt wurden.",
    examples=("beleg review stale --tenant nord",),
)
@_any_tenant
@json_option
@click.pass_context
def stale_command(ctx: click.Context, tenant: str | None, as_json: bool) -> None:
    from qa.review import stale

    workspace = opened(ctx)
    if tenant is not None:
        workspace.catalog.place(tenant)
    found = list(stale(workspace, tenant))
    if as_json:
        keys = ("answer_id", "asked_at", "tenant", "user", "question", "status")
        write_json([{**{key: each.record[key] for key in keys}, "why": list(each.why)} for each in found])
    elif found:
        rows = [(each.record["answer_id"], each.record["user"], each.record["question"], "; ".join(each.why)) for each in found]
        write_table(("Antwort", "von", "Frage", "überholt, weil"), rows)
    else:
        write("Keine Antwort ist überholt.")


@review_group.command(
    "sample",
    cls=BelegCommand,
    short_help="Zieht die Stichprobe für den Start und wertet sie aus.",
    help="Zieht zufällig N Antworten aus dem Protokoll; jede wird mit 'review approve' oder 'review reject' beurteilt. Derselbe "
    "Aufruf zeigt danach, welcher Anteil richtig war; eine neue Stichprobe zieht erst --new.",
    examples=("beleg review sample --n 50 --tenant nord", "beleg review sample --n 50 --tenant nord --new --by 'A. Weber'"),
)
@tenant_option
@click.option("--n", "size", type=click.IntRange(min=1), default=50, show_default=True, help="Wie viele Antworten.")
@click.option("--new", "fresh", is_flag=True, help="Zieht eine neue Stichprobe.")
@click.option("--by", metavar="NAME", help="Wer zieht; sonst der angemeldete Benutzer.")
@json_option
@click.pass_context
def sample_command(ctx: click.Context, tenant: str, size: int, fresh: bool, by: str | None, as_json: bool) -> None:
    from qa.cli_ingest import own_name
    from qa.review import entry_json, sample

    drawn = sample(opened(ctx), tenant, size, by or own_name(), fresh=fresh)
    if as_json:
        counts = {"n": len(drawn.entries), "marked": drawn.marked, "right": drawn.right, "wrong": drawn.wrong}
        write_json({**counts, "drawn_at": drawn.drawn_at, "entries": [entry_json(entry) for entry in drawn.entries]})
        return
    _write_entries(list(drawn.entries))
    write(_share(drawn), bold=True)


def _share(drawn: Sample) -> str:
    total = len(drawn.entries)
    fewer = f" (im Protokoll gab es nicht {drawn.asked_for})" if total < drawn.asked_for else ""
    head = f"Stichprobe vom {drawn.drawn_at[:10]}: {total} Antworten{fewer}, {drawn.marked} beurteilt"
    if not drawn.marked:
        return f"{head}."
    percent = f"{100 * drawn.right / drawn.marked:.1f}".replace(".", ",")
    return f"{head}, davon {drawn.right} richtig ({percent} %) und {drawn.wrong} falsch."
