"""An outcome -> what the answer object says: result, facts with sources, warnings, refusal or clarification, recipes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.answer import (
    Clarification,
    ClarificationOption,
    Column,
    Fact,
    Provenance,
    Refusal,
    Related,
    Result,
    Source,
    Status,
    VersionInfo,
    Warning_,
)
from orchestrator.cell_ranges import shown_ranges, shown_rows
from orchestrator.clarify import sentence
from orchestrator.compose import compose, option_question, title
from orchestrator.evidence import CellSet
from orchestrator.lexicon import Language
from orchestrator.outcome import Notice, Outcome
from orchestrator.phrases import notice_text, option_label, stop_suggestions, stop_text
from orchestrator.plan import Plan
from orchestrator.planners.decision import PlannerStop
from orchestrator.recipe import recipe_to_json
from orchestrator.scope import Scope, VisibleTable
from orchestrator.show_value import Shown, show_value

MOST_CELLS = 1_000
"""Addresses that a source lists one by one; beyond that it gives ranges."""


@dataclass(frozen=True)
class AnswerBody:
    """Everything of the answer that follows from the outcome. `recipes`: JSON data for the audit record: how each fact is
    recomputed, and which table versions it reads."""

    status: Status
    text: str
    result: Result | None = None
    facts: tuple[Fact, ...] = ()
    warnings: tuple[Warning_, ...] = ()
    refusal: Refusal | None = None
    clarification: Clarification | None = None
    recipes: Mapping[str, Any] | None = None
    related: tuple[Related, ...] = ()


def build_answer(
    outcome: Outcome, plan: Plan, scope: Scope, language: Language, question: str, extra: Sequence[Notice] = ()
) -> AnswerBody:
    """`extra`: notices that the outcome does not know of (spelling, two readings)."""
    if outcome.stop is not None:
        return stopped_body(outcome, language, question)
    shown = tuple(
        tuple(show_value(value, column, language) for value, column in zip(row, outcome.columns, strict=True))
        for row in outcome.rows
    )
    facts = tuple(
        _fact(outcome, shown[row][column], row, column)
        for row in range(len(outcome.rows))
        for column in range(len(outcome.columns))
    )
    notices = (*outcome.notices, *extra, *_rounded(shown))
    return AnswerBody(
        "answered",
        compose(outcome, shown, plan, scope, language),
        Result(
            tuple(Column(title(column.name, outcome, language), column.type, column.unit) for column in outcome.columns),
            tuple(tuple(value.value for value in row) for row in shown),
            outcome.truncated,
        ),
        facts,
        tuple(Warning_(notice.code, notice_text(notice, language)) for notice in notices),
        recipes=recipes_of(outcome),
    )


def stopped_body(outcome: Outcome, language: Language, question: str) -> AnswerBody:
    """The refusal or question back of an outcome with a stop."""
    stop = outcome.stop
    assert stop is not None
    text = stop_text(stop, language)
    if stop.status == "clarify":
        options = tuple(
            ClarificationOption(option_label(option, language), option_question(question, option, language))
            for option in stop.options
        )
        return AnswerBody("clarify", text, clarification=Clarification(stop.code, text, options))
    return AnswerBody("refused", text, refusal=Refusal(stop.code, text, stop_suggestions(stop, language, question)))


def _fact(outcome: Outcome, shown: Shown, row: int, column: int) -> Fact:
    value = outcome.rows[row][column]
    provenance = Provenance(
        "sql",
        sources_of(value.evidence.cells or value.evidence.skipped, outcome.tables),
        ";\n".join(value.queries),
        sources_of(value.evidence.base_cells, outcome.tables),
        complete=True,
        numerator=shown.numerator,
        denominator=shown.denominator,
    )
    return Fact(shown.value, value.evidence.unit, shown.text, shown.exact, provenance, row, column)


def sources_of(sets: Sequence[CellSet], tables: Mapping[str, VisibleTable]) -> tuple[Source, ...]:
    """One source a table version; cells as addresses up to MOST_CELLS, else as ranges."""
    return tuple(_source(cells, tables[cells.table_id]) for cells in sets)


def _source(cells: CellSet, table: VisibleTable) -> Source:
    version = table.version
    addresses = tuple(cells.cells) if len(cells.cells) <= MOST_CELLS else shown_ranges(cells.cells)
    return Source(
        version.document,
        table.stored.table.sheet,
        shown_rows(cells.rows),
        addresses,
        cells.row_count,
        VersionInfo(version.label, version.date, version.status, version.binding),
    )


def _rounded(shown: Sequence[Sequence[Shown]]) -> tuple[Notice, ...]:
    return (Notice("rounded"),) if any(value.rounded for row in shown for value in row) else ()


def recipes_of(outcome: Outcome) -> dict[str, Any]:
    """How every fact of the result is computed again, and the table versions read, as JSON data for the audit record."""
    facts = [
        {"row": row, "column": column, "recipe": recipe_to_json(value.recipe)}
        for row, values in enumerate(outcome.rows)
        for column, value in enumerate(values)
        if value.recipe is not None
    ]
    return {"tables": {table_id: _reference(table) for table_id, table in outcome.tables.items()}, "facts": facts}


def _reference(table: VisibleTable) -> dict[str, str | None]:
    version = table.version
    return {
        "sql_name": table.sql_name,
        "document": version.document,
        "version_id": version.version_id,
        "sha256": version.sha256,
        "sheet": table.stored.table.sheet,
    }


def planner_stop_body(stop: PlannerStop, language: Language) -> AnswerBody:
    """The refusal or question back of a planner's stop."""
    text = sentence(stop, language)
    if stop.status == "clarify":
        options = tuple(ClarificationOption(option.label, option.question) for option in stop.options)
        return AnswerBody("clarify", text, clarification=Clarification(stop.code, text, options))
    return AnswerBody("refused", text, refusal=Refusal(stop.code, text, tuple(option.question for option in stop.options)))
