"""Meanings, review, log, goldsets and keys over HTTP: what they do, and that nobody reaches past their levels and tenant."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from qa.administration import IngestRequest, ingest
from tests.http.running_service import Running, running

DANZIG = "Wie hoch ist der Nettoumsatz in Danzig?"
PAY = "Wie hoch ist das Gehalt von Ewa Lis?"
GOLDSET = """goldset: eigene
corpus: [{file: data.csv, tenant: TENANT, access_level: controlling, kind: other}]
cases:
  - {id: a, question: "Wie hoch ist der Wert von A?", tenant: TENANT, levels: [LEVEL], mode: sql,
     expect: {status: answered, rows: [["1"]]}}
"""


@pytest.fixture(scope="module")
def held(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service where every answer waits for review, with goldsets and technical headers."""
    root = tmp_path_factory.mktemp("held") / "workspace"
    shutil.copytree(built, root)
    (root / "beleg.toml").write_text('[tenants.nord]\nreview = "all"\n', encoding="utf-8")
    (root / "goldsets").mkdir()
    (root / "goldsets" / "data.csv").write_text("Feld;Wert\nA;1\n", encoding="utf-8")
    for name, tenant, level in (("eigene", "nord", "controlling"), ("fremde", "sued", "controlling"), ("geheime", "nord", "hr")):
        text = GOLDSET.replace("goldset: eigene", f"goldset: {name}").replace("TENANT", tenant).replace("LEVEL", level)
        (root / "goldsets" / f"{name}.yaml").write_text(text, encoding="utf-8")
    (root / "goldsets" / "broken.yaml").write_text("goldset: [", encoding="utf-8")
    with running(root) as service:
        path = root.parent / "technisch.csv"
        path.write_text("cust_id;rev_net_eur\nK1;5\n", encoding="utf-8")
        ingest(service.workspace, path, IngestRequest(tenant="nord", access_level="controlling", by="test"))
        yield service


def _asked(client: httpx.Client, question: str) -> Any:
    return client.post("/v1/ask", json={"question": question}).json()


# --- review


def test_an_answer_waits_until_somebody_else_approves_it(held: Running) -> None:
    weber = held.asker()
    answer = _asked(weber, DANZIG)
    assert (answer["status"], answer["facts"], answer["result"]) == ("pending_review", [], None)
    assert weber.get("/v1/review").status_code == 403
    analyst = held.asker("lang", "controlling", "analyst")
    waiting = [each["answer_id"] for each in analyst.get("/v1/review").json()]
    assert answer["answer_id"] in waiting
    path = f"/v1/review/{answer['answer_id']}"
    shown = analyst.get(path).json()
    assert shown["answer"]["result"]["rows"] == [["1250.5"]]
    assert "nettoumsatz" in shown["query"]
    decided = analyst.post(path, json={"decision": "approve"}).json()
    assert (decided["state"], decided["decision"]["by"]) == ("approved", "lang")
    assert analyst.post(path, json={"decision": "maybe"}).status_code == 400
    assert _asked(weber, DANZIG)["result"]["rows"] == [["1250.5"]]


def test_nobody_reviews_what_they_may_not_see(held: Running) -> None:
    answer = _asked(held.asker("chef", "controlling,hr"), PAY)
    assert answer["status"] == "pending_review"
    path = f"/v1/review/{answer['answer_id']}"
    strangers = (held.asker("lang", "controlling", "analyst"), held.asker("ost", "*", "admin", tenant="sued"))
    for stranger in strangers:
        assert answer["answer_id"] not in stranger.get("/v1/review", params={"state": "all"}).text
        assert stranger.get(path).status_code == 404
        assert stranger.post(path, json={"decision": "approve"}).status_code == 404
    assert held.asker("amt", "*", "admin").get(path).status_code == 200


def test_ones_own_question_is_not_for_oneself_to_approve(held: Running) -> None:
    analyst = held.asker("lang", "controlling", "analyst")
    answer = _asked(analyst, "Wie hoch ist der Nettoumsatz in Lublin im Q3 2024?")
    said = analyst.post(f"/v1/review/{answer['answer_id']}", json={"decision": "approve"})
    assert (said.status_code, said.json()["code"]) in ((422, "rejected"), (409, "conflict"), (400, "bad_request"))


# --- the log


def test_the_log_holds_what_one_could_have_asked_oneself(held: Running) -> None:
    _asked(held.asker("chef", "controlling,hr"), PAY)
    _asked(held.asker("ost", tenant="sued"), "Wie hoch ist der Ertrag in Oslo?")
    analyst = held.asker("lang", "controlling", "analyst")
    _asked(analyst, "Wie hoch ist der Nettoumsatz in Lublin?")
    seen = analyst.get("/v1/audit", params={"words": "lublin nettoumsatz"}).json()["records"]
    assert seen and all("Lublin" in each["question"] for each in seen)
    everything = analyst.get("/v1/audit", params={"most": 500}).text
    assert "Ewa" not in everything and "Oslo" not in everything and '"ingest"' not in everything
    admin = held.asker("amt", "*", "admin")
    events = {each["event"] for each in admin.get("/v1/audit", params={"most": 500}).json()["records"]}
    assert {"question", "ingest", "key_create"} <= events
    assert admin.get("/v1/audit/verify").json() == {"ok": True, "findings": []}
    assert analyst.get("/v1/audit/verify").status_code == 403
    assert held.asker().get("/v1/audit").status_code == 403


def test_the_log_is_read_page_by_page(held: Running) -> None:
    admin = held.asker("amt", "*", "admin")
    pages: list[Any] = []
    before: int | None = None
    while True:
        page = admin.get("/v1/audit", params={"most": 3, **({"before": before} if before else {})}).json()
        pages += page["records"]
        before = page["before"]
        if before is None:
            break
    places = [each["seq"] for each in pages]
    assert places == sorted(set(places), reverse=True)
    assert len(places) == len(admin.get("/v1/audit", params={"most": 500}).json()["records"])


# --- meanings


def test_a_meaning_is_proposed_approved_and_used(held: Running) -> None:
    analyst = held.asker("lang", "controlling", "analyst")
    assert analyst.post("/v1/schema-map/propose", json={"document": "technisch.csv"}).status_code == 200
    column = {"document": "technisch.csv", "sheet": None, "header": "rev_net_eur"}
    listed = analyst.get("/v1/schema-map", params={"document": "technisch.csv"}).json()
    assert {each["header"] for each in listed} == {"cust_id", "rev_net_eur"}
    assert next(each for each in listed if each["header"] == "rev_net_eur")["status"] == "proposed"
    said = analyst.post("/v1/schema-map/approve", json={**column, "name": "Reinumsatz", "unit": "EUR"})
    assert said.status_code == 200, said.text
    listed = analyst.get("/v1/schema-map", params={"document": "technisch.csv"}).json()
    assert [(each["name"], each["status"], each["by"]) for each in listed if each["header"] == "rev_net_eur"] == [
        ("Reinumsatz", "approved", "lang")
    ]
    reason = {**column, "header": "cust_id", "reason": "Kürzel"}
    assert analyst.post("/v1/schema-map/reject", json=reason).status_code == 204
    stranger = held.asker("ost", "*", "admin", tenant="sued")
    assert stranger.post("/v1/schema-map/approve", json=column).status_code == 404
    assert stranger.post("/v1/schema-map/propose", json={"document": "technisch.csv"}).status_code == 404
    assert "technisch" not in stranger.get("/v1/schema-map").text
    hidden = {"document": "gehalt.csv", "sheet": None, "header": "Gehalt [EUR]", "name": "Lohn"}
    assert analyst.post("/v1/schema-map/approve", json=hidden).status_code == 404
    assert "gehalt" not in analyst.get("/v1/schema-map").text.lower()


# --- goldsets


def test_a_goldset_runs_in_the_background_for_those_who_hold_its_levels(held: Running) -> None:
    analyst = held.asker("lang", "controlling", "analyst")
    assert analyst.get("/v1/goldsets").json() == [{"name": "eigene", "cases": 1}]
    for name in ("fremde", "geheime", "broken", "..%2Feigene"):
        assert analyst.post(f"/v1/goldsets/{name}/runs").status_code == 404
    started = analyst.post("/v1/goldsets/eigene/runs")
    assert started.status_code == 202
    for _ in range(300):
        job = analyst.get(started.headers["location"]).json()
        if job["status"] in ("done", "failed"):
            break
        time.sleep(0.1)
    assert (job["status"], job["result"]["passed"], job["result"]["summary"]["correct"]) == ("done", True, 1), job
    assert [each["job_id"] for each in analyst.get("/v1/goldsets/eigene/runs").json()] == [job["job_id"]]
    assert analyst.get("/v1/audit", params={"words": "Wert von A"}).json()["records"] == []


# --- keys


def test_an_administrator_makes_and_revokes_keys_of_their_own_tenant(held: Running) -> None:
    admin = held.asker("amt", "*", "admin")
    made = admin.post("/v1/keys", json={"user": "neu", "levels": ["controlling"], "roles": ["asker"], "expires": "2090-01-01"})
    assert made.status_code == 201
    assert held.client(made.json()["key"]).get("/v1/session").json()["user"] == "neu"
    listed = {each["key_id"]: each for each in admin.get("/v1/keys").json()}
    assert {each["tenant"] for each in listed.values()} == {"nord"}
    assert made.json()["key"] not in json.dumps(list(listed.values()))
    south = held.asker("ost", "*", "admin", tenant="sued")
    assert south.delete(f"/v1/keys/{made.json()['key_id']}").status_code == 404
    assert admin.delete(f"/v1/keys/{made.json()['key_id']}").status_code == 204
    assert held.client(made.json()["key"]).get("/v1/session").status_code == 401


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"levels": ["hr"]}, 422),
        ({"levels": ["*"]}, 422),
        ({"levels": ["controlling", "hr"]}, 422),
        ({"roles": ["chef"]}, 400),
        ({"levels": []}, 400),
        ({"tenant": "sued"}, 400),
        ({"expires": "2001-01-01"}, 400),
        ({}, 201),
    ],
)
def test_a_key_opens_no_more_than_its_maker_sees(held: Running, said: dict[str, Any], status: int) -> None:
    half = held.asker("halb", "controlling", "admin")
    body = {"user": "neu", "levels": ["controlling"], "roles": ["admin"], **said}
    assert half.post("/v1/keys", json=body).status_code == status


def test_keys_are_for_administrators(held: Running) -> None:
    analyst = held.asker("lang", "*", "analyst")
    assert analyst.get("/v1/keys").status_code == 403
    assert analyst.post("/v1/keys", json={"user": "a", "levels": ["*"], "roles": ["admin"]}).status_code == 403
    half = held.asker("halb", "controlling", "admin")
    strong = held.key("stark", "*", "admin")
    assert strong.split("_")[1] not in half.get("/v1/keys").text
    assert half.delete(f"/v1/keys/{strong.split('_')[1]}").status_code == 404
