"""Rows found outside the engine are those that the engine names; statements that cannot be derived are left to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orchestrator.engine import Engine
from orchestrator.evidence import EvidencedResult
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleTable
from orchestrator.sql_refusals import EngineFailed
from tests.orchestrator.sql.made_tables import Made, store

ROWS = 400
CITIES = ("Köln", "Bonn", None, "Ulm", "Łódź", "bonn")
MADE = (
    Made(
        "posten",
        {
            "ort": [CITIES[row * 7 % 6] for row in range(ROWS)],
            "kunde": [None if row % 11 == 0 else row * 13 % 40 for row in range(ROWS)],
            "nummer": [row * 7919 % 900_001 for row in range(ROWS)],
            "weit": [(row * 31 % 50) * 10**15 - 2 * 10**16 for row in range(ROWS)],
            "betrag": [None if row % 17 == 0 else Decimal(row * 37 % 1000 - 300) / 100 for row in range(ROWS)],
            "tag": [date(2024, 1 + row % 12, 1 + row % 28) for row in range(ROWS)],
            "bar": [row % 3 == 0 for row in range(ROWS)],
        },
        totals=[row % 50 == 49 for row in range(ROWS)],
        hidden=[row % 9 == 4 for row in range(ROWS)],
        row_filter={"ort": ("Köln", "Bonn", "Łódź", "bonn")},
    ),
    Made("kunden", {"id": list(range(3, 43)), "land": ["DE" if row % 3 else "PL" for row in range(40)]}),
    Made("laender", {"kurz": ["DE", "PL"], "name": ["Deutschland", "Polen"]}),
    Made("doppelt", {"id": [1, 1, 2], "art": ["x", "y", "z"]}),
    Made("fern", {"id": [10**15 * row for row in range(-20, 20)], "zone": [f"Z{row % 4}" for row in range(40)]}),
)
DERIVED = (
    "select sum(betrag) as s from posten",
    "select sum(betrag) as s, count(*) as n from posten where ort = 'Bonn' and betrag > 0.5",
    "select sum(betrag) as s from posten where ort = 'Rom'",
    "select ort, sum(betrag) as s from posten where ort = 'Rom' group by ort",
    "select ort, sum(betrag) as s, min(betrag) as k, count(distinct kunde) as n from posten group by ort",
    "select ort, avg(betrag) as s from posten where not (ort <> 'Köln' or betrag is null) group by ort",
    "select kunde, ort, sum(betrag) as s from posten group by kunde, ort order by kunde desc, ort limit 7",
    "select nummer, sum(betrag) as s from posten group by nummer",
    "select weit, nummer, sum(betrag) as s from posten group by weit, nummer order by nummer limit 20 offset 3",
    "select bar, sum(betrag) as s from posten where bar group by bar",
    "select tag, sum(betrag) as s from posten where tag between date '2024-02-01' and date '2024-05-31' group by tag",
    "select ort, sum(betrag) as s from posten where -betrag + 1 > kunde * 2 or ort = 'Bonn' group by ort having sum(betrag) > 2",
    "select land, sum(betrag) as s from posten join kunden on kunde = id group by land",
    "select land, sum(betrag) as s from posten left join kunden on kunde = id group by land",
    "select land, sum(betrag) as s from kunden join posten on kunde = id where land = 'PL' and ort = 'Köln' group by land",
    "select name, sum(betrag) as s from posten join kunden on kunde = id join laender on land = kurz group by name",
    "select name, sum(betrag) as s from posten left join kunden on kunde = id left join laender on land = kurz group by name",
    "select zone, sum(betrag) as s from posten left join fern on weit = id where zone is null or zone < 'Z2' group by zone",
    "select sum(betrag) / count(*) as q from posten join kunden on kunde = id and betrag > 1",
)
LEFT_TO_THE_ENGINE = (
    "select ort, betrag from posten where betrag > 5",
    "select art, min(betrag) as s from posten join doppelt on kunde = id group by art",
    "select year(tag) as j, sum(betrag) as s from posten group by year(tag)",
    "select ort, sum(betrag) as s from posten where kunde in (select id from kunden) group by ort",
    "select ort, sum(betrag) as s from posten where betrag > kunde / 3 group by ort",
    "select ort, sum(betrag) as s from posten where upper(ort) = 'BONN' group by ort",
)


@pytest.mark.parametrize("scope", [{}, {"with_totals": {"posten"}}, {"visible_rows_only": {"posten"}}], ids=str)
@pytest.mark.parametrize("sql", DERIVED)
def test_the_rows_are_those_that_the_engine_names(
    sql: str, scope: dict[str, set[str]], engine: Engine, tables: Mapping[str, VisibleTable], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {name: frozenset(names) for name, names in scope.items()}
    derived = run_select(sql, tables, engine, lineage=True, **options)  # type: ignore[arg-type]
    monkeypatch.setattr("orchestrator.run_select.derivation", lambda query, reader: None)
    named = run_select(sql, tables, engine, lineage=True, **options)  # type: ignore[arg-type]
    assert "list(" in named.executed_sql
    assert "list(" not in derived.executed_sql
    assert _told(derived) == _told(named)
    assert all(value.proved for row in derived.rows for value in row)


@pytest.mark.parametrize("sql", LEFT_TO_THE_ENGINE)
def test_other_statements_are_left_to_the_engine(sql: str, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    result = run_select(sql, tables, engine)
    assert '_id" AS l0' in result.executed_sql or "list(" in result.executed_sql


def _told(result: EvidencedResult) -> list[object]:
    rows = [tuple(replace(value, cells=_sorted(value.cells)) for value in row) for row in result.rows]
    lineage = [sorted((one.table_id, tuple(one.rows)) for one in sets) for sets in result.lineage]
    return sorted(zip(map(repr, rows), map(repr, lineage), strict=True))


def _sorted(cells: object) -> object:
    return sorted((one.table_id, sorted(one.cells), tuple(one.rows)) for one in cells)  # type: ignore[attr-defined]


def test_a_row_that_the_engine_counts_elsewhere_is_a_contradiction(tmp_path: Path) -> None:
    """The segment is changed behind the engine, which has loaded it: a row stands in another group, the sums stay the same."""
    made = Made("werte", {"art": ["a", "a", "b", "b"], "x": [5, 0, 7, 1]})
    table = store(made, tmp_path)
    with Engine() as engine:
        engine.run(f'SELECT 1 FROM "seg_{table.stored.segment_sha256[:40]}"', [table.stored], 10.0)
        changed = pq.read_table(table.stored.segment)
        place = changed.schema.get_field_index("art")
        pq.write_table(changed.set_column(place, "art", pa.array(["a", "b", "b", "b"])), table.stored.segment)
        with pytest.raises(EngineFailed, match="widerspricht"):
            run_select("select art, sum(x) as s from werte group by art", {"werte": table}, engine)
