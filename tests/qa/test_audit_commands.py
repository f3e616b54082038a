"""`beleg audit`: replay on the same versions, export by period and person, signing and shortening from the command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from qa.audit_signature import KEY_VARIABLE
from tests.qa.conftest import FINAL, ON_BOTH, REPORT, TENANT, Bench
from tests.qa.test_review import DANZIG, LUBLIN, NONSENSE, SQL

QUESTIONS = [
    DANZIG,
    "Wie hoch sind die durchschnittlichen Kosten?",
    "Welche Niederlassung hat den höchsten Nettoumsatz?",
    "Wie hoch ist der Anteil von Danzig an den Kosten?",
    "Nettoumsatz je Niederlassung",
    "Welche Niederlassungen haben Kosten über 400 EUR?",
]


def test_a_replay_gives_the_same_number_also_of_versions_that_are_gone(bench: Bench) -> None:
    answers = [bench.ask(question) for question in QUESTIONS]
    assert [answer["status"] for answer in answers] == ["answered"] * len(QUESTIONS)
    asker = ("--tenant", TENANT, "--as", "weber", "--levels", "controlling", "--json")
    answers.append(bench("sql", SQL, *asker).json)
    bench.ingest(REPORT, FINAL, "--version", "nach Korrektur")
    both = bench.ask("Wie hoch waren die Kosten in Danzig?")  # both versions agree
    assert "several_versions_agree" in {warning["code"] for warning in both["warnings"]}
    assert bench("versions", "authorize", REPORT, "nach Korrektur", "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert bench("remove", REPORT, "--version", "Entwurf", "--tenant", TENANT, "--by", "A. Weber").code == 0
    for answer in (*answers, both):
        said = bench("audit", "replay", answer["answer_id"], "--json")
        assert said.code == 0, (answer["question"], said)
        assert [[cell["value"] for cell in row] for row in said.json["now"]] == answer["result"]["rows"]


def test_a_replay_that_gives_something_else_says_so(bench: Bench) -> None:
    answer = bench.ask("Nettoumsatz je Niederlassung")
    segments = [path for path in bench.root.rglob("*.parquet")]
    assert segments
    for segment in segments:
        segment.chmod(0o644)
        segment.write_bytes(segment.read_bytes()[:-20])
    said = bench("audit", "replay", answer["answer_id"])
    assert said.code in (1, 4)
    assert "Dieselben" not in said.out


def test_a_replay_after_the_meaning_of_a_column_changed(bench: Bench) -> None:
    answer = bench.ask(DANZIG)
    path = bench.root / "map.yaml"
    path.write_text("schema_map: [{file: umsatz.csv, columns: {'Nettoumsatz [EUR]': {unit: TEUR}}}]\n", encoding="utf-8")
    assert bench("schema-map", "apply", path, "--tenant", TENANT, "--by", "A. Weber").code == 0
    said = bench("audit", "replay", answer["answer_id"])
    assert said.code == 4
    assert "TEUR" in said.out


@pytest.mark.parametrize("question", [NONSENSE, None])
def test_what_cannot_be_replayed(question: str | None, bench: Bench) -> None:
    answer_id = bench.ask(question)["answer_id"] if question is not None else "gibtesnicht"
    said = bench("audit", "replay", answer_id)
    assert said.code == 1
    assert answer_id in said.err


@ON_BOTH
def test_export_by_period_and_person(bench: Bench) -> None:
    bench.ask(DANZIG)
    bench.ask(LUBLIN, user="schmidt")
    today = datetime.now(UTC).date()
    day = timedelta(days=1)
    everything = bench("audit", "export").out.splitlines()
    selections = {
        ("--since", today): len(everything),
        ("--until", today, "--tenant", TENANT): len(everything),
        ("--since", today + day): 0,
        ("--until", today - day): 0,
        ("--user", "schmidt"): 1,
        ("--user", "schmidt", "--since", today, "--until", today): 1,
        ("--user", "niemand"): 0,
    }
    for options, count in selections.items():
        assert len(bench("audit", "export", *options).out.splitlines()) == count, options
    assert bench("audit", "export", "--since", today, "--until", today - day).code == 2
    assert bench("audit", "export", "--tenant", "unbekannt").code == 1


@ON_BOTH
def test_signing_and_shortening(bench: Bench) -> None:
    key: dict[str, str | None] = {KEY_VARIABLE: "0123456789abcdef" * 2}
    bench.ask(DANZIG)
    assert bench("audit", "verify").code == 0
    assert bench("audit", "verify", environment=key).code == 4
    assert bench("audit", "sign", "--by", "A. Weber", environment=key).code == 0
    verified = bench("audit", "verify", "--json", environment=key)
    assert (verified.code, verified.json["signed"]) == (0, True)
    assert bench("audit", "verify").code == 4
    assert "BELEG_AUDIT_KEY" in bench("ask", DANZIG, "--tenant", TENANT, "--as", "w", "--levels", "controlling").err
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    assert bench("audit", "prune", "--before", tomorrow, "--by", "A. Weber", environment=key).code == 2
    said = bench("audit", "prune", "--before", "2020-01-01", "--by", "A. Weber", environment=key)
    assert (said.code, "keine Frage" in said.out) == (0, True)
