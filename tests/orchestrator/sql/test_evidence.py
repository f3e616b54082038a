"""The exact cells of each value, case by case, and what is refused because its cells cannot be named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.engine import Engine
from orchestrator.evidence import CellSet, EvidencedValue
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleTable
from orchestrator.sql_refusals import NoProvenance
from tests.orchestrator.sql.made_tables import Made, store
from tests.orchestrator.sql.oracle import key_of

CASES = yaml.safe_load((Path(__file__).parent / "evidence_cases.yaml").read_text(encoding="utf-8"))
D = Decimal
Q1, Q2 = ("Q1 2024", date(2024, 1, 1), date(2024, 3, 31)), ("Q2 2024", date(2024, 4, 1), date(2024, 6, 30))
MADE = (
    Made(
        "posten",
        {
            "kunde": ["Alpha", "Beta", "Beta", "Alpha", "Gamma", None],
            "betrag": [D("100.50"), D("80.00"), None, D("-20.00"), D("120.00"), None],
            "menge": [1, 4, 3, 3, 4, 2],
        },
        units={"betrag": "EUR", "menge": "Stück"},
        states={"betrag": [0, 0, 1, 0, 0, 2]},
        hidden=[False, False, False, False, True, False],
    ),
    Made("kunden", {"name": ["Alpha", "Beta", "Delta"], "ort": ["Köln", "Bonn", "Ulm"]}),
    Made("konten", {"name": ["a", "b"], "wert": [10, 20], "waehrung": ["EUR", "PLN"]}, unit_columns={"wert": "waehrung"}),
    Made(
        "quer",
        {"zeile": ["Erlös", "Erlös", "Kosten", "Kosten"], "periode": [Q1, Q2, Q1, Q2], "wert": [5, 7, 6, 9]},
        cells={"zeile": ["A4", "A4", "A5", "A5"], "periode": ["B1", "C1", "B1", "C1"], "wert": ["B4", "C4", "B5", "C5"]},
        rows=[4, 4, 5, 5],
    ),
    Made("mitsumme", {"name": ["a", "b", "Summe"], "x": [1, 2, 3]}, totals=[False, False, True]),
    Made("gefiltert", {"name": ["A", "B"], "filiale": ["Kiel", "Bonn"]}, row_filter={"filiale": ("Bonn",)}),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["sql"])
def test_cells(case: dict[str, Any], engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    result = run_select(
        case["sql"],
        tables,
        engine,
        with_totals=frozenset(case.get("with_totals", ())),
        visible_rows_only=frozenset(case.get("visible_rows_only", ())),
    )
    found = [[_found(value) for value in row] for row in result.rows]
    wanted = [[_wanted(*cell) for cell in row] for row in case["rows"]]
    if case.get("order", True):
        assert found == wanted
    else:
        assert sorted(found, key=str) == sorted(wanted, key=str)
    assert all(value.proved for row in result.rows for value in row), [v.why_not for row in result.rows for v in row]


def _found(value: EvidencedValue) -> tuple[Any, ...]:
    shown = value.value
    exact = Fraction(shown) if isinstance(shown, Decimal | Fraction) else shown
    assert value.unit == (value.units[0] if len(value.units) == 1 else None)
    return exact, _names(value.cells), _names(value.skipped), _names(value.unreadable), value.units, value.hidden_rows


def _wanted(value: Any, cells: str, more: dict[str, Any] | None = None) -> tuple[Any, ...]:
    more = more or {}
    exact = Fraction(value) if isinstance(value, str) and value[:1] in "-0123456789" else value
    units = tuple(more.get("units", [more["unit"]] if "unit" in more else []))
    hidden = len({name[8:] for name in _split(cells) if name.startswith("posten:") and name[8:] == "6"})
    return exact, _split(cells), _split(more.get("skipped", "-")), _split(more.get("unreadable", "-")), units, hidden


def _names(sets: tuple[CellSet, ...]) -> frozenset[str]:
    found = [f"{cells.table_id.partition('@')[0]}:{address}" for cells in sets for address in cells.cells]
    assert len(found) == len(set(found)), "a cell is named twice"
    return frozenset(found)


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split()) - {"-"}


def test_rows_are_those_of_the_cells(engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    value = run_select("select sum(betrag * menge) from posten where kunde = 'Alpha'", tables, engine).rows[0][0]
    assert [tuple(cells.rows) for cells in value.cells] == [(2, 5)]
    assert value.cells[0].row_count == 2


@pytest.mark.parametrize(
    "sql",
    [
        "select 999 as umsatz from posten",
        "select '999' as umsatz from posten",
        "select kunde, 1.5 from posten",
        "select x.a from (select 999 as a from posten) x",
        "select betrag from posten union all select 999 from kunden",
        "select coalesce(null, 999) from posten",
        "select coalesce(nullif(menge, menge), 999) from posten",
        "select sum(avg_b) from (select avg(betrag) as avg_b from posten group by kunde) x",
        "select distinct betrag / menge from posten",
        "select kunde, rank() over (order by betrag) from posten",
        "select row_number() over (order by betrag) from posten",
        "select kunde from posten except select name from kunden",
        "select kunde from posten intersect select name from kunden",
        "select distinct on (kunde) kunde, betrag from posten",
        "select string_agg(kunde, ',') from posten",
        "select menge in (select menge from posten) as drin from posten",
        "select sum((select max(menge) from posten)) from posten",
        "select kunde, sum(sum(betrag)) over () from posten group by kunde",
        "select kunde from posten group by cube (kunde)",
    ],
)
def test_without_evidence_there_is_no_answer(sql: str, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    with pytest.raises(NoProvenance):
        run_select(sql, tables, engine)


EXACT = [
    ("select sum(betrag) / 3 from posten", Fraction("93.5")),
    ("select round(sum(betrag) / 7, 2) from posten", D("40.07")),
    ("select round(avg(betrag), 0) from posten", D(70)),  # 70.125
    ("select sum(menge) / 0 from posten", None),
    ("select sum(menge) / nullif(sum(menge) - 17, 0) from posten", None),
    (
        "select sum(case when menge > 3 then menge else betrag end) from posten where kunde = 'Beta' or kunde = 'Alpha'",
        D("84.50"),
    ),
    ("select coalesce(sum(menge) filter (where menge > 90), min(betrag)) from posten", D("-20.00")),
    ("select count(*) from posten where betrag in (select menge from posten)", D(0)),
    ("select count(*) from konten where wert + 0.4 in (select wert from konten)", D(0)),
    ("select count(*) from konten where wert + 0.4 = any (select wert from konten)", D(0)),
    ("select count(*) from posten where betrag / 3 > 33.4999999999999999", D(2)),
]


@pytest.mark.parametrize(("sql", "value"), EXACT)
def test_numbers_are_exact(sql: str, value: Any, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    found = run_select(sql, tables, engine).rows[0][0]
    assert key_of(found.value) == key_of(value)
    assert found.value == value or (isinstance(value, Fraction) and Fraction(found.value) == value)  # type: ignore[arg-type]
    assert found.proved


def test_the_executed_statement_reads_only_what_the_asker_may_see(engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    result = run_select("select name from gefiltert", tables, engine)
    assert "\"filiale\" IN ('Bonn')" in result.executed_sql
    assert result.sql == 'SELECT "gefiltert"."name" AS "name" FROM "gefiltert" AS "gefiltert"'


def test_a_ratio_is_sorted_exactly(engine: Engine, tmp_path: Path) -> None:
    """Two quotients that binary numbers cannot tell apart."""
    made = Made("paare", {"name": ["a", "b", "c"], "oben": [10**17 + 1, 10**17, 10**17 + 2], "unten": [3, 3, 3]})
    result = run_select(
        "select name, oben / unten as q from paare order by q desc limit 2", {"paare": store(made, tmp_path)}, engine
    )
    assert [row[0].value for row in result.rows] == ["c", "a"]
