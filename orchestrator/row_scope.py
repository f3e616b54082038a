"""Row filters that open a sheet to a level: several levels together, names resolved, values as they are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from itertools import combinations

from parsers.fold import fold

RowFilter = Mapping[str, frozenset[str]]
"""sql_name -> values allowed; all must hold. An empty mapping allows every row."""


def union_of_filters(filters: Iterable[RowFilter]) -> RowFilter | None:
    """One filter for what several filters allow together. None if there is none that allows exactly that: the filters then
    speak of different columns, and a person must not see more than their levels give, nor silently less."""
    boxes = list(filters)
    if not boxes:
        return None
    while (pair := next(((a, b) for a, b in combinations(boxes, 2) if _join(a, b) is not None), None)) is not None:
        joined = _join(*pair)
        boxes = [box for box in boxes if box is not pair[0] and box is not pair[1]]
        boxes += [joined] if joined is not None else []
    return boxes[0] if len(boxes) == 1 else None


def within(inner: RowFilter, outer: RowFilter) -> bool:
    """Whether every row that `inner` allows is allowed by `outer`."""
    return all(name in inner and inner[name] <= values for name, values in outer.items())


def resolve_filter(
    named: Mapping[str, tuple[str, ...]],
    column_of: Callable[[str], str | None],
    values_of: Callable[[str], frozenset[str] | None],
) -> RowFilter | None:
    """A level's filter by SQL names with the values as stored. None, which opens nothing, if the table lacks one of its columns
    or none of the values of a column occurs.

    `column_of`: header or business name -> sql_name. `values_of`: sql_name -> stored values, None where they cannot be had
    (the filter's own values then stand).
    """
    if not named:
        return None
    resolved: dict[str, frozenset[str]] = {}
    for name, allowed in named.items():
        sql_name = column_of(name)
        if sql_name is None:
            return None
        stored = values_of(sql_name)
        matching = (
            frozenset(allowed) if stored is None else frozenset(v for v in stored if any(same_value(v, a) for a in allowed))
        )
        if not matching:
            return None
        resolved[sql_name] = resolved[sql_name] & matching if sql_name in resolved else matching
    return resolved


def same_value(stored: str, allowed: str) -> bool:
    """Equal after folding case, umlauts and blanks; numbers by value unless one is written with a leading zero."""
    if fold(stored) == fold(allowed):
        return True
    if any(text[:1] == "0" and text[1:2].isdigit() for text in (stored, allowed)):
        return False
    try:
        return Decimal(stored) == Decimal(allowed)
    except InvalidOperation:
        return False


def _join(one: RowFilter, other: RowFilter) -> RowFilter | None:
    if within(one, other):
        return other
    if within(other, one):
        return one
    if one.keys() != other.keys():
        return None
    different = [name for name in one if one[name] != other[name]]
    if len(different) != 1:
        return None
    return {**one, different[0]: one[different[0]] | other[different[0]]}
