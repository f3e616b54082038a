"""A signed log: who can write the database and the checkpoint, but has no key, is found out. Deletion after a period is not."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
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

KEY = AuditKey(b"k" * 32)
OTHER = AuditKey(b"o" * 32)
TODAY = datetime.now(UTC).date()
TOMORROW = TODAY + timedelta(days=1)
ASKER = Asker("weber", "nord", frozenset({"controlling"}))


def _store(folder: Path, key: AuditKey | None = KEY) -> AuditStore:
    return AuditStore(f"sqlite:///{folder}/audit.sqlite", folder / "audit.checkpoint.json", key)


def _write(folder: Path, count: int, key: AuditKey | None = KEY, start: int = 1) -> None:
    log = AuditLog(_store(folder, key))
    for number in range(start, start + count):
        answer = {"answer_id": f"a{number}", "session_id": "s", "question": f"Frage {number}", "status": "answered"}
        log.question(ASKER, answer, QuestionDetails(duration_ms=1.0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six signed records."""
    _write(tmp_path, 6)
    return tmp_path


def _records(folder: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(folder / "audit.sqlite")) as connection:
        return [json.loads(body) for (body,) in connection.execute("SELECT body FROM audit ORDER BY seq")]


def _forge(folder: Path, records: list[dict[str, Any]], *, checkpoint: bool = True) -> None:
    """Writes these records as a whole new chain without a flaw, and a checkpoint to match: all that needs no key."""
    previous = "0" * 64
    with closing(sqlite3.connect(folder / "audit.sqlite")) as connection:
        connection.execute("DELETE FROM audit")
        for seq, record in enumerate(records, start=1):
            body = canonical({**record, "seq": seq, "previous": previous})
            found = hashlib.sha256(body.encode()).hexdigest()
            columns = [record.get(name) for name in ("event", "tenant", "user", "answer_id", "session_id", "origin")]
            connection.execute("INSERT INTO audit VALUES (?,?,?,?,?,?,?,?,?,?)", (seq, *columns, body, previous, found))
            previous = found
        connection.commit()
    if checkpoint:
        path = folder / "audit.checkpoint.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"count": len(records), "head": previous}), encoding="ascii")


def _unsigned(folder: Path) -> None:
    _forge(folder, [{k: v for k, v in record.items() if k != "signature"} for record in _records(folder)])
    path = folder / "audit.checkpoint.json"
    path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != "signature"}), encoding="ascii")


def _changed(folder: Path, seq: int) -> None:
    records = _records(folder)
    records[seq - 1]["question"] = "Frage 99"
    _forge(folder, records)


def _added(folder: Path) -> None:
    _forge(folder, [*_records(folder), {**_records(folder)[5], "question": "Frage 7"}], checkpoint=False)


def _added_unsigned(folder: Path) -> None:
    extra = {k: v for k, v in _records(folder)[5].items() if k != "signature"}
    _forge(folder, [*_records(folder), extra], checkpoint=False)


def _emptied(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "audit.sqlite")) as connection:
        connection.execute(
            "UPDATE audit SET body = '', event = 'pruned', tenant = NULL, \"user\" = NULL, answer_id = NULL, session_id = NULL "
            "WHERE seq = 6"
        )
        connection.commit()


FORGERIES: dict[str, Callable[[Path], None]] = {
    "the first record, everything recomputed": lambda folder: _changed(folder, 1),
    "the last record, everything recomputed": lambda folder: _changed(folder, 6),
    "the last record gone, everything recomputed": lambda folder: _forge(folder, _records(folder)[:5]),
    "a record in the middle gone, everything recomputed": lambda folder: _forge(
        folder, _records(folder)[:2] + _records(folder)[3:]
    ),
    "all gone, an empty log": lambda folder: _forge(folder, []),
    "all signatures taken off": _unsigned,
    "a record after the checkpoint, as a crash leaves it": _added,
    "an unsigned record after the checkpoint": _added_unsigned,
    "the content of the last record gone, as if pruned": _emptied,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_without_the_key_is_found_and_not_continued(name: str, folder: Path) -> None:
    FORGERIES[name](folder)
    assert not _store(folder).check().ok
    if name != "the content of the last record gone, as if pruned":  # its hash is still what the checkpoint holds
        with pytest.raises(AuditError):
            _write(folder, 1, start=8)
    assert not _store(folder).check().ok


def test_an_untouched_signed_log_passes_and_is_continued(folder: Path) -> None:
    _write(folder, 1, start=7)
    report = _store(folder).check()
    assert (report.ok, report.count, report.signed) == (True, 7, True)


@pytest.mark.parametrize("key", [None, OTHER])
def test_without_the_right_key_nothing_is_vouched_for_and_nothing_written(key: AuditKey | None, folder: Path) -> None:
    report = _store(folder, key).check()
    assert not report.ok
    assert not report.signed
    with pytest.raises(AuditError, match="BELEG_AUDIT_KEY"):
        _write(folder, 1, key, start=7)
    assert _store(folder).check().ok


@pytest.mark.parametrize("lost", [1, 2])
def test_a_crash_between_database_and_signed_checkpoint_is_no_tampering(lost: int, folder: Path) -> None:
    checkpoint = (folder / "audit.checkpoint.json").read_text(encoding="ascii")
    _write(folder, lost, start=7)
    (folder / "audit.checkpoint.json").write_text(checkpoint, encoding="ascii")
    report = _store(folder).check()
    assert (report.ok, report.behind) == (True, lost)
    _write(folder, 1, start=9)
    assert _store(folder).check().behind == 0


def test_a_log_begun_without_a_key_is_signed_from_then_on(tmp_path: Path) -> None:
    _write(tmp_path, 3, None)
    assert not _store(tmp_path).check().ok  # an unsigned checkpoint proves nothing to who has a key
    with pytest.raises(AuditError, match="audit sign"):
        _write(tmp_path, 1)
    AuditLog(_store(tmp_path)).sign_on("weber")
    _write(tmp_path, 2, start=4)
    assert _store(tmp_path).check().signed
    with pytest.raises(AuditError):
        AuditLog(_store(tmp_path)).sign_on("weber")
    _changed(tmp_path, 2)  # the unsigned part is held by the signed one
    assert not _store(tmp_path).check().ok


def test_a_log_that_fails_its_check_is_not_signed(tmp_path: Path) -> None:
    _write(tmp_path, 3, None)
    with closing(sqlite3.connect(tmp_path / "audit.sqlite")) as connection:
        connection.execute("UPDATE audit SET body = replace(body, 'Frage 2', 'Frage 9')")
        connection.commit()
    with pytest.raises(AuditError, match="wird nicht signiert"):
        AuditLog(_store(tmp_path)).sign_on("weber")


def test_short_keys_are_refused_and_never_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        audit_key({"BELEG_AUDIT_KEY": "geheim"})
    assert "geheim" not in str(caught.value)
    key = audit_key({"BELEG_AUDIT_KEY": "x" * 40})
    assert "x" * 40 not in repr(key)
    assert audit_key({"BELEG_AUDIT_KEY": " "}) is None


# --- deletion after a period


def _age(folder: Path, key: AuditKey | None, days: dict[int, str]) -> None:
    """A log whose records are of these days: written anew with the key, as no other way allows."""
    (folder / "audit.sqlite").unlink(missing_ok=True)
    (folder / "audit.checkpoint.json").unlink(missing_ok=True)
    store = _store(folder, key)
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
    key: AuditKey | None, before: date, tenant: str | None, gone: list[int], tmp_path: Path
) -> None:
    _age(tmp_path, key, DAYS)
    log = AuditLog(_store(tmp_path, key))
    archive = tmp_path / "archiv.jsonl"
    assert prune(log, before, "weber", tenant, archive) == len(gone)
    report = _store(tmp_path, key).check()
    assert (report.ok, report.pruned) == (True, len(gone)), report.findings
    database = b"".join(path.read_bytes() for path in tmp_path.glob("audit.sqlite*"))
    for number in DAYS:
        assert (f"geheime Frage {number}".encode() in database) == (number not in gone)
    exported = list(AuditLog(_store(tmp_path, key)).export())
    assert [record["seq"] for record in exported if record["event"] == "pruned"] == gone
    if gone:
        lines = archive.read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["seq"] for line in lines] == gone
        assert exported[-1]["event"] == "audit_prune"
        assert exported[-1]["detail"]["archive_sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
        hashes = {record["seq"]: record["hash"] for record in exported}
        assert all(hashes[json.loads(line)["seq"]] == hashlib.sha256(line.encode()).hexdigest() for line in lines)
    store = _store(tmp_path, key)
    store.append({"event": "question", "tenant": "nord", "user": "x", "at": "2024-02-02T00:00:00.000Z", "detail": {}})
    assert store.check().ok
    assert store.origins() == {"catalog:1"}


def test_a_second_deletion_continues_the_first(tmp_path: Path) -> None:
    _age(tmp_path, KEY, DAYS)
    log = AuditLog(_store(tmp_path))
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
def test_tampering_with_a_shortened_log_is_found(key: AuditKey | None, name: str, tmp_path: Path) -> None:
    _age(tmp_path, key, DAYS)
    prune(AuditLog(_store(tmp_path, key)), date(2021, 1, 1), "weber")
    with closing(sqlite3.connect(tmp_path / "audit.sqlite")) as connection:
        connection.execute(TAMPERED_AFTER_PRUNING[name])
        connection.commit()
    assert not _store(tmp_path, key).check().ok


def test_what_is_not_pruned(tmp_path: Path) -> None:
    _age(tmp_path, KEY, DAYS)
    log = AuditLog(_store(tmp_path))
    with pytest.raises(UsageProblem, match="Zukunft"):
        prune(log, TOMORROW, "weber")
    with pytest.raises(UsageProblem, match="--by"):
        prune(log, TODAY, " ")
    (tmp_path / "da.jsonl").touch()
    with pytest.raises(BelegError, match=r"da\.jsonl"):
        prune(log, TODAY, "weber", None, tmp_path / "da.jsonl")
    _changed(tmp_path, 2)
    with pytest.raises(AuditError, match="nicht gekürzt"):
        prune(log, TODAY, "weber")
