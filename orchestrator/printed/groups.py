"""Questions over all rows of a printed table or of one of its sections: which has the most, the sum of a section, the top ten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

from orchestrator.plan import AggregatePlan, ColumnRef, Condition, Missing, OneOf, Order, Output, Term, TermValue
from orchestrator.printed.match import Asked, Cells, RowHit, fitting_columns, is_total, only, open_places, row_hits
from orchestrator.printed.view import PrintedColumn, PrintedRow, PrintedTable, header_parts
from orchestrator.printed.words import book, is_year
from orchestrator.scope import VisibleTable
from parsers.table import SECTION_HEADER, ColumnType


def best_row(printed: PrintedTable, asked: Asked) -> AggregatePlan | None:
    """ "Which year has the higher intake from food alone?", "Which crop had the largest area in 2016?": the rows of one section,
    or of the whole table, by one column."""
    asks = _asks_best(printed, asked)
    if asks is None or len(printed.label_columns) != 1:
        return None
    spent, descending = asks
    meant = replace(asked, spent=spent)
    found = only(
        printed,
        meant,
        (Cells(rows, (column,)) for rows in _blocks(printed) for column in fitting_columns(printed, meant)),
    )
    if found is None or _of_years(found) != _asks_year(asked):
        return None
    column, label = found.columns[0], printed.label_columns[0]
    conditions = _section_conditions(printed, found.rows[0].row)
    totals = tuple(str(hit.row.labels[0].text) for hit in _totals(printed) if hit.row.labels[0] is not None)
    if totals:
        conditions = (*conditions, OneOf(ColumnRef(printed.sql_name, label.sql_name), totals, negated=True))
    term = Term(printed.sql_name, "value", (ColumnRef(printed.sql_name, column.visible.sql_name),), (), conditions)
    group = ColumnRef(printed.sql_name, label.sql_name)
    return AggregatePlan(
        (term,),
        (Output(_heading(column), TermValue(0)),),
        (group,),
        (label.names[0],),
        order=Order(0, descending=descending, limit=1),
    )


def best_year(printed: PrintedTable, asked: Asked, tables: Mapping[str, VisibleTable]) -> AggregatePlan | None:
    """ "Which year had the higher revenue?" where the years stand in the columns: one row of the tidied table, by its period."""
    asks = _asks_best(printed, asked)
    tidy = next((t for t in tables.values() if _is_tidy_of(printed, t)), None)
    if asks is None or tidy is None or not _asks_year(asked):
        return None
    spent, descending = asks
    years = frozenset(year for column in printed.columns for year in column.years)
    meant = replace(asked, spent=spent, implied=years)
    columns = tuple(c for c in fitting_columns(printed, meant) if len(c.years) == 1)
    others = [c for c in printed.columns if not c.accessory and c not in columns]
    if len(columns) < 2 or others or len({next(iter(c.years)) for c in columns}) != len(columns):
        return None
    found = only(printed, meant, [Cells((hit,), columns) for hit in row_hits(printed, meant)])
    period = next((c for c in tidy.columns if c.column.type is ColumnType.PERIOD), None)
    value = next((c for c in tidy.columns if c.column.role == "value"), None)
    if found is None or period is None or value is None or found.rows[0].row.conditions is None:
        return None
    conditions = tuple(_moved(condition, tidy.sql_name) for condition in found.rows[0].row.conditions)
    term = Term(tidy.sql_name, "value", (ColumnRef(tidy.sql_name, value.sql_name),), (), conditions, with_totals=True)
    name = next((label.text for label in found.rows[0].row.labels if label is not None), value.names[0])
    return AggregatePlan(
        (term,),
        (Output(name, TermValue(0)),),
        (ColumnRef(tidy.sql_name, period.sql_name),),
        (period.names[0],),
        order=Order(0, descending=descending, limit=1),
    )


def _is_tidy_of(printed: PrintedTable, table: VisibleTable) -> bool:
    """The tidied form with nothing but rows, sections, one period and units: one value for each row and year."""
    meta, own = table.stored.table, printed.table.stored
    if meta.layout != "tidy" or meta.printed != own.table.name or table.version.version_id != printed.table.version.version_id:
        return False
    made = [c for c in table.columns if c.column.position is None and c.column.role in ("dimension", "scenario")]
    return all(c.column.type is ColumnType.PERIOD or c.column.header in (SECTION_HEADER, "Einheit") for c in made)


def _moved(condition: Condition, table: str) -> Condition:
    assert isinstance(condition, OneOf | Missing)
    return replace(condition, column=ColumnRef(table, condition.column.column))


def _asks_best(printed: PrintedTable, asked: Asked) -> tuple[frozenset[int], bool] | None:
    """ "which", the kind of thing, and a superlative or comparative: the places that say so, and whether the largest is meant."""
    stems = [word.stem for word in asked.words]
    kinds = printed.kinds | {"year"}
    which = next((i for i, stem in enumerate(stems[:-1]) if stem in ("which", "what") and stems[i + 1] in kinds), None)
    high = [i for i, stem in enumerate(stems) if stem in book().highest]
    low = [i for i, stem in enumerate(stems) if stem in book().lowest]
    if which is None or len(high) + len(low) != 1:
        return None
    spent = {which, *high, *low}
    place = which + 1
    while place < len(stems) and stems[place] in kinds:
        spent.add(place)
        place += 1
    return frozenset(spent), bool(high)


def _asks_year(asked: Asked) -> bool:
    stems = [word.stem for word in asked.words]
    return any(first in ("which", "what") and second == "year" for first, second in pairwise(stems))


def _blocks(printed: PrintedTable) -> Iterable[tuple[RowHit, ...]]:
    """The rows of each section (the whole table where there is none), printed totals aside."""
    sections = dict.fromkeys(row.section for row in printed.rows)
    for section in sections:
        rows = [row for row in printed.rows if row.section == section and not row.is_total and not _is_all(printed, row)]
        if len(rows) > 1:
            yield tuple(RowHit(row, frozenset()) for row in rows)


def _is_all(printed: PrintedTable, row: PrintedRow) -> bool:
    return all(label is None or is_total(printed, label) for label in row.labels)


def _totals(printed: PrintedTable) -> tuple[RowHit, ...]:
    return tuple(RowHit(row, frozenset()) for row in printed.rows if not row.is_total and _is_all(printed, row))


def _of_years(cells: Cells) -> bool:
    return all(
        label is not None and all(is_year(stem) for stem in label.needed) for hit in cells.rows for label in hit.row.labels
    )


def _section_conditions(printed: PrintedTable, row: PrintedRow) -> tuple[Condition, ...]:
    """The condition on the section alone."""
    return (row.conditions or ())[len(printed.label_columns) :]


def section_sum(printed: PrintedTable, asked: Asked) -> AggregatePlan | None:
    """ "How many workers were in Nova Scotia?": the sum over the rows of a section that is said, where no row is said."""
    stems = [word.stem for word in asked.words]
    counts = any(stems[i : i + 2] == ["how", "many"] for i in range(len(stems)))
    if not counts or row_hits(printed, asked) or len(printed.label_columns) != 1:
        return None
    candidates = []
    for rows in _blocks(printed):
        said = [s for s in rows[0].row.sections if s.needed and set(s.needed) <= asked.said]
        if (
            said
            and said[-1] is rows[0].row.sections[-1]
            and not any(row.is_total for row in _all_of(printed, rows[0].row.section))
        ):
            candidates += [Cells(rows, (column,)) for column in fitting_columns(printed, asked)]
    found = only(printed, asked, [cells for cells in candidates if cells.columns[0].visible.aggregation == "sum"])
    if found is None or len([c for c in candidates if not open_places(printed, asked, c)]) != 1:
        return None
    column = found.columns[0]
    conditions = _section_conditions(printed, found.rows[0].row)
    term = Term(printed.sql_name, "sum", (ColumnRef(printed.sql_name, column.visible.sql_name),), (), conditions)
    return AggregatePlan((term,), (Output(_heading(column), TermValue(0)),))


def _all_of(printed: PrintedTable, section: str | None) -> list[PrintedRow]:
    return [row for row in printed.rows if row.section == section and (row.is_total or _is_all(printed, row))]


def ranked_rows(printed: PrintedTable, asked: Asked) -> tuple[Cells, frozenset[int]] | None:
    """ "the top 10 sources account for": the rows that a rank column numbers up to ten, if these are all of the table."""
    stems = [word.stem for word in asked.words]
    places = [i for i, stem in enumerate(stems[:-1]) if stem == "top" and stems[i + 1].isdigit()]
    ranks = sorted(rank for rank in printed.ranks if rank is not None)
    if len(places) != 1 or ranks != list(range(1, len(printed.rows) + 1)) or len(ranks) != int(stems[places[0] + 1]):
        return None
    spent = frozenset(
        {places[0], places[0] + 1} | {i for i, stem in enumerate(stems) if stem in ("account", "accounted", "accounts")}
    )
    meant = replace(asked, spent=spent)
    rows = tuple(RowHit(row, frozenset()) for row in printed.rows)
    found = only(printed, meant, [Cells(rows, (column,)) for column in fitting_columns(printed, meant)])
    return (found, spent) if found is not None else None


def _heading(column: PrintedColumn) -> str:
    return " ".join(header_parts(column.visible))
