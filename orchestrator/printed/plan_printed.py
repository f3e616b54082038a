"""Plans for English questions over printed reports, where the planner's rules find none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from orchestrator.plan import AggregatePlan, Arithmetic, Change, ColumnRef, Divided, Expression, Output, Ratio, Term, TermValue
from orchestrator.printed.groups import best_row, best_year, ranked_rows, section_sum
from orchestrator.printed.match import (
    Asked,
    Cells,
    RowHit,
    fitting_columns,
    one_cell,
    only,
    open_places,
    read_asked,
    row_hits,
    total_rows,
)
from orchestrator.printed.operations import Operation, operations
from orchestrator.printed.view import (
    PrintedColumn,
    PrintedRow,
    PrintedTable,
    cell_unit,
    cell_value,
    header_parts,
    printed_table,
    row_amount,
)
from orchestrator.printed.words import book, is_year, words_in
from orchestrator.question import Question
from orchestrator.scope import VisibleTable


@dataclass(frozen=True)
class PrintedPlan:
    """`table`: SQL name of the printed table the plan reads."""

    table: str
    plan: AggregatePlan


def plan_printed(question: Question, tables: Mapping[str, VisibleTable]) -> PrintedPlan | None:
    """The one plan that explains every word over one printed table; None if there is none, or if two tables have one."""
    if question.language != "en":
        return None
    asked = read_asked(words_in(question.text))
    found = []
    for table in tables.values():
        printed = printed_table(table)
        plan = _plan(printed, asked, tables) if printed is not None else None
        if plan is not None:
            found.append(PrintedPlan(table.sql_name, plan))
    return found[0] if len(found) == 1 else None


def _plan(printed: PrintedTable, asked: Asked, tables: Mapping[str, VisibleTable]) -> AggregatePlan | None:
    best = best_row(printed, asked) or best_year(printed, asked, tables)
    if best is not None:
        return best
    ranked = ranked_rows(printed, asked)
    if ranked is not None:
        return _build(printed, ranked[0], Operation("sum", ranked[1], "said"))
    for operation in operations(asked):
        if operation.kind in _COMPARED and _asks_labels(printed, asked):
            continue
        in_percent = frozenset({"percent"}) if operation.kind == "percent_change" else frozenset()
        spent = replace(asked, spent=operation.spent, implied=in_percent)
        hits = row_hits(printed, spent)
        cells = _cells(printed, spent, operation, hits)
        if cells is None and not hits:
            cells = _cells(printed, spent, operation, total_rows(printed, spent))
        if cells is None and operation.kind in ("ratio", "percent_ratio"):
            cells = part_and_whole(printed, spent, hits)
        if cells is not None and _sign_is_known(printed, cells, operation):
            return _build(printed, cells, operation)
    return section_sum(printed, asked)


_COMPARED = ("difference", "percent_change", "times")


def _asks_labels(printed: PrintedTable, asked: Asked) -> bool:
    """ "Which branches had lower sales than …", "How many branches increased …": labels are asked for, not a difference."""
    stems = [word.stem for word in asked.words]
    runs = zip(stems, stems[1:], stems[2:], strict=False)
    counted = any((first, second) == ("how", "many") and third in printed.kinds for first, second, third in runs)
    return counted or any(stem in ("which", "who", "whose") for stem in stems[:2])


def _cells(printed: PrintedTable, asked: Asked, operation: Operation, hits: tuple[RowHit, ...]) -> Cells | None:
    if operation.kind == "value":
        return one_cell(printed, asked, hits)
    if operation.kind in ("mean", "sum"):
        return _several(printed, asked, hits, all_years=operation.kind == "mean")
    return only(printed, asked, _pairs(printed, asked, hits))


def _pairs(printed: PrintedTable, asked: Asked, hits: tuple[RowHit, ...]) -> Iterable[Cells]:
    """One row in two columns, or two rows in one column; each of the two says something that the other does not."""
    columns = fitting_columns(printed, asked)
    for hit in hits:
        for first, second in combinations(columns, 2):
            if (first.needed - second.stems) and (second.needed - first.stems):
                yield Cells((hit,), _in_order(asked, first, second))
    for one, other in combinations(hits, 2):
        if not (_under_own_years(asked, one.row, other.row) if one.places == other.places else _apart(one, other)):
            continue
        if _is_dated(one.row) and one.row.section != other.row.section:
            continue
        pair = (one, other) if _said_first(asked, one, other) else (other, one)
        for column in columns:
            yield Cells(pair, (column,))


def part_and_whole(printed: PrintedTable, asked: Asked, hits: tuple[RowHit, ...]) -> Cells | None:
    """ "What fraction of the garlic area was in Quebec?": one cell and the sum of its row in the column that holds it; a
    number said with the unit of the whole ("of the 2207 acres") must be that very sum."""
    whole = printed.whole
    if whole is None:
        return None
    found = []
    for hit in hits:
        amount = row_amount(printed, hit.row, whole)
        known = frozenset(i for i, word in enumerate(asked.words) if amount is not None and word.stem.replace(",", "") == amount)
        meant = replace(asked, spent=asked.spent | known)
        parts = [column for column in fitting_columns(printed, meant) if column is not whole]
        found += [cells for part in parts if not open_places(printed, meant, cells := Cells((hit,), (part, whole)))]
    return found[0] if len(found) == 1 and found[0].rows[0].row.conditions is not None else None


def _said_first(asked: Asked, one: RowHit, other: RowHit) -> bool:
    """By the place of the label, or of the first word that only one of the two headings explains."""
    if one.places != other.places:
        return one.first < other.first
    first, second = one.row.section_stems, other.row.section_stems
    return next((word.stem in first for word in asked.words if (word.stem in first) != (word.stem in second)), True)


def _apart(one: RowHit, other: RowHit) -> bool:
    return bool(one.places and other.places) and not one.places & other.places


def _under_own_years(asked: Asked, one: PrintedRow, other: PrintedRow) -> bool:
    """One label under two headings, each of which says a year of the question that the other does not."""
    first, second = (frozenset(stem for stem in row.section_stems & asked.said if is_year(stem)) for row in (one, other))
    return bool(first - second and second - first)


def _is_dated(row: PrintedRow) -> bool:
    """Rows that are years: two of them are compared under the same heading only."""
    return all(label is not None and all(is_year(stem) for stem in label.needed) for label in row.labels)


def _in_order(asked: Asked, first: PrintedColumn, second: PrintedColumn) -> tuple[PrintedColumn, PrintedColumn]:
    """As said: by the first word that only one of them explains."""
    for word in asked.words:
        if (word.stem in first.needed) != (word.stem in second.needed):
            return (first, second) if word.stem in first.needed else (second, first)
    return first, second


def _several(printed: PrintedTable, asked: Asked, hits: tuple[RowHit, ...], *, all_years: bool) -> Cells | None:
    """One row over the years that are said, or a range of them (`all_years`: over all of them where none is said); or two rows in
    one column."""
    years = _years_meant(printed, asked)
    if not all_years and _count_said(asked) is None and not any(is_year(word.stem) for word in asked.words):
        years = frozenset()
    if years is None:
        return None
    wider = replace(asked, implied=years)
    columns = tuple(c for c in fitting_columns(printed, wider) if len(c.years & years) == 1)
    if len(columns) >= 2 and len({next(iter(c.years & years)) for c in columns}) == len(columns) == len(years):
        found = only(printed, wider, [Cells((hit,), columns) for hit in hits])
        if found is not None:
            return found
    rows = [cells for cells in _pairs(printed, asked, hits) if len(cells.rows) == 2]
    return only(printed, asked, rows)


def _years_meant(printed: PrintedTable, asked: Asked) -> frozenset[str] | None:
    """The years said; with "from … to …" also those between, each of which must be there; without any, all that there are."""
    there = frozenset(year for column in printed.columns for year in column.years)
    said = [word.stem for word in asked.words if is_year(word.stem)]
    count = _count_said(asked)
    if not said:
        return there if count in (None, len(there)) else None
    if len(set(said)) == 2 and _is_range(asked):
        first, last = sorted(int(year) for year in set(said))
        wanted = frozenset(str(year) for year in range(first, last + 1))
        return wanted if wanted <= there else None
    return frozenset(said)


def _count_said(asked: Asked) -> int | None:
    stems = [word.stem for word in asked.words]
    for place in sorted(asked.spent):
        if stems[place].isdigit() or stems[place] in book().number_words:
            return int(book().number_words.get(stems[place], stems[place]))
    return 2 if "both" in stems and "year" in stems else None


def _is_range(asked: Asked) -> bool:
    """Two years with "to", "through" or a dash between, or introduced by "between"."""
    places = [i for i, word in enumerate(asked.words) if is_year(word.stem)]
    between = [word.stem for word in asked.words[places[0] + 1 : places[-1]]]
    return (
        not between
        or any(stem in ("to", "through", "until") for stem in between)
        or ("and" in between and any(word.stem == "between" for word in asked.words[: places[0]]))
    )


# --- the plan


def _build(printed: PrintedTable, cells: Cells, operation: Operation) -> AggregatePlan:
    pairs = [(hit, column) for hit in cells.rows for column in cells.columns]
    if operation.kind in ("difference", "percent_change", "times"):
        pairs = _compared(pairs, operation)
    elif operation.order == "reversed" and cells.columns[-1] is not printed.whole:
        pairs.reverse()
    terms = tuple(_term(printed, hit, column) for hit, column in pairs)
    names = [_name(hit, column) for hit, column in pairs]
    outputs = [
        Output(
            _title(operation, cells, names),
            _expression(printed, operation, cells, len(terms)),
            unit=_unit(printed, operation, cells),
        )
    ]
    if operation.kind != "value":
        outputs += [Output(name, TermValue(i), shown=False) for i, name in enumerate(names)]
    return AggregatePlan(terms, tuple(outputs))


Pair = tuple[RowHit, PrintedColumn]


def _sign_is_known(printed: PrintedTable, cells: Cells, operation: Operation) -> bool:
    """ "The difference between 2004 and 2015" of a figure that fell: some mean the fall as a positive number, others not."""
    if operation.signed:
        return True
    pairs = _compared([(hit, column) for hit in cells.rows for column in cells.columns], operation)
    first, second = (cell_value(printed, hit.row, column) for hit, column in pairs)
    return first is None or second is None or first >= second


def _compared(pairs: list[Pair], operation: Operation) -> list[Pair]:
    """What is subtracted comes second: the earlier of two times, else what is said last."""
    if operation.order == "said":
        return pairs
    if operation.order == "reversed":
        return pairs[::-1]
    times = [_time(hit, column) for hit, column in pairs]
    if all(times) and times[0] != times[1]:
        return pairs if times[0] > times[1] else pairs[::-1]
    return pairs


def _time(hit: RowHit, column: PrintedColumn) -> str:
    years = column.years or frozenset(stem for stem in hit.row.stems if is_year(stem))
    years = years or frozenset(stem for stem in hit.row.section_stems if is_year(stem))
    return next(iter(years)) if len(years) == 1 else ""


def _term(printed: PrintedTable, hit: RowHit, column: PrintedColumn) -> Term:
    ref = ColumnRef(printed.sql_name, column.visible.sql_name)
    return Term(printed.sql_name, "value", (ref,), (), hit.row.conditions or (), with_totals=True)


def _expression(printed: PrintedTable, operation: Operation, cells: Cells, count: int) -> Expression:
    first, second = TermValue(0), TermValue(1)
    match operation.kind:
        case "value":
            return first
        case "difference":
            return Arithmetic("-", first, second)
        case "percent_change":
            return Arithmetic("-", first, second) if _in_points(printed, cells) else Change(first, second)
        case "ratio" | "times":
            return Ratio(first, second)
        case "percent_ratio":
            return Ratio(first, second, percent=True)
    total: Expression = first
    for position in range(1, count):
        total = Arithmetic("+", total, TermValue(position))
    return Divided(total, count) if operation.kind == "mean" else total


def _in_points(printed: PrintedTable, cells: Cells) -> bool:
    """A change of percent figures is said in percentage points."""
    return all(cell_unit(printed, hit.row, column) == "%" for hit in cells.rows for column in cells.columns)


def _unit(printed: PrintedTable, operation: Operation, cells: Cells) -> str | None:
    return "%" if operation.kind == "percent_change" and not _in_points(printed, cells) else None


def _name(hit: RowHit, column: PrintedColumn) -> str:
    labels = [label.text for label in hit.row.labels if label is not None]
    header = " ".join(header_parts(column.visible))
    return ", ".join([*labels, header])


_TITLES = {"difference": "Difference", "percent_change": "Change", "mean": "Average", "sum": "Sum", "ratio": "Ratio",
           "percent_ratio": "Share", "times": "Ratio"}  # fmt: skip


def _title(operation: Operation, cells: Cells, names: list[str]) -> str:
    if operation.kind == "value":
        return names[0]
    joint = {"mean": "; ", "sum": " + "}.get(
        operation.kind, " / " if "ratio" in operation.kind or operation.kind == "times" else " – "
    )
    return f"{_TITLES[operation.kind]}: {joint.join(names)}"
