"""The JSON shapes of the contract, through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import ASKER, DATA, REPORT, TENANT, Run, run_beleg
from tests.contract.shapes import ANSWER, DIFF, GOLDSET_RUN, INSPECT, LOGGED, TABLES, VERIFY, VERSIONS, mismatches

DANZIG = "Wie hoch war der Nettoumsatz der Niederlassung in Danzig im Q3 2024?"

QUESTIONS = [
    (DANZIG, "answered"),
    ("Welche fünf Niederlassungen hatten im Q3 2024 den höchsten Nettoumsatz?", "answered"),
    ("Wie hoch war der Nettoumsatz in Madrid im Q3 2024?", "refused"),
    ("Wie hoch war der Nettoumsatz in Danzgi im Q3 2024?", "clarify"),
    ("Wie wird morgen das Wetter?", "refused"),
]


@pytest.mark.parametrize(("question", "status"), QUESTIONS)
def test_an_answer_has_its_shape(question: str, status: str, beleg: Run) -> None:
    said = beleg("ask", question, *ASKER, "--today", "2024-10-16", "--json")
    answer = said.json
    assert mismatches(answer, ANSWER) == []
    assert answer["status"] == status
    assert said.code == (0 if status == "answered" else 3)
    assert (answer["refusal"] is not None) == (status == "refused")
    assert (answer["clarification"] is not None) == (status == "clarify")


def test_every_shown_cell_has_a_fact_with_the_same_value(beleg: Run) -> None:
    answer = beleg("ask", QUESTIONS[1][0], *ASKER, "--json").json
    facts = {(fact["row"], fact["column"]): fact["value"] for fact in answer["facts"]}
    rows = answer["result"]["rows"]
    assert facts == {(i, j): value for i, row in enumerate(rows) for j, value in enumerate(row)}


def test_the_given_number_with_its_evidence(beleg: Run) -> None:
    (fact,) = beleg("ask", DANZIG, *ASKER, "--json").json["facts"]
    (source,) = fact["provenance"]["sources"]
    assert (fact["value"], fact["unit"], fact["shown_as"], fact["exact"]) == ("1247890", "PLN", "1.247.890 PLN", True)
    assert (source["file"], source["sheet"], source["rows"], source["cells"]) == (REPORT, "Niederlassungen", "47", ["C47"])
    assert source["version"] == {"label": "nach Korrektur", "date": "2024-10-15", "status": "corrected", "binding": True}


def test_an_option_gives_an_answer(beleg: Run) -> None:
    options = beleg("ask", QUESTIONS[3][0], *ASKER, "--json").json["clarification"]["options"]
    assert beleg("ask", options[0]["question"], *ASKER, "--json").json["status"] == "answered"


def test_a_session_goes_on_in_another_process(beleg: Run) -> None:
    first = beleg("ask", DANZIG, *ASKER, "--json").json
    second = beleg("ask", "Und im Q2 2024?", *ASKER, "--session", first["session_id"], "--json").json
    assert second["status"] == "answered"
    assert second["session_id"] == first["session_id"]
    (source,) = second["facts"][0]["provenance"]["sources"]
    assert source["cells"] == ["C46"]


def test_a_session_is_closed_to_others(beleg: Run) -> None:
    first = beleg("ask", DANZIG, *ASKER, "--json").json
    stranger = ("--tenant", TENANT, "--as", "schmidt", "--levels", "controlling")
    assert beleg("ask", "Und im Q2 2024?", *stranger, "--session", first["session_id"], "--json").json["status"] != "answered"


def test_sql_answers_in_the_same_shape(beleg: Run) -> None:
    table = "bericht_ergebnisse_q3_2024__niederlassungen"
    said = beleg("sql", f"SELECT sum(nettoumsatz_pln) AS umsatz FROM {table} WHERE quartal = 'Q3 2024'", *ASKER, "--json")
    assert mismatches(said.json, ANSWER) == []
    assert said.json["result"]["rows"] == [["25169780"]]
    refused = beleg("sql", "DROP TABLE x", *ASKER, "--json")
    assert (refused.code, refused.json["refusal"]["code"]) == (3, "unsafe_query")


def test_verify(beleg: Run) -> None:
    answer_id = beleg("ask", DANZIG, *ASKER, "--json").json["answer_id"]
    said = beleg("verify", answer_id, "--json")
    assert (said.code, mismatches(said.json, VERIFY)) == (0, [])
    assert said.json["facts"][0]["recomputed"] == "1247890"


def test_versions(beleg: Run) -> None:
    listed = beleg("versions", "--tenant", TENANT, "--json").json
    assert mismatches(listed, VERSIONS) == []
    report = [(each["version"], each["binding"], each["authorized_by"]) for each in listed if each["document"] == REPORT]
    assert report == [("Entwurf", False, None), ("nach Korrektur", True, "A. Weber")]


def test_diff(beleg: Run) -> None:
    difference = beleg("diff", REPORT, "Entwurf", "nach Korrektur", "--tenant", TENANT, "--json").json
    assert mismatches(difference, DIFF) == []
    changed = {(each["sheet"], each["cell_to"]): (each["old"], each["new"]) for each in difference["changed"]}
    assert changed["Niederlassungen", "C47"] == ("1274890", "1247890")


def test_tables(beleg: Run) -> None:
    listed = beleg("tables", "--json").json
    assert mismatches(listed, TABLES) == []
    branches = next(table for table in listed if table["table"] == "bericht_ergebnisse_q3_2024__niederlassungen")
    assert branches["versions"] == ["Entwurf", "nach Korrektur"]
    revenue = next(column for column in branches["columns"] if column["sql_name"] == "nettoumsatz_pln")
    assert (revenue["name"], revenue["header"], revenue["unit"]) == ("Nettoumsatz", "Nettoumsatz [PLN]", "PLN")


def test_inspect(beleg: Run) -> None:
    said = beleg("inspect", DATA / "korrektur" / REPORT, "--cells", "Niederlassungen!C47,Niederlassungen!B47", "--json")
    assert mismatches(said.json, INSPECT) == []
    assert said.json["cells"]["Niederlassungen!C47"]["value"] == "1247890"


def test_audit_export(beleg: Run) -> None:
    beleg("ask", DANZIG, *ASKER)
    lines = [json.loads(line) for line in beleg("audit", "export").out.splitlines()]
    assert all(mismatches(line, LOGGED) == [] for line in lines)
    assert {"create_tenant", "ingest", "authorize", "question"} <= {line["event"] for line in lines}
    last = next(line for line in reversed(lines) if line["event"] == "question")
    assert mismatches(last, ANSWER) == []
    assert (last["user"], last["tenant"], last["levels"]) == ("weber", TENANT, ["controlling", "vertrieb"])
    assert last["queries"] and last["tables"]


def test_goldset_run(tmp_path: Path, beleg: Run) -> None:
    goldset = Path(__file__).resolve().parents[2] / "goldsets" / "demo" / "demo.yaml"
    said = beleg(
        "goldset", "run", goldset, "--case", "danzig-umsatz", "--case", "stadt-vertippt", "--keep", tmp_path / "kept", "--json"
    )
    assert (said.code, mismatches(said.json, GOLDSET_RUN)) == (0, [])
    cases: dict[str, Any] = {case["id"]: case for case in said.json["cases"]}
    assert set(cases) == {"danzig-umsatz", "stadt-vertippt"}
    assert said.json["summary"] == {"correct": 2}
    assert run_beleg("verify", cases["danzig-umsatz"]["answer"]["answer_id"], "--workspace", tmp_path / "kept").code == 0
