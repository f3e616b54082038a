"""Aggregate plans: terms joined on their group keys, outputs, having, order with ties, count of groups."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from itertools import combinations

from orchestrator.aggregate_notices import aggregate_notices
from orchestrator.cell_names import name_cells
from orchestrator.cell_ranges import union
from orchestrator.check_conditions import filter_values_exist
from orchestrator.evidence import EvidencedValue, Scalar
from orchestrator.exact_numbers import exact
from orchestrator.expressions import ABSENT, evaluate_output
from orchestrator.groups import Group, in_order
from orchestrator.like_rows import check_like_rows
from orchestrator.outcome import Notice, Outcome, OutcomeKind, ResultColumn, ResultType, Stop, Stopped, TracedValue
from orchestrator.plan import AggregatePlan, Arithmetic, Having, OneOf, Order, TermValue
from orchestrator.recipe import Leaf, LeafKind
from orchestrator.run_conspicuous import standing_out
from orchestrator.run_context import RunContext
from orchestrator.run_terms import Key, TermResult, run_term
from orchestrator.run_windows import rank_notices, windowed
from orchestrator.scope import is_code
from orchestrator.units import is_currency
from parsers.fold import fold
from parsers.table import ColumnType

COMPARE: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip


def run_aggregate(context: RunContext, plan: AggregatePlan) -> Outcome:
    """Raises Stopped; see run_plan for what stops."""
    results = [run_term(context, term, plan.group_by, plan.buckets) for term in plan.terms]
    _check_same_rows(context, results)
    groups = _groups(plan, results)
    if not plan.group_by:
        return _single(context, plan, results, groups[0])
    if not groups:
        raise Stopped(Stop("refused", "not_in_data", "no_rows"))
    check_like_rows(plan, results, groups)
    _check_comparable(plan, groups)
    _check_both_known(context, plan, results, groups)
    ranked = groups
    if plan.window is not None:
        groups = windowed(plan.window, groups)
    everyone = groups
    groups, notices = _kept(context, plan, groups)
    if plan.conspicuous is not None:
        groups, near = standing_out(plan.conspicuous, groups, everyone)
        notices += near
    if plan.count_groups:
        return _group_count(context, plan, results, groups, notices)
    if not groups:
        raise Stopped(_nothing_left(context, plan, results))
    if plan.order is not None:
        groups, ties = _ordered(plan.order, groups)
        notices += ties
    if plan.window is not None and plan.window.kind == "rank":
        value = groups[0].outputs[0]
        notices += [*rank_notices(groups[0], ranked), *aggregate_notices(context, plan, results, ((value,),))]
        return _outcome(context, "value", (ResultColumn(plan.outputs[0].name, "integer"),), ((value,),), tuple(notices))
    shown = [position for position, output in enumerate(plan.outputs) if output.shown]
    rows = tuple((*group.keys, *(group.outputs[position] for position in shown)) for group in groups)
    columns = (*_key_columns(plan, results), *_output_columns(plan, results, shown, rows, len(plan.group_by)))
    notices += aggregate_notices(context, plan, results, rows)
    return _outcome(context, "groups", columns, rows, tuple(notices))


def _check_same_rows(context: RunContext, results: Sequence[TermResult]) -> None:
    """Two columns of the same rows ("Brutto minus Netto"): a row that has only one of the two would spoil the difference or
    ratio. Stops with incomplete_data, naming the blank cells."""
    for first, second in combinations(results, 2):
        same_rows = (first.term.table, first.term.conditions, first.term.version_id) == (
            second.term.table, second.term.conditions, second.term.version_id,
        )  # fmt: skip
        both_sums = first.term.aggregation == second.term.aggregation == "sum"
        if not same_rows or not both_sums or first.term.columns == second.term.columns:
            continue
        for key in first.values.keys() & second.values.keys():
            sides = [value.evidence.skipped for value in (first.values[key], second.values[key])]
            rows = [{(cells.table_id, row) for cells in side for row in cells.rows} for side in sides]
            if rows[0] != rows[1]:
                names = name_cells(union(*sides), context.reading.tables)
                raise Stopped(Stop("refused", "incomplete_data", "unreadable_cells", names))


def _single(context: RunContext, plan: AggregatePlan, results: Sequence[TermResult], group: Group) -> Outcome:
    for result in results:
        _check_zero(context, result)
    shown = [position for position, output in enumerate(plan.outputs) if output.shown]
    for position in shown:
        value = group.outputs[position]
        if value.absent is not None:
            raise Stopped(_absent_stop(context, value))
    for having in plan.having:
        if not _meets(having, group):
            raise Stopped(Stop("refused", "not_in_data", "none_meets"))
    rows = (tuple(group.outputs[position] for position in shown),)
    columns = _output_columns(plan, results, shown, rows, 0)
    notices = aggregate_notices(context, plan, results, rows)
    return _outcome(context, "value", columns, rows, tuple(notices))


def _outcome(
    context: RunContext,
    kind: OutcomeKind,
    columns: tuple[ResultColumn, ...],
    rows: tuple[tuple[TracedValue, ...], ...],
    notices: tuple[Notice, ...],
) -> Outcome:
    return Outcome(
        kind,
        columns,
        rows,
        total_rows=len(rows),
        notices=notices,
        tables=dict(context.reading.tables),
        queries=tuple(context.reading.queries),
    )


def _check_zero(context: RunContext, result: TermResult) -> None:
    """A count over no rows is 0 only where the values and periods that its filters name exist at all."""
    if result.term.aggregation not in ("count", "count_distinct"):
        return
    value = result.values.get(())
    if value is None or value.number == 0:
        conditions = result.term.conditions
        if not filter_values_exist(context, result.tables, conditions):
            raise Stopped(Stop("refused", "not_in_data", "no_rows"))


def _absent_stop(context: RunContext, value: TracedValue) -> Stop:
    if value.absent == "not_computable":
        cells = value.evidence.cells + value.evidence.base_cells
        return Stop("refused", "not_in_data", "not_computable", name_cells(cells, context.reading.tables))
    if value.evidence.skipped:
        names = name_cells(value.evidence.skipped, context.reading.tables)
        return Stop("refused", "not_in_data", "missing_cells", names)
    return Stop("refused", "not_in_data", "no_rows")


def _nothing_left(context: RunContext, plan: AggregatePlan, results: Sequence[TermResult]) -> Stop:
    skipped = union(*(value.evidence.skipped for result in results for value in result.values.values()))
    if skipped and not plan.having:
        return Stop("refused", "not_in_data", "missing_cells", name_cells(skipped, context.reading.tables))
    return Stop("refused", "not_in_data", "none_meets" if plan.having else "no_rows")


# --- groups


def _groups(plan: AggregatePlan, results: Sequence[TermResult]) -> list[Group]:
    normal = _key_form(results)
    order: dict[Key, tuple[TracedValue, ...]] = {}
    by_term: list[dict[Key, TracedValue]] = []
    for result in results:
        by_term.append({normal(key): value for key, value in result.values.items()})
        for key, keys in result.keys.items():
            order.setdefault(normal(key), keys)
    if not plan.group_by:
        order = {(): ()}
    groups = []
    for key, keys in order.items():
        terms = [values.get(key, ABSENT) for values in by_term]
        groups.append(Group(keys, tuple(evaluate_output(output, terms) for output in plan.outputs)))
    return in_order(plan, groups)


def _key_form(results: Sequence[TermResult]) -> Callable[[Key], Key]:
    """Keys of several terms meet after folding their texts, unless folding would merge two keys of one term."""

    def folded(key: Key) -> Key:
        return tuple(fold(part) if isinstance(part, str) else part for part in key)

    if len(results) > 1 and all(len({folded(key) for key in result.values}) == len(result.values) for result in results):
        return folded
    return lambda key: key


def _check_comparable(plan: AggregatePlan, groups: Sequence[Group]) -> None:
    """Stops with mixed_currency when groups would be ranked or held against a bound in several units (a bound of zero means
    the same in each)."""
    positions = [having.output for having in plan.having if having.against_output or having.value != 0]
    positions += [plan.order.output] if plan.order is not None else []
    positions += [0] if plan.conspicuous is not None else []
    for position in positions:
        known = [group.outputs[position] for group in groups if group.outputs[position].number is not None]
        units = tuple(dict.fromkeys(value.evidence.unit for value in known))
        if len(units) > 1:
            names = tuple(unit for unit in units if unit is not None)
            money = any(is_currency(unit) for unit in units)
            raise Stopped(Stop("refused", "mixed_currency", "mixed_currency" if money else "mixed_units", names))


def _check_both_known(
    context: RunContext, plan: AggregatePlan, results: Sequence[TermResult], groups: Sequence[Group]
) -> None:
    """Which of two named things has more is open where one of them has no value. Stops with not_in_data."""
    if plan.order is None or plan.order.limit != 1 or len(plan.group_by) != 1:
        return
    named = (c for c in plan.terms[0].conditions if isinstance(c, OneOf) and not c.negated and c.column == plan.group_by[0])
    both = any(len(condition.values) == 2 for condition in named)
    if both and sum(_rank(group, plan.order) is not None for group in groups) < 2:
        raise Stopped(_nothing_left(context, plan, results))


def _kept(context: RunContext, plan: AggregatePlan, groups: Sequence[Group]) -> tuple[list[Group], list[Notice]]:
    """Groups that hold at least one shown value and meet the conditions on outputs. What falls out because a value is
    missing or not computable is said."""
    decisive = [having.output for having in plan.having]
    decisive += [int(having.value) for having in plan.having if having.against_output]
    decisive += [0] if plan.conspicuous is not None else []
    if plan.order is not None and plan.order.limit is not None:
        decisive.append(plan.order.output)
    kept: list[Group] = []
    uncomputable: list[str] = []
    missing: list[TracedValue] = []
    for group in groups:
        needed = [group.outputs[position] for position in decisive]
        shown = [value for value, output in zip(group.outputs, plan.outputs, strict=True) if output.shown]
        if any(value.absent == "not_computable" for value in needed):
            uncomputable.append(group.label)
        elif any(value.absent == "missing" for value in needed):
            missing += needed
        elif shown and all(value.absent == "missing" for value in shown) and not plan.count_groups:
            missing += shown
        elif all(_meets(having, group) for having in plan.having):
            kept.append(group)
    notices = []
    skipped = union(*(value.evidence.skipped for value in missing))
    if skipped:
        cells = name_cells(skipped, context.reading.tables)
        notices.append(Notice("missing_skipped", "groups", cells, (sum(len(cells.cells) for cells in skipped),)))
    if uncomputable:
        notices.append(Notice("missing_skipped", "not_computable", tuple(uncomputable), (len(uncomputable),)))
    return kept, notices


def _meets(having: Having, group: Group) -> bool:
    left = group.outputs[having.output].number
    right = group.outputs[int(having.value)].number if having.against_output else Fraction(having.value)
    return left is not None and right is not None and COMPARE[having.operator](left, right)


def _ordered(order: Order, groups: Sequence[Group]) -> tuple[list[Group], list[Notice]]:
    """Best first; groups without the value last. All that tie with the last one inside the limit stay."""
    known = [group for group in groups if _rank(group, order) is not None]
    unknown = [group for group in groups if _rank(group, order) is None]
    ranked = sorted(known, key=lambda group: _sortable(_rank(group, order)), reverse=order.descending)
    if order.limit is None:
        return ranked + unknown, []
    if len(ranked) <= order.limit:
        return ranked, []
    border = _rank(ranked[order.limit - 1], order)
    kept = [*ranked[: order.limit], *(group for group in ranked[order.limit :] if _rank(group, order) == border)]
    if len(kept) == order.limit:
        return kept, []
    tied = tuple(group.label for group in kept if _rank(group, order) == border)
    return kept, [Notice("ties_listed", "", tied, (order.limit, len(kept)))]


def _rank(group: Group, order: Order) -> Scalar:
    value = group.outputs[order.output]
    return value.number if value.number is not None else value.evidence.value


def _sortable(value: Scalar) -> tuple[int, Fraction, str]:
    if isinstance(value, Fraction):
        return (0, value, "")
    return (1, Fraction(0), str(value))


def _group_count(
    context: RunContext, plan: AggregatePlan, results: Sequence[TermResult], groups: Sequence[Group], notices: list[Notice]
) -> Outcome:
    """How many groups remain; the group without a name does not count. Evidence: the cells of the first key column."""
    named = [group for group in groups if all(key.absent is None for key in group.keys)]
    cells = union(*(group.keys[0].evidence.cells for group in named))
    considered = union(*(keys[0].evidence.cells for keys in results[0].keys.values())) if not named else ()
    judged = [value for group in groups for value in (*group.keys, *group.outputs) if value.evidence.value is not None]
    evidence = EvidencedValue(
        exact(Fraction(len(named))),
        cells=cells,
        base_cells=considered,
        hidden_rows=sum(group.keys[0].evidence.hidden_rows for group in named),
        proved=all(value.evidence.proved for value in judged),
        why_not=next((value.evidence.why_not for value in judged if value.evidence.why_not), None),
    )
    kind: LeafKind = "count_distinct" if len(plan.group_by) == 1 else "count"
    queries = tuple(dict.fromkeys(query for result in results for value in result.values.values() for query in value.queries))
    columns = tuple(ref.column for ref in plan.group_by[:1])
    value = TracedValue(evidence, Leaf(kind, cells, records=len(named), columns=columns), queries)
    column = ResultColumn(", ".join(plan.group_names), "integer")
    notices += aggregate_notices(context, plan, results, ((value,),))
    return _outcome(context, "group_count", (column,), ((value,),), tuple(notices))


# --- columns


def _key_columns(plan: AggregatePlan, results: Sequence[TermResult]) -> tuple[ResultColumn, ...]:
    refs = plan.terms[0].group_by if plan.terms[0].group_by is not None else plan.group_by
    columns = [results[0].tables.column(ref) for ref in refs]
    return tuple(
        ResultColumn(name, _key_type(plan, position) or column.type.value, digits_are_code=True)
        for position, (name, column) in enumerate(zip(plan.group_names, columns, strict=True))
    )


def _key_type(plan: AggregatePlan, position: int) -> ResultType | None:
    bucket = plan.buckets[position] if plan.buckets else None
    return None if bucket is None else "text" if bucket.grain == "age" else "period"


def _output_columns(
    plan: AggregatePlan,
    results: Sequence[TermResult],
    shown: Sequence[int],
    rows: Sequence[Sequence[TracedValue]],
    offset: int,
) -> tuple[ResultColumn, ...]:
    columns = []
    for place, position in enumerate(shown, start=offset):
        output = plan.outputs[position]
        values = [row[place].evidence for row in rows if row[place].evidence.value is not None]
        units = {value.unit for value in values}
        unit = next(iter(units)) if len(units) == 1 else None
        term = results[output.expression.term] if isinstance(output.expression, TermValue) else None
        kind = _type_of([value.value for value in values], term)
        points = unit == "%" and isinstance(output.expression, Arithmetic)
        code = term is not None and _is_code(term)
        columns.append(ResultColumn(output.name, kind, unit, code, output.places, points))
    return tuple(columns)


def _type_of(values: Sequence[Scalar], result: TermResult | None) -> ResultType:
    first = values[0] if values else None
    if isinstance(first, bool):
        return "boolean"
    if isinstance(first, str):
        return "text"
    if isinstance(first, datetime):
        return "timestamp"
    if isinstance(first, date):
        return "date"
    return "integer" if result is not None and _is_whole(result) else "decimal"


def _is_whole(result: TermResult) -> bool:
    """Counts, and sums or single values of integer columns."""
    term = result.term
    if term.aggregation in ("count", "count_distinct"):
        return True
    whole = all(result.tables.column(ref).type is ColumnType.INTEGER for ref in term.columns)
    return whole and term.aggregation in ("sum", "minimum", "maximum", "value")


def _is_code(result: TermResult) -> bool:
    """A single number that names something (a cost centre), not a quantity."""
    term = result.term
    if term.aggregation not in ("value", "minimum", "maximum") or len(term.columns) != 1:
        return False
    return is_code(result.tables.visible(term.columns[0]))
