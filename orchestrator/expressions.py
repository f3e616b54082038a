"""Arithmetic over term values, on exact fractions, with the cells of both sides and the algebra of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from orchestrator.cell_ranges import union
from orchestrator.evidence import EvidencedValue, Scalar
from orchestrator.exact_numbers import exact
from orchestrator.outcome import AbsentReason, Stop, Stopped, TracedValue
from orchestrator.plan import Arithmetic, Bound, Change, Divided, Expression, Output, Ratio, TermValue
from orchestrator.recipe import Node, Recipe
from orchestrator.units import factor_between, finer, is_currency, parse_unit, product_unit, ratio_unit

ABSENT = TracedValue(EvidencedValue(None), absent="missing")


def evaluate_output(output: Output, terms: Sequence[TracedValue]) -> TracedValue:
    """The value of one output for one group; `terms` in plan order, ABSENT where a term has no such group.
    Raises Stopped for units that do not go together."""
    value = evaluate(output.expression, terms)
    if output.unit is not None and value.number is not None:
        value = _stated_unit(value, output.unit)
    if output.convert_to is not None and value.number is not None:
        value = _convert(value, output.convert_to)
    return value


def _stated_unit(value: TracedValue, unit: str) -> TracedValue:
    """The unit that the plan states. Where the terms say another scale of it, the number is converted; another currency
    stops."""
    own = value.evidence.unit
    if own is not None and factor_between(own, unit) is not None:
        return _convert(value, unit)
    _no_foreign_currency(own, unit)
    return _with_unit(value, unit)


def evaluate(expression: Expression, terms: Sequence[TracedValue]) -> TracedValue:
    """The value of an expression over the plan's term values, with the cells and units of all its parts. Raises Stopped."""
    match expression:
        case TermValue():
            return terms[expression.term]
        case Arithmetic():
            return _arithmetic(expression, evaluate(expression.left, terms), evaluate(expression.right, terms))
        case Ratio():
            return _ratio(expression, evaluate(expression.numerator, terms), evaluate(expression.denominator, terms))
        case Change():
            return _change(evaluate(expression.new, terms), evaluate(expression.old, terms))
        case Divided():
            return _divided(evaluate(expression.operand, terms), expression.by)
        case Bound():
            return ABSENT


def _arithmetic(expression: Arithmetic, left: TracedValue, right: TracedValue) -> TracedValue:
    if left.number is None or right.number is None:
        return _absent(left, right)
    if expression.operator == "*":
        unit, factor = product_unit(left.evidence.unit, right.evidence.unit)
        return _result(left, right, left.number * right.number * factor, unit, Node("*", _parts(left, right), factor))
    left, right = _same_scale(left, right)
    unit = left.evidence.unit if left.evidence.unit is not None and right.evidence.unit is not None else None
    assert left.number is not None and right.number is not None
    number = left.number + right.number if expression.operator == "+" else left.number - right.number
    return _result(left, right, number, unit, Node(expression.operator, _parts(left, right)))


def _ratio(expression: Ratio, numerator: TracedValue, denominator: TracedValue) -> TracedValue:
    if numerator.number is None or denominator.number is None:
        return _absent(numerator, denominator)
    _no_foreign_currency(numerator.evidence.unit, denominator.evidence.unit)
    unit, factor = ratio_unit(numerator.evidence.unit, denominator.evidence.unit)
    if expression.percent:
        _percent_is_sensible(numerator.evidence.unit, denominator.evidence.unit)
        unit, factor = "%", factor * 100
    if denominator.number == 0:
        return _absent(numerator, denominator, not_computable=True)
    node = Node("/", _parts(numerator, denominator), factor)
    number = numerator.number / denominator.number * factor
    if expression.kind == "share":
        value = _result(numerator, denominator, number, unit, node)
        cells = replace(value.evidence, cells=numerator.evidence.cells, base_cells=denominator.evidence.cells)
        return replace(value, evidence=cells)
    return _result(numerator, denominator, number, unit, node)


def _change(new: TracedValue, old: TracedValue) -> TracedValue:
    if new.number is None or old.number is None:
        return _absent(new, old)
    new, old = _same_scale(new, old)
    assert new.number is not None and old.number is not None
    if old.number <= 0:
        return _absent(new, old, not_computable=True)
    number = (new.number - old.number) / old.number * 100
    return _result(new, old, number, "%", Node("change", _parts(new, old), Fraction(100)))


def _divided(value: TracedValue, by: int) -> TracedValue:
    if value.number is None:
        return value
    recipe = Node("*", (value.recipe,), Fraction(1, by)) if value.recipe is not None else None
    return replace(value, evidence=replace(value.evidence, value=exact(value.number / by)), recipe=recipe)


def _same_scale(left: TracedValue, right: TracedValue) -> tuple[TracedValue, TracedValue]:
    """Both sides in the finer unit of one base. Without a unit on one side they are taken as they are, unless the other
    has a scale (TEUR): then nobody knows what the bare number counts."""
    first, second = left.evidence.unit, right.evidence.unit
    if first is None or second is None:
        known = first or second
        if known is not None and parse_unit(known).factor != 1:
            raise Stopped(Stop("refused", "incomplete_data", "unit_unknown", (known,)))
        return left, right
    if factor_between(first, second) is None:
        _no_foreign_currency(first, second)
        raise Stopped(Stop("refused", "not_understood", "units_differ", (first, second)))
    target = finer(first, second)
    return _convert(left, target), _convert(right, target)


def _no_foreign_currency(first: str | None, second: str | None) -> None:
    if is_currency(first) and is_currency(second) and "/" not in f"{first}{second}":
        assert first is not None and second is not None
        if factor_between(first, second) is None:
            raise Stopped(Stop("refused", "mixed_currency", "mixed_currency", (first, second)))


def _percent_is_sensible(first: str | None, second: str | None) -> None:
    if first is not None and second is not None and factor_between(first, second) is None:
        raise Stopped(Stop("refused", "not_understood", "units_differ", (first, second)))


def _convert(value: TracedValue, target: str) -> TracedValue:
    """The value in another scale of its unit, exactly."""
    source = value.evidence.unit
    if source == target or value.number is None:
        return value
    if source is None:
        raise Stopped(Stop("refused", "incomplete_data", "unit_unknown", (target,)))
    factor = factor_between(source, target)
    if factor is None:
        _no_foreign_currency(source, target)
        raise Stopped(Stop("refused", "not_understood", "units_differ", (source, target)))
    if factor == 1:
        return _with_unit(value, target)
    evidence = replace(value.evidence, value=exact(value.number * factor), unit=target)
    recipe = Node("*", (value.recipe,), factor) if value.recipe is not None else None
    return replace(value, evidence=evidence, recipe=recipe)


def _with_unit(value: TracedValue, unit: str) -> TracedValue:
    return replace(value, evidence=replace(value.evidence, unit=unit))


def _parts(left: TracedValue, right: TracedValue) -> tuple[Recipe, ...]:
    return tuple(part.recipe for part in (left, right) if part.recipe is not None)


def _result(left: TracedValue, right: TracedValue, number: Fraction, unit: str | None, node: Node) -> TracedValue:
    evidence = _joined(left, right, exact(number), unit)
    recipe = node if len(node.parts) == 2 else None
    return TracedValue(evidence, recipe, _queries(left, right))


def _absent(left: TracedValue, right: TracedValue, not_computable: bool = False) -> TracedValue:
    not_computable = not_computable or "not_computable" in (left.absent, right.absent)
    reason: AbsentReason = "not_computable" if not_computable else "missing"
    evidence = _joined(left, right, None, None)
    if reason == "missing":
        evidence = replace(evidence, cells=(), base_cells=())
    return TracedValue(evidence, None, _queries(left, right), reason)


def _joined(left: TracedValue, right: TracedValue, value: Scalar, unit: str | None) -> EvidencedValue:
    first, second = left.evidence, right.evidence
    return EvidencedValue(
        value,
        cells=union(first.cells, second.cells),
        base_cells=union(first.base_cells, second.base_cells),
        skipped=union(first.skipped, second.skipped),
        unreadable=union(first.unreadable, second.unreadable),
        hidden_rows=first.hidden_rows if first.cells == second.cells else first.hidden_rows + second.hidden_rows,
        unit=unit,
        proved=first.proved and second.proved,
        why_not=first.why_not or second.why_not,
    )


def _queries(left: TracedValue, right: TracedValue) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*left.queries, *right.queries)))
