"""The audit log: complete, in order, and nothing can be changed or removed unnoticed."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog import Catalog
from orchestrator.scope import Asker
from qa.audit import AuditLog, QuestionDetails
from qa.audit_store import AuditStore
from qa.problems import AuditError

ASKER = Asker("weber", "nord", frozenset({"controlling"}))


def _store(folder: Path) -> AuditStore:
    return AuditStore(f"sqlite:///{folder}/audit.sqlite", folder / "audit.checkpoint.json")


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
def folder(tmp_path: Path) -> Path:
    """A log of six questions, in a folder of its own."""
    log = AuditLog(_store(tmp_path))
    for number in range(1, 7):
        log.question(ASKER, _answer(number), QuestionDetails(duration_ms=1.5, queries=("SELECT 1",), result_rows=1))
    return tmp_path


def _rehash(folder: Path, seq: int, change: Callable[[str], str]) -> None:
    """What a careful forger does: changes the content and its hash, but cannot change what follows."""
    with closing(sqlite3.connect(folder / "audit.sqlite")) as connection:
        body = change(connection.execute("SELECT body FROM audit WHERE seq = ?", (seq,)).fetchone()[0])
        connection.execute(
            "UPDATE audit SET body = ?, hash = ? WHERE seq = ?", (body, hashlib.sha256(body.encode()).hexdigest(), seq)
        )
        connection.commit()


def test_an_untouched_log_passes(folder: Path) -> None:
    report = _store(folder).check()
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
    "two records in each other's place": "UPDATE audit SET seq = CASE seq WHEN 2 THEN -1 ELSE 2 END WHERE seq IN (2, 3);"
    "UPDATE audit SET seq = 3 WHERE seq = -1",
    "removed and numbered anew": "DELETE FROM audit WHERE seq = 5; UPDATE audit SET seq = 5 WHERE seq = 6",
    "a record twice": 'INSERT INTO audit SELECT 7, event, tenant, "user", answer_id, session_id, origin, body, previous, hash '
    "FROM audit WHERE seq = 6",
}
ACTIONS: dict[str, Callable[[Path], None]] = {
    "content and hash": lambda folder: _rehash(folder, 3, lambda body: body.replace("Frage 3", "Frage 9")),
    "content and hash of the last record": lambda folder: _rehash(folder, 6, lambda body: body.replace("Frage 6", "Frage 9")),
    "content that is no JSON": lambda folder: _rehash(folder, 4, lambda body: body[:-1]),
    "the database gone": lambda folder: (folder / "audit.sqlite").unlink(),
    "the checkpoint gone": lambda folder: (folder / "audit.checkpoint.json").unlink(),
}


def _tamper(folder: Path, name: str) -> None:
    if name in ACTIONS:
        ACTIONS[name](folder)
        return
    with closing(sqlite3.connect(folder / "audit.sqlite")) as connection:
        connection.executescript(STATEMENTS[name])
        connection.commit()


@pytest.mark.parametrize("name", [*STATEMENTS, *ACTIONS])
def test_tampering_is_found(name: str, folder: Path) -> None:
    _tamper(folder, name)
    report = _store(folder).check()
    assert not report.ok
    assert all(finding.message.endswith(".") for finding in report.findings)


@pytest.mark.parametrize("name", ["the last record removed", "all removed", "the database gone", "the checkpoint gone"])
def test_nothing_is_added_to_a_log_that_lost_its_end(name: str, folder: Path) -> None:
    """Otherwise new records would take the numbers of the removed ones and hide the gap."""
    _tamper(folder, name)
    with pytest.raises(AuditError):
        AuditLog(_store(folder)).question(ASKER, _answer(7), QuestionDetails(1.0))
    assert not _store(folder).check().ok


@pytest.mark.parametrize("lost", [1, 2, 5])
def test_a_crash_between_database_and_checkpoint_is_no_tampering(lost: int, folder: Path) -> None:
    checkpoint = folder / "audit.checkpoint.json"
    with closing(sqlite3.connect(folder / "audit.sqlite")) as connection:
        head = connection.execute("SELECT hash FROM audit WHERE seq = ?", (6 - lost,)).fetchone()[0]
    checkpoint.write_text(json.dumps({"count": 6 - lost, "head": head}), encoding="ascii")
    report = _store(folder).check()
    assert (report.ok, report.behind) == (True, lost)
    AuditLog(_store(folder)).question(ASKER, _answer(7), QuestionDetails(1.0))
    report = _store(folder).check()
    assert (report.ok, report.count, report.behind) == (True, 7, 0)


def test_a_crash_before_the_first_record_is_no_tampering(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.append({"event": "x", "tenant": "t", "user": "u"})
    (tmp_path / "audit.sqlite").unlink()
    (tmp_path / "audit.checkpoint.json").write_text(json.dumps({"count": 0, "head": "0" * 64}), encoding="ascii")
    _store(tmp_path).append({"event": "x", "tenant": "t", "user": "u"})
    assert _store(tmp_path).check().ok


def test_an_empty_log_passes(tmp_path: Path) -> None:
    assert _store(tmp_path).check().ok
    assert list(AuditLog(_store(tmp_path)).export()) == []


def test_an_exported_record_can_be_checked_without_the_product(folder: Path) -> None:
    previous = "0" * 64
    for number, record in enumerate(AuditLog(_store(folder)).export(), start=1):
        line = json.loads(json.dumps(record, ensure_ascii=False))
        claimed = line.pop("hash")
        body = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        assert hashlib.sha256(body.encode("utf-8")).hexdigest() == claimed
        assert (line["seq"], line["previous"]) == (number, previous)
        assert {"answer_id", "question", "status", "user", "tenant", "levels", "duration_ms"} <= line.keys()
        previous = claimed


def test_a_failed_question_is_kept(tmp_path: Path) -> None:
    log = AuditLog(_store(tmp_path))
    log.failure(ASKER, "Umsatz?", "s1", ZeroDivisionError("durch null"), 3.0)
    (record,) = log.export()
    assert (record["event"], record["question"], record["status"]) == ("question_failed", "Umsatz?", None)
    assert "ZeroDivisionError" in record["reason"]
    assert (record["user"], record["tenant"], record["levels"]) == ("weber", "nord", ["controlling"])


def test_a_session_is_read_by_the_person_who_had_it(folder: Path) -> None:
    log = AuditLog(_store(folder))
    assert [record["answer_id"] for record in log.session("s1", ASKER)] == [f"a{number}" for number in range(1, 7)]
    for other in (
        Asker("schmidt", "nord", ASKER.levels),
        Asker("weber", "sued", ASKER.levels),
        Asker("weber", "nord", frozenset({"hr"})),
    ):
        assert log.session("s1", other) == []


def test_events_of_the_catalogue_are_carried_over_once(tmp_path: Path) -> None:
    catalog = Catalog.open(f"sqlite:///{tmp_path}/catalog.sqlite", tmp_path)
    catalog.create_tenant("nord", "weber")
    log = AuditLog(_store(tmp_path))
    for _ in range(2):
        log.carry_over(catalog, catalog.tenants())
    catalog.create_tenant("sued", "weber")
    AuditLog(_store(tmp_path)).carry_over(catalog, catalog.tenants())
    assert [(record["event"], record["tenant"], record["user"]) for record in log.export()] == [
        ("create_tenant", "nord", "weber"),
        ("create_tenant", "sued", "weber"),
    ]
    assert log.check().ok


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "audit.sqlite").mkdir()
    with pytest.raises(AuditError, match=r"audit\.sqlite"):
        AuditLog(_store(tmp_path)).question(ASKER, _answer(1), QuestionDetails(1.0))


def _write(folder: str, start: int) -> None:
    log = AuditLog(_store(Path(folder)))
    for number in range(start, start + 10):
        log.question(ASKER, _answer(number), QuestionDetails(1.0))


def test_several_processes_write_one_chain(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write, args=(str(tmp_path), start)) for start in (0, 100, 200)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    report = _store(tmp_path).check()
    assert (report.ok, report.count, report.behind) == (True, 30, 0)


def test_a_log_may_be_moved(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A copy of the folder is a log like the original: nothing in it depends on where it lies."""
    copy = tmp_path_factory.mktemp("copy") / "log"
    shutil.copytree(folder, copy)
    assert _store(copy).check().ok
