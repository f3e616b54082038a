"""The totals of one table: those that only its numbers show, the values they print, and what is doubtful about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from parsers.address import cell_address
from parsers.column_cells import says_identifier
from parsers.exact_numbers import ExactNumbers
from parsers.find_headers import Block
from parsers.find_totals import TotalRow
from parsers.fold import fold
from parsers.judge_totals import Judged, judge_totals
from parsers.name_columns import ColumnHeader
from parsers.problem import Problem
from parsers.row_hierarchy import indentation, repeated_rows
from parsers.row_marks import RowMarks
from parsers.sheet_view import SheetView
from parsers.sum_rows import expected_totals
from parsers.table import Column, ColumnType, ControlTotal
from parsers.table_units import NUMBERS
from parsers.total_words import names_total, total_kind
from parsers.type_columns import Reading, TypedColumn

_MOST_PROBLEMS = 10
_NOT_ADDED = re.compile(
    r"preis|quote\b|(?:stunden|steuer|zins|prozent|tages|hebe|verrechnungs|kosten|\b)satz\b|marge\b|anteil|durchschnitt|mittelwert|index\b|note\b|\balter\b|reichweite|temperatur|auslastung|"
    r"zufriedenheit|wahrscheinlichkeit|\bkurs\b|grad\b|\bjahr\b|\bgj\b|\bmonat\b|\bwoche\b|\bkw\b|\btag\b|\brang\b|\bje\b|\bpro\b|\bper\b|"
    r"price|\brate\b|ratio\b|\bshare\b|average|\bavg\b|percent|score|\bage\b|\byear\b|\bmonth\b|\brank\b|"
    r"cena|stawka|udzial|srednia|\brok\b|\bmiesiac\b|[%ø⌀]"
)
"""Headers of numbers that a total row does not add up: prices, rates, shares, averages, years."""


def find_more_totals(
    view: SheetView,
    block: Block,
    rows: Sequence[int],
    headers: Sequence[ColumnHeader],
    typed: Sequence[TypedColumn],
    known: dict[int, TotalRow],
) -> Judged:
    """Totals beside the `known` ones that the numbers of a typed table show, and rows that may be totals."""
    numbers = [
        (header, column, _numbers_of(column))
        for header, column in zip(headers, typed, strict=True)
        if column.type in NUMBERS and header.column != block.left and not says_identifier(header.header)
    ]
    additive = [values for header, column, values in numbers if _is_additive(header, column)]
    additive = additive or [values for _, column, values in numbers if column.units.unit != "%" and not column.units.rows]
    of_values = {header.column for header, _, _ in numbers}
    if not numbers:
        return Judged({}, {})
    labels = [header for header in headers if header.column not in of_values]
    indented = _indented(view, block, rows, labels, additive, [values for _, _, values in numbers], known)
    known = {**known, **indented.totals}
    marks = RowMarks.of(view, rows, frozenset(known), labels, sorted(of_values))
    judged = judge_totals(marks, additive, [values for _, _, values in numbers], known)
    doubtful = {row: total for row, total in indented.suspected.items() if row not in judged.totals}
    return Judged({**indented.totals, **judged.totals}, dict(sorted({**judged.suspected, **doubtful}.items())))


def _numbers_of(column: TypedColumn) -> Sequence[Decimal | None]:
    if isinstance(column.values, ExactNumbers):
        return column.values
    return [value if isinstance(value, Decimal) else None for value in column.values]


def _is_additive(header: ColumnHeader, column: TypedColumn) -> bool:
    unit = column.units.unit or header.unit
    if unit == "%" or column.units.rows or (unit is not None and "/" in unit):
        return False
    return not names_total(header.header) and _NOT_ADDED.search(fold(header.header)) is None


def _indented(
    view: SheetView,
    block: Block,
    rows: Sequence[int],
    labels: Sequence[ColumnHeader],
    additive: Sequence[Sequence[Decimal | None]],
    numbers: Sequence[Sequence[Decimal | None]],
    known: dict[int, TotalRow],
) -> Judged:
    """Rows that repeat those indented below them, or part up the one above."""
    places = {header.column for header in labels}
    typed = frozenset(range(block.left, block.right + 1)) - places
    found = indentation(view, block, rows, typed)
    if found is None:
        return Judged({}, {})
    marks = RowMarks.of(view, rows, frozenset(known), labels, ())
    known_indexes = {index for index, row in enumerate(rows) if row in known}
    total = next((i for i in sorted(known_indexes, reverse=True) if known[rows[i]].closes), None)
    repeated = repeated_rows(additive, numbers, found.indents, known_indexes, total)

    def made(indexes: Iterable[int], *, closes: bool) -> dict[int, TotalRow]:
        found_rows = (rows[index] for index in sorted(indexes))
        return {row: TotalRow(row, marks.label(row), "subtotal", "arithmetic", closes) for row in found_rows}

    sure = {**made(repeated.sums, closes=True), **made(repeated.details, closes=False)}
    return Judged(sure, made(repeated.doubtful, closes=True))


def control_totals(
    rows: Sequence[int], columns: Sequence[Column], typed: Sequence[TypedColumn], totals: dict[int, TotalRow]
) -> tuple[ControlTotal, ...]:
    """What the total rows print, each number with its cell. A grand total above further data is a subtotal."""
    last = max((row for row in rows if row not in totals), default=0)
    controls = []
    for index, row in enumerate(rows):
        if row not in totals:
            continue
        values = []
        for column, found in zip(columns, typed, strict=False):
            value = found.values[index]
            if column.type in NUMBERS and isinstance(value, Decimal) and column.position is not None:
                values.append((column.sql_name, value, cell_address(row, column.position)))
        kind = totals[row].kind if row > last else "subtotal"
        controls.append(ControlTotal(row, totals[row].label, kind, tuple(values)))
    return tuple(controls)


def suspicion_problems(block: Block, suspected: Sequence[ControlTotal], reading: Reading) -> list[Problem]:
    """One problem a row that may be a total but stands among the data."""
    problems = []
    for total in suspected[:_MOST_PROBLEMS]:
        named = f"Zeile {total.row} („{total.label}“)" if total.label else f"Zeile {total.row} (ohne Beschriftung)"
        where = f"{reading.where}{total.values[0][2] if total.values else cell_address(total.row, block.left)}"
        message = f"{named} ist vielleicht eine Summen- oder Auswertungszeile; sie zählt als Datenzeile, Summen sind unsicher."
        hint = "Beschriften Sie eine Summenzeile mit „Summe“ oder „Gesamt“, oder nennen Sie die gewünschten Zeilen in der Frage."
        problems.append(Problem("maybe_total", where, message, hint))
    return problems


def differing_totals(
    rows: Sequence[int],
    left: int,
    columns: Sequence[Column],
    typed: Sequence[TypedColumn],
    totals: dict[int, TotalRow],
    reading: Reading,
) -> list[Problem]:
    """Printed totals by word that no sum of the rows above explains, in columns that add up."""
    problems: list[Problem] = []
    flags = frozenset(index for index, row in enumerate(rows) if row in totals and totals[row].closes)
    parts = frozenset(index for index, row in enumerate(rows) if row in totals and not totals[row].closes)
    for index, row in enumerate(rows):
        if row not in totals or totals[row].by != "words" or total_kind(totals[row].label) != "total":
            continue
        for column, found in zip(columns, typed, strict=False):
            value = found.values[index]
            if not isinstance(value, Decimal) or len(problems) >= _MOST_PROBLEMS or not _is_checked(column, left):
                continue
            numbers = _numbers_of(found)
            options = expected_totals(numbers, flags, index, parts)
            ordinary = (number for i, number in enumerate(numbers[:index]) if i not in flags | parts)
            if value not in options and any(number is not None for number in ordinary):
                where = f"{reading.where}{cell_address(row, column.position or 1)}"
                message = (
                    f"„{totals[row].label}“ nennt in Spalte „{column.header}“ {value}, die Zeilen darüber ergeben {options[1]}."
                )
                problems.append(Problem("total_differs", where, message, "Prüfen Sie die Summe in der Datei."))
    return problems


def _is_checked(column: Column, left: int) -> bool:
    return (
        column.type is ColumnType.DECIMAL
        and column.unit != "%"
        and column.unit_column is None
        and column.position not in (None, left)
    )
