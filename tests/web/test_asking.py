"""The ask page over plain HTTP: answers with their cells, conversations, history, what others see of them."""

from __future__ import annotations

import re

import pytest

from tests.http.running_service import Running
from tests.web.signed_in_browser import browser, text_of

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"


def _answer_id(url: object) -> str:
    found = re.search(r"/answers/([0-9a-f]+)", str(url))
    assert found is not None
    return found.group(1)


def test_who_is_not_signed_in_is_sent_to_the_sign_in(service: Running) -> None:
    said = service.client(Accept="text/html").get("/")
    assert (said.status_code, said.headers["location"]) == (303, "/sign-in")


def test_an_answer_links_its_number_to_its_cell(service: Running) -> None:
    page = browser(service).ask(SUM)
    assert "1.250,50 EUR" in text_of(page)
    assert "bewiesen" in text_of(page)
    link = re.search(r'href="(/answers/[0-9a-f]+/cells\?fact=\d+)"', page.text)
    assert link is not None
    cells = browser(service).get(link.group(1))
    cited = re.findall(r'data-cell="([A-Z]+\d+)"[^>]*><mark>([^<]*)</mark>', cells.text)
    assert cited == [("C2", "1.250,50")]
    assert re.search(r'href="/originals/[^"]+" download', cells.text)


def test_the_panel_gets_the_part_without_the_frame(service: Running) -> None:
    person = browser(service)
    answer = _answer_id(person.ask(SUM).url)
    part = person.client.get(f"/answers/{answer}/cells", headers={"X-Fragment": "1"})
    assert "<html" not in part.text and "<mark>" in part.text


def test_a_follow_up_goes_on_with_the_conversation(service: Running) -> None:
    person = browser(service)
    first = person.ask(SUM)
    session = re.search(r'name="session_id" value="([^"]+)"', first.text)
    assert session is not None
    second = person.ask("und in Lublin?", session_id=session.group(1))
    assert "800 EUR" in text_of(second)
    assert SUM in second.text


def test_the_start_page_offers_questions_that_have_an_answer(service: Running) -> None:
    person = browser(service)
    part = person.get("/offered").text
    offered = re.findall(r'class="offer" name="question" value="([^"]+)"', part)
    assert offered and part.count('class="tag answered"') == len(offered)
    for question in offered:
        assert "tag refused" not in person.ask(question).text
    assert offered[0] in person.get("/").text


@pytest.mark.parametrize(
    ("user", "levels", "tenant"),
    [("weber", "controlling", "sued"), ("lang", "controlling", "nord"), ("weber", "vertrieb", "nord")],
    ids=["another tenant", "another person", "fewer levels"],
)
def test_others_see_nothing_of_it(service: Running, user: str, levels: str, tenant: str) -> None:
    answer = _answer_id(browser(service).ask(SUM).url)
    stranger = browser(service, user, levels, tenant=tenant)
    for path in ("", "/cells", "/export.xlsx", "/export.csv", "/paste"):
        assert stranger.get(f"/answers/{answer}{path}").status_code == 404
    shown = stranger.get("/").text + stranger.get("/history").text
    assert SUM not in shown
    assert ("umsatz.csv" in shown) is (levels == "controlling" and tenant == "nord")


@pytest.mark.parametrize(("language", "words"), [("de", "Was möchten Sie wissen?"), ("en", "What would you like to know?")])
def test_the_page_speaks_the_language_of_the_browser(service: Running, language: str, words: str) -> None:
    assert words in text_of(browser(service, language=language).get("/"))


def test_the_chosen_language_stays(service: Running) -> None:
    person = browser(service)
    assert "What would you like to know?" in text_of(person.send("/language", to="en", back="/"))
    assert "What would you like to know?" in text_of(person.get("/"))


def test_the_language_form_leads_nowhere_else(service: Running) -> None:
    for address in ("//example.org/", "https://example.org/", "/\\example.org", "javascript:alert(1)"):
        said = service.client(Accept="text/html").post("/language", data={"to": "de", "back": address})
        assert (said.status_code, said.headers["location"]) == (303, "/")
