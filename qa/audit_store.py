"""Where the audit log is kept: one table that is only ever added to, and the checkpoint file beside it.

Order of writing: the database commits first, then the checkpoint is replaced. A process that dies between the two leaves a
checkpoint that lags behind the log; that is a true prefix of it and no sign of tampering. Appending takes a file lock that all
processes share, and is refused when the log does not contain what the checkpoint vouches for.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

import portalocker
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from indexer.catalog_engine import database_engine
from qa.audit_chain import (
    FIRST_PREVIOUS,
    ChainCheck,
    ChainReport,
    ChainRow,
    Checkpoint,
    JsonObject,
    chained,
    check_chain,
    emptied,
    prune_detail,
)
from qa.audit_signature import KEY_VARIABLE, AuditKey
from qa.copy_database import copy_rows, sqlite_engine
from qa.problems import AuditError

_METADATA = sa.MetaData()
_AUDIT = sa.Table(
    "audit",
    _METADATA,
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("tenant", sa.Text),
    sa.Column("user", sa.Text),
    sa.Column("answer_id", sa.Text, index=True),
    sa.Column("session_id", sa.Text, index=True),
    sa.Column("origin", sa.Text, unique=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
_BY_EVENT = sa.Index("ix_audit_event_tenant", _AUDIT.c.event, _AUDIT.c.tenant)
_COLUMNS = [column.name for column in _AUDIT.columns]
_POSTGRES_LOCK = 0x42656C6567  # "Beleg": one advisory lock for all writers of a PostgreSQL log


class AuditStore:
    """`url` is an SQLAlchemy URL; `checkpoint` a file outside the database; `key` signs every record and the checkpoint. Raises
    AuditError whenever the log cannot be used."""

    def __init__(self, url: str, checkpoint: Path, key: AuditKey | None = None) -> None:
        self._key = key
        self._url = sa.make_url(url)
        self._checkpoint = checkpoint
        self._lock = checkpoint.with_name(checkpoint.name + ".lock")
        self._file = Path(self._url.database) if self._url.get_backend_name() == "sqlite" and self._url.database else None
        self._engine = database_engine(self._url, sa.pool.NullPool)
        self._ready = False

    def close(self) -> None:
        """Lets go of the database; what comes after connects anew."""
        self._engine.dispose()

    def append(self, record: JsonObject, leaks: Callable[[str], bool] | None = None) -> ChainRow:
        """Adds one record at the end and moves the checkpoint. Returns when both are on disk. `leaks`: whether the finished text
        may not be written; AuditError then.

        A record whose `origin` is in the log already is not added again; the row that is there is given back.
        """
        with self._writing() as connection:
            if record.get("origin") is not None:
                known = connection.execute(sa.select(_AUDIT).where(_AUDIT.c.origin == record["origin"])).one_or_none()
                if known is not None:
                    return ChainRow(**known._mapping)
            row = self._add(connection, record)
            if leaks is not None and leaks(row.body):
                raise AuditError("Der Eintrag enthält noch personenbezogene Werte und wird nicht geschrieben; bitte melden.")
            return row

    def prune(self, record: JsonObject, deleted: Sequence[ChainRow]) -> ChainRow:
        """Deletes the content of these records, in order of `seq`, and adds the record that says so, both or neither."""
        with self._writing() as connection:
            row = self._add(connection, {**record, "detail": {**record["detail"], **prune_detail(deleted)}})
            for gone in map(emptied, deleted):
                values = {name: getattr(gone, name) for name in _COLUMNS if name != "seq"}
                connection.execute(sa.update(_AUDIT).where(_AUDIT.c.seq == gone.seq).values(**values))
        if self._file is not None:
            self._shrink()
        return row

    def _shrink(self) -> None:
        """What was deleted leaves the SQLite file and its log, too."""
        try:
            with closing(self._engine.raw_connection()) as raw:
                raw.cursor().execute("VACUUM")
                raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except Exception as error:
            raise AuditError(
                f"Die Einträge sind gelöscht, aber {self._name()} lässt sich nicht verkleinern ({_reason(error)}); "
                "'VACUUM' in der Datenbank holt es nach."
            ) from error

    def sign_on(self, record: JsonObject) -> ChainRow:
        """Begins to sign a log that is not signed yet and passes its check; `record` is the first one that is signed."""
        if self._key is None:
            raise AuditError(f"Ohne Schlüssel lässt sich nicht signieren; ihn als {KEY_VARIABLE} in die Umgebung setzen.")
        checkpoint = self._read_checkpoint()
        if checkpoint.signature is not None:
            raise AuditError(f"Das Protokoll {self._name()} wird schon signiert; dafür ist nichts mehr zu tun.")
        report = check_chain(self.rows(), checkpoint)
        if not report.ok:
            why = report.findings[0].message
            raise AuditError(f"Das Protokoll {self._name()} besteht seine Prüfung nicht und wird nicht signiert: {why}")
        with self._writing(first_signed=True) as connection:
            return self._add(connection, record)

    @contextmanager
    def _writing(self, *, first_signed: bool = False) -> Iterator[sa.Connection]:
        """A transaction at the end of an untampered log; once it is on disk the checkpoint moves to the new end."""
        try:
            with self._locked():
                self._prepare()
                checkpoint = self._read_checkpoint()
                with self._engine.begin() as connection:
                    self._wait_for_turn(connection)
                    self._refuse_tampered(connection, checkpoint, None if first_signed else self._key)
                    yield connection
                    count, head = self._end(connection)
                if (count, head) != (checkpoint.count, checkpoint.head):
                    self._write_checkpoint(Checkpoint(count, head))
        except (SQLAlchemyError, OSError) as error:
            raise AuditError(
                f"Das Protokoll {self._name()} lässt sich nicht schreiben ({_reason(error)}); Ort und Rechte prüfen."
            ) from error

    def _wait_for_turn(self, connection: sa.Connection) -> None:
        """Until the end of the transaction no other process writes, wherever it runs and whatever its file system locks."""
        if self._engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK})

    def _add(self, connection: sa.Connection, record: JsonObject) -> ChainRow:
        count, head = self._end(connection)
        row = chained(record, count + 1, head, self._key)
        connection.execute(sa.insert(_AUDIT).values(**{name: getattr(row, name) for name in _COLUMNS}))
        return row

    def _end(self, connection: sa.Connection) -> tuple[int, str]:
        last = connection.execute(sa.select(_AUDIT.c.seq, _AUDIT.c.hash).order_by(_AUDIT.c.seq.desc()).limit(1)).one_or_none()
        return (last.seq, last.hash) if last is not None else (0, FIRST_PREVIOUS)

    def rows(self) -> Iterator[ChainRow]:
        """Every record, oldest first."""
        yield from self._select(sa.select(_AUDIT).order_by(_AUDIT.c.seq))

    def rows_of_answer(self, answer_id: str) -> list[ChainRow]:
        return list(self._select(sa.select(_AUDIT).where(_AUDIT.c.answer_id == answer_id).order_by(_AUDIT.c.seq)))

    def holds_answer(self, answer_id: str) -> bool:
        """Whether the record of an answer is there with its content, without reading it."""
        wanted = sa.select(_AUDIT.c.seq).where(_AUDIT.c.answer_id == answer_id, _AUDIT.c.body != "").limit(1)
        try:
            with self._engine.connect() as connection:
                return connection.execute(wanted).one_or_none() is not None
        except SQLAlchemyError as error:
            raise AuditError(
                f"Das Protokoll {self._name()} ist nicht lesbar ({_reason(error)}); Ort und Rechte prüfen."
            ) from error

    def rows_of_session(self, session_id: str) -> list[ChainRow]:
        return list(self._select(sa.select(_AUDIT).where(_AUDIT.c.session_id == session_id).order_by(_AUDIT.c.seq)))

    def rows_of_events(self, tenant: str, names: Sequence[str]) -> Iterator[ChainRow]:
        """The records of some kinds of events of a tenant, oldest first; found by an index, however long the log is."""
        wanted = sa.and_(_AUDIT.c.event.in_(names), _AUDIT.c.tenant == tenant)
        yield from self._select(sa.select(_AUDIT).where(wanted).order_by(_AUDIT.c.seq))

    def rows_of_status(self, tenant: str | None, status: str | None) -> Iterator[ChainRow]:
        """Questions; `status` narrows by the text of the record and may leave a few others in."""
        wanted = [_AUDIT.c.event == "question"]
        wanted += [_AUDIT.c.tenant == tenant] if tenant is not None else []
        wanted += [_AUDIT.c.body.contains(f'"status":"{status}"', autoescape=True)] if status is not None else []
        yield from self._select(sa.select(_AUDIT).where(*wanted).order_by(_AUDIT.c.seq))

    def rows_of_tenant(self, tenant: str, before: int | None, user: str | None, event: str | None) -> Iterator[ChainRow]:
        """The records of one tenant, newest first; `before`: only those in front of this place."""
        wanted = [_AUDIT.c.tenant == tenant]
        wanted += [_AUDIT.c.seq < before] if before is not None else []
        wanted += [_AUDIT.c.user == user] if user is not None else []
        wanted += [_AUDIT.c.event == event] if event is not None else []
        yield from self._select(sa.select(_AUDIT).where(*wanted).order_by(_AUDIT.c.seq.desc()))

    def origins(self) -> frozenset[str]:
        return frozenset(row.origin for row in self._select(sa.select(_AUDIT).where(_AUDIT.c.origin.is_not(None))) if row.origin)

    def usable(self) -> None:
        """Raises AuditError where the log cannot be read or its checkpoint is missing."""
        try:
            self._prepare()
            self._read_checkpoint()
            with self._engine.connect() as connection:
                self._end(connection)
        except (SQLAlchemyError, OSError) as error:
            raise AuditError(
                f"Das Protokoll {self._name()} ist nicht lesbar ({_reason(error)}); Ort und Rechte prüfen."
            ) from error

    def check(self) -> ChainReport:
        """The checkpoint is read before the records: what is added meanwhile only makes the log longer than it says."""
        checkpoint = self._read_checkpoint() if self._checkpoint.exists() else None
        return check_chain(self.rows(), checkpoint, self._key)

    def copy_to(self, database: Path, checkpoint: Path) -> Checkpoint:
        """Copies the log and its checkpoint into two new files while nobody writes, and gives the checkpoint. Nothing is
        written of a log that has not begun."""
        try:
            with self._locked():
                if not self._checkpoint.exists():
                    return Checkpoint(0, FIRST_PREVIOUS)
                checkpoint.write_bytes(self._checkpoint.read_bytes())
                with self._engine.begin() as source, sqlite_engine(database).begin() as target:
                    _METADATA.create_all(target)
                    copy_rows(source, target, [_AUDIT])
                return self._read_checkpoint()
        except (SQLAlchemyError, OSError) as error:
            raise AuditError(
                f"Das Protokoll {self._name()} lässt sich nicht sichern ({_reason(error)}); Ort und Rechte prüfen."
            ) from error

    def fill_from(self, database: Path, checkpoint: Path) -> None:
        """Takes over a log that `copy_to` has written. Raises AuditError if this one holds records already."""
        try:
            with self._locked():
                if self._file is not None:
                    self._file.parent.mkdir(parents=True, exist_ok=True)
                _METADATA.create_all(self._engine)
                with sqlite_engine(database).connect() as source, self._engine.begin() as target:
                    if self._end(target)[0]:
                        raise AuditError(f"Das Protokoll {self._name()} enthält schon Einträge; ein leeres nennen.")
                    copy_rows(source, target, [_AUDIT])
                self._checkpoint.write_bytes(checkpoint.read_bytes())
        except (SQLAlchemyError, OSError) as error:
            raise AuditError(
                f"Das Protokoll {self._name()} lässt sich nicht wiederherstellen ({_reason(error)}); Ort und Rechte prüfen."
            ) from error

    def _locked(self) -> portalocker.Lock[IO[bytes]]:
        """Waits until this process alone may write; freed by the system when the process dies."""
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        return portalocker.Lock(self._lock, "ab", flags=portalocker.LockFlags.EXCLUSIVE)

    def _select(self, statement: sa.Select[tuple[ChainRow]]) -> Iterator[ChainRow]:
        try:
            if self._file is not None and not self._file.exists():
                return
            if not sa.inspect(self._engine).has_table(_AUDIT.name):
                return
            with self._engine.connect() as connection:
                for row in connection.execution_options(yield_per=500).execute(statement):
                    yield ChainRow(**row._mapping)
        except SQLAlchemyError as error:
            raise AuditError(
                f"Das Protokoll {self._name()} ist nicht lesbar ({_reason(error)}); Ort und Rechte prüfen."
            ) from error

    def _prepare(self) -> None:
        """First use: the checkpoint of the empty log comes first, so that a log without one is never just an unlucky crash."""
        if self._ready:
            return
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._engine.begin() as connection:
            self._wait_for_turn(connection)
            if not sa.inspect(connection).has_table(_AUDIT.name):
                if not self._checkpoint.exists():
                    self._write_checkpoint(Checkpoint(0, FIRST_PREVIOUS))
                _METADATA.create_all(connection)
            _BY_EVENT.create(connection, checkfirst=True)
        self._ready = True

    def _refuse_tampered(self, connection: sa.Connection, checkpoint: Checkpoint, key: AuditKey | None) -> None:
        """The record at the checkpoint is the one that it vouches for, and those that a crash left after it are whole."""
        if problem := checkpoint.problem(key):
            remedy = "den Schlüssel setzen, mit dem das Protokoll geführt wird"
            if key is not None and checkpoint.signature is None:
                remedy = "'beleg audit sign' beginnt zu signieren, wenn das Protokoll bis hierher unverändert ist"
            raise AuditError(f"Der Prüfpunkt {self._checkpoint} {problem}; {remedy}.")
        known: str | None = FIRST_PREVIOUS
        if checkpoint.count:
            known = connection.execute(sa.select(_AUDIT.c.hash).where(_AUDIT.c.seq == checkpoint.count)).scalar_one_or_none()
        check = ChainCheck(key, checkpoint.count, checkpoint.head, signing=key is not None)
        for row in connection.execute(sa.select(_AUDIT).where(_AUDIT.c.seq > checkpoint.count).order_by(_AUDIT.c.seq)):
            check.read(ChainRow(**row._mapping))
        if known != checkpoint.head or check.findings or check.count < checkpoint.count:
            raise AuditError(
                f"Das Protokoll {self._name()} enthält nicht mehr, was der Prüfpunkt {self._checkpoint} festhält; "
                "'beleg audit verify' nennt die Stelle, eine Sicherung stellt es wieder her."
            )

    def _read_checkpoint(self) -> Checkpoint:
        try:
            raw = json.loads(self._checkpoint.read_text(encoding="ascii"))
            return Checkpoint(int(raw["count"]), str(raw["head"]), raw.get("signature"))
        except FileNotFoundError:
            raise AuditError(
                f"Der Prüfpunkt {self._checkpoint} des Protokolls fehlt; aus einer Sicherung zurückholen und "
                "mit 'beleg audit verify' prüfen."
            ) from None
        except (ValueError, KeyError, TypeError) as error:
            raise AuditError(f"Der Prüfpunkt {self._checkpoint} ist beschädigt; aus einer Sicherung zurückholen.") from error

    def _write_checkpoint(self, checkpoint: Checkpoint) -> None:
        self._checkpoint.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._checkpoint.with_name(f"{self._checkpoint.name}.{secrets.token_hex(4)}.tmp")
        with fresh.open("w", encoding="ascii") as file:
            signed = checkpoint.signed(self._key)
            json.dump({"count": signed.count, "head": signed.head, "signature": signed.signature}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, self._checkpoint)

    def _name(self) -> str:
        return self._url.render_as_string(hide_password=True)


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or getattr(error, "strerror", None) or error)
