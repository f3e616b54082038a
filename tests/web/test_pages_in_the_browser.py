"""Every page in Chromium: accessibility, width, weight and speed; hostile names and very long results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import openpyxl
import pytest

from qa.administration import IngestRequest, ingest
from tests.http.running_service import Running
from tests.web.browsers import ask, chromium, cited_cells, sign_in, visitor

PAGES = ("/", "/history", "/files", "/meanings", "/versions", "/review?shown=all", "/goldsets", "/audit")
MOST_BYTES = 300_000
MOST_SECONDS = 1.0

SCRIPT = "<script>document.title='hijacked'</script><img src=x onerror=alert(1)>"
TURNED = "Lublin\u202egnp.exe"
RINGING = "Posen\x07\u2066Nord"
FORMULA = '=HYPERLINK("http://example.org","x")'


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def filled(service: Running, tmp_path_factory: pytest.TempPathFactory) -> Running:
    """With a hostile workbook and a table of control characters."""
    folder = tmp_path_factory.mktemp("files")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "<b>Blatt'\"&"
    rows = [SCRIPT, TURNED, RINGING.replace("\x07", ""), FORMULA]
    sheet.append(["Standort", "Ertrag [EUR]", "<img src=x onerror=alert(3)>", "Notiz\u202egnp"])
    for place, name in enumerate(rows):
        sheet.append([name, 10 + place, "<b>fett", "x"])
        sheet.cell(place + 2, 1).data_type = "s"  # a text that only looks like a formula
    hostile = folder / "bericht\u202e<svg onload=alert(2)>'\".xlsx"
    book.save(hostile)
    csv = folder / "klingel.csv"
    csv.write_text(f"Werk;Kosten [EUR]\n{RINGING};5\nUlm;6\n", encoding="utf-8")
    for path in (hostile, csv):
        ingest(service.workspace, path, IngestRequest(tenant="nord", access_level="controlling", by="test"))
    return service


@pytest.fixture(scope="module")
def long(filled: Running, tmp_path_factory: pytest.TempPathFactory) -> Running:
    """With a table of 10,000 rows."""
    path = tmp_path_factory.mktemp("long") / "kunden.csv"
    path.write_text("Kunde;Bestellwert [EUR]\n" + "".join(f"K{n:05};{n},25\n" for n in range(10_000)), encoding="utf-8")
    ingest(filled.workspace, path, IngestRequest(tenant="nord", access_level="controlling", by="test"))
    return filled


def _findings(page: Any) -> list[str]:
    """Serious and critical findings of axe."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing; the extra 'dev' brings it.")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def _check(page: Any, where: str) -> None:
    assert _findings(page) == [], where
    wide, screen = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= screen, f"{where} is {wide} wide on a screen of {screen}"


def _visit_all(page: Any, service: Running) -> None:
    page.goto(f"{service.address}/sign-in")
    _check(page, "sign-in")
    sign_in(page, service, "chefin", "controlling", "admin")
    for path in PAGES:
        page.goto(service.address + path)
        page.wait_for_load_state("networkidle")
        _check(page, path)
    page.goto(f"{service.address}/files")
    page.click("table a >> nth=0")
    _check(page, "report")
    page.goto(service.address)
    ask(page, "Nettoumsatz je Niederlassung")
    page.click(".sql summary")
    _check(page, "answer")
    page.click(".result td.number a >> nth=0")
    cited_cells(page)
    page.wait_for_timeout(300)
    _check(page, "cells")
    page.goto(service.address)
    ask(page, "Wie hoch ist der Nettoumsatz in Danzgi?")
    _check(page, "clarification")


def test_the_pages_are_accessible(browser: Any, service: Running) -> None:
    with visitor(browser, service) as page:
        _visit_all(page, service)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "dark"), (768, "light")])
def test_the_pages_are_accessible_in_every_form(
    browser: Any, service: Running, width: int, scheme: Literal["light", "dark"]
) -> None:
    with visitor(browser, service, width=width, scheme=scheme, language="en-GB") as page:
        _visit_all(page, service)


def test_hostile_names_are_shown_and_do_nothing(browser: Any, filled: Running) -> None:
    with visitor(browser, filled) as page:
        sign_in(page, filled, "chefin", "controlling", "admin")
        for path in PAGES:
            page.goto(filled.address + path)
        page.goto(filled.address)
        ask(page, "Ertrag je Standort")
        cells = page.locator(".result tbody tr td:first-child").all_inner_texts()
        assert cells == [SCRIPT, "Lublin[U+202E]gnp.exe", "Posen[U+2066]Nord", FORMULA]
        page.click(".result td.number a >> nth=1")
        assert cited_cells(page) == [("B3", "11")]
        assert "bericht[U+202E]<svg onload=alert(2)>'\".xlsx" in page.inner_text("#panel")
        assert "<b>Blatt'\"&" in page.inner_text("#panel")
        assert "<img src=x onerror=alert(3)>" in page.inner_text("#panel")
        assert "Notiz[U+202E]gnp" in page.inner_text("#panel")
        assert "hijacked" not in page.title()
        pasted = page.request.get(page.url + "/paste?form=de").text().splitlines()
        assert f"'{FORMULA}\t13" in pasted
        page.goto(filled.address)
        ask(page, "Kosten je Werk")
        assert "Posen␇[U+2066]Nord" in page.inner_text(".result")


@pytest.mark.slow
def test_ten_thousand_rows_are_shown_in_pages(browser: Any, long: Running) -> None:
    with visitor(browser, long) as page:
        sign_in(page, long, "weber")
        ask(page, "Bestellwert je Kunde")
        assert page.locator(".result tbody tr").count() == 100
        assert "1 bis 100 von 10000" in page.inner_text(".pages").replace(".", "")
        page.click(".result thead a >> nth=1")
        assert page.inner_text(".result tbody tr:first-child td.number") == "9.999,25"
        page.click(".pages [rel=next]")
        assert page.inner_text(".result tbody tr:first-child td.number") == "9.899,25"
        page.click(".result tbody tr:first-child td.number a")
        assert cited_cells(page) == [("B9901", "9.899,25")]


@pytest.mark.slow
def test_the_pages_are_light(browser: Any, long: Running) -> None:
    with visitor(browser, long) as page:
        sign_in(page, long, "chefin", "controlling", "admin")
        _ask_long(page, long)
        answer = page.url
        for path in (*[long.address + each for each in PAGES], answer):
            assert _bytes_of(page, path) < MOST_BYTES, path


def _ask_long(page: Any, service: Running) -> None:
    page.goto(service.address)
    ask(page, "Bestellwert je Kunde")


def _bytes_of(page: Any, address: str) -> int:
    """Everything that a first visit loads, decompressed."""
    sizes: list[int] = []
    page.on("response", lambda said: sizes.append(len(said.body())) if said.status == 200 else None)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return sum(sizes)


@pytest.mark.slow
def test_the_pages_are_usable_within_a_second(browser: Any, long: Running) -> None:
    """The best of five visits: what else the machine does is not the page's."""
    with visitor(browser, long) as page:
        sign_in(page, long, "chefin", "controlling", "admin")
        _ask_long(page, long)
        for path in (*[long.address + each for each in PAGES], page.url):
            best = min(_seconds_of(page, path) for _ in range(5))
            assert best < MOST_SECONDS, f"{path} took {best:.2f} s"


def _seconds_of(page: Any, address: str) -> float:
    page.goto(address)
    milliseconds: float = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    return milliseconds / 1000
