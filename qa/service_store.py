"""What the service keeps for itself: API keys, browser sessions and the queue of files to read.

Beside the catalogue where that is a database server, else in a SQLite file of its own, so that none waits for the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from indexer.catalog_engine import database_engine, writing
from qa.problems import BelegError
from qa.settings import Settings

METADATA = sa.MetaData()

API_KEY = sa.Table(
    "api_key",
    METADATA,
    sa.Column("key_id", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("tenant", sa.Text, nullable=False, index=True),
    sa.Column("levels", sa.Text, nullable=False),
    sa.Column("roles", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("created_by", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text),
    sa.Column("revoked_at", sa.Text),
    sa.Column("revoked_by", sa.Text),
)

WEB_SESSION = sa.Table(
    "web_session",
    METADATA,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("key_id", sa.Text, index=True),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text, nullable=False),
)

JOB = sa.Table(
    "job",
    METADATA,
    sa.Column("job_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("tenant", sa.Text, nullable=False, index=True),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("levels", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False, index=True),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("rows", sa.BigInteger, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("alive_at", sa.Text),
    sa.Column("finished_at", sa.Text),
    sa.Column("result", sa.Text),
)


class ServiceStore:
    """Raises BelegError where the database cannot be used. Safe for several threads and processes."""

    def __init__(self, url: str) -> None:
        self._url = sa.make_url(url)
        self._engine = database_engine(self._url)
        try:
            METADATA.create_all(self._engine)
        except SQLAlchemyError as error:
            raise self._unusable(error) from error

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A read transaction."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._unusable(error) from error

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A write transaction: all of it or nothing."""
        try:
            with writing(self._engine).begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: SQLAlchemyError) -> BelegError:
        reason = getattr(error, "orig", None) or error
        place = self._url.render_as_string(hide_password=True)
        return BelegError(f"Die Ablage des Dienstes {place} ist nicht benutzbar ({reason}); Ort und Rechte prüfen.")


def open_service_store(settings: Settings) -> ServiceStore:
    """The store of a workspace."""
    if not settings.catalog_url.startswith("sqlite"):
        return ServiceStore(settings.catalog_url)
    path = settings.data / "service.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    _make_private(path)
    return ServiceStore(f"sqlite:///{path}")


def _make_private(path: Path) -> None:
    if not path.exists():
        path.touch(mode=0o600)
