"""Opens the catalogue's database: SQLite in WAL mode or PostgreSQL, brought to the newest schema first."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import portalocker
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool, Pool

from indexer.catalog_errors import CatalogTooNew

NEWEST_REVISION = "r0001"
BUSY_TIMEOUT_MS = 30_000
"""How long a writer waits for another one. A write of the catalogue takes milliseconds; ingests of one tenant queue elsewhere."""

_MIGRATIONS = Path(__file__).parent / "migrations"


def open_engine(url: str, root: Path) -> Engine:
    """Engine for `url`; creates the SQLite file and the schema where they are missing. Raises CatalogTooNew.

    Connections begin with a plain read transaction; those of `writing(engine)` take the write lock at once, so that two
    writers queue in place of failing half way. A SQLite file that this process may only read is opened for reading: every
    change then raises sqlalchemy.exc.OperationalError.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        file = Path(parsed.database) if parsed.database else None
        if file is not None and _is_read_only(file):
            engine = create_engine("sqlite://", creator=partial(_connect_to_read, file), poolclass=NullPool)
            event.listen(engine, "connect", _prepare_reading)
            event.listen(engine, "begin", _begin_sqlite)
        else:
            engine = database_engine(parsed)
    else:
        engine = database_engine(parsed)
    root.mkdir(parents=True, exist_ok=True)
    if _revision(engine) != NEWEST_REVISION:
        with open(root / "catalog.lock", "a", encoding="utf-8") as lock:
            portalocker.lock(lock, portalocker.LockFlags.EXCLUSIVE)
            _migrate(engine, parsed.render_as_string(hide_password=True))
    return engine


def database_engine(url: URL, poolclass: type[Pool] | None = None) -> Engine:
    """SQLite in WAL mode with every commit on disk, or PostgreSQL; transactions begin as said of `open_engine`. `poolclass`: for
    SQLite; None leaves the choice to SQLAlchemy."""
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, poolclass=poolclass)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def writing(engine: Engine) -> Engine:
    """The same pool, for write transactions."""
    return engine.execution_options(beleg_writes=True)


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by _begin_sqlite, DDL included
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _is_read_only(file: Path) -> bool:
    """Whether the catalogue is there and this process may only read it; SQLite writes beside the file too, into its folder."""
    return file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def _connect_to_read(file: Path) -> sqlite3.Connection:
    """Without a write-ahead log beside it nobody writes now, and SQLite is told to look for none: it could not make its own."""
    unchanging = not file.with_name(file.name + "-wal").exists()
    uri = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


def _prepare_reading(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("beleg_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _revision(engine: Engine) -> str | None:
    if not inspect(engine).has_table("alembic_version"):
        return None
    with engine.connect() as connection:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def _migrate(engine: Engine, place: str) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    current = _revision(engine)
    if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
        raise CatalogTooNew(place, current)

    def upgrade(revision: Any, _context: object) -> Any:
        return scripts._upgrade_revs(NEWEST_REVISION, revision)

    with writing(engine).begin() as connection, EnvironmentContext(config, scripts, fn=upgrade) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
