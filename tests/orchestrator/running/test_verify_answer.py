"""An answer is verified from the original file; every change of the original that could change the number is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from indexer.catalog import Catalog
from indexer.ingest import ingest_file
from orchestrator.answer import Answer, to_json
from orchestrator.build_answer import build_answer
from orchestrator.build_scope import build_scope
from orchestrator.engine import Engine
from orchestrator.plan import AggregatePlan, ColumnRef, ListPlan, OneOf, Output, Plan, Ratio, Term, TermValue
from orchestrator.run_plan import run_plan
from orchestrator.scope import Asker
from orchestrator.verify_answer import Verification, verify_answer
from schema_maps.schema_map import TenantMap
from tests.orchestrator.running.engine_select import EngineSelect

Table = str


def write_xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Filialen"
    sheet.append(["Niederlassung", "Region", "Umsatz [PLN]", "Marge", "Bons"])
    for row in (["Danzig", "Nord", 1247890.1, 0.342, 3], ["Gdingen", "Nord", 20.25, 0.25, 4], ["Krakau", "Süd", 3, 0.301, 5]):
        sheet.append(row)
    for row in range(2, 5):
        sheet.cell(row, 4).number_format = "0.0%"
    book.save(path)


def write_csv(path: Path) -> None:
    path.write_bytes("Kunde;Betrag in EUR;Fällig am\nKöln;1.234,50;01.02.2024\nBonn;2,25-;15.02.2024\n".encode("cp1252"))


FILES: dict[str, Callable[[Path], None]] = {"filialen.xlsx": write_xlsx, "posten.csv": write_csv}


def set_cell(cell: str, value: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        book = openpyxl.load_workbook(path.open("rb"))
        book.worksheets[0][cell] = value
        book.save(path)

    return change


def swap_rows(path: Path) -> None:
    book = openpyxl.load_workbook(path.open("rb"))
    sheet = book.worksheets[0]
    for column in range(1, 6):
        first, second = sheet.cell(2, column), sheet.cell(4, column)
        first.value, second.value = second.value, first.value
    book.save(path)


def rename_sheet(path: Path) -> None:
    book = openpyxl.load_workbook(path.open("rb"))
    book.worksheets[0].title = "Anders"
    book.save(path)


def replace_text(old: str, new: str) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(path.read_bytes().replace(old.encode("cp1252"), new.encode("cp1252"))) and None


@dataclass(frozen=True)
class Case:
    """`measure`, `where`: what is asked. `change`: what happens to the original; `recomputed`: value after it (None: cannot be
    computed); `cell`: one of the differences that must be named, with the text then and now."""

    name: str
    file: str
    plan: Callable[[Table], Plan]
    value: str
    change: Callable[[Path], None] | None = None
    recomputed: str | None = None
    cell: tuple[str, str | None, str | None] | None = None


def total(column: str, *where: str, how: str = "sum") -> Callable[[Table], Plan]:
    def plan(table: Table) -> Plan:
        conditions = (OneOf(ColumnRef(table, "region"), where),) if where else ()
        return AggregatePlan(
            (Term(table, how, (ColumnRef(table, column),), conditions=conditions),), (Output("Wert", TermValue(0)),
            )  # type: ignore[arg-type]
        )

    return plan


def per_receipt(table: Table) -> Plan:
    terms = (Term(table, "sum", (ColumnRef(table, "umsatz_pln"),)), Term(table, "sum", (ColumnRef(table, "bons"),)))
    return AggregatePlan(terms, (Output("je Bon", Ratio(TermValue(0), TermValue(1))),))


def due(table: Table) -> Plan:
    return ListPlan(table, (ColumnRef(table, "faellig_am"),), ("Fällig am",), conditions=(OneOf(ColumnRef(table, "kunde"),
    ("Bonn",)),))


NORD = total("umsatz_pln", "Nord")
CASES = [
    Case("untouched", "filialen.xlsx", NORD, "1247910.35"),
    Case("one cited cell", "filialen.xlsx", NORD, "1247910.35", set_cell("C3", 21.25), "1247911.35", ("C3", "20.25", "21.25")),
    Case("last digit", "filialen.xlsx", NORD, "1247910.35", set_cell("C2", 1247890.11), "1247910.36", ("C2", "1247890.1",
         "1247890.11")),
    Case("text in a number cell", "filialen.xlsx", NORD, "1247910.35", set_cell("C3", "k. A."), None, ("C3", "20.25", "k. A.")),
    Case("a cell emptied", "filialen.xlsx", NORD, "1247910.35", set_cell("C3", None), None, ("C3", "20.25", None)),
    Case("a cell that only a filter reads", "filialen.xlsx", NORD, "1247910.35", set_cell("B3", "Süd"), "1247910.35", ("B3",
         "Nord", "Süd")),
    Case("rows exchanged", "filialen.xlsx", NORD, "1247910.35", swap_rows, "23.25", ("C2", "1247890.1", "3")),
    Case("sheet renamed", "filialen.xlsx", NORD, "1247910.35", rename_sheet, None, ("C2", "1247890.1", None)),
    Case("percent", "filialen.xlsx", total("marge", how="maximum"), "34.2", set_cell("D2", 0.35), "35", ("D2", "0.342", "0.35")),
    Case("ratio", "filialen.xlsx", per_receipt, "103992.78", set_cell("E2", 4), "95993.33", ("E2", "3", "4")),
    Case("average", "filialen.xlsx", total("bons", how="average"), "4", set_cell("E4", 8), "5", ("E4", "5", "8")),
    Case("count", "filialen.xlsx", total("niederlassung", "Nord", how="count"), "2", set_cell("A3", None), None, ("A3",
         "Gdingen", None)),
    Case("decimal comma", "posten.csv", total("betrag_in_eur"), "1232.25", replace_text("1.234,50", "1.234,51"), "1232.26",
         ("B2", "1.234,50", "1.234,51")),
    Case("trailing minus", "posten.csv", total("betrag_in_eur"), "1232.25", replace_text("2,25-", "2,25"), "1236.75", ("B3",
         "2,25-", "2,25")),
    Case("a date", "posten.csv", due, "2024-02-15", replace_text("15.02.2024", "16.02.2024"), "2024-02-16",
         ("C3", "15.02.2024", "16.02.2024")),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verify(case: Case, catalog: Catalog, tmp_path: Path, engine: Engine) -> None:
    path = tmp_path / case.file
    FILES[case.file](path)
    report = ingest_file(catalog, path, tenant="nord", access_level="controlling")
    stored = {table.table_id: table for table in catalog.tables("nord")}
    scope = build_scope(Asker("anna", "nord", frozenset({"controlling"})), list(stored.values()), TenantMap())
    plan = case.plan(report.tables[0].sql_name)
    outcome = run_plan(plan, scope, {case.file: report.version.version_id}, EngineSelect(engine))
    body = build_answer(outcome, plan, scope, "de", "Wie hoch?")
    assert body.result is not None and body.recipes is not None, body.text
    assert body.result.rows == ((case.value,),)
    answer = to_json(
        Answer("a1", "s1", datetime(2024, 10, 16, tzinfo=UTC), "Wie hoch?", "de", "answered", "sql", body.text, body.result,
        body.facts)
    )
    if case.change is not None:
        original = report.version.original
        original.chmod(0o644)
        case.change(original)
    _check(case, verify_answer(answer, body.recipes, stored.get), report.version.original)


def _check(case: Case, verification: Verification, original: Path) -> None:
    shape = verification.to_json()
    assert list(shape)[:4] == ["answer_id", "ok", "original", "facts"]
    assert shape["original"] == str(original)
    fact = shape["facts"][0]
    assert fact["value"] == case.value
    if case.change is None:
        assert verification.ok and fact["equal"] and fact["recomputed"] == case.value
        assert not verification.differences and not verification.messages
        return
    assert not verification.ok
    assert fact["equal"] == (case.recomputed == case.value)
    if case.recomputed is not None:
        assert fact["recomputed"] == case.recomputed
    assert case.cell is not None
    assert case.cell in [(found.cell, found.then, found.now) for found in verification.differences]
    assert all(found.file == case.file for found in verification.differences)
