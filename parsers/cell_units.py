"""The units that number cells carry themselves (format or text), settled against the header and the title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parsers.exact_numbers import ExactNumbers
from parsers.units import CURRENCIES, is_money, is_scale, scaled_currency


@dataclass(frozen=True)
class CellUnits:
    """`unit` holds for the whole column, unless `rows` is set: then each row has its own (None: unknown).

    `own`: the unit comes from the cells, not from the header. `partial`: some cells with a value carry none, as where only
    the first and last row of a report show the currency. `blocked`: why no number of the column may be used.
    """

    unit: str | None = None
    rows: tuple[str | None, ...] = ()
    own: bool = False
    partial: bool = False
    blocked: str | None = None
    conflict: str | None = None


def settle_units(values: ExactNumbers, carried: Sequence[str | None], counted: Sequence[int], header: str | None) -> CellUnits:
    """One unit for the column where header and cells allow it, else one a row.

    A percent cell is in percent whatever the header says. Reports show a currency in their first and total rows only: where
    the first value carries it, it holds for all; else each row has what it shows. A currency in the cells refines a bare scale
    of the header ("in thousands" and "$" make TUSD); the header's own scaled currency stands over a plain sign of the same
    currency.
    """
    there = values.there()
    if len(set(carried)) == 1:
        present = list(carried[:1]) if any(there[index] for index in counted) else []
    else:
        present = [carried[index] for index in counted if there[index]]
    distinct = {unit for unit in present if unit is not None}
    partial = None in present
    if header == "%":
        if (
            "%" in distinct
            and partial
            and any(0 < abs(value) <= 1 for index in counted if carried[index] is None and (value := values[index]) is not None)
        ):
            return CellUnits("%", blocked="Zellen mit Prozentformat stehen neben Zahlen ohne, deren Größe unklar ist")
        return CellUnits("%")
    if not distinct:
        return CellUnits(header)
    money = {unit for unit in distinct if is_money(unit)}
    leads = present[0] is not None
    if header is not None:
        return _under_header(header, distinct, money, carried, values, leads=leads or not partial)
    if len(distinct) == 1 and (not partial or (distinct == money and leads)):
        return CellUnits(distinct.pop(), own=True, partial=partial)
    return CellUnits(rows=tuple(carried), own=True, partial=partial)


def with_title(units: CellUnits, title: str) -> CellUnits:
    """The cells' own currency under a title that names a scale: "in Mio." and "$" make Mio. USD where only some rows show the
    sign; where every cell shows it, title and cells contradict each other."""

    def refined(unit: str | None) -> str | None:
        return _refined(title, unit) if unit in CURRENCIES else unit

    if not units.own or not (is_scale(title) or is_money(title)):
        return units
    if units.rows:
        return replace(units, rows=tuple(refined(unit) for unit in units.rows)) if units.partial else units
    unit = refined(units.unit)
    if unit == units.unit:
        return units
    if units.partial:
        return replace(units, unit=unit)
    return replace(units, blocked=f"der Titel nennt die Einheit {title}, die Zellen zeigen {units.unit}")


def _under_header(
    header: str,
    distinct: set[str],
    money: set[str],
    carried: Sequence[str | None],
    values: ExactNumbers,
    *,
    leads: bool,
) -> CellUnits:
    base = header
    if len(money) == 1:
        currency = next(iter(money))
        if is_money(header) and currency[-3:] != header[-3:]:
            rows = tuple(unit or header for unit in carried)
            return CellUnits(rows=rows, conflict=f"die Überschrift nennt {header}, Zellen zeigen {currency}")
        base = _refined(header, currency) or header
        if base != header and not leads:
            return CellUnits(rows=tuple("%" if unit == "%" else base if unit else header for unit in carried))
    elif len(money) > 1:
        return CellUnits(
            rows=tuple(unit or header for unit in carried),
            conflict=f"die Überschrift nennt {header}, Zellen zeigen {', '.join(sorted(money))}",
        )
    if "%" in distinct:
        return CellUnits(
            rows=tuple(
                "%" if unit == "%" else base if filled else None for unit, filled in zip(carried, values.there(), strict=True)
            )
        )
    return CellUnits(base)


def _refined(scale: str, currency: str | None) -> str | None:
    if currency is None:
        return None
    if is_scale(scale):
        return scaled_currency(scale, currency)
    return scale if is_money(scale) and scale[-3:] == currency else currency
