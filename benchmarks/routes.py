"""`python -m benchmarks.routes GOLDSET…`: which way the questions go by their words, against the mode that the goldsets name."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from goldsets.goldset import Goldset
from goldsets.read_goldset import read_goldset
from orchestrator.classify import classify
from orchestrator.question import read_question

ROUTES = ("sql", "rows", "mixed", "out_of_scope")
STOPS = ("unsafe_query",)
"""Refusal codes of questions that no data answer; of all other refusals the way is that of the goldset's mode."""

Matrix = Counter[tuple[str, str]]
"""(mode, route) -> questions."""


def expected_route(goldset: Goldset, case_id: str) -> str:
    """The mode of the case; out_of_scope for a command that must be refused."""
    case = next(case for case in goldset.cases if case.case_id == case_id)
    return "out_of_scope" if case.expect.code in STOPS else case.mode


def matrix_of(goldset: Goldset) -> Matrix:
    """Of every question of the goldset."""
    said = ((expected_route(goldset, case.case_id), classify(read_question(case.question)).route) for case in goldset.cases)
    return Counter(said)


def table(matrices: Iterable[tuple[str, Matrix]]) -> Iterator[str]:
    """A Markdown table: one line a goldset and mode."""
    yield "| set | mode | " + " | ".join(ROUTES) + " |"
    yield "| --- | --- |" + " ---: |" * len(ROUTES)
    for name, matrix in matrices:
        for mode in ROUTES:
            counts = [matrix[mode, route] for route in ROUTES]
            if any(counts):
                yield f"| {name} | {mode} | " + " | ".join(map(str, counts)) + " |"


def main() -> None:
    goldsets = [read_goldset(Path(argument)) for argument in sys.argv[1:]]
    print("\n".join(table((goldset.path.stem, matrix_of(goldset)) for goldset in goldsets)))


if __name__ == "__main__":
    main()
