"""`beleg goldset run` and `beleg demo`: questions with known answers, and sample questions with their evidence."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from qa.cli_frame import BelegCommand, BelegGroup, json_option
from qa.cli_output import end_progress, progress_line, write, write_json, write_table
from qa.german_text import counted, seconds_text
from qa.problems import UsageProblem

if TYPE_CHECKING:
    from goldsets.run import RunReport, WorkspaceFactory

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
@click.option("--without", multiple=True, metavar="MERKMAL", help="Sucht in Zeilen ohne dieses Merkmal; mehrfach möglich.")
@click.option("--ablation", is_flag=True, help="Stellt die Fragen nach Zeilen auch ohne jedes Merkmal der Suche.")
@click.option("--keep", metavar="ORDNER", type=click.Path(path_type=Path), help="Behält den Arbeitsbereich in diesem Ordner.")
def run_command(
    files: tuple[Path, ...], as_json: bool, cases: tuple[str, ...], without: tuple[str, ...], ablation: bool, keep: Path | None
) -> int:
    from goldsets.ablation import corpus_fingerprint
    from goldsets.read_goldset import read_goldset
    from goldsets.run import run_goldset
    from orchestrator.search.search_rows import FEATURES
    from qa.ablation_report import run_ablation, write_ablation

    if unknown := [feature for feature in without if feature not in FEATURES]:
        raise UsageProblem(f"Die Option --without kennt „{unknown[0]}“ nicht; möglich sind {', '.join(FEATURES)}.")
    left_out = frozenset(without)

    goldsets = [read_goldset(path) for path in files]
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise UsageProblem(f"Der Ordner {keep} für --keep ist nicht leer; einen neuen nennen.")
    known = {case.case_id for goldset in goldsets for case in goldset.cases}
    if missing := [case for case in cases if case not in known]:
        raise UsageProblem(
            f"Die Option --case nennt „{missing[0]}“; diesen Fall gibt es in {', '.join(map(str, files))} nicht, eine "
            "Kennung aus 'cases' nennen."
        )
    reports: list[RunReport] = []
    shapes = []
    for goldset in goldsets:
        only = [case.case_id for case in goldset.cases if case.case_id in cases]
        if cases and not only:
            continue
        with ExitStack() as stack:
            root = keep if keep is not None else Path(stack.enter_context(TemporaryDirectory(prefix="beleg-goldset-")))
            if len(goldsets) > 1:
                root /= goldset.path.stem
            with ExitStack() as ends:
                report = run_goldset(goldset, root, _opening(left_out, ends), only=only, progress=progress_line)
            runs = run_ablation(goldset, root, left_out, progress_line) if ablation else None
        end_progress()
        reports.append(report)
        shape = {**report.to_json(), "corpus": corpus_fingerprint(goldset)}
        shapes.append(shape if runs is None else {**shape, "ablation": [run.to_json(runs[0]) for run in runs]})
        if not as_json:
            _write_report(report, corpus_fingerprint(goldset))
            if runs is not None:
                write_ablation(runs)
    if as_json:
        write_json(shapes[0] if len(goldsets) == 1 else shapes)
    return 0 if all(report.passed for report in reports) else 4


def _opening(without: frozenset[str], ends: ExitStack) -> WorkspaceFactory:
    """Opens workspaces that close with `ends`, so that another one can hold the folder behind it."""
    from qa.goldset_workspace import open_goldset_workspace

    return lambda root, goldset: ends.enter_context(closing(open_goldset_workspace(root, goldset, without=without)))


def _write_report(report: RunReport, corpus: str) -> None:
    write(f"Goldset {report.goldset.name}, Korpus {corpus}", bold=True)
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
