"""A signed log: who can write the database and the checkpoint, but has no key, is found out. Deletion after a period is not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from orchestrator.scope import Asker
from qa.audit import AuditLog, QuestionDetails
from qa.audit_chain import canonical
from qa.audit_retention import prune
from qa.audit_signature import AuditKey, audit_key
from qa.audit_store import AuditStore
from qa.problems import AuditError, BelegError, SettingsError, UsageProblem
from tests.qa.kept_log import KeptLog

KEY = AuditKey(b"k" * 32)
OTHER = AuditKey(b"o" * 32)
TODAY = datetime.now(UTC).date()
TOMORROW = TODAY + timedelta(days=1)
ASKER = Asker("weber", "nord", frozenset({"controlling"}))


def _store(log: KeptLog, key: AuditKey | None = KEY) -> AuditStore:
    return log.store(key)


def _write(kept: KeptLog, count: int, key: AuditKey | None = KEY, start: int = 1) -> None:
    log = AuditLog(_store(kept, key))
    for number in range(start, start + count):
        answer = {"answer_id": f"a{number}", "session_id": "s", "question": f"Frage {number}", "status": "answered"}
        log.question(ASKER, answer, QuestionDetails(duration_ms=1.0))


@pytest.fixture
def full(kept: KeptLog) -> KeptLog:
    """Six signed records."""
    _write(kept, 6)
    return kept


def _records(full: KeptLog) -> list[dict[str, Any]]:
    return [json.loads(body) for body in full.bodies()]


def _forge(full: KeptLog, records: list[dict[str, Any]], *, checkpoint: bool = True) -> None:
    """Writes these records as a whole new chain without a flaw, and a checkpoint to match: all that needs no key."""
    previous = "0" * 64
    full.execute("DELETE FROM audit")
    names = ("event", "tenant", "user", "answer_id", "session_id", "origin")
    for seq, record in enumerate(records, start=1):
        body = canonical({**record, "seq": seq, "previous": previous})
        found = hashlib.sha256(body.encode()).hexdigest()
        values = {name: record.get(name) for name in names} | {"seq": seq, "body": body, "previous": previous, "hash": found}
        full.execute(f"INSERT INTO audit VALUES (:seq, {', '.join(f':{n}' for n in names)}, :body, :previous, :hash)", **values)
        previous = found
    if checkpoint:
        path = full.checkpoint
        path.write_text(json.dumps(json.loads(path.read_text()) | {"count": len(records), "head": previous}), encoding="ascii")


def _unsigned(full: KeptLog) -> None:
    _forge(full, [{k: v for k, v in record.items() if k != "signature"} for record in _records(full)])
    path = full.checkpoint
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != "signature"}), encoding="ascii")


def _changed(full: KeptLog, seq: int) -> None:
    records = _records(full)
    records[seq - 1]["question"] = "Frage 99"
    _forge(full, records)


def _added(full: KeptLog) -> None:
    _forge(full, [*_records(full), {**_records(full)[5], "question": "Frage 7"}], checkpoint=False)


def _added_unsigned(full: KeptLog) -> None:
    extra = {k: v for k, v in _records(full)[5].items() if k != "signature"}
    _forge(full, [*_records(full), extra], checkpoint=False)


def _emptied(full: KeptLog) -> None:
    full.execute(
        "UPDATE audit SET body = '', event = 'pruned', tenant = NULL, \"user\" = NULL, answer_id = NULL, session_id = NULL "
        "WHERE seq = 6"
    )


FORGERIES: dict[str, Callable[[KeptLog], None]] = {
    "the first record, everything recomputed": lambda full: _changed(full, 1),
    "the last record, everything recomputed": lambda full: _changed(full, 6),
    "the last record gone, everything recomputed": lambda full: _forge(full, _records(full)[:5]),
    "a record in the middle gone, everything recomputed": lambda full: _forge(
        full, _records(full)[:2] + _records(full)[3:]
    ),
    "all gone, an empty log": lambda full: _forge(full, []),
    "all signatures taken off": _unsigned,
    "a record after the checkpoint, as a crash leaves it": _added,
    "an unsigned record after the checkpoint": _added_unsigned,
    "the content of the last record gone, as if pruned": _emptied,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_without_the_key_is_found_and_not_continued(name: str, full: KeptLog) -> None:
    FORGERIES[name](full)
    assert not _store(full).check().ok
    if name != "the content of the last record gone, as if pruned":  # its hash is still what the checkpoint holds
        with pytest.raises(AuditError):
            _write(full, 1, start=8)
    assert not _store(full).check().ok


def test_an_untouched_signed_log_passes_and_is_continued(full: KeptLog) -> None:
    _write(full, 1, start=7)
    report = _store(full).check()
    assert (report.ok, report.count, report.signed) == (True, 7, True)


@pytest.mark.parametrize("key", [None, OTHER])
def test_without_the_right_key_nothing_is_vouched_for_and_nothing_written(key: AuditKey | None, full: KeptLog) -> None:
    report = _store(full, key).check()
    assert not report.ok
    assert not report.signed
    with pytest.raises(AuditError, match="BELEG_AUDIT_KEY"):
        _write(full, 1, key, start=7)
    assert _store(full).check().ok


@pytest.mark.parametrize("lost", [1, 2])
def test_a_crash_between_database_and_signed_checkpoint_is_no_tampering(lost: int, full: KeptLog) -> None:
    checkpoint = full.checkpoint.read_text(encoding="ascii")
    _write(full, lost, start=7)
    full.checkpoint.write_text(checkpoint, encoding="ascii")
    report = _store(full).check()
    assert (report.ok, report.behind) == (True, lost)
    _write(full, 1, start=9)
    assert _store(full).check().behind == 0


def test_a_log_begun_without_a_key_is_signed_from_then_on(kept: KeptLog) -> None:
    _write(kept, 3, None)
    assert not _store(kept).check().ok  # an unsigned checkpoint proves nothing to who has a key
    with pytest.raises(AuditError, match="audit sign"):
        _write(kept, 1)
    AuditLog(_store(kept)).sign_on("weber")
    _write(kept, 2, start=4)
    assert _store(kept).check().signed
    with pytest.raises(AuditError):
        AuditLog(_store(kept)).sign_on("weber")
    _changed(kept, 2)  # the unsigned part is held by the signed one
    assert not _store(kept).check().ok


def test_a_log_that_fails_its_check_is_not_signed(kept: KeptLog) -> None:
    _write(kept, 3, None)
    kept.execute("UPDATE audit SET body = replace(body, 'Frage 2', 'Frage 9')")
    with pytest.raises(AuditError, match="wird nicht signiert"):
        AuditLog(_store(kept)).sign_on("weber")


def test_short_keys_are_refused_and_never_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        audit_key({"BELEG_AUDIT_KEY": "geheim"})
    assert "geheim" not in str(caught.value)
    key = audit_key({"BELEG_AUDIT_KEY": "x" * 40})
    assert "x" * 40 not in repr(key)
    assert audit_key({"BELEG_AUDIT_KEY": " "}) is None


# --- deletion after a period


def _age(kept: KeptLog, key: AuditKey | None, days: dict[int, str]) -> None:
    """A log whose records are of these days: written anew with the key, as no other way allows."""
    kept.lose_database()
    kept.checkpoint.unlink(missing_ok=True)
    store = _store(kept, key)
    for number, day in days.items():
        event = "authorize" if number == 3 else "question"
        store.append(
            {"event": event, "tenant": "nord" if number != 5 else "sued", "user": "weber", "at": f"{day}T10:00:00.000Z",
             "answer_id": f"a{number}", "session_id": "s", "origin": "catalog:1" if number == 3 else None,
             "question": f"geheime Frage {number}", "levels": [], "detail": {}}
        )  # fmt: skip


DAYS = {1: "2020-01-01", 2: "2020-06-30", 3: "2020-07-01", 4: "2021-01-01", 5: "2020-02-02", 6: "2024-01-01"}

# key, before, tenant, deleted records
PRUNED = [
    (KEY, date(2021, 1, 1), None, [1, 2, 5]),
    (KEY, date(2021, 1, 2), None, [1, 2, 4, 5]),
    (None, date(2021, 1, 1), None, [1, 2, 5]),
    (KEY, date(2021, 1, 1), "nord", [1, 2]),
    (KEY, date(2020, 1, 1), None, []),
    (KEY, TODAY, None, [1, 2, 4, 5, 6]),
]


@pytest.mark.parametrize(("key", "before", "tenant", "gone"), PRUNED)
def test_after_a_period_the_content_goes_and_the_chain_stays(
    key: AuditKey | None, before: date, tenant: str | None, gone: list[int], kept: KeptLog, tmp_path: Path
) -> None:
    _age(kept, key, DAYS)
    log = AuditLog(_store(kept, key))
    archive = tmp_path / "archiv.jsonl"
    assert prune(log, before, "weber", tenant, archive) == len(gone)
    report = _store(kept, key).check()
    assert (report.ok, report.pruned) == (True, len(gone)), report.findings
    for number in DAYS:
        assert kept.contains(f"geheime Frage {number}") == (number not in gone)
    exported = list(AuditLog(_store(kept, key)).export())
    assert [record["seq"] for record in exported if record["event"] == "pruned"] == gone
    if gone:
        lines = archive.read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["seq"] for line in lines] == gone
        assert exported[-1]["event"] == "audit_prune"
        assert exported[-1]["detail"]["archive_sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
        hashes = {record["seq"]: record["hash"] for record in exported}
        assert all(hashes[json.loads(line)["seq"]] == hashlib.sha256(line.encode()).hexdigest() for line in lines)
    store = _store(kept, key)
    store.append({"event": "question", "tenant": "nord", "user": "x", "at": "2024-02-02T00:00:00.000Z", "detail": {}})
    assert store.check().ok
    assert store.origins() == {"catalog:1"}


def test_a_second_deletion_continues_the_first(kept: KeptLog) -> None:
    _age(kept, KEY, DAYS)
    log = AuditLog(_store(kept))
    assert prune(log, date(2020, 2, 1), "weber") == 1
    assert prune(log, date(2022, 1, 1), "weber") == 3
    assert (log.check().ok, log.check().pruned) == (True, 4)


TAMPERED_AFTER_PRUNING = {
    "another record emptied": "UPDATE audit SET body = '', event = 'pruned', tenant = NULL, \"user\" = NULL, answer_id = NULL, "
    "session_id = NULL WHERE seq = 6",
    "a deleted record gone": "DELETE FROM audit WHERE seq = 2",
    "the hash of a deleted record": f"UPDATE audit SET hash = '{'0' * 64}' WHERE seq = 2",
    "the origin of a deleted record": "UPDATE audit SET origin = 'catalog:9' WHERE seq = 2",
    "content given to a deleted record": "UPDATE audit SET body = '{}' WHERE seq = 2",
    "the record of the deletion": "UPDATE audit SET body = replace(body, '1-2,5', '1-2,5-6') WHERE seq = 7",
    "the record of the deletion gone": "DELETE FROM audit WHERE seq = 7",
}


@pytest.mark.parametrize("name", TAMPERED_AFTER_PRUNING)
@pytest.mark.parametrize("key", [KEY, None])
def test_tampering_with_a_shortened_log_is_found(key: AuditKey | None, name: str, kept: KeptLog) -> None:
    _age(kept, key, DAYS)
    prune(AuditLog(_store(kept, key)), date(2021, 1, 1), "weber")
    kept.execute(TAMPERED_AFTER_PRUNING[name])
    assert not _store(kept, key).check().ok


def test_what_is_not_pruned(kept: KeptLog, tmp_path: Path) -> None:
    _age(kept, KEY, DAYS)
    log = AuditLog(_store(kept))
    with pytest.raises(UsageProblem, match="Zukunft"):
        prune(log, TOMORROW, "weber")
    with pytest.raises(UsageProblem, match="--by"):
        prune(log, TODAY, " ")
    (tmp_path / "da.jsonl").touch()
    with pytest.raises(BelegError, match=r"da\.jsonl"):
        prune(log, TODAY, "weber", None, tmp_path / "da.jsonl")
    _changed(kept, 2)
    with pytest.raises(AuditError, match="nicht gekürzt"):
        prune(log, TODAY, "weber")
