"""Which parts of an aggregate's argument are measured, so that none of them may enter twice.

A sum of a + b takes both; a sum of a * b is right as long as one factor enters once a row (quantity times the price of a
joined table), so there a choice is left. What is constant measures nothing, except that a sum of constants counts rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import TypeVar

from orchestrator.sql_algebra import Aggregate, Apply, Case, Constant, Expression, Window, children

T = TypeVar("T")
Choices = tuple[tuple[T, ...], ...]
"""The measure enters once if everything in one of these does."""

MOST_CHOICES = 16
"""More of them are not looked at: a statement with so many factors may then be refused, never answered wrongly."""


def choices(
    expression: Expression, leaf: Callable[[Expression], Choices[T] | None], rows: Callable[[], Choices[T]]
) -> Choices[T]:
    """`leaf`: what a part of the expression stands for, None where it is to be taken apart; `rows`: the counted rows."""
    found = _choices(expression, leaf, rows)
    return rows() if found is None else found


def _choices(
    expression: Expression, leaf: Callable[[Expression], Choices[T] | None], rows: Callable[[], Choices[T]] | None
) -> Choices[T] | None:
    """`rows` None: inside a product, where a constant is a factor and counts nothing."""
    if (found := leaf(expression)) is not None:
        return found
    if isinstance(expression, Case):
        results = (*(result for _, result in expression.branches), expression.otherwise)
        several = [_choices(result, leaf, rows) for result in results if not _adds_nothing(result)]
        counting = rows() if rows is not None else None
        return all_of([one for one in (found or counting for found in several) if one is not None])
    operator = expression.name if isinstance(expression, Apply) else ""
    inside = None if operator in ("*", "/") else rows
    inner = [one for one in (_choices(child, leaf, inside) for child in children(expression)) if one is not None]
    if operator == "*" and inner:
        return tuple(choice for one in inner for choice in one)[:MOST_CHOICES]
    return inner[0] if operator == "/" and inner else all_of(inner)


def all_of(several: Iterable[Choices[T]]) -> Choices[T] | None:
    """One choice of each; None for nothing at all."""
    found = list(several)
    if not found:
        return None
    if len(found) == 1:
        return found[0]
    merged: list[tuple[T, ...]] = []
    for combined in product(*found):
        merged.append(tuple(part for choice in combined for part in choice))
        if len(merged) == MOST_CHOICES:
            break
    return tuple(merged)


def adds_up(aggregate: Aggregate | Window) -> bool:
    """A cell that enters twice changes the value: not so for MIN, MAX and what counts or adds distinct values."""
    distinct = isinstance(aggregate, Aggregate) and aggregate.distinct
    return aggregate.name in ("sum", "avg", "median", "count", "count_rows") and not distinct


def _adds_nothing(expression: Expression) -> bool:
    return isinstance(expression, Constant) and (expression.value is None or expression.value == 0)
