"""Files, meanings, versions, review, goldsets and log in the browser: what they show, what they do, and to whom."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from qa.administration import IngestRequest, ingest
from tests.http.running_service import Running, running
from tests.web.signed_in_browser import Browser, browser, text_of

CODES = "NDL_NR;rev_net_adj_eur;kdnr\n10;1250,50;K-1\n20;800;K-2\n"
DRAFT = "Niederlassung;Umsatz [EUR]\nDanzig;100\nLublin;80\n"
FINAL = "Niederlassung;Umsatz [EUR]\nDanzig;130\nLublin;80\nPosen;7\n"

PAGES = ("/files", "/meanings", "/versions", "/review", "/goldsets", "/audit")


def _read(service: Running, folder: Path, name: str, content: str, level: str = "controlling", **said: object) -> None:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    ingest(service.workspace, path, IngestRequest(tenant="nord", access_level=level, by="test", **said))  # type: ignore[arg-type]


@pytest.fixture
def own(copied: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """A service with technical heads and two versions of one document."""
    with running(copied) as service:
        _read(service, tmp_path, "codes.csv", CODES)
        _read(service, tmp_path, "bericht.csv", DRAFT, label="Entwurf", version_date=date(2024, 10, 12), status="draft")
        _read(service, tmp_path, "bericht.csv", FINAL, label="final", version_date=date(2024, 10, 15), status="final")
        yield service


def _forms(page: str, action: str) -> list[dict[str, str]]:
    """The fields of the forms with this action."""
    found = []
    for form in re.findall(rf'<form[^>]*action="{re.escape(action)}[^"]*"[^>]*>.*?</form>', page, re.DOTALL):
        pairs = re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"', form)
        found.append({unescape(name): unescape(value) for name, value in pairs})
    return found


@pytest.mark.parametrize("role", ["asker", "analyst", "admin"])
def test_each_role_sees_its_pages_and_no_other(service: Running, role: str) -> None:
    person = browser(service, "weber", "controlling", role)
    allowed = {"asker": {"/files", "/versions"}, "analyst": set(PAGES), "admin": set(PAGES)}[role]
    start = person.get("/").text
    for page in PAGES:
        assert person.get(page).status_code == (200 if page in allowed else 403), page
        assert (f'href="{page}"' in start) is (page in allowed), page


def test_the_report_draws_the_sheet(own: Running) -> None:
    person = browser(own)
    link = re.search(r'href="(/files/report\?document=codes\.csv[^"]+)"', person.get("/files").text)
    assert link is not None
    report = person.get(unescape(link.group(1)))
    cells = re.findall(r'data-cell="([A-Z]\d)"[^>]*>([^<]*)<', report.text)
    assert cells[:3] == [("A2", "10"), ("B2", "1.250,50"), ("C2", "K-1")]


def test_a_name_is_proposed_approved_and_then_asked_for(own: Running) -> None:
    analyst = browser(own, "lang", "controlling", "analyst")
    assert "no such thing" not in analyst.send("/meanings/propose?document=codes.csv").text
    page = analyst.get("/meanings", document="codes.csv").text
    assert "1.250,50" in page
    form = next(each for each in _forms(page, "/meanings/decide") if each["unit"] == "EUR")
    said = analyst.send("/meanings/decide", **{**form, "name": "Nettoumsatz nach Korrektur", "act": "approve"})
    assert "Freigegeben." in text_of(said)
    answer = browser(own).ask("Wie hoch ist der Nettoumsatz nach Korrektur?")
    assert "2.050,50 EUR" in text_of(answer)


def test_a_proposal_is_rejected(own: Running) -> None:
    analyst = browser(own, "lang", "controlling", "analyst")
    analyst.send("/meanings/propose?document=codes.csv")
    form = _forms(analyst.get("/meanings", document="codes.csv").text, "/meanings/decide")[0]
    assert "Abgelehnt." in text_of(analyst.send("/meanings/decide", column=form["column"], act="reject"))


def test_all_proposals_are_approved_at_once(own: Running) -> None:
    analyst = browser(own, "lang", "controlling", "analyst")
    analyst.send("/meanings/propose?document=codes.csv")
    said = analyst.send("/meanings/approve-all?document=codes.csv")
    assert "Hier wartet nichts" in text_of(said)
    assert said.text.count("tag approved") >= 2


def test_a_column_beyond_ones_levels_cannot_be_named(own: Running) -> None:
    owner = browser(own, "lang", "hr", "analyst")
    page = owner.get("/meanings", document="gehalt.csv").text
    key = re.search(r"column=([0-9a-f]{20})", page)
    assert key is not None
    other = browser(own, "weber", "controlling", "analyst")
    assert other.get("/meanings", document="gehalt.csv").status_code == 404
    said = other.send("/meanings/decide", column=key.group(1), name="X", act="approve")
    assert said.status_code == 404


def test_two_versions_differ_in_their_cells_and_one_is_declared_binding(own: Running) -> None:
    admin = browser(own, "chef", "controlling", "admin")
    page = admin.get("/versions", document="bericht.csv").text
    old, new = re.findall(r'<option value="([^"]+)" selected', page)
    diff = text_of(admin.get("/versions", document="bericht.csv", old=old, new=new))
    assert "B2 Danzig Umsatz [EUR] 100 EUR 130 EUR" in diff
    assert "Nur in „final“ Zeile 4: Posen" in diff
    said = admin.send(f"/versions/authorize?document=bericht.csv&version={new}")
    assert "Die Version ist jetzt verbindlich." in text_of(said)
    assert "130 EUR" in text_of(browser(own).ask("Wie hoch ist der Umsatz in Danzig?"))


def test_who_may_not_declare_cannot(own: Running) -> None:
    analyst = browser(own, "lang", "controlling", "analyst")
    page = analyst.get("/versions", document="bericht.csv").text
    assert "authorize" not in page
    new = re.findall(r'<option value="([^"]+)" selected', page)[1]
    assert analyst.send(f"/versions/authorize?document=bericht.csv&version={new}").status_code == 403


def test_an_answer_is_held_reviewed_and_then_given(copied: Path) -> None:
    with (copied / "beleg.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[tenants.nord]\nreview = "all"\n')
    with running(copied) as service:
        question = "Wie hoch ist der Nettoumsatz in Danzig?"
        person, reviewer = browser(service), browser(service, "lang", "controlling", "analyst")
        held = person.ask(question)
        assert "1.250,50" not in text_of(held) and "wartet auf Prüfung" in text_of(held)
        link = re.search(r'href="(/review/[0-9a-f]+)"', reviewer.get("/review").text)
        assert link is not None
        entry = reviewer.get(link.group(1))
        assert "1.250,50 EUR" in text_of(entry)
        cells = re.search(r'href="(/review/[0-9a-f]+/cells\?fact=0)"', entry.text)
        assert cells is not None and "<mark>1.250,50</mark>" in reviewer.get(cells.group(1)).text
        assert person.get(link.group(1)).status_code == 403
        said = reviewer.send(link.group(1), act="approve", reason="stimmt")
        assert "Die Antwort ist freigegeben." in text_of(said)
        assert question in reviewer.get("/review", shown="approved").text
        assert "1.250,50 EUR" in text_of(person.ask(question))


def test_the_log_is_searched_and_checked(own: Running) -> None:
    browser(own).ask("Wie hoch ist der Nettoumsatz in Lublin?")
    admin = browser(own, "chef", "controlling", "admin")
    assert "Nettoumsatz in Lublin" in admin.get("/audit", words="lublin").text
    assert "Nettoumsatz in Lublin" not in admin.get("/audit", words="krakau").text
    assert "Kette unversehrt" in text_of(admin.get("/audit", check="1"))
    without = browser(own, "gast", "hr", "admin")
    assert "Nettoumsatz in Lublin" not in without.get("/audit").text


def test_nothing_of_other_levels_or_tenants_is_shown(own: Running) -> None:
    def seen(person: Browser) -> str:
        return " ".join(person.get(page).text for page in ("/", *PAGES))

    assert "gehalt.csv" in seen(browser(own, "lang", "hr", "admin"))
    assert "gehalt.csv" not in seen(browser(own, "weber", "controlling", "admin"))
    assert "umsatz.csv" not in seen(browser(own, "olsen", "controlling", "admin", tenant="sued"))
