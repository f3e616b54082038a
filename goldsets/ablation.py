"""What each feature of the search in rows gains: the questions about rows once more without it, in the same workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goldsets.goldset import Goldset
from goldsets.run import CaseResult, RunWorkspace, ask_cases
from goldsets.score import FIRST_ROWS, PASSING, SCORES, position_of

Reopen = Callable[[frozenset[str]], RunWorkspace]
"""The goldset's workspace once more, without these features; what was open before is closed."""


@dataclass(frozen=True)
class Retrieval:
    """Over the cases that name rows: the part of them whose first row is a named one, the mean part of the named rows among
    the first five, and the mean of 1 / the place of the first named one (0 where none is there)."""

    cases: int
    recall_at_1: float
    recall_at_5: float
    mean_reciprocal_rank: float


@dataclass(frozen=True)
class Ablation:
    """One run. `without`: "" for everything. `results`: of the questions about rows, in the order of the file."""

    without: str
    results: tuple[CaseResult, ...]

    @property
    def summary(self) -> dict[str, int]:
        scores = [result.verdict.score for result in self.results]
        return {each: scores.count(each) for each in SCORES if each in scores}

    @property
    def retrieval(self) -> Retrieval:
        return retrieval_of(self.results)

    def passing(self) -> frozenset[str]:
        """Ids of the cases that are right."""
        return frozenset(result.case.case_id for result in self.results if result.verdict.score in PASSING)

    def to_json(self, whole: Ablation) -> dict[str, Any]:
        """`whole`: the run with everything, against which cases are gained and lost."""
        found = self.retrieval
        return {
            "without": self.without or None,
            "summary": self.summary,
            "cases": found.cases,
            "recall_at_1": f"{found.recall_at_1:.3f}",
            "recall_at_5": f"{found.recall_at_5:.3f}",
            "mrr": f"{found.mean_reciprocal_rank:.3f}",
            "lost": sorted(whole.passing() - self.passing()),
            "gained": sorted(self.passing() - whole.passing()),
        }


def ablate(goldset: Goldset, reopen: Reopen, features: Sequence[str], progress: Callable[[str], None]) -> tuple[Ablation, ...]:
    """The run with everything, then one without each feature. The workspace has to be prepared. Empty where no case of the
    goldset is about rows."""
    asked = tuple(case for case in goldset.cases if case.expect.top or case.mode in ("rows", "mixed"))
    if not asked:
        return ()
    progress("mit allem")
    whole = Ablation("", ask_cases(goldset, reopen(frozenset()), asked))
    runs = [whole]
    searching = tuple(result.case for result in whole.results if not _by_numbers(result))
    for feature in features:
        progress(f"ohne {feature}")
        again = {result.case.case_id: result for result in ask_cases(goldset, reopen(frozenset({feature})), searching)}
        runs.append(Ablation(feature, tuple(again.get(result.case.case_id, result) for result in whole.results)))
    return tuple(runs)


def _by_numbers(result: CaseResult) -> bool:
    """Whether rows were compared by their numbers: no feature of the search has a part in that, and it is not asked again."""
    steps = (result.answer or {}).get("trace", ())
    return any(step["stage"] == "rows" and step["detail"].get("kind") == "likeness" for step in steps)


def retrieval_of(results: Sequence[CaseResult]) -> Retrieval:
    """Cases that name no rows do not count."""
    named = [result for result in results if result.case.expect.top]
    first = five = reciprocal = 0.0
    for result in named:
        top = result.case.expect.top
        places = [position_of(row, result.answer or {}) for row in top]
        found = [place for place in places if place is not None]
        first += bool(found) and min(found) == 0
        five += sum(place < FIRST_ROWS for place in found) / len(top)
        reciprocal += 1 / (1 + min(found)) if found else 0.0
    count = max(len(named), 1)
    return Retrieval(len(named), first / count, five / count, reciprocal / count)


def corpus_fingerprint(goldset: Goldset) -> str:
    """Twelve digits that change with any file of the corpus, whom it belongs to, and the words of the schema map."""
    digest = hashlib.sha256()
    for entry in goldset.corpus:
        content = hashlib.sha256(entry.path.read_bytes()).hexdigest()
        digest.update(f"{entry.path.name} {entry.tenant} {entry.access_level} {entry.label} {content}\n".encode())
    digest.update(goldset.contract.model_dump_json().encode())
    return digest.hexdigest()[:12]
