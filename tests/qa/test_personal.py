"""Personal data: proposed by detectors, marked by people, masked in everything but the answer itself."""

from __future__ import annotations

import json
import os
import re

import pytest

from qa.audit_signature import KEY_VARIABLE, AuditKey
from qa.personal_mask import Masker, export_line
from qa.personal_values import MASK, PersonalValues
from tests.contract.conftest import without_identifiers
from tests.qa.conftest import TENANT, Bench
from tests.qa.kept_log import KeptLog

STAFF = (
    "Mitarbeiter;Abteilung;IBAN;Gehalt [EUR];Eintritt\n"
    "Erika Müller;Einkauf;DE89 3704 0044 0532 0130 00;4711,50;01.03.2015\n"
    "Jan Kowalczyk;Einkauf;DE02120300000000202051;3999;15.07.2019\n"
    "Sören Bäcker;Lager;DE02500105170137075030;3333;01.01.2021\n"
)
SALARY = "Wie hoch ist das Gehalt von Erika Müller?"
WHO = "Welche Mitarbeiter sind in der Abteilung Einkauf?"
TOTAL = "Wie hoch ist die Summe der Gehälter in der Abteilung Einkauf?"
LOWER = "wie hoch ist das gehalt von jan kowalczyk?"
PART = "Wie hoch ist das Gehalt von Müller?"
SECRETS = ("Müller", "Mueller", "müller", "Kowalczyk", "kowalczyk", "Sören", "3704 0044", "DE02120300000000202051", "4711",
           "4.711")  # fmt: skip
KEY: dict[str, str | None] = {KEY_VARIABLE: "0123456789abcdef" * 2}


@pytest.fixture
def staff(bench: Bench) -> Bench:
    """The workspace with a staff list, three columns marked: names proposed, account approved, salary by YAML."""
    bench.ingest("personal.csv", STAFF, level="hr")
    proposed = bench("schema-map", "propose", "personal.csv", "--tenant", TENANT)
    assert proposed.code == 0, proposed
    assert {line.split(": ")[1].split(" ")[0] for line in proposed.out.splitlines() if "personenbezogen" in line} == {
        "Mitarbeiter",
        "IBAN",
    }
    assert bench("schema-map", "approve", "personal.csv", "IBAN", "--personal", "--tenant", TENANT, "--by", "A. Weber").code == 0
    path = bench.root / "map.yaml"
    path.write_text("schema_map: [{file: personal.csv, columns: {'Gehalt [EUR]': {personal: true}}}]\n", encoding="utf-8")
    assert bench("schema-map", "apply", path, "--tenant", TENANT, "--by", "A. Weber").code == 0
    return bench


def _stored(bench: Bench) -> str:
    """Everything that the log wrote to disk or server, as bytes and as the characters that JSON escapes stand for."""
    raw = b"".join(path.read_bytes() for path in (bench.root / "data").glob("audit*")).decode("utf-8", "replace")
    if url := os.environ.get("BELEG_AUDIT_URL"):
        raw += str(KeptLog(bench.root, url).execute("SELECT * FROM audit"))
    text = without_identifiers(raw)
    return text + re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)


@pytest.mark.parametrize("question", [SALARY, WHO, LOWER, PART])
def test_the_asker_sees_the_answer_and_the_log_does_not(question: str, staff: Bench) -> None:
    answer = staff.ask(question, levels="hr")
    assert any(secret in json.dumps(answer, ensure_ascii=False) for secret in SECRETS)
    exported = without_identifiers(staff("audit", "export").out)
    for secret in SECRETS:
        assert secret not in exported, secret
        assert secret not in _stored(staff), secret
    assert MASK in exported
    assert staff("audit", "verify").code == 0
    record = next(each for each in staff.log() if each["answer_id"] == answer["answer_id"])
    assert (record["status"], record["user"], record["masked"]) == (answer["status"], "weber", True)


def test_sums_over_several_people_stay(staff: Bench) -> None:
    answer = staff.ask(TOTAL, levels="hr")
    assert answer["result"]["rows"][0][-1] == "8710.5"
    record = next(each for each in staff.log() if each["answer_id"] == answer["answer_id"])
    assert record["result"]["rows"] == answer["result"]["rows"]
    assert staff("verify", answer["answer_id"]).code == 0


def test_a_level_of_the_settings_sees_it_in_the_log(staff: Bench) -> None:
    staff.policy('personal_levels = ["hr"]')
    answer = staff.ask(SALARY, levels="hr")
    record = next(each for each in staff.log() if each["answer_id"] == answer["answer_id"])
    assert record["text"] == answer["text"]
    assert "masked" not in record


def test_what_was_logged_before_a_column_was_marked_is_masked_in_the_export(bench: Bench) -> None:
    bench.ingest("personal.csv", STAFF, level="hr")
    answer = bench.ask(SALARY, levels="hr")
    assert answer["text"] in {record["text"] for record in bench.log()}
    for header in ("Mitarbeiter", "Gehalt [EUR]"):
        said = bench("schema-map", "approve", "personal.csv", header, "--name", header.split(" ")[0], "--personal", "--tenant",
                     TENANT, "--by", "A. Weber")  # fmt: skip
        assert said.code == 0, said
    exported = bench("audit", "export").out
    assert "Müller" not in exported
    assert "4.711" not in exported
    said = bench("schema-map", "approve", "personal.csv", "Mitarbeiter", "--not-personal", "--tenant", TENANT, "--by", "A. Weber")
    assert said.code == 0
    assert "Müller" in bench("audit", "export").out


@pytest.mark.parametrize(("environment", "code"), [({}, 4), (KEY, 0)])
def test_masked_values_are_verified_by_their_signature(environment: dict[str, str | None], code: int, staff: Bench) -> None:
    if environment:
        assert staff("audit", "sign", "--by", "A. Weber", environment=environment).code == 0
    asked = staff("ask", WHO, "--tenant", TENANT, "--as", "weber", "--levels", "hr", "--json", environment=environment).json
    said = staff("verify", asked["answer_id"], "--json", environment=environment)
    assert said.code == code, said
    assert not any(secret in without_identifiers(said.out) for secret in SECRETS)
    assert staff("audit", "replay", asked["answer_id"], environment=environment).code == 1
    assert all(fact["equal"] for fact in said.json["facts"]) == (code == 0)


def test_a_held_answer_is_masked_too(staff: Bench) -> None:
    staff.policy('review = "all"')
    answer = staff.ask(SALARY, levels="hr")
    assert answer["status"] == "pending_review"
    shown = without_identifiers(staff("review", "show", answer["answer_id"]).out)
    assert not any(secret in shown + _stored(staff) for secret in SECRETS)


VALUES = PersonalValues(frozenset({("erika", "mueller"), ("mueller",), ("de89370400440532013000",)}), 2)
TEXTS = [
    ("Gehalt von Erika Müller?", f"Gehalt von {MASK}?"),
    ("MÜLLER, Mueller und Müllerei", f"{MASK}, {MASK} und Müllerei"),
    ("DE89370400440532013000", MASK),
    ("IBAN DE02 1203 0000 0000 2020 51 gesucht", f"IBAN {MASK} gesucht"),  # in no column, but its check digits are right
    ("IBAN DE03 1203 0000 0000 2020 51", "IBAN DE03 1203 0000 0000 2020 51"),
    ("an a.b@example.org", f"an {MASK}"),
    ("Umsatz 2024", "Umsatz 2024"),
]


@pytest.mark.parametrize(("text", "masked"), TEXTS)
def test_text(text: str, masked: str) -> None:
    assert Masker(VALUES).text(text) == masked
    assert Masker(VALUES).text(masked) == masked


def test_the_last_look_does_not_trust_the_first() -> None:
    class Forgetful(Masker):
        """A masker that misses everything."""

        def masked(self, record: object) -> dict[str, object]:
            assert isinstance(record, dict)
            return dict(record)

    record = {"seq": 1, "user": "Müller", "text": "Erika Müller", "detail": {"new_field": ["Erika Müller"]}}
    line = export_line(record, Forgetful(VALUES))
    assert json.loads(line) == {"seq": 1, "user": "Müller", "text": None, "detail": None, "masked": True}
    assert Masker(VALUES, AuditKey(b"k" * 32)).masked(record)["detail"] == {"new_field": [MASK]}


def test_no_answer_where_the_log_would_keep_a_personal_value(staff: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Masker, "masked", lambda self, record: dict(record))
    said = staff("ask", SALARY, "--tenant", TENANT, "--as", "weber", "--levels", "hr")
    assert said.code == 1
    assert "4.711" not in said.out
    assert "Müller" not in _stored(staff)
