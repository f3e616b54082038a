"""`beleg goldset run` and `beleg demo`: questions with known answers, and sample questions with their evidence."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from qa.cli_frame import BelegCommand, BelegGroup, json_option
from qa.cli_output import end_progress, progress_line, write, write_json, write_table
from qa.german_text import counted, seconds_text
from qa.problems import UsageProblem

if TYPE_CHECKING:
    from goldsets.run import RunReport

_COLOURS = {"correct": "green", "other_stop": "green", "missed": "yellow", "missed_row": "yellow"}


@click.group(
    "goldset",
    cls=BelegGroup,
    short_help="Stellt Fragen mit bekannter Antwort.",
    help="Stellt Fragen, deren richtige Antwort bekannt ist, und bewertet jede Antwort mit ihrem Beleg.",
    examples=("beleg goldset run fragen.yaml",),
)
def goldset_group() -> None:
    pass


@goldset_group.command(
    "run",
    cls=BelegCommand,
    short_help="Bewertet Goldsets in einem frischen Arbeitsbereich.",
    help="Liest die Dateien eines Goldsets in einen frischen Arbeitsbereich, stellt alle Fragen und bewertet die Antworten. Der "
    "Rückgabewert ist nur dann 0, wenn jeder Fall correct oder other_stop ist, sonst 4.",
    examples=(
        "beleg goldset run fragen.yaml",
        "beleg goldset run fragen.yaml --case danzig-q3 --json",
        "beleg goldset run fragen.yaml --keep lauf && beleg verify ANTWORT --workspace lauf",
    ),
)
@click.argument("files", metavar="DATEI…", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@click.option("--case", "cases", multiple=True, metavar="KENNUNG", help="Nur dieser Fall; mehrfach für mehrere Fälle.")
@click.option("--keep", metavar="ORDNER", type=click.Path(path_type=Path), help="Behält den Arbeitsbereich in diesem Ordner.")
def run_command(files: tuple[Path, ...], as_json: bool, cases: tuple[str, ...], keep: Path | None) -> int:
    from goldsets.read_goldset import read_goldset
    from goldsets.run import run_goldset
    from qa.goldset_workspace import open_goldset_workspace

    goldsets = [read_goldset(path) for path in files]
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise UsageProblem(f"Der Ordner {keep} für --keep ist nicht leer; einen neuen nennen.")
    known = {case.case_id for goldset in goldsets for case in goldset.cases}
    if missing := [case for case in cases if case not in known]:
        raise UsageProblem(
            f"Die Option --case nennt „{missing[0]}“; diesen Fall gibt es in {', '.join(map(str, files))} nicht, eine "
            "Kennung aus 'cases' nennen."
        )
    reports = []
    for goldset in goldsets:
        only = [case.case_id for case in goldset.cases if case.case_id in cases]
        if cases and not only:
            continue
        with ExitStack() as stack:
            root = keep if keep is not None else Path(stack.enter_context(TemporaryDirectory(prefix="beleg-goldset-")))
            if len(goldsets) > 1:
                root /= goldset.path.stem
            reports.append(run_goldset(goldset, root, open_goldset_workspace, only=only, progress=progress_line))
        end_progress()
        if not as_json:
            _write_report(reports[-1])
    if as_json:
        write_json(reports[0].to_json() if len(goldsets) == 1 else [report.to_json() for report in reports])
    return 0 if all(report.passed for report in reports) else 4


def _write_report(report: RunReport) -> None:
    write(f"Goldset {report.goldset.name}", bold=True)
    write_table(
        ("Fall", "Wertung", "ms", "Frage"),
        [(each.case.case_id, each.verdict.score, f"{each.seconds * 1000:.0f}", each.case.question) for each in report.results],
        right=frozenset({2}),
    )
    for each in report.results:
        if each.verdict.reason:
            write(f"{each.case.case_id}: {each.verdict.score}", colour=_COLOURS.get(each.verdict.score, "red"), bold=True)
            write(f"  {each.verdict.reason}")
    counts = ", ".join(f"{count} {score}" for score, count in report.summary.items())
    write(f"{counted(len(report.results), 'Fall', 'Fälle')}: {counts}.", bold=True, colour="green" if report.passed else "red")


@click.command(
    "demo",
    cls=BelegCommand,
    short_help="Zeigt Antworten mit Beleg an Beispieldateien.",
    help="Baut aus mitgelieferten Beispieldateien einen Arbeitsbereich, der danach verschwindet, und beantwortet Beispielfragen "
    "mit ihrem Beleg.",
    examples=("beleg demo", "beleg demo --keep beispiel"),
)
@click.option("--keep", metavar="ORDNER", type=click.Path(path_type=Path), help="Behält den Arbeitsbereich in diesem Ordner.")
def demo_command(keep: Path | None) -> int:
    from qa.demo import run_demo

    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise UsageProblem(f"Der Ordner {keep} für --keep ist nicht leer; einen neuen nennen.")
    started = time.perf_counter()
    with ExitStack() as stack:
        root = keep if keep is not None else Path(stack.enter_context(TemporaryDirectory(prefix="beleg-demo-")))
        run_demo(root)
    write(f"Fertig nach {seconds_text(time.perf_counter() - started)}.", dim=True)
    if keep is not None:
        write(f"Der Arbeitsbereich liegt in {keep}; eigene Fragen: beleg ask '…' --workspace {keep} --tenant … --as … --levels …")
    return 0
