"""Questions over HTTP: the answer object, who may read it again, the sheet around its cells."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.contract.shapes import ANSWER, mismatches
from tests.http.running_service import Running, running

SUM = "Wie hoch ist der Nettoumsatz in Danzig?"


def _ask(client: httpx.Client, question: str, **more: str) -> dict[str, object]:
    said = client.post("/v1/ask", json={"question": question, **more})
    assert said.status_code == 200, said.text
    answer: dict[str, object] = said.json()
    return answer


def test_an_answer_has_the_shape_of_the_contract_and_can_be_read_again(service: Running) -> None:
    client = service.asker()
    answer = _ask(client, SUM)
    assert not mismatches(answer, ANSWER)
    assert (answer["status"], answer["result"]["rows"]) == ("answered", [["1250.5"]])  # type: ignore[index]
    again = client.get(f"/v1/answers/{answer['answer_id']}").json()
    assert again == answer


def test_a_conversation_goes_on_with_its_session(service: Running) -> None:
    client = service.asker()
    first = _ask(client, SUM)
    second = _ask(client, "und in Lublin?", session_id=str(first["session_id"]))
    assert second["result"]["rows"] == [["800"]]  # type: ignore[index]


def test_the_sheet_around_a_number_marks_its_cell(service: Running) -> None:
    client = service.asker()
    answer = _ask(client, SUM)
    grid = client.get(f"/v1/answers/{answer['answer_id']}/cells", params={"language": "en"}).json()
    assert [column["header"] for column in grid["columns"]] == [["Niederlassung"], ["Quartal"], ["Nettoumsatz [EUR]"]]
    cited = [(row["number"], cell) for row in grid["rows"] for cell in row["cells"] if cell["cited"]]
    assert [(row, cell["address"], cell["text"]) for row, cell in cited] == [(2, "C2", "1,250.50")]
    assert (grid["file"], grid["sheet"], grid["cited_rows"]) == ("umsatz.csv", None, 1)
    assert client.get(f"/v1/answers/{answer['answer_id']}/cells", params={"fact": 9}).status_code == 404


@pytest.mark.parametrize(
    ("user", "levels", "tenant"),
    [("weber", "controlling", "sued"), ("lang", "controlling", "nord"), ("weber", "vertrieb", "nord")],
    ids=["another tenant", "another person", "fewer levels"],
)
def test_an_answer_of_others_does_not_exist(service: Running, user: str, levels: str, tenant: str) -> None:
    answer = _ask(service.asker(), SUM)
    stranger = service.asker(user, levels, tenant=tenant)
    missing = stranger.get("/v1/answers/00000000000000000000000000000000").json()
    for path in ("", "/cells"):
        found = stranger.get(f"/v1/answers/{answer['answer_id']}{path}")
        assert found.status_code == 404
        assert {**found.json(), "request_id": ""} == {**missing, "request_id": ""}


def test_an_answer_is_gone_once_its_file_is_not_open_any_more(service: Running) -> None:
    from qa.administration import set_level

    client = service.asker()
    answer = _ask(client, SUM)
    set_level(service.workspace, "nord", "umsatz.csv", "vorstand", None, "test")
    assert client.get(f"/v1/answers/{answer['answer_id']}").status_code == 404
    set_level(service.workspace, "nord", "umsatz.csv", "controlling", None, "test")
    assert client.get(f"/v1/answers/{answer['answer_id']}").status_code == 200


def test_what_is_not_open_is_answered_as_if_it_did_not_exist(service: Running) -> None:
    closed = _ask(service.asker(), "Wie hoch ist das Gehalt von Ewa Lis?")
    absent = _ask(service.asker(), "Wie hoch ist das Gewicht von Ewa Lis?")
    assert (closed["status"], closed["refusal"]["code"]) == (absent["status"], absent["refusal"]["code"])  # type: ignore[index]
    assert _ask(service.asker(levels="controlling,hr"), "Wie hoch ist das Gehalt von Ewa Lis?")["status"] == "answered"


def test_many_ask_at_once_and_each_gets_their_own_answer(service: Running) -> None:
    """Two conversations of each of several people, interleaved: follow-ups build on their own question."""
    places = {"Danzig": "1250.5", "Lublin": "800"}

    def talk(number: int) -> list[str]:
        client = service.asker(f"person{number % 5}")
        here, there = list(places) if number % 2 else list(reversed(places))
        first = _ask(client, f"Wie hoch ist der Nettoumsatz in {here}?")
        second = _ask(client, f"und in {there}?", session_id=str(first["session_id"]))
        wanted = [[places[here]]], [[places[there]]]
        got = first["result"]["rows"], second["result"]["rows"]  # type: ignore[index]
        return [] if got == wanted else [f"{number}: {got}"]

    with ThreadPoolExecutor(12) as threads:
        assert [wrong for found in threads.map(talk, range(24)) for wrong in found] == []
    assert service.workspace.audit.check().ok


def test_two_questions_of_one_conversation_at_once_are_answered_one_after_the_other(service: Running) -> None:
    client = service.asker()
    session = str(_ask(client, SUM)["session_id"])
    with ThreadPoolExecutor(4) as threads:
        asked = ["und in Lublin?", "und in Danzig?"] * 4
        answers = list(threads.map(lambda question: _ask(client, question, session_id=session), asked))
    assert [answer["result"]["rows"] for answer in answers] == [[["800"]], [["1250.5"]]] * 4  # type: ignore[index]


def _events(client: httpx.Client, question: str) -> list[tuple[str, dict[str, object]]]:
    """(name, data) of each event, read by the rules of the standard."""
    found: list[tuple[str, dict[str, object]]] = []
    name = ""
    with client.stream("POST", "/v1/ask", json={"question": question}, headers={"Accept": "text/event-stream"}) as said:
        assert (said.status_code, said.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
        for line in said.iter_lines():
            field, _, value = line.partition(":")
            if field == "event":
                name = value.strip()
            elif field == "data":
                found.append((name, json.loads(value)))
    return found


def test_a_stream_tells_the_stages_and_then_the_same_answer(service: Running) -> None:
    client = service.asker()
    *stages, (last, answer) = _events(client, SUM)
    assert last == "answer"
    assert not mismatches(answer, ANSWER)
    assert client.get(f"/v1/answers/{answer['answer_id']}").json() == answer
    told = [(said["stage"], said["state"]) for name, said in stages if name == "stage"]
    assert told == [(step["stage"], state) for step in answer["trace"] for state in ("begun", "done")]  # type: ignore[index, attr-defined]
    assert all(set(said) <= {"stage", "state", "ms"} for _, said in stages)


def test_an_error_in_a_stream_is_an_event(service: Running) -> None:
    (name, said), = _events(service.asker(), "x" * 3000)
    assert (name, said["code"], said["status"]) == ("error", "bad_request", 400)


def test_a_question_whose_asker_has_gone_is_in_the_log_all_the_same(service: Running) -> None:
    client = service.asker("gone")
    body = {"question": SUM}
    with client.stream("POST", "/v1/ask", json=body, headers={"Accept": "text/event-stream"}) as said:
        next(said.iter_raw())
    for _ in range(200):
        if any(record["user"] == "gone" for record in service.workspace.audit.questions("nord")):
            return
        time.sleep(0.05)
    raise AssertionError("no record")


def test_an_answer_is_verified_for_who_may_read_it(service: Running) -> None:
    client = service.asker()
    answer = _ask(client, SUM)
    found = client.get(f"/v1/answers/{answer['answer_id']}/verify").json()
    assert (found["ok"], [(fact["value"], fact["recomputed"]) for fact in found["facts"]]) == (True, [("1250.5", "1250.5")])
    assert "original" not in found
    for stranger in (service.asker("lang"), service.asker(tenant="sued"), service.asker(levels="vertrieb")):
        assert stranger.get(f"/v1/answers/{answer['answer_id']}/verify").status_code == 404
    refused = _ask(client, "Wie hoch ist das Gewicht von Ewa Lis?")
    said = client.get(f"/v1/answers/{refused['answer_id']}/verify")
    assert (said.status_code, said.json()["code"]) == (422, "rejected")


def test_a_changed_original_is_told_without_its_path(copied: Path) -> None:
    with running(copied) as service:
        client = service.asker()
        answer = _ask(client, SUM)
        (version,) = [each for each in service.workspace.catalog.versions("nord") if each.document == "umsatz.csv"]
        content = version.original.read_bytes()
        version.original.chmod(0o600)
        version.original.write_bytes(content.replace(b"1250,50", b"1250,51"))
        found = client.get(f"/v1/answers/{answer['answer_id']}/verify").json()
        assert (found["ok"], found["facts"][0]["recomputed"]) == (False, "1250.51")
        assert str(copied) not in json.dumps(found)


def test_tables_are_those_that_one_may_see(service: Running) -> None:
    (table,) = service.asker().get("/v1/tables").json()
    assert (table["document"], table["rows"], table["versions"]) == ("umsatz.csv", 3, ["1"])
    column = table["columns"][2]
    assert (column["name"], column["unit"], column["type"]) == ("Nettoumsatz", "EUR", "decimal")
    both = service.asker(levels="controlling,hr").get("/v1/tables").json()
    assert sorted(each["document"] for each in both) == ["gehalt.csv", "umsatz.csv"]
    assert service.asker(levels="nothing").get("/v1/tables").json() == []
