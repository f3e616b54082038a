"""`beleg demo`: the shipped workbooks in a fresh workspace, and sample questions with their evidence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from goldsets.goldset import Goldset
from goldsets.read_goldset import read_goldset
from goldsets.run import prepare_workspace
from orchestrator.scope import Asker
from qa.answer_text import write_answer
from qa.cli_output import end_progress, progress_line, write
from qa.goldset_workspace import open_goldset_workspace


def build_demo(root: Path, progress: Callable[[str], None]) -> None:
    """The demo workspace in `root`, for `beleg serve`; what stands there under its name appears only when it is whole."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with as_file(files("goldsets") / "demo") as folder, TemporaryDirectory(prefix=".beleg-demo-", dir=root.parent) as draft:
        goldset = read_goldset(folder / "demo.yaml")
        opened = partial(open_goldset_workspace, questions=_page_questions(folder, goldset))
        prepare_workspace(goldset, Path(draft) / "workspace", opened, progress=progress)
        if root.is_dir() and not any(root.iterdir()):
            root.rmdir()
        (Path(draft) / "workspace").rename(root)


def _page_questions(folder: Path, goldset: Goldset) -> dict[str, list[str]]:
    """What the ask page offers of goldsets/demo/questions.yaml, a tenant's own to each: a proof, a question back, a refusal."""
    cases = {case.case_id: case for case in goldset.cases}
    offered: dict[str, list[str]] = {}
    for name in yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))["page"]:
        offered.setdefault(cases[name].tenant, []).append(cases[name].question)
    return offered


def run_demo(root: Path) -> None:
    """Builds the workspace in `root`, asks what goldsets/demo/questions.yaml names, writes the answers to stdout."""
    with as_file(files("goldsets") / "demo") as folder:
        goldset = read_goldset(folder / "demo.yaml")
        questions = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))["questions"]
        cases = {case.case_id: case for case in goldset.cases}
        write(f"Beleg liest {len(goldset.corpus)} Beispieldateien ein:", bold=True)
        for entry in goldset.corpus:
            write(f"  {entry.path.relative_to(folder).as_posix()}")
        workspace = prepare_workspace(goldset, root, open_goldset_workspace, progress=progress_line)
        end_progress()
    for number, question in enumerate(questions, start=1):
        case = cases[question["case"]]
        write()
        write(f"{number}. {case.question}", bold=True, colour="blue")
        write(f"   {question['shows']}; gefragt mit Stufe {', '.join(sorted(case.levels))}", dim=True)
        write_answer(workspace.ask(case.question, Asker("demo", case.tenant, case.levels), None, case.asked_on))
    write()
