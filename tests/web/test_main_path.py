"""End to end in Chromium: from the file to the proved number, its cell, the export, the review; and who sees none of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.http.running_service import Running
from tests.web.browsers import ask, chromium, cited_cells, sign_in, visitor

OUTLINES = """[document.activeElement, document.activeElement.form].filter(Boolean)
    .map(each => getComputedStyle(each).outlineStyle)"""
MARKS = {"light": "rgb(255, 233, 168)", "dark": "rgb(81, 66, 13)"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


def _workbook(path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Umsatz"
    for row in (["Umsätze nach Korrektur"], [], ["Niederlassung", "rev_net_adj_eur"], ["Danzig", 1300.25], ["Lublin", 810]):
        sheet.append(row)
    book.save(path)
    return path


def test_from_the_file_to_the_review(browser: Any, service: Running, tmp_path: Path) -> None:
    with visitor(browser, service) as page:
        sign_in(page, service, "lang", "controlling", "analyst")
        _upload(page, service, _workbook(tmp_path / "korrektur.xlsx"))
        _approve_the_name(page, service)
        _ask_and_see_the_cell(page, service)
        _answer_a_clarification(page, service)
        _follow_up(page)
        _export(page, tmp_path / "export.xlsx")
    with visitor(browser, service) as page:
        _review(page, service)
    with visitor(browser, service) as page:
        _see_nothing(page, service)


def _upload(page: Any, service: Running, file: Path) -> None:
    page.goto(f"{service.address}/files")
    page.click(".upload summary")
    page.set_input_files("#file", file)
    page.select_option("#access_level", "controlling")
    page.click("form[data-upload] [type=submit]")
    page.wait_for_url("**/files/report**")
    assert page.inner_text("[data-cell=B4]") == "1.300,25"
    assert page.inner_text(".sheet-title") == "Umsätze nach Korrektur"


def _approve_the_name(page: Any, service: Running) -> None:
    page.goto(f"{service.address}/meanings?document=korrektur.xlsx")
    page.click("text=Vorschläge machen")
    form = page.locator(".meaning", has_text="rev_net_adj_eur")
    assert "1.300,25" in form.inner_text()
    form.get_by_label("Name für Fragen").fill("Nettoumsatz nach Korrektur")
    form.get_by_role("button", name="Freigeben").click()
    page.wait_for_selector("text=Freigegeben.")


def _ask_and_see_the_cell(page: Any, service: Running) -> None:
    page.goto(service.address)
    ask(page, "Wie hoch ist der Nettoumsatz nach Korrektur in Danzig?")
    assert page.inner_text(".figure") == "1.300,25 EUR"
    assert page.inner_text(".tag.proved") == "bewiesen"
    page.click(".figure a")
    assert cited_cells(page) == [("B4", "1.300,25")]
    colour = page.eval_on_selector("#panel .cited", "cell => getComputedStyle(cell).backgroundColor")
    assert colour == MARKS["light"]
    assert "korrektur.xlsx · Umsatz" in page.inner_text("#panel")
    with page.expect_download() as download:
        page.click("#panel a[download]")
    assert download.value.suggested_filename == "korrektur.xlsx"
    page.keyboard.press("Escape")
    page.wait_for_selector("#panel", state="hidden")


def _answer_a_clarification(page: Any, service: Running) -> None:
    page.goto(service.address)
    ask(page, "Wie hoch ist der Nettoumsatz nach Korrektur in Danzgi?")
    assert page.inner_text(".tag.clarify") == "Rückfrage"
    with page.expect_navigation(url="**/answers/*"):
        page.click(".options button >> nth=0")
    assert page.inner_text(".figure") == "1.300,25 EUR"


def _follow_up(page: Any) -> None:
    ask(page, "und in Lublin?")
    assert page.inner_text(".figure") == "810 EUR"
    assert "Bisher in diesem Gespräch" in page.inner_text(".earlier")


def _export(page: Any, place: Path) -> None:
    with page.expect_download() as download:
        page.click("text=Als XLSX")
    download.value.save_as(place)
    book = openpyxl.load_workbook(place)
    assert book.sheetnames == ["Ergebnis", "Belege", "Frage"]
    assert book["Ergebnis"]["A2"].value == 810
    evidence = [cell.value for cell in book["Belege"][2]]
    assert ("korrektur.xlsx" in evidence, "Umsatz" in evidence, "B5" in evidence) == (True, True, True)


def _review(page: Any, service: Running) -> None:
    sign_in(page, service, "prüferin", "controlling", "analyst")
    page.goto(f"{service.address}/review?shown=all")
    page.click("text=und in Lublin?")
    assert "810 EUR" in page.inner_text(".answer")
    page.click(".answer a.value >> nth=0")
    assert cited_cells(page) == [("B5", "810,00")]
    page.keyboard.press("Escape")
    page.fill("#reason", "nachgesehen")
    page.click(".decide button.primary")
    page.wait_for_selector("text=Die Antwort ist freigegeben.")


def _see_nothing(page: Any, service: Running) -> None:
    sign_in(page, service, "gast", "hr", "analyst")
    for path in ("/", "/files", "/meanings", "/versions", "/review?shown=all", "/audit", "/history"):
        page.goto(service.address + path)
        text = page.content()
        assert "korrektur" not in text.lower() and "umsatz.csv" not in text, path
    page.goto(service.address)
    ask(page, "Wie hoch ist der Nettoumsatz nach Korrektur in Danzig?")
    assert page.inner_text(".tag.refused") == "abgelehnt"
    assert "1.300" not in page.inner_text("main")


# --- the keyboard alone


def _tab_to(page: Any, selector: str) -> None:
    """Presses Tab until the element has the focus, and that can be seen."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            outlines = page.evaluate(OUTLINES)
            assert set(outlines) != {"none"}, f"the focus on {selector} cannot be seen"
            return
    raise AssertionError(f"{selector} is not reached with the Tab key")


def test_the_main_path_needs_no_mouse(browser: Any, service: Running) -> None:
    with visitor(browser, service) as page:
        page.goto(f"{service.address}/sign-in")
        page.keyboard.type(service.key("weber", "controlling"))
        page.keyboard.press("Enter")
        page.wait_for_selector("#question")
        assert page.evaluate("document.activeElement.id") == "question"
        page.keyboard.type("Nettoumsatz je Niederlassung")
        with page.expect_navigation(url="**/answers/*"):
            page.keyboard.press("Enter")
        _tab_to(page, ".skip")
        page.keyboard.press("Enter")
        _tab_to(page, ".result td.number a")
        page.keyboard.press("Enter")
        assert cited_cells(page) == [("C2", "1.250,50")]
        assert page.evaluate("document.activeElement.matches('#panel .close')")
        page.keyboard.press("Escape")
        page.wait_for_selector("#panel", state="hidden")
        assert page.evaluate("document.activeElement.matches('.result td.number a')")
        _tab_to(page, "#question")
        page.keyboard.type("und in Lublin?")
        with page.expect_navigation(url="**/answers/*"):
            page.keyboard.press("Enter")
        assert "800 EUR" in page.inner_text("main")
