"""How long understanding a question takes where there are many tables, and a whole answer over one large one.

A workspace of the product's own: CSV files are ingested, questions asked as `beleg ask` asks them.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.timing import processor_seconds
from orchestrator.name_store import NameStore
from orchestrator.period_mention import Calendar
from orchestrator.rewrite_scope import segment_name
from orchestrator.scope import Asker
from orchestrator.understand import understand
from qa.administration import IngestRequest, ingest
from qa.asking import ask
from qa.settings_file import write_workspace
from qa.wiring import Workspace, open_workspace

COLUMNS = 50
ROWS_WITH_NUMBERS = 20
"""Planning looks at texts; numbers in every row would only make the ingest longer."""
TEXT_COLUMNS = ("Kunde", "Artikel", "Projekt", "Vertreter", "Anlage")
MEASURES = (
    "Personalkosten", "Nettoumsatz", "Materialaufwand", "Reisekosten", "Mietkosten", "Energiekosten", "Werbekosten", "Rohertrag",
    "Frachtkosten", "Lagerbestand", "Provisionen", "Versicherungen", "Wartungskosten", "Zinsaufwand", "Abschreibungen",
)  # fmt: skip
PLACES = (
    "Celle", "Danzig", "Bremen", "Kassel", "Aachen", "Lübeck", "Ulm", "Trier", "Halle", "Gera", "Jena", "Fulda", "Hanau",
    "Goslar", "Lodz", "Posen", "Krakau", "Linz", "Graz", "Basel",
)  # fmt: skip
LINES = ("Handel", "Werk", "Lager", "Labor", "Export", "Service", "Montage", "Vertrieb", "Einkauf", "Technik")
NAMES = ("Weber", "Nowak", "Schulz", "Kaiser", "Lehmann", "Kowalski", "Brandt", "Vogel", "Peters", "Adler")
QUESTIONS = (
    "Wie hoch ist die Summe {measure} {line} {place} für {value}?",
    "Summe {measure} {line} {place}",
    "Welcher Kunde hat die höchsten {measure} {line} {place}?",
    "{measure} {line} {place} je Projekt",
    "Wie viele Projekte hat {value}?",
    "Wie hoch ist {measure} {line} {place} für {misspelt}?",
    "Wie hoch ist die Quappelzahl {line} {place}?",
    "Wie hoch ist der Durchschnitt von {measure} {line} {place} für {value}?",
)
WARMING = len(QUESTIONS)
"""Questions before the counted ones, one of each kind: they read what is kept from then on."""
_ASKER = "mitarbeiter"
_TENANT = "firma"


@dataclass(frozen=True)
class Spread:
    """Milliseconds."""

    median: float
    p95: float
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        ordered = sorted(one * 1e3 for one in seconds)
        return cls(statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1) + 0.5)], ordered[-1])


def planning(tables: int, distinct: int, questions: int) -> list[str]:
    """A table for so many tables of 50 columns with so many distinct values in all."""
    with tempfile.TemporaryDirectory() as place:
        files = {f"bericht_{number:03d}.csv": _report(number, distinct // tables) for number in range(tables)}
        with _workspace(Path(place), files) as workspace:
            return _planned(workspace, tables, distinct, questions)


def _planned(workspace: Workspace, tables: int, distinct: int, questions: int) -> list[str]:
    chance, rows = random.Random(11), distinct // tables
    kinds = [QUESTIONS[number % len(QUESTIONS)] for number in range(questions + WARMING)]
    names, calendar, planned = NameStore(), Calendar(date(2024, 10, 16)), 0
    spent: list[tuple[float, float]] = []
    for kind in kinds:
        text = _question(kind, chance.randrange(tables), rows, chance)
        processor, clock = time.process_time(), time.perf_counter()
        scope = workspace.scope(Asker("p", _TENANT, frozenset({_ASKER})))
        found = understand(text, scope, None, calendar, names.names)
        spent.append((time.process_time() - processor, time.perf_counter() - clock))
        planned += bool(found.decision.planned)
    lines = [
        f"Planning, {tables} tables of {COLUMNS} columns, {distinct:,} distinct values, {questions} questions",
        "",
        "| | median ms | p95 ms | most ms | the first question ms |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, seconds in zip(("processor time", "by the clock"), zip(*spent, strict=True), strict=True):
        spread = Spread.of(seconds[WARMING:])
        lines.append(f"| {name} | {spread.median:.1f} | {spread.p95:.1f} | {spread.most:.1f} | {seconds[0] * 1e3:.0f} |")
    return [*lines, "", f"{planned} of {len(kinds)} questions got a plan, the others are asked back or refused."]


def _question(template: str, table: int, rows: int, chance: random.Random) -> str:
    value = _text(table, 0, chance.randrange(rows // len(TEXT_COLUMNS)))
    return template.format(
        measure=chance.choice(MEASURES), line=_line(table), place=_place(table), value=value, misspelt=value.replace("e", "ee", 1)
    )


def _workspace(root: Path, files: dict[str, Iterator[str]]) -> Workspace:
    write_workspace(root / "arbeit", {}, {})
    workspace = open_workspace(root / "arbeit")
    request = IngestRequest(tenant=_TENANT, access_level=_ASKER, kind="financial", create_tenant=True, by="bench")
    for name, lines in files.items():
        path = root / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        ingest(workspace, path, request)
        path.unlink()
    return workspace


def _report(table: int, distinct: int) -> Iterator[str]:
    """A CSV whose five text columns hold so many distinct values in all; every measure is called by the table's own name."""
    chance = random.Random(table)
    numbers = COLUMNS - len(TEXT_COLUMNS)
    heads = [f"{measure} {_line(table)} {_place(table)}" for measure in MEASURES]
    heads += [f"Kennzahl {number} {_line(table)} {_place(table)}" for number in range(numbers - len(heads))]
    yield ";".join([*TEXT_COLUMNS, *heads])
    for row in range(distinct // len(TEXT_COLUMNS)):
        texts = [_text(table, column, row) for column in range(len(TEXT_COLUMNS))]
        amounts = [f"{chance.randrange(10_000_000) / 100:.2f}".replace(".", ",") for _ in range(numbers)]
        yield ";".join([*texts, *(amounts if row < ROWS_WITH_NUMBERS else [""] * numbers)])


def _text(table: int, column: int, row: int) -> str:
    return f"{NAMES[(row * 7 + column) % len(NAMES)]} {LINES[(row + column) % len(LINES)]} {table:03d}{'ABCDE'[column]}{row:05d}"


def _line(table: int) -> str:
    return LINES[table % len(LINES)]


def _place(table: int) -> str:
    return PLACES[table // len(LINES) % len(PLACES)]


# --- a whole answer


LARGE_QUESTIONS: tuple[tuple[str, str], ...] = (
    ("Wie hoch ist der Nettoumsatz in Danzig?", "SELECT sum(nettoumsatz) FROM {0} WHERE filiale = 'Danzig'"),
    ("Wie hoch ist der Nettoumsatz?", "SELECT sum(nettoumsatz) FROM {0}"),
    ("Nettoumsatz je Filiale", "SELECT filiale, sum(nettoumsatz) FROM {0} GROUP BY filiale"),
    ("Welche Filiale hat den höchsten Nettoumsatz?", "SELECT filiale, sum(nettoumsatz) FROM {0} GROUP BY filiale"),
    ("Wie hoch ist die durchschnittliche Menge in Bremen?", "SELECT sum(menge), count(menge) FROM {0} WHERE filiale = 'Bremen'"),
)
"""Question -> the bare statement over the same segment in the same engine."""


def whole_answer(rows: int, runs: int) -> list[str]:
    """A table for one table of so many rows: the whole answer with evidence and proof, and the plain statement."""
    with tempfile.TemporaryDirectory() as place, _workspace(Path(place), {"umsatz.csv": _sales(rows)}) as workspace:
        lines = [
            f"Whole answers, one table of {rows:,} rows, {runs} runs of each question",
            "",
            "| question | plain query ms | median ms | p95 ms | by the clock: median ms | p95 ms | the first time ms |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]
        every: list[tuple[float, float]] = []
        for question, statement in LARGE_QUESTIONS:
            ask_it = partial(_answered, workspace, question)
            (first, _), spent = _spent(workspace, ask_it), [_spent(workspace, ask_it) for _ in range(runs)]
            plain = statistics.median(_plain(workspace, statement) for _ in range(runs))
            every += spent
            lines.append(f"| {question} | {plain * 1e3:.1f} | {_spreads(spent)} | {first * 1e3:.0f} |")
        return [*lines, f"| all | | {_spreads(every)} | |"]


def _spreads(spent: Sequence[tuple[float, float]]) -> str:
    processor, clock = (Spread.of(seconds) for seconds in zip(*spent, strict=True))
    return f"{processor.median:.1f} | {processor.p95:.1f} | {clock.median:.1f} | {clock.p95:.1f}"


def _answered(workspace: Workspace, question: str) -> None:
    answer = ask(workspace, question, Asker("p", _TENANT, frozenset({_ASKER})))
    if answer["status"] != "answered":
        raise SystemExit(f"not answered: {question}: {answer['text']}")


def _plain(workspace: Workspace, statement: str) -> float:
    (stored,) = workspace.catalog.tables(_TENANT)
    sql = statement.format(f'"{segment_name(stored.segment_sha256)}"')
    return _spent(workspace, lambda: workspace.engine(_TENANT).run(sql, [stored], 60.0))[0]


def _spent(workspace: Workspace, step: Callable[[], object]) -> tuple[float, float]:
    """Processor time of both processes, and time by the clock."""
    processes = workspace.engine(_TENANT).processes
    processor, clock = processor_seconds(processes), time.perf_counter()
    step()
    return processor_seconds(processes) - processor, time.perf_counter() - clock


def _sales(rows: int) -> Iterator[str]:
    chance = random.Random(3)
    yield "Filiale;Artikelnr;Nettoumsatz;Menge"
    for _ in range(rows):
        amount = f"{chance.randrange(100, 10_000_000) / 100:.2f}".replace(".", ",")
        yield f"{chance.choice(PLACES)};{chance.randrange(1, 1000)};{amount};{chance.randrange(1, 50)}"
