"""The ingest line from real files: once per content, versions by name, levels, and nothing half."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest

from indexer import catalog_errors
from indexer.catalog import Catalog
from indexer.cell_cache import load_cells
from indexer.diff import diff_versions
from indexer.ingest import STEPS, ingest_file
from indexer.segments import file_digest, read_segment
from parsers.problem import UnreadableFile

ROOT = Path(__file__).resolve().parents[2]
BRANCH_ROWS = [("Danzig", "Ost", 1247890.5), ("Łódź", "Ost", 20.25), ("Köln", "West", 3)]


def workbook(path: Path, danzig: float = 1247890.5, sheets: tuple[str, ...] = ("Umsatz",)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in sheets:
        sheet = book.create_sheet(name)
        sheet.append(["Niederlassung", "Region", "Umsatz [PLN]"])
        for branch, region, amount in BRANCH_ROWS:
            sheet.append([branch, region, danzig if branch == "Danzig" else amount])
    book.save(path)
    return path


def csv(path: Path, amounts: tuple[str, ...] = ("1.234,50", "2,25")) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("Kunde;Betrag\n" + "".join(f"K{n};{a}\n" for n, a in enumerate(amounts)), encoding="utf-8")
    return path


def files_below(place: Path) -> set[str]:
    return {path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file() and path.name != "ingest.lock"}


def sums(catalog: Catalog) -> list[Decimal]:
    return [
        sum(value for value in read_segment(table.segment)[column.sql_name].to_pylist() if value is not None)
        for table in catalog.tables("nord")
        for column in table.table.columns
        if column.type in ("decimal", "integer")
    ]


def test_a_workbook(catalog: Catalog, tmp_path: Path) -> None:
    path = workbook(tmp_path / "bericht.xlsx")
    report = ingest_file(
        catalog,
        path,
        tenant="nord",
        access_level="controlling",
        kind="sales",
        label="nach Korrektur",
        version_date=date(2024, 10, 15),
        status="corrected",
        by="anna",
    )
    version = report.version
    assert (report.document, version.label, version.date, version.status, version.kind, version.binding) == (
        "bericht.xlsx", "nach Korrektur", date(2024, 10, 15), "corrected", "sales", False,
    )  # fmt: skip
    assert not report.already_there and not report.renamed
    assert version.original.read_bytes() == path.read_bytes()
    assert version.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    (table,) = catalog.tables("nord")
    assert report.tables == (table,)
    assert table.sql_name.startswith("bericht__") and table.table.data_rows == 3
    assert file_digest(table.segment) == table.segment_sha256
    amount = table.table.columns[2]
    assert read_segment(table.segment)[amount.sql_name].to_pylist() == [
        Decimal("1247890.5"), Decimal("20.25"), Decimal("3"),
    ]  # fmt: skip
    cells = load_cells(table.cells, ["A2", "C2", "C4", "C9"], original_sha256=version.sha256)
    assert {address: cell.text for address, cell in cells.items()} == {"A2": "Danzig", "C2": "1247890.5", "C4": "3"}
    assert [event.action for event in catalog.events("nord")] == ["create_tenant", "ingest"]


def test_a_csv(catalog: Catalog, tmp_path: Path) -> None:
    report = ingest_file(catalog, csv(tmp_path / "Sales.csv"), tenant="nord", access_level="alle")
    (table,) = report.tables
    assert table.sql_name == "sales" and table.table.sheet is None
    assert sums(catalog) == [Decimal("1236.75")]
    assert load_cells(table.cells, ["B2"])["B2"].text == "1.234,50"


def test_the_same_content_again_is_a_no_op(catalog: Catalog, tmp_path: Path) -> None:
    path = workbook(tmp_path / "bericht.xlsx")
    first = ingest_file(catalog, path, tenant="nord", access_level="controlling")
    before = (catalog.versions("nord"), catalog.tables("nord"), files_below(catalog.root))
    again = ingest_file(catalog, path, tenant="nord", access_level="controlling")
    copy = tmp_path / "umbenannt.xlsx"
    shutil.copy(path, copy)
    renamed = ingest_file(catalog, copy, tenant="nord", access_level="vorstand", label="2", by="eva")
    assert again.already_there and not again.renamed and again.problems == first.problems
    assert renamed.already_there and renamed.renamed and renamed.document == "bericht.xlsx"
    assert renamed.version == first.version == again.version
    assert "vorstand" in renamed.problems[0].message, "the level stays, and the report says so"
    assert (catalog.versions("nord"), catalog.tables("nord"), files_below(catalog.root)) == before
    assert [event.action for event in catalog.events("nord")][-2:] == ["ingest_known", "ingest_known"]


def test_another_tenant_gets_its_own(catalog: Catalog, tmp_path: Path) -> None:
    path = workbook(tmp_path / "bericht.xlsx")
    first = ingest_file(catalog, path, tenant="nord", access_level="controlling")
    other = ingest_file(catalog, path, tenant="sued", access_level="controlling", create_tenant=True)
    assert not other.already_there and other.version.original != first.version.original
    assert files_below(catalog.place("sued").root) == files_below(catalog.place("nord").root)


def test_new_content_under_the_name_is_a_new_version(catalog: Catalog, tmp_path: Path) -> None:
    first = ingest_file(catalog, workbook(tmp_path / "a" / "bericht.xlsx"), tenant="nord", access_level="controlling")
    second = ingest_file(catalog, workbook(tmp_path / "b" / "bericht.xlsx", 99), tenant="nord", access_level="controlling")
    assert [(v.document, v.number, v.label) for v in catalog.versions("nord")] == [
        ("bericht.xlsx", 1, "1"), ("bericht.xlsx", 2, "2"),
    ]  # fmt: skip
    assert first.tables[0].sql_name == second.tables[0].sql_name and first.tables[0].table_id != second.tables[0].table_id
    diff = diff_versions(catalog, "nord", "bericht.xlsx", "1", "2")
    assert [(c.sheet, c.cell_from, c.cell_to, c.key, c.old, c.new) for c in diff.changed] == [
        ("Umsatz", "C2", "C2", ("Danzig",), Decimal("1247890.5"), Decimal("99")),
    ]
    assert diff.added == diff.removed == ()


def test_an_upload_has_the_name_it_was_given(catalog: Catalog, tmp_path: Path) -> None:
    report = ingest_file(
        catalog, workbook(tmp_path / "upload-4711.tmp"), tenant="nord", access_level="alle", file_name="ordner/Bericht.xlsx"
    )
    assert report.document == "Bericht.xlsx" and report.version.original.suffix == ".xlsx"


def test_removed_content_may_come_back(catalog: Catalog, tmp_path: Path) -> None:
    path = workbook(tmp_path / "bericht.xlsx")
    ingest_file(catalog, path, tenant="nord", access_level="controlling")
    catalog.remove("nord", "bericht.xlsx", by="eva")
    report = ingest_file(catalog, path, tenant="nord", access_level="controlling")
    assert not report.already_there and report.version.number == 2 and len(catalog.tables("nord")) == 1


def test_sheet_levels(catalog: Catalog, tmp_path: Path) -> None:
    path = workbook(tmp_path / "bericht.xlsx", sheets=("Umsatz", "Personal"))
    ingest_file(catalog, path, tenant="nord", access_level="controlling", sheet_levels={"Personal": "hr"})
    assert {t.table.sheet: t.access_level for t in catalog.tables("nord")} == {"Umsatz": "controlling", "Personal": "hr"}


MISTAKES: dict[str, tuple[dict[str, object], type[Exception], str]] = {
    "unknown sheet": ({"sheet_levels": {"Persnal": "hr"}}, catalog_errors.UnknownSheet, "„Umsatz“, „Personal“"),
    "no level": ({"access_level": None}, catalog_errors.MissingLevel, "Umsatz"),
    "one sheet without a level": (
        {"access_level": None, "sheet_levels": {"Umsatz": "a"}}, catalog_errors.MissingLevel, "Personal",
    ),
    "empty level": ({"access_level": "  "}, catalog_errors.BadOption, "Zugriffsstufe"),
    "unknown tenant": ({"tenant": "sued"}, catalog_errors.UnknownTenant, "create-tenant"),
    "kind": ({"kind": "finance"}, catalog_errors.BadOption, "financial"),
    "status": ({"status": "endgültig"}, catalog_errors.BadOption, "final"),
    "label": ({"label": " "}, catalog_errors.BadOption, "--version"),
    "a person's name without end": ({"by": "w" * 201}, catalog_errors.BadOption, "Name der Person"),
    "a person's name with a null": ({"by": "eva\x00"}, catalog_errors.BadOption, "Name der Person"),
    "a file name without end": ({"file_name": "b" * 252 + ".xlsx"}, catalog_errors.BadOption, "Dateiname"),
    "a file name with a null": ({"file_name": "b\x00.xlsx"}, catalog_errors.BadOption, "Dateiname"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_stores_nothing(catalog: Catalog, tmp_path: Path, name: str) -> None:
    options, error, says = MISTAKES[name]
    path = workbook(tmp_path / "bericht.xlsx", sheets=("Umsatz", "Personal"))
    given: dict[str, object] = {"tenant": "nord", "access_level": "controlling", **options}
    with pytest.raises(error, match=says):
        ingest_file(catalog, path, **given)  # type: ignore[arg-type]
    assert catalog.versions("nord", include_removed=True) == ()
    assert files_below(catalog.place("nord").root) == set()


def test_the_longest_names_there_are(catalog: Catalog, tmp_path: Path) -> None:
    """Characters of four bytes, and two long names that differ only at their end."""
    sheets = ("𝔘" * 15 + "a", "𝔘" * 15 + "b")
    path = workbook(tmp_path / "bericht.xlsx", sheets=sheets)
    label, person = "𝔙" * 200, "𝔚" * 200
    report = ingest_file(
        catalog, path, tenant="nord", access_level="𝔏" * 100, label=label, by=person, file_name="ü" * 250 + ".xlsx"
    )
    assert (report.version.label, len(report.tables), len(report.document)) == (label, 2, 255)
    catalog.authorize("nord", report.document, label, by=person)
    assert catalog.events("nord")[-1].by == person


def test_a_label_that_is_taken_stores_nothing(catalog: Catalog, tmp_path: Path) -> None:
    ingest_file(catalog, workbook(tmp_path / "bericht.xlsx"), tenant="nord", access_level="a", label="Entwurf")
    before = files_below(catalog.root)
    with pytest.raises(catalog_errors.LabelTaken, match="Entwurf"):
        ingest_file(catalog, workbook(tmp_path / "bericht.xlsx", 5), tenant="nord", access_level="a", label="Entwurf")
    assert files_below(catalog.root) == before


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 not a workbook"])
def test_unreadable_files_store_nothing(catalog: Catalog, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bericht.xlsx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"bericht\.xlsx"):
        ingest_file(catalog, path, tenant="nord", access_level="a")
    assert files_below(catalog.place("nord").root) == set() and catalog.versions("nord") == ()


def test_a_file_of_text_only_is_kept_and_said_to_hold_no_table(catalog: Catalog, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["A1"] = "Hinweise zum Bericht: Die Zahlen sind vorläufig."
    book.save(tmp_path / "hinweise.xlsx")
    report = ingest_file(catalog, tmp_path / "hinweise.xlsx", tenant="nord", access_level="alle")
    assert report.tables == () and "no_table" in [problem.code for problem in report.problems]
    (sheet,) = catalog.sheets("nord", report.version.version_id)
    assert sheet.notes == ("Hinweise zum Bericht: Die Zahlen sind vorläufig.",) and sheet.access_level == "alle"


# --- other processes


def run(catalog: Catalog, file: Path, deadly_step: str = "", let_pass: int = 0) -> subprocess.Popen[bytes]:
    given = [str(catalog.root), catalog.engine.url.render_as_string(hide_password=False), str(file), deadly_step, str(let_pass)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.indexer.ingest_process", *given],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_two_processes_bring_the_same_file(catalog: Catalog, tmp_path: Path) -> None:
    path = workbook(tmp_path / "bericht.xlsx")
    copy = tmp_path / "kopie.xlsx"
    shutil.copy(path, copy)
    outcomes = [process.communicate() for process in [run(catalog, path), run(catalog, copy)]]
    printed = [out.decode().split() for out, error in outcomes if not error]
    assert len(printed) == 2, outcomes
    assert printed[0][0] == printed[1][0] and {printed[0][1], printed[1][1]} == {"True", "False"}
    assert len(catalog.versions("nord")) == 1 and len(catalog.tables("nord")) == 1


KILLS = [(step, 0) for step in STEPS] + [("segment_written", 1), ("cells_written", 1)]


@pytest.mark.parametrize(("step", "let_pass"), KILLS)
def test_killed_at(catalog: Catalog, tmp_path: Path, step: str, let_pass: int) -> None:
    old = workbook(tmp_path / "alt" / "bericht.xlsx", sheets=("Umsatz", "Personal"))
    ingest_file(catalog, old, tenant="nord", access_level="controlling")
    before, kept = sums(catalog), files_below(catalog.place("nord").root)
    new = workbook(tmp_path / "neu" / "bericht.xlsx", 7, sheets=("Umsatz", "Personal"))
    killed = run(catalog, new, step, let_pass)
    killed.communicate()
    assert killed.returncode == -9
    done = step == "committed"
    assert len(catalog.versions("nord")) == (2 if done else 1)
    assert sums(catalog)[: len(before)] == before, "what was there is answered as before"
    report = ingest_file(catalog, new, tenant="nord", access_level="controlling")
    assert report.already_there is done
    assert [v.number for v in catalog.versions("nord")] == [1, 2]
    assert len(sums(catalog)) == 2 * len(before)
    third = csv(tmp_path / "weiteres.csv")
    ingest_file(catalog, third, tenant="nord", access_level="controlling")
    there = files_below(catalog.place("nord").root)
    named = {
        path.relative_to(catalog.place("nord").root).as_posix()
        for table in catalog.tables("nord")
        for path in (table.segment, table.cells, table.version.original)
    }
    assert kept <= there and there == named, "leftovers are gone, nothing else is"
