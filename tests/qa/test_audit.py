"""The audit log: complete, in order, and nothing can be changed or removed unnoticed."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog import Catalog
from orchestrator.scope import Asker
from qa.audit import AuditLog, QuestionDetails
from qa.problems import AuditError
from tests.qa.kept_log import KeptLog

ASKER = Asker("weber", "nord", frozenset({"controlling"}))


def _answer(number: int, session: str = "s1") -> dict[str, Any]:
    return {
        "answer_id": f"a{number}",
        "session_id": session,
        "question": f"Frage {number}? ä€",
        "status": "answered",
        "facts": [],
        "text": "x",
    }


@pytest.fixture
def full(kept: KeptLog) -> KeptLog:
    """A log of six questions."""
    log = AuditLog(kept.store())
    for number in range(1, 7):
        log.question(ASKER, _answer(number), QuestionDetails(duration_ms=1.5, queries=("SELECT 1",), result_rows=1))
    return kept


def _rehash(log: KeptLog, seq: int, change: Callable[[str], str]) -> None:
    """What a careful forger does: changes the content and its hash, but cannot change what follows."""
    body = change(log.bodies()[seq - 1])
    found = hashlib.sha256(body.encode()).hexdigest()
    log.execute("UPDATE audit SET body = :body, hash = :hash WHERE seq = :seq", body=body, hash=found, seq=seq)


def test_an_untouched_log_passes(full: KeptLog) -> None:
    report = full.store().check()
    assert (report.ok, report.count, report.behind) == (True, 6, 0)


STATEMENTS = {
    "content of a record": "UPDATE audit SET body = replace(body, 'Frage 3', 'Frage 9') WHERE seq = 3",
    "content of the last record": "UPDATE audit SET body = replace(body, 'Frage', 'frage') WHERE seq = 6",
    "hash alone": "UPDATE audit SET hash = upper(hash) WHERE seq = 2",
    "link alone": f"UPDATE audit SET previous = '{'0' * 64}' WHERE seq = 2",
    "a column beside the content": "UPDATE audit SET \"user\" = 'schmidt' WHERE seq = 2",
    "the answer id beside the content": "UPDATE audit SET answer_id = 'a1' WHERE seq = 2",
    "a record removed": "DELETE FROM audit WHERE seq = 3",
    "the first record removed": "DELETE FROM audit WHERE seq = 1",
    "the last record removed": "DELETE FROM audit WHERE seq = 6",
    "the last three removed": "DELETE FROM audit WHERE seq > 3",
    "all removed": "DELETE FROM audit",
    "the table gone": "DROP TABLE audit",
    "two records in each other's place": "UPDATE audit SET seq = -1 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; "
    "UPDATE audit SET seq = 3 WHERE seq = -1",
    "removed and numbered anew": "DELETE FROM audit WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = 6",
    "a record twice": 'INSERT INTO audit SELECT 7, event, tenant, "user", answer_id, session_id, origin, body, previous, hash '
    "FROM audit WHERE seq = 6",
}
ACTIONS: dict[str, Callable[[KeptLog], None]] = {
    "content and hash": lambda log: _rehash(log, 3, lambda body: body.replace("Frage 3", "Frage 9")),
    "content and hash of the last record": lambda log: _rehash(log, 6, lambda body: body.replace("Frage 6", "Frage 9")),
    "content that is no JSON": lambda log: _rehash(log, 4, lambda body: body[:-1]),
    "the database gone": lambda log: log.lose_database(),
    "the checkpoint gone": lambda log: log.checkpoint.unlink(),
}


def _tamper(log: KeptLog, name: str) -> None:
    if name in ACTIONS:
        ACTIONS[name](log)
    else:
        log.execute(*STATEMENTS[name].split("; "))


@pytest.mark.parametrize("name", [*STATEMENTS, *ACTIONS])
def test_tampering_is_found(name: str, full: KeptLog) -> None:
    _tamper(full, name)
    report = full.store().check()
    assert not report.ok
    assert all(finding.message.endswith(".") for finding in report.findings)


@pytest.mark.parametrize("name", ["the last record removed", "all removed", "the database gone", "the checkpoint gone"])
def test_nothing_is_added_to_a_log_that_lost_its_end(name: str, full: KeptLog) -> None:
    """Otherwise new records would take the numbers of the removed ones and hide the gap."""
    _tamper(full, name)
    with pytest.raises(AuditError):
        AuditLog(full.store()).question(ASKER, _answer(7), QuestionDetails(1.0))
    assert not full.store().check().ok


@pytest.mark.parametrize("lost", [1, 2, 5])
def test_a_crash_between_database_and_checkpoint_is_no_tampering(lost: int, full: KeptLog) -> None:
    ((head,),) = full.execute("SELECT hash FROM audit WHERE seq = :seq", seq=6 - lost)
    full.checkpoint.write_text(json.dumps({"count": 6 - lost, "head": head}), encoding="ascii")
    report = full.store().check()
    assert (report.ok, report.behind) == (True, lost)
    AuditLog(full.store()).question(ASKER, _answer(7), QuestionDetails(1.0))
    report = full.store().check()
    assert (report.ok, report.count, report.behind) == (True, 7, 0)


def test_a_crash_before_the_first_record_is_no_tampering(kept: KeptLog) -> None:
    store = kept.store()
    store.append({"event": "x", "tenant": "t", "user": "u"})
    kept.lose_database()
    kept.checkpoint.write_text(json.dumps({"count": 0, "head": "0" * 64}), encoding="ascii")
    kept.store().append({"event": "x", "tenant": "t", "user": "u"})
    assert kept.store().check().ok


def test_an_empty_log_passes(kept: KeptLog) -> None:
    assert kept.store().check().ok
    assert list(AuditLog(kept.store()).export()) == []


def test_an_exported_record_can_be_checked_without_the_product(full: KeptLog) -> None:
    previous = "0" * 64
    for number, record in enumerate(AuditLog(full.store()).export(), start=1):
        line = json.loads(json.dumps(record, ensure_ascii=False))
        claimed = line.pop("hash")
        body = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        assert hashlib.sha256(body.encode("utf-8")).hexdigest() == claimed
        assert (line["seq"], line["previous"]) == (number, previous)
        assert {"answer_id", "question", "status", "user", "tenant", "levels", "duration_ms"} <= line.keys()
        previous = claimed


def test_a_failed_question_is_kept(kept: KeptLog) -> None:
    log = AuditLog(kept.store())
    log.failure(ASKER, "Umsatz?", "s1", ZeroDivisionError("durch null"), 3.0)
    (record,) = log.export()
    assert (record["event"], record["question"], record["status"]) == ("question_failed", "Umsatz?", None)
    assert "ZeroDivisionError" in record["reason"]
    assert (record["user"], record["tenant"], record["levels"]) == ("weber", "nord", ["controlling"])


def test_a_session_is_read_by_the_person_who_had_it(full: KeptLog) -> None:
    log = AuditLog(full.store())
    assert [record["answer_id"] for record in log.session("s1", ASKER)] == [f"a{number}" for number in range(1, 7)]
    for other in (
        Asker("schmidt", "nord", ASKER.levels),
        Asker("weber", "sued", ASKER.levels),
        Asker("weber", "nord", frozenset({"hr"})),
    ):
        assert log.session("s1", other) == []


def test_events_of_the_catalogue_are_carried_over_once(kept: KeptLog, server_url: str | None, tmp_path: Path) -> None:
    """Where there is a server, catalogue and log share one database."""
    catalog = Catalog.open(server_url or f"sqlite:///{tmp_path}/catalog.sqlite", tmp_path)
    catalog.create_tenant("nord", "weber")
    log = AuditLog(kept.store())
    for _ in range(2):
        log.carry_over(catalog, catalog.tenants())
    catalog.create_tenant("sued", "weber")
    AuditLog(kept.store()).carry_over(catalog, catalog.tenants())
    assert [(record["event"], record["tenant"], record["user"]) for record in log.export()] == [
        ("create_tenant", "nord", "weber"),
        ("create_tenant", "sued", "weber"),
    ]
    assert log.check().ok


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "audit.sqlite").mkdir()
    log = AuditLog(KeptLog(tmp_path, f"sqlite:///{tmp_path}/audit.sqlite").store())
    with pytest.raises(AuditError, match=r"audit\.sqlite"):
        log.question(ASKER, _answer(1), QuestionDetails(1.0))


def _write(kept: KeptLog, start: int) -> None:
    log = AuditLog(kept.store())
    for number in range(start, start + 10):
        log.question(ASKER, _answer(number), QuestionDetails(1.0))


def test_several_processes_write_one_chain(kept: KeptLog) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write, args=(kept, start)) for start in (0, 100, 200)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    report = kept.store().check()
    assert (report.ok, report.count, report.behind) == (True, 30, 0)


def test_a_log_may_be_moved(full: KeptLog, server_url: str | None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A copy of the folder is a log like the original: nothing in it depends on where it lies."""
    copy = tmp_path_factory.mktemp("copy") / "log"
    shutil.copytree(full.folder, copy)
    assert KeptLog(copy, server_url or f"sqlite:///{copy}/audit.sqlite").store().check().ok
