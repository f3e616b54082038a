"""Joins must follow an equality, so that no statement multiplies tables with each other."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.sql_algebra import Apply, Expression, QuerySource, Reference, Select, Source, walk
from orchestrator.sql_refusals import GuardRefusal


def conjuncts(condition: Expression | None) -> Iterator[Expression]:
    """The parts that must all hold."""
    if isinstance(condition, Apply) and condition.name == "and":
        for part in condition.arguments:
            yield from conjuncts(part)
    elif condition is not None:
        yield condition


def _sources_of(expression: Expression) -> set[int]:
    return {part.source for part in walk(expression) if isinstance(part, Reference)}


def joins_on_equality(condition: Expression | None, source: int, others: set[int]) -> bool:
    for part in conjuncts(condition):
        if isinstance(part, Apply) and part.name == "=":
            left, right = (_sources_of(side) for side in part.arguments)
            if (source in left and right & others) or (source in right and left & others):
                return True
    return False


def is_small(source: Source) -> bool:
    """An aggregating query without keys has one row, so a join with it multiplies nothing; one with keys has few."""
    return isinstance(source, QuerySource) and isinstance(source.query, Select) and source.query.grouped


def no_equality() -> GuardRefusal:
    return GuardRefusal("join_condition", "Tabellen werden ohne Gleichheit verbunden.", "Verbinden Sie sie mit ON a.x = b.y.")


def check_cross_joins(first: Source | None, unconditional: list[Source], where: Expression | None) -> None:
    """FROM a, b needs an equality in WHERE between b and the rest, or b is a small aggregate."""
    if first is None or not unconditional:
        return
    everyone = set() if where is None else _sources_of(where)
    for source in unconditional:
        if not is_small(source) and not joins_on_equality(where, source.number, everyone - {source.number}):
            raise no_equality()
