"""Runs a goldset: fresh workspace, read the files, apply what people have approved, ask the cases in order, score each."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Protocol

from goldsets.goldset import Case, CorpusFile, Goldset, GoldsetError
from goldsets.score import PASSING, SCORES, JsonObject, Verdict, score
from orchestrator.scope import Asker
from schema_maps.contract import Contract


class RunWorkspace(Protocol):
    """What a run needs of a workspace; the program that starts the run supplies it."""

    def read(self, entry: CorpusFile) -> None:
        """Reads one file of the corpus; its tenant is made if there is none."""
        ...

    def declare_binding(self, tenant: str, document: str, version: str) -> None: ...

    def approve(self, tenant: str, contract: Contract) -> None: ...

    def ask(self, question: str, asker: Asker, session_id: str | None, today: date | None) -> JsonObject:
        """The answer object. Whatever it raises counts as a question that was not answered."""
        ...


WorkspaceFactory = Callable[[Path, Goldset], RunWorkspace]
"""Makes an empty workspace in a folder that does not exist yet or is empty, with the goldset's settings."""


@dataclass(frozen=True)
class CaseResult:
    """`answer` None: asking ended in an error, which `verdict.reason` names. `seconds`: of the question alone."""

    case: Case
    verdict: Verdict
    answer: JsonObject | None
    seconds: float


@dataclass(frozen=True)
class RunReport:
    """`results` in the order of the file."""

    goldset: Goldset
    results: tuple[CaseResult, ...]

    @property
    def passed(self) -> bool:
        return all(result.verdict.score in PASSING for result in self.results)

    @property
    def summary(self) -> dict[str, int]:
        """Every score that occurs, best first."""
        scores = [result.verdict.score for result in self.results]
        return {each: scores.count(each) for each in SCORES if each in scores}

    def to_json(self) -> dict[str, Any]:
        """The shape of the contract."""
        cases = [{"id": each.case.case_id, "score": each.verdict.score, "answer": each.answer} for each in self.results]
        return {"goldset": self.goldset.name, "summary": self.summary, "cases": cases}


def run_goldset(
    goldset: Goldset,
    root: Path,
    open_workspace: WorkspaceFactory,
    *,
    only: Collection[str] = (),
    progress: Callable[[str], None] = lambda line: None,
) -> RunReport:
    """`only`: ids of the cases to score (their predecessors in a session are asked too, but not scored); empty: all.

    Raises GoldsetError for an id that the goldset does not have, and what reading the corpus raises.
    """
    scored = _chosen(goldset, only)
    workspace = prepare_workspace(goldset, root, open_workspace, progress=progress)
    return RunReport(goldset, ask_cases(goldset, workspace, scored, progress=progress))


def ask_cases(
    goldset: Goldset,
    workspace: RunWorkspace,
    scored: Collection[Case],
    *,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[CaseResult, ...]:
    """Asks these cases of a prepared workspace in the order of the file, after their predecessors in a session."""
    asked = {each.case_id for case in scored for each in goldset.chain(case)}
    results: list[CaseResult] = []
    sessions: dict[str, str] = {}
    for case in goldset.cases:
        if case.case_id not in asked:
            continue
        result = _ask(case, workspace, sessions.get(case.after or ""), goldset)
        if result.answer is not None and result.answer.get("session_id"):
            sessions[case.case_id] = result.answer["session_id"]
        if case in scored:
            results.append(result)
            progress(f"{len(results)}/{len(scored)} {case.case_id}: {result.verdict.score}")
    return tuple(results)


def prepare_workspace(
    goldset: Goldset, root: Path, open_workspace: WorkspaceFactory, *, progress: Callable[[str], None] = lambda line: None
) -> RunWorkspace:
    """The goldset's workspace, ready to be asked: every file read once, versions declared, meanings approved."""
    workspace = open_workspace(root, goldset)
    for number, entry in enumerate(goldset.corpus, start=1):
        progress(f"Datei {number}/{len(goldset.corpus)}: {entry.path.name} ({entry.tenant})")
        workspace.read(entry)
    for binding in goldset.binding:
        for entry in goldset.corpus:
            if (entry.path, entry.label) == (binding.path, binding.version):
                workspace.declare_binding(entry.tenant, entry.path.name, entry.label)
    for tenant in goldset.tenants:
        contract = goldset.contract.for_tenant(tenant)
        if contract.schema_map or contract.relations or contract.synonyms:
            workspace.approve(tenant, contract)
    return workspace


def _chosen(goldset: Goldset, only: Collection[str]) -> tuple[Case, ...]:
    unknown = set(only) - {case.case_id for case in goldset.cases}
    if unknown:
        raise GoldsetError(
            f"{goldset.path}: den Fall „{sorted(unknown)[0]}“ gibt es nicht; --case nennt eine Kennung aus 'cases'."
        )
    return tuple(case for case in goldset.cases if not only or case.case_id in only)


def _ask(case: Case, workspace: RunWorkspace, session_id: str | None, goldset: Goldset) -> CaseResult:
    started = time.perf_counter()
    asker = Asker(user="goldset", tenant=case.tenant, levels=case.levels)
    try:
        answer = workspace.ask(case.question, asker, session_id, case.asked_on)
    except Exception as error:  # one case that fails must not hide the others; the workspace has logged it
        reason = f"Die Frage endete in einem Fehler: {type(error).__name__}: {error}"
        return CaseResult(case, Verdict(score(case, None, goldset).score, reason), None, time.perf_counter() - started)
    seconds = time.perf_counter() - started
    return CaseResult(case, score(case, answer, goldset), answer, seconds)
