"""What is overdue on a day: due before it, and not settled by then."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from orchestrator.link_names import is_time
from orchestrator.plan import AnyOf, ColumnRef, Compare, Missing
from orchestrator.planners.decision import Option, PlannerStop, Stop
from orchestrator.planners.frames import Reading
from orchestrator.planners.slots import Slot, append
from orchestrator.question import words_of
from orchestrator.scope import VisibleColumn
from parsers.table import ColumnType

_DUE = frozenset({"faellig", "faelligkeit", "due", "faelligkeitsdatum", "termin", "platnosci"})
_SETTLED = frozenset(
    {
        "bezahlt", "gezahlt", "beglichen", "ausgeglichen", "ausgleich", "ausgleichsdatum", "zahlungsdatum", "zahldatum",
        "zahlungseingang", "bezahldatum", "erledigt", "paid", "settled", "cleared", "payment", "settlement", "clearing",
        "zaplacono", "zaplacona", "zaplacone", "uregulowano",
    }
)  # fmt: skip
_MOST_STATES = 8
"""A column of more different texts is no status."""


def due_slot(reading: Reading) -> Slot | None:
    """The date by which something is due; "überfällig am D" is due before D. None if there is not just one such column."""
    due = [column for column in reading.frame.main_table.columns if is_time(column) and _is_called(column, _DUE)]
    return Slot(-1, ColumnRef(reading.frame.main, due[0].sql_name), due[0]) if len(due) == 1 else None


def settled_on(reading: Reading) -> Slot | None:
    """The date on which something was settled. Raises Stop (clarify) where a status says that some rows are settled, and the
    question does not say which it means."""
    days = (ColumnType.DATE, ColumnType.TIMESTAMP)
    columns = reading.frame.main_table.columns
    settled = [c for c in columns if c.column.type in days and _is_called(c, _SETTLED) and not _is_called(c, _DUE)]
    if len(settled) == 1:
        return Slot(-1, ColumnRef(reading.frame.main, settled[0].sql_name), settled[0])
    _require_status(reading, (column for column in columns if column.column.type is ColumnType.TEXT))
    return None


def open_then(settled: Slot, day: date) -> AnyOf:
    """Not settled, or only after the day."""
    return AnyOf(settled.ref, (Missing(settled.ref), Compare(settled.ref, ">", day)))


def _is_called(column: VisibleColumn, words: frozenset[str]) -> bool:
    return any(words.intersection(words_of(name)) for name in (*column.names, column.column.header))


def _require_status(reading: Reading, columns: Iterable[VisibleColumn]) -> None:
    said = {value.key for mention in reading.mentions for value in mention.values}
    index = reading.names.values[reading.frame.main]
    for column in columns:
        if (reading.frame.main, column.sql_name) in said or not 1 < index.distinct.get(column.sql_name, 0) <= _MOST_STATES:
            continue
        states = {named.stored: named.words for named in index.of_column(column.sql_name)}
        others = [str(state) for state, words in states.items() if not _SETTLED.intersection(words)]
        if others and len(others) < len(states):
            header = column.column.header
            options = tuple(
                Option(f"{header} {state}", append(reading, *(f"{word} {header} {state}" for word in ("mit", "with", "z"))))
                for state in others
            )
            raise Stop(PlannerStop("clarify", "ambiguous_value", "overdue_or_settled", (header,), options))
