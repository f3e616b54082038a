"""The same decision in many columns of a table: named for the first ones, counted for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from parsers.problem import Problem

MOST_COLUMNS = 3
"""Columns that a decision of one kind is named for."""
_BY_COLUMN = frozenset({"locale_decides_number", "locale_decides_date", "mixed_units", "total_differs", "duplicate_header"})


def condensed(problems: Sequence[Problem]) -> list[Problem]:
    """Problems that a table has in every column alike are kept for the first columns; the last of them says how many more."""
    counts = Counter(problem.code for problem in problems if problem.code in _BY_COLUMN)
    seen: Counter[str] = Counter()
    kept = []
    for problem in problems:
        if problem.code in _BY_COLUMN:
            seen[problem.code] += 1
            rest = counts[problem.code] - MOST_COLUMNS
            if seen[problem.code] > MOST_COLUMNS:
                continue
            if seen[problem.code] == MOST_COLUMNS and rest > 0:
                more = "Ebenso an einer weiteren Stelle." if rest == 1 else f"Ebenso an {rest} weiteren Stellen."
                problem = replace(problem, message=f"{problem.message} {more}")
        kept.append(problem)
    return kept
