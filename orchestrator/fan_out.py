"""No cell enters a sum, mean, median or count twice because a join or a union repeated its row.

Looked at on the rows that the engine named, so a join that repeats nothing is no obstacle. orchestrator.join_keys speaks for
the groups that the engine left out of its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from orchestrator.claims import Claim
from orchestrator.evaluate import Evaluated, Evaluator, Frame, TableRows, is_true
from orchestrator.evidence_parts import all_different
from orchestrator.exact_vectors import Array, sorted_unique
from orchestrator.measured_choices import Choices, adds_up, all_of, choices
from orchestrator.sql_algebra import Aggregate, Expression, Reference
from orchestrator.sql_refusals import NoProvenance, shown


def check_fan_out(evaluator: Evaluator, aggregate: Aggregate, frame: Frame, offsets: Array, across: bool) -> None:
    """Raises NoProvenance (rule "fan_out") if a cell enters twice in one group; `across`: or in two groups of the column."""
    if not adds_up(aggregate) or frame.size == 0:
        return
    groups = np.zeros(frame.size, dtype=np.int64) if across else np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    found = aggregate_claims(evaluator, aggregate, frame)
    if any(_repeated(choice, groups) is None for choice in found):
        return
    name = next((name for choice in found if (name := _repeated(choice, groups)) is not None), "")
    raise fan_out(aggregate.name, name)


def fan_out(aggregate: str, name: str) -> NoProvenance:
    """`name`: a column or table of the statement, or nothing."""
    word = "COUNT(*)" if aggregate == "count_rows" else aggregate.upper()
    what = f"Werte aus {shown(name)}" if name else "Werte"
    return NoProvenance(
        "fan_out",
        f"In {word} gingen {what} mehrfach ein, weil eine Verknüpfung ihre Zeilen wiederholt.",
        "Verbinden Sie über eine Spalte ohne doppelte Werte, oder fassen Sie die andere Tabelle vorher zusammen.",
    )


def aggregate_claims(evaluator: Evaluator, aggregate: Aggregate, frame: Frame) -> Choices[Claim]:
    """What an aggregate that adds up takes from the rows of its frame."""
    counted = np.ones(frame.size, dtype=bool)
    if aggregate.condition is not None:
        counted = is_true(evaluator.evaluate(aggregate.condition, frame).vector)
    if aggregate.argument is None:
        return where(row_claims(frame), counted)
    counted = counted & evaluator.evaluate(aggregate.argument, frame).vector.valid
    return where(expression_claims(aggregate.argument, frame), counted)


def expression_claims(expression: Expression, frame: Frame) -> Choices[Claim]:
    """What an expression takes, row by row."""
    return choices(expression, lambda part: _leaf(part, frame), lambda: row_claims(frame))


def _leaf(part: Expression, frame: Frame) -> Choices[Claim] | None:
    for number, (known, compute) in enumerate(frame.computed):
        if known == part:
            return (cited(compute(), number),)
    rows = frame.sources.get(part.source) if isinstance(part, Reference) else None
    if rows is None or not isinstance(part, Reference):
        return None  # taken apart; a column of an enclosing query is the same in all rows
    if isinstance(rows, TableRows):
        table, column = rows.source.table, str(part.column)
        return ((Claim((table.stored.table_id, column, part.source), column, np.arange(frame.size), rows.ids),),)
    return _renamed(rows.claims(int(part.column)), part.source)


def row_claims(frame: Frame) -> Choices[Claim]:
    """The rows of the first source, of the next one where an outer join left the first without a partner."""
    left = np.ones(frame.size, dtype=bool)
    several: list[Choices[Claim]] = []
    for number, rows in frame.sources.items():
        if isinstance(rows, TableRows):
            table, there = rows.source.table, rows.ids >= 0
            claim = Claim((table.stored.table_id, "", number), table.sql_name, np.arange(frame.size), rows.ids)
            several.append(((claim.where(left),),))
        else:
            there = getattr(rows, "present", left)
            several.append(where(_renamed(rows.row_claims(), number), left))
        left = left & ~there
        if not left.any():
            break
    return all_of(several) or ((),)


def cited(value: Evaluated, number: int) -> tuple[Claim, ...]:
    """The cells behind values that are not taken apart: a subquery's value, a window's, the key of a group."""
    found = []
    for part in value.parts:
        if part.role == "cell":
            rows = np.arange(len(value))
            rows = rows if part.offsets is None else np.repeat(rows, np.diff(part.offsets))
            found.append(Claim((part.table.stored.table_id, part.column, "cited", number), part.column, rows, part.ids))
    return tuple(found)


def in_groups(found: Choices[Claim], group_of_row: Array) -> Choices[Claim]:
    """Claims of rows as claims of their groups."""
    return _each(found, lambda claim: replace(claim, rows=group_of_row[claim.rows]))


def in_branch(found: Choices[Claim], rows: Array) -> Choices[Claim]:
    """Claims of one branch of a union as claims of the union, where two readings of one table are the same cells."""
    return _each(found, lambda claim: replace(claim, key=claim.key[:2], rows=rows[claim.rows]))


def where(found: Choices[Claim], mask: Array) -> Choices[Claim]:
    """Without the cells of rows where the mask is False."""
    return _each(found, lambda claim: claim.where(mask))


def _renamed(found: Choices[Claim], source: int) -> Choices[Claim]:
    return _each(found, lambda claim: replace(claim, key=(*claim.key, source)))


def _each(found: Choices[Claim], change: Callable[[Claim], Claim]) -> Choices[Claim]:
    return tuple(tuple(change(claim) for claim in choice) for choice in found)


def _repeated(choice: Sequence[Claim], groups: Array) -> str | None:
    """The name of a column of which a cell enters one group with two rows; None if there is none."""
    by_key: dict[tuple[str | int, ...], list[Claim]] = {}
    for claim in choice:
        by_key.setdefault(claim.key, []).append(claim)
    for claims in by_key.values():
        if len(claims) == 1 and all_different(claims[0].ids):
            continue
        rows, ids = (np.concatenate(several) for several in ([c.rows for c in claims], [c.ids for c in claims]))
        there = ids >= 0
        rows, ids = rows[there], ids[there]
        if all_different(ids):
            continue
        width = int(ids.max()) + 1
        pairs = sorted_unique(rows * width + ids)  # a cell that one row names twice is one
        entered = groups[pairs // width] * width + pairs % width
        if len(sorted_unique(entered)) != len(entered):
            return claims[0].name
    return None
