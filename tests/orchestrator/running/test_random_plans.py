"""Random plans over random tables: value, unit and cells equal a plain computation over the rows in Python."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.engine import Engine
from orchestrator.outcome import Outcome
from orchestrator.plan import AggregatePlan, ColumnRef, Compare, Condition, Missing, OneOf, Output, Term, TermValue, TextMatch
from orchestrator.run_plan import run_plan
from parsers.fold import fold
from tests.orchestrator.running.engine_select import EngineSelect
from tests.orchestrator.running.small_tables import FIRST_ROW, Small, scope_of, store

Row = tuple[str, str, str]
"""place, amount, currency; "" where the cell is blank."""

PLACES = ["Danzig", "Köln", "KOELN", "Łódź", ""]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(PLACES),
        st.one_of(st.just(""), st.decimals(-1000, 1000, places=2).map(lambda number: f"{number:f}")),
        st.sampled_from(["EUR", "EUR", "EUR", "PLN"]),
    ),
    min_size=1,
    max_size=12,
)
AGGREGATIONS = st.sampled_from(["sum", "average", "median", "minimum", "maximum", "count", "count_distinct"])
PLACE, AMOUNT, CURRENCY = (ColumnRef("t", name) for name in ("ort", "betrag", "waehrung"))
CONDITIONS: st.SearchStrategy[Condition] = st.one_of(
    st.builds(OneOf, st.just(PLACE), st.lists(st.sampled_from(PLACES[:4]), min_size=1, unique=True).map(tuple), st.booleans()),
    st.builds(OneOf, st.just(CURRENCY), st.just(("EUR",))),
    st.builds(Missing, st.sampled_from([PLACE, AMOUNT]), st.booleans()),
    st.builds(
        Compare, st.just(AMOUNT), st.sampled_from(["<", "<=", ">", ">=", "=", "<>"]), st.decimals(-1000, 1000, places=3)
    ),
    st.builds(
        TextMatch,
        st.just(PLACE),
        st.sampled_from(["begins", "contains", "ends"]),
        st.sampled_from(["ko", "L", "dz", "ö"]),
        st.booleans(),
    ),
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, AGGREGATIONS, st.lists(CONDITIONS, max_size=2), st.booleans())
def test_random(engine: Engine, rows: list[Row], aggregation: str, conditions: list[Condition], grouped: bool) -> None:
    with TemporaryDirectory() as directory:
        text = "\n".join(["Ort:text;Betrag:decimal:@Währung;Währung:text", *(";".join(row) for row in rows)])
        table = store(Path(directory), "t", Small(text))
        scope = scope_of([table])
        term = Term("t", aggregation, (AMOUNT,), conditions=tuple(conditions))  # type: ignore[arg-type]
        keys = ((PLACE,), ("Ort",)) if grouped else ((), ())
        plan = AggregatePlan((term,), (Output("Wert", TermValue(0)),), *keys)
        outcome = run_plan(plan, scope, {"t.csv": table.version.version_id}, EngineSelect(engine))
    chosen = [(FIRST_ROW + number, row) for number, row in enumerate(rows) if all(_holds(c, row) for c in conditions)]
    _compare(outcome, chosen, aggregation, conditions, grouped, rows)


def _compare(
    outcome: Outcome,
    chosen: Sequence[tuple[int, Row]],
    aggregation: str,
    conditions: Sequence[Condition],
    grouped: bool,
    rows: list[Row],
) -> None:
    groups: dict[str, list[tuple[int, Row]]] = {}
    for number, row in chosen:
        groups.setdefault(row[0] if grouped else "", []).append((number, row))
    expected = {key: _value(members, aggregation) for key, members in groups.items()}
    counts = aggregation in ("count", "count_distinct")
    mixed = not counts and any(len({row[2] for _, row in members if row[1]}) > 1 for members in groups.values())
    if mixed or _bound_over_currencies(conditions, rows):
        assert outcome.stop is not None and outcome.stop.code == "mixed_currency"
        return
    if outcome.stop is not None:
        nothing = all(value[0] is None or (counts and value[0] == 0) for value in expected.values())
        assert outcome.stop.kind in ("no_rows", "missing_cells") and nothing, outcome.stop
        return
    if not grouped and not expected:
        expected = {"": (Fraction(0), [])} if counts else {}
    known = {key: value for key, value in expected.items() if value is not None and value[0] is not None}
    found = {str(row[0].evidence.value or "") if grouped else "": row[-1] for row in outcome.rows}
    assert set(found) == set(known)
    for key, value in found.items():
        number, numbers = known[key] or (None, [])
        assert value.number == number
        assert [cell for cells in value.evidence.cells for cell in cells.cells] == [f"B{row}" for row in numbers]
        currencies = {row[2] for _, row in groups.get(key, []) if row[1]}
        assert value.evidence.unit == (None if counts else next(iter(currencies)))


def _bound_over_currencies(conditions: Sequence[Condition], rows: list[Row]) -> bool:
    """Whether a bound other than zero is held against amounts in several currencies."""
    for condition in conditions:
        if isinstance(condition, Compare) and condition.value != 0:
            others = [other for other in conditions if other is not condition]
            if len({row[2] for row in rows if row[1] and all(_holds(other, row) for other in others)}) > 1:
                return True
    return False


def _value(members: Sequence[tuple[int, Row]], aggregation: str) -> tuple[Fraction | None, list[int]]:
    """The exact value and the rows whose amounts enter it."""
    present = [(number, Fraction(row[1])) for number, row in members if row[1]]
    numbers = [amount for _, amount in present]
    places = [number for number, _ in present]
    match aggregation:
        case "count":
            return Fraction(len(numbers)), places
        case "count_distinct":
            return Fraction(len(set(numbers))), places
    if not numbers:
        return None, []
    match aggregation:
        case "sum":
            return sum(numbers, Fraction(0)), places
        case "average":
            return sum(numbers, Fraction(0)) / len(numbers), places
        case "median":
            return median(numbers), places
    best = min(numbers) if aggregation == "minimum" else max(numbers)
    return best, [number for number, amount in present if amount == best]


def _holds(condition: Condition, row: Row) -> bool:
    place, amount, currency = row
    match condition:
        case OneOf():
            cell = place if condition.column == PLACE else currency
            return (cell in condition.values) != condition.negated
        case Missing():
            cell = place if condition.column == PLACE else amount
            return (cell == "") != condition.negated
        case Compare():
            if amount == "":
                return False
            left, right = Decimal(amount), condition.value
            assert isinstance(right, Decimal)
            return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "=": left == right,
                    "<>": left != right}[condition.operator]  # fmt: skip
        case TextMatch():
            words = {"begins": fold(place).startswith, "ends": fold(place).endswith, "contains": fold(place).__contains__}
            return (place != "" and words[condition.kind](fold(condition.text))) != condition.negated
    raise AssertionError(condition)
