"""Likeness plans: the table's rows with every cell proved, compared with the one row outside the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from orchestrator.cell_ranges import union
from orchestrator.outcome import Notice, Outcome, RelatedRow, ResultColumn, Stop, Stopped, TracedValue
from orchestrator.plan import ColumnRef, Condition, LikenessPlan, ListPlan
from orchestrator.rows.similarity import Likeness, profile_likeness, shape_likeness, variance
from orchestrator.run_context import ROW_LIMIT, RunContext
from orchestrator.run_list import run_list

NEARLY = Fraction(1, 100)
"""Rows whose similarity is this near to that of the last one named are said to be nearly as alike."""


@dataclass(frozen=True)
class _Row:
    """`place`: the source row; `numbers`: of the compared columns, None where one is missing."""

    place: int
    values: dict[ColumnRef, TracedValue]
    numbers: tuple[Fraction | None, ...]

    def complete(self) -> tuple[Fraction, ...] | None:
        known = tuple(number for number in self.numbers if number is not None)
        return known if len(known) == len(self.numbers) else None


def run_likeness(context: RunContext, plan: LikenessPlan) -> Outcome:
    """Raises Stopped: the anchor is no row or several, it has no value to compare, there is no other row, too many rows."""
    columns = tuple(dict.fromkeys((*plan.title, *plan.shown, *plan.compared)))
    rows, listed = _read(context, plan, columns, ())
    anchors = {row.place for row in _read(context, plan, columns, plan.anchor)[0]}
    allowed = {row.place for row in _read(context, plan, columns, plan.conditions)[0]} if plan.conditions else None
    if len(anchors) > 1:
        raise Stopped(Stop("refused", "not_understood", "anchor_of_several_rows", counts=(len(anchors),)))
    anchor = next(row for row in rows if row.place in anchors)
    used = [place for place, number in enumerate(anchor.numbers) if number is not None]
    others = [row for row in rows if row.place != anchor.place and (allowed is None or row.place in allowed)]
    whole = [row for row in others if all(row.numbers[place] is not None for place in used)]
    used = [place for place in used if plan.measure == "shape" or _varies(place, [anchor, *whole])]
    if len(used) < (3 if plan.measure == "shape" else 1):
        raise Stopped(Stop("refused", "not_in_data", "nothing_to_compare"))
    found = sorted(_compared(plan, anchor, whole, used), key=lambda pair: (-pair[0].order, pair[1].place))
    if not found:
        raise Stopped(Stop("refused", "not_in_data", "no_other_row"))
    by_ref = dict(zip(columns, listed.columns, strict=True))
    named = _with_ties(found, plan.most)
    related = tuple(_related(plan, likeness, row, [plan.compared[place] for place in used], by_ref) for likeness, row in named)
    notices = [notice for notice in listed.notices if notice.code != "missing_skipped"]
    left_out = len(others) - len(whole)
    if left_out:
        notices.append(Notice("missing_skipped", "rows", (), (left_out,)))
    if len(named) > plan.most:
        notices.append(Notice("ties_listed", "", tuple(row.title for row in related[plan.most - 1 :]), (plan.most, len(named))))
    return Outcome(
        "related",
        tuple(by_ref[ref] for ref in plan.title),
        (tuple(anchor.values[ref] for ref in plan.title),),
        len(found),
        len(found) > len(related),
        tuple(dict.fromkeys((*notices, *_nearly(plan, found, named)))),
        tables=dict(context.reading.tables),
        queries=tuple(dict.fromkeys(context.reading.queries)),
        related=related,
        compared=tuple(by_ref[plan.compared[place]].name for place in used),
    )


def _read(
    context: RunContext, plan: LikenessPlan, columns: tuple[ColumnRef, ...], conditions: tuple[Condition, ...]
) -> tuple[list[_Row], Outcome]:
    names = tuple(context.table(plan.table).column(ref.column) for ref in columns)
    titles = tuple(column.names[0] if column is not None else ref.column for column, ref in zip(names, columns, strict=True))
    listed = run_list(context, ListPlan(plan.table, columns, titles, conditions=conditions, distinct=False), ROW_LIMIT)
    if listed.truncated:
        raise Stopped(Stop("refused", "limit", "too_many_rows", counts=(ROW_LIMIT,)))
    rows = []
    for values in listed.rows:
        by_ref = dict(zip(columns, values, strict=True))
        places = [cells.rows[0] for value in values for cells in value.evidence.cells if cells.rows]
        numbers = tuple(by_ref[ref].number for ref in plan.compared)
        rows.append(_Row(max(places, default=0), by_ref, numbers))  # a merged label stands in an earlier row
    return rows, listed


def _varies(place: int, rows: Sequence[_Row]) -> bool:
    return len({row.numbers[place] for row in rows}) > 1


def _compared(plan: LikenessPlan, anchor: _Row, rows: Sequence[_Row], used: Sequence[int]) -> Iterator[tuple[Likeness, _Row]]:
    own = _numbers(anchor, used)
    if plan.measure == "profile":
        everyone = [own, *(_numbers(row, used) for row in rows)]
        variances = [variance(column) for column in zip(*everyone, strict=True)]
        for row in rows:
            yield profile_likeness(own, _numbers(row, used), variances), row
        return
    for row in rows:
        likeness = shape_likeness(own, _numbers(row, used))
        if likeness is not None:
            yield likeness, row


def _numbers(row: _Row, used: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(number for place in used if (number := row.numbers[place]) is not None)


def _with_ties(found: Sequence[tuple[Likeness, _Row]], most: int) -> list[tuple[Likeness, _Row]]:
    """The first ones, and all that are exactly as alike as the last of them."""
    if len(found) <= most:
        return list(found)
    border = found[most - 1][0].order
    return [*found[:most], *(pair for pair in found[most:] if pair[0].order == border)]


def _nearly(
    plan: LikenessPlan, found: Sequence[tuple[Likeness, _Row]], named: Sequence[tuple[Likeness, _Row]]
) -> Iterator[Notice]:
    """Rows that are left out although they are almost as alike as the last one named."""
    border = named[-1][0].similarity
    near = [row for likeness, row in found[len(named) :] if border - likeness.similarity < NEARLY]
    if near:
        yield Notice("ties_listed", "nearly", tuple(_title(plan, row) for row in near[:5]), (len(near),))


def _title(plan: LikenessPlan, row: _Row) -> str:
    said = (row.values[ref].evidence.value for ref in plan.title)
    return " ".join(str(value) for value in said if value is not None)


def _related(
    plan: LikenessPlan,
    likeness: Likeness,
    row: _Row,
    compared: Sequence[ColumnRef],
    columns: dict[ColumnRef, ResultColumn],
) -> RelatedRow:
    cells = union(*(row.values[ref].evidence.cells for ref in compared))
    shown = tuple((columns[ref], row.values[ref]) for ref in (*plan.title, *plan.shown) if row.values[ref].absent is None)
    return RelatedRow(_title(plan, row), shown, cells, likeness.similarity)
