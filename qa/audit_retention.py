"""Retention: questions lose their content after a period, and the log can still be checked from end to end."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from qa.audit import AuditLog, Selection
from qa.audit_chain import ChainRow
from qa.problems import AuditError, BelegError, UsageProblem


def prune(log: AuditLog, before: date, by: str, tenant: str | None = None, archive: Path | None = None) -> int:
    """Deletes the content of all questions before `before` (UTC), of one tenant or of all; gives how many there were.

    `archive`: a new file that gets the deleted records first, one canonical JSON a line, each with its own hash in the log.
    Raises UsageProblem (no person, a day that is not over), AuditError (a log that fails its check is not pruned), BelegError."""
    if not by.strip():
        raise UsageProblem("Die Option --by ist leer; sie nennt, wer löscht.")
    if before > datetime.now(UTC).date():
        raise UsageProblem(f"--before {before} liegt in der Zukunft; einen Tag bis heute nennen.")
    report = log.check()
    if not report.ok:
        raise AuditError(f"Das Protokoll besteht seine Prüfung nicht und wird nicht gekürzt: {report.findings[0].message}")
    rows = log.questions_to_prune(Selection(until=before - timedelta(days=1), tenant=tenant))
    if rows:
        kept = {} if archive is None else {"archive": archive.name, "archive_sha256": _write_archive(archive, rows)}
        log.prune(rows, by.strip(), tenant, {"before": before.isoformat(), **kept})
    return len(rows)


def _write_archive(path: Path, rows: Sequence[ChainRow]) -> str:
    """SHA-256 of the file: the bridge in the log names it."""
    content = "".join(f"{row.body}\n" for row in rows).encode("utf-8")
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise BelegError(f"{path} gibt es schon; für --archive eine neue Datei nennen.") from None
    return hashlib.sha256(content).hexdigest()
