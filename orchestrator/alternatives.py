"""Several plans for one question: they must come to the same, or the asker chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.evidence import CellSet
from orchestrator.outcome import Notice, Outcome
from orchestrator.plan import AggregatePlan, Condition, ListPlan, OneOf, Plan
from orchestrator.planners.decision import Option, PlannerStop
from orchestrator.planners.frames import Reading
from orchestrator.planners.grammar import Planned
from orchestrator.planners.slots import append


@dataclass(frozen=True)
class Attempt:
    """One plan of one reading, run."""

    planned: Planned
    plan: Plan
    outcome: Outcome


def settle_alternatives(attempts: Sequence[Attempt]) -> tuple[Attempt, PlannerStop | None]:
    """The attempt to answer with, and a clarification where attempts that have data differ.

    Attempts that find nothing (`not_in_data`) give way to those that find something; any other stop stands."""
    standing = [a for a in attempts if a.outcome.stop is None or a.outcome.stop.code != "not_in_data"]
    if not standing:
        return attempts[0], None
    stopped = [a for a in standing if a.outcome.stop is not None]
    if stopped:
        return stopped[0], None
    first = standing[0]
    different = [a for a in standing[1:] if _result(a.outcome) != _result(first.outcome)]
    if different:
        return first, _choose([first, *different])
    if len(standing) > 1:
        notice = Notice("same_by_two_readings")
        return replace(first, outcome=replace(first.outcome, notices=(*first.outcome.notices, notice))), None
    return first, None


def same_result(one: Outcome, other: Outcome) -> bool:
    """The same values from the same cells."""
    return _result(one) == _result(other)


def _result(outcome: Outcome) -> tuple[object, ...]:
    """Values with their cells, by version and sheet (a cross-tab as printed and tidied has the same cells)."""

    def places(cells: Sequence[CellSet]) -> frozenset[object]:
        tables = outcome.tables
        return frozenset((tables[c.table_id].version.version_id, tables[c.table_id].stored.table.sheet, c.cells) for c in cells)

    rows = outcome.rows
    return tuple(tuple((v.evidence.value, v.evidence.unit, places(v.evidence.cells)) for v in row) for row in rows)


def _choose(attempts: Sequence[Attempt]) -> PlannerStop:
    options = tuple(dict.fromkeys(option for attempt in attempts if (option := _option(attempt, attempts)) is not None))
    return PlannerStop("clarify", "ambiguous_term", "which_reading", (), options[:6])


def _option(attempt: Attempt, others: Sequence[Attempt]) -> Option | None:
    """A question that only this attempt's reading explains: the column named beside its value, or the sheet named."""
    reading = attempt.planned.reading
    same_frame = [other for other in others if other.planned.reading.frame.main == reading.frame.main and other is not attempt]
    if same_frame:
        return _by_column(attempt, same_frame)
    table = reading.frame.main_table
    sheet, stem = table.stored.table.sheet, table.version.document.rpartition(".")[0]
    if sheet and all(
        other.planned.reading.frame.main_table.stored.table.sheet != sheet for other in others if other is not attempt
    ):
        return Option(
            f"{table.version.document}, {sheet}", append(reading, f"im Blatt {sheet}", f"in sheet {sheet}", f"arkusz {sheet}")
        )
    return Option(table.version.document, append(reading, f"laut {stem}", f"according to {stem}", f"zgodnie z {stem}"))


def _by_column(attempt: Attempt, others: Sequence[Attempt]) -> Option | None:
    theirs = {condition for other in others for condition in _conditions(other.plan)}
    own = next((c for c in _conditions(attempt.plan) if isinstance(c, OneOf) and c not in theirs), None)
    if own is None:
        return None
    reading = attempt.planned.reading
    for index, mention in enumerate(reading.mentions):
        value = next(
            (v for v in mention.values if v.key == (own.column.table, own.column.column) and v.stored in own.values), None
        )
        if value is not None:
            said = reading.text_of(mention)
            label = f"{value.column.names[0]} {said}"
            return Option(label, _said_instead(reading, index, label))
    return None


def _said_instead(reading: Reading, index: int, words: str) -> str:
    mention, tokens, text = reading.mentions[index], reading.question.tokens, reading.question.text
    return text[: tokens[mention.first].start] + words + text[tokens[mention.last - 1].end :]


def _conditions(plan: Plan) -> tuple[Condition, ...]:
    if isinstance(plan, AggregatePlan):
        return tuple(condition for term in plan.terms for condition in term.conditions)
    return plan.conditions if isinstance(plan, ListPlan) else ()
