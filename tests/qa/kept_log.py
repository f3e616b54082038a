"""An audit log on either store, and what someone with the rights of its database can do to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from qa.audit_signature import AuditKey
from qa.audit_store import AuditStore


@dataclass(frozen=True)
class KeptLog:
    """`url`: of the database; the checkpoint lies in `folder`."""

    folder: Path
    url: str

    @property
    def checkpoint(self) -> Path:
        return self.folder / "audit.checkpoint.json"

    def store(self, key: AuditKey | None = None) -> AuditStore:
        return AuditStore(self.url, self.checkpoint, key)

    def execute(self, *statements: str, **values: object) -> list[Any]:
        """Runs the statements, all of them or none, past the product; the rows of the last one that has any."""
        engine = sa.create_engine(self.url, poolclass=sa.pool.NullPool)
        rows: list[Any] = []
        with engine.begin() as connection:
            for statement in statements:
                done = connection.execute(sa.text(statement), values)
                rows = [tuple(row) for row in done] if done.returns_rows else rows
        return rows

    def bodies(self) -> list[str]:
        return [body for (body,) in self.execute("SELECT body FROM audit ORDER BY seq")]

    def lose_database(self) -> None:
        """As if it had never been there."""
        if self.url.startswith("sqlite"):
            for path in self.folder.glob("audit.sqlite*"):
                path.unlink()
        else:
            self.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")

    def contains(self, text: str) -> bool:
        """Whether the text is anywhere in what a reader of the database, or of its SQLite files, can find."""
        if self.url.startswith("sqlite"):
            return any(text.encode() in path.read_bytes() for path in self.folder.glob("audit.sqlite*"))
        return any(text in str(row) for row in self.execute("SELECT * FROM audit"))
