"""Review by people: what waits under which policy, what an approval and a rejection change, and what never leaves before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from goldsets.read_goldset import read_goldset
from tests.contract.conftest import without_identifiers
from tests.qa.conftest import DRAFT, FINAL, ON_BOTH, REPORT, TENANT, Bench

DANZIG = "Wie hoch war der Nettoumsatz der Niederlassung Danzig im Q3 2024?"
LUBLIN = "Wie hoch war der Nettoumsatz der Niederlassung Lublin im Q3 2024?"
COSTS = "Wie hoch waren die Kosten der Niederlassung Danzig im Q3 2024?"
POSEN = "Wie hoch ist der Nettoumsatz insgesamt?"
NAMES = "Welche Spalten gibt es in der Tabelle umsatz?"
NONSENSE = "Wie hoch war der Fuhrpark in Danzig?"
SQL = "SELECT SUM(kosten_eur) FROM umsatz WHERE niederlassung = 'Danzig'"
JOIN = "SELECT SUM(u.kosten_eur), SUM(p.planumsatz_eur) FROM umsatz u JOIN plan p ON u.niederlassung = p.niederlassung"


def _asked(bench: Bench, question: str) -> Any:
    if question.startswith("SELECT"):
        given = ("--tenant", TENANT, "--as", "weber", "--levels", "controlling", "--json")
        return bench("sql", question, *given).json
    return bench.ask(question)


# policy, question, status, state
POLICIES = [
    ("log", DANZIG, "answered", "not_required"),
    ("log", SQL, "answered", "not_required"),
    ("new_shapes", DANZIG, "pending_review", "pending"),
    ("new_shapes", SQL, "pending_review", "pending"),
    ("new_shapes", NONSENSE, "refused", "not_required"),
    ("mixed", DANZIG, "answered", "not_required"),
    ("mixed", SQL, "pending_review", "pending"),
    ("mixed", JOIN, "pending_review", "pending"),
    ("all", DANZIG, "pending_review", "pending"),
]


@pytest.mark.parametrize(("policy", "question", "status", "state"), POLICIES)
def test_what_waits(policy: str, question: str, status: str, state: str, bench: Bench) -> None:
    bench.policy(f'review = "{policy}"')
    answer = _asked(bench, question)
    assert (answer["status"], answer["review"]["state"]) == (status, state)
    waiting = bench("review", "list", "--json").json
    assert [each["answer_id"] for each in waiting] == ([answer["answer_id"]] if state == "pending" else [])


@pytest.mark.parametrize("question", [DANZIG, SQL, JOIN])
def test_a_held_answer_shows_no_number_to_its_asker(question: str, bench: Bench) -> None:
    bench.policy('review = "all"')
    shown = bench("sql" if question.startswith("SELECT") else "ask", question, "--tenant", TENANT, "--as", "weber",
                  "--levels", "controlling", "--json")  # fmt: skip
    assert shown.code == 3
    assert "1250" not in without_identifiers(shown.out).replace(".", "")
    answer = shown.json
    assert (answer["result"], answer["facts"], answer["related"], answer["warnings"]) == (None, [], [], [])
    assert bench("verify", answer["answer_id"]).code == 1
    kept = bench("review", "show", answer["answer_id"], "--json").json["answer"]
    assert kept["status"] == "answered"
    assert kept["facts"]


def test_versions_that_differ_are_put_without_their_numbers(bench: Bench) -> None:
    bench.ingest(REPORT, FINAL, "--version", "nach Korrektur")
    open_answer = bench.ask(DANZIG)
    assert open_answer["status"] == "clarify"
    assert "1.247,9" in json.dumps(open_answer)
    bench.policy('review = "new_shapes"')
    held = bench.ask(DANZIG)
    assert held["status"] == "clarify"
    assert [option["question"] for option in held["clarification"]["options"]] == [
        option["question"] for option in open_answer["clarification"]["options"]
    ]
    assert "1.247" not in json.dumps(held)


def _approve(bench: Bench, answer: Any, *more: object, by: str = "A. Prüfer") -> None:
    said = bench("review", "approve", answer["answer_id"], "--by", by, *more)
    assert said.code == 0, said


# policy, first question (approved), then: question, status, whether its text names the reviewer, how
AFTER_APPROVAL = [
    ("new_shapes", DANZIG, DANZIG, "answered", "Geprüft von A. Prüfer am "),
    ("new_shapes", DANZIG, DANZIG.upper().rstrip("?"), "answered", "Geprüft von A. Prüfer am "),
    ("new_shapes", DANZIG, LUBLIN, "answered", "Abfrageform geprüft von A. Prüfer am "),
    ("new_shapes", DANZIG, COSTS, "pending_review", ""),
    ("new_shapes", SQL, SQL.replace("Danzig", "Lublin"), "answered", "Abfrageform geprüft von A. Prüfer am "),
    ("new_shapes", SQL, SQL.replace("SUM", "MIN"), "pending_review", ""),
    ("all", DANZIG, DANZIG, "answered", "Geprüft von A. Prüfer am "),
    ("all", DANZIG, LUBLIN, "pending_review", ""),
    ("log", DANZIG, DANZIG, "answered", "Geprüft von A. Prüfer am "),
    ("log", DANZIG, COSTS, "answered", ""),
]


@pytest.mark.parametrize(("policy", "first", "then", "status", "says"), AFTER_APPROVAL)
def test_an_approval(policy: str, first: str, then: str, status: str, says: str, bench: Bench) -> None:
    bench.policy(f'review = "{policy}"')
    _approve(bench, _asked(bench, first), "--reason", "verglichen")
    answer = _asked(bench, then)
    assert answer["status"] == status
    assert (says in answer["text"]) if says else ("A. Prüfer" not in answer["text"])
    assert bench("audit", "verify").code == 0


def test_an_approval_ends_with_the_versions_and_the_schema_map_it_was_given_for(bench: Bench, tmp_path: Path) -> None:
    bench.policy('review = "new_shapes"')
    _approve(bench, bench.ask(DANZIG))
    bench.ingest(REPORT, FINAL, "--version", "nach Korrektur")
    assert bench("versions", "authorize", REPORT, "nach Korrektur", "--tenant", TENANT, "--by", "A. Weber").code == 0
    answer = bench.ask(DANZIG)
    assert answer["status"] == "pending_review"
    shown = bench("review", "show", answer["answer_id"], "--json").json
    assert shown["approved_on_other_versions"]["by"] == "A. Prüfer"
    _approve(bench, answer)
    assert bench.ask(DANZIG)["result"]["rows"][0][-1] == "1247.9"
    meaning = "schema_map: [{file: umsatz.csv, columns: {'Kosten [EUR]': {name: Aufwand, unit: EUR}}}]\n"
    (tmp_path / "map.yaml").write_text(meaning, encoding="utf-8")
    assert bench("schema-map", "apply", tmp_path / "map.yaml", "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert bench.ask(DANZIG)["status"] == "pending_review"


@ON_BOTH
def test_a_question_that_was_rejected_is_not_answered_under_any_policy(bench: Bench) -> None:
    answer = bench.ask(DANZIG)
    assert bench("review", "reject", answer["answer_id"], "--by", "A. Prüfer", "--reason", "meint brutto 1250,50").code == 0
    again = bench.ask(DANZIG)
    assert (again["status"], again["review"]["state"]) == ("pending_review", "rejected")
    assert "A. Prüfer" in again["text"]
    assert "1250" not in json.dumps(again)  # neither the number nor the reviewer's reason, which may hold one
    assert bench.ask(LUBLIN)["status"] == "answered"
    _approve(bench, answer)  # the latest decision holds
    assert bench.ask(DANZIG)["status"] == "answered"


@pytest.mark.parametrize(
    ("own", "by", "code"), [("false", "Weber", 1), ("false", "weber ", 1), ("false", "A. Prüfer", 0), ("true", "weber", 0)]
)
def test_approval_by_the_asker(own: str, by: str, code: int, bench: Bench) -> None:
    bench.policy(f'review = "all"\nreview_own = {own}')
    assert bench("review", "approve", bench.ask(DANZIG)["answer_id"], "--by", by).code == code


def test_an_answer_that_the_originals_no_longer_prove_is_not_approved(bench: Bench) -> None:
    bench.policy('review = "all"')
    answer = bench.ask(DANZIG)
    (original,) = [path for path in bench.root.rglob("*") if path.is_file() and "1250,50" in _text(path)
                   and path.suffix == ".csv" and "in" not in path.relative_to(bench.root).parts]  # fmt: skip
    original.chmod(0o644)
    original.write_text(DRAFT.replace("1250,50", "9999,50"), encoding="utf-8")
    said = bench("review", "approve", answer["answer_id"], "--by", "A. Prüfer")
    assert said.code == 4
    assert bench.ask(DANZIG)["status"] == "pending_review"


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("action", [("approve",), ("reject",), ("show",)])
def test_what_cannot_be_reviewed_says_so(action: tuple[str], bench: Bench) -> None:
    by = () if action == ("show",) else ("--by", "A. Prüfer")
    refused = bench.ask(NONSENSE)["answer_id"]
    for wrong in ("gibtesnicht", refused):
        said = bench("review", *action, wrong, *by)
        assert said.code == 1
        assert wrong in said.err


def test_a_part_of_a_total_waits_too(bench: Bench) -> None:
    bench.ingest(REPORT, DRAFT.replace("k. A.", "#REF!"), "--version", "defekt")
    assert bench("remove", REPORT, "--version", "Entwurf", "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert bench.ask(POSEN)["refusal"]["code"] == "incomplete_data"
    bench.policy('review = "new_shapes"')
    assert bench.ask(POSEN)["status"] == "pending_review"


def _stale(bench: Bench) -> dict[str, list[str]]:
    return {each["answer_id"]: each["why"] for each in bench("review", "stale", "--json").json}


@ON_BOTH
def test_answers_of_superseded_and_removed_versions_are_listed(bench: Bench) -> None:
    draft = bench.ask(DANZIG)["answer_id"]
    assert _stale(bench) == {}
    bench.ingest(REPORT, FINAL, "--version", "nach Korrektur")
    assert list(_stale(bench)) == [draft]
    assert bench("versions", "authorize", REPORT, "nach Korrektur", "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert "nach Korrektur" in _stale(bench)[draft][0]
    final = bench.ask(DANZIG)["answer_id"]
    named = bench.ask(f"{DANZIG.rstrip('?')} laut Entwurf?")  # asked for the draft when it was one already
    assert named["result"]["rows"][0][-1] == "1250.5"
    assert list(_stale(bench)) == [draft]
    assert bench("remove", REPORT, "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert set(_stale(bench)) == {draft, final, named["answer_id"]}


@ON_BOTH
def test_the_sample_is_drawn_once_and_reports_the_share_found_right(bench: Bench) -> None:
    answers = [bench.ask(question)["answer_id"] for question in (DANZIG, LUBLIN, COSTS)]
    bench.ask(NONSENSE)
    command = ("review", "sample", "--n", "50", "--tenant", TENANT)
    drawn = bench(*command, "--json").json
    assert sorted(each["answer_id"] for each in drawn["entries"]) == sorted(answers)
    for answer_id, mark in zip(answers, ("approve", "approve", "reject"), strict=True):
        assert bench("review", mark, answer_id, "--by", "A. Prüfer").code == 0
    bench.ask(LUBLIN)
    marked = bench(*command, "--json").json
    assert (marked["n"], marked["marked"], marked["right"], marked["wrong"]) == (3, 3, 2, 1)
    assert "66,7 %" in bench(*command).out
    assert bench(*command, "--new", "--json").json["n"] == 4
    assert len(bench("review", "sample", "--n", "2", "--tenant", TENANT, "--json").json["entries"]) == 2


def test_an_approved_answer_becomes_a_case_of_a_goldset(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / REPORT).write_text(DRAFT, encoding="utf-8")
    goldset = folder / "fragen.yaml"
    goldset.write_text(
        f"goldset: t\ncorpus:\n  - {{file: {REPORT}, tenant: {TENANT}, access_level: controlling, version: {{label: Entwurf}}}}\n"
        "cases:  # by hand\n- id: first\n  question: Wie hoch waren die Kosten in Lublin?\n"
        f"  tenant: {TENANT}\n  levels: [controlling]\n  expect: {{status: answered, rows: [['500']]}}\n\n"
        "# the end\nsettings: {review: log}\n",
        encoding="utf-8",
    )
    session = bench.ask(DANZIG)["session_id"]
    average = bench.ask("Wie hoch sind die durchschnittlichen Kosten?")
    follow_up = bench.ask("und in Lublin?", "--session", session)
    for answer in (average, follow_up):
        assert answer["status"] == "answered"
        _approve(bench, answer, "--to-goldset", goldset)
    text = goldset.read_text(encoding="utf-8")
    assert "# by hand" in text
    assert "# the end" in text
    assert len(read_goldset(goldset).cases) == 3
    said = bench("goldset", "run", goldset, "--json")
    assert said.code == 0, said.out
    twice = bench("review", "approve", average["answer_id"], "--by", "A. Prüfer", "--to-goldset", goldset)
    assert (twice.code, goldset.read_text(encoding="utf-8")) == (1, text)
