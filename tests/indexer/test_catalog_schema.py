"""The migrations make the schema that the code uses, on SQLite and, statement by statement, on PostgreSQL."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
import sqlalchemy
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from indexer import catalog_changes, catalog_engine
from indexer import catalog_schema as schema
from indexer.catalog import Catalog
from indexer.catalog_errors import CatalogTooNew
from tests.conftest import SQLITE_ONLY
from tests.indexer.made_tables import SALES, store


def test_the_migrations_make_the_tables_of_the_code(catalog: Catalog) -> None:
    with catalog.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []


def test_the_newest_revision_is_the_last_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(catalog_engine.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == catalog_engine.NEWEST_REVISION


def test_a_catalogue_of_a_later_beleg_is_left_alone(catalog: Catalog) -> None:
    with catalog.change() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'r9999'"))
    with pytest.raises(CatalogTooNew, match="r9999"):
        Catalog.open(str(catalog.engine.url), catalog.root)


@SQLITE_ONLY
def test_sqlite_is_in_wal_mode_and_keeps_foreign_keys(catalog: Catalog) -> None:
    with catalog.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == catalog_engine.BUSY_TIMEOUT_MS


def test_a_reader_does_not_wait_for_a_writer(catalog: Catalog) -> None:
    store(catalog, [SALES])
    before = catalog.tables("nord")
    with catalog.change() as connection:
        catalog_changes.take_tenant(connection, "nord")
        assert catalog.tables("nord") == before
        assert catalog.revision("nord") == 1


def _open(place: str, url: str) -> None:
    opened = Catalog.open(url, Path(place))
    opened.create_tenant("nord")
    opened.close()


def test_several_processes_create_the_catalogue_at_once(server_url: str | None, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    url = server_url or f"sqlite:///{tmp_path / 'data' / 'catalog.sqlite'}"
    processes = [context.Process(target=_open, args=(str(tmp_path / "data"), url)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]


def _statements(catalog: Catalog) -> list[sqlalchemy.ClauseElement]:
    """Every statement that a life of the catalogue executes."""
    seen: list[sqlalchemy.ClauseElement] = []

    def note(_connection: object, statement: object, *_rest: object) -> None:
        if isinstance(statement, sqlalchemy.ClauseElement):
            seen.append(statement)

    sqlalchemy.event.listen(catalog.engine, "before_execute", note)
    sqlalchemy.event.listen(catalog_engine.writing(catalog.engine), "before_execute", note)
    _live(catalog)
    return seen


def _live(catalog: Catalog) -> None:
    catalog.create_tenant("nord")
    version = store(catalog, [SALES])
    store(catalog, [SALES], content=b"two", label="zwei")
    catalog.authorize("nord", "umsatz.xlsx", "1", by="eva")
    catalog.set_level("nord", "umsatz.xlsx", "hr", by="eva")
    catalog.set_level("nord", "umsatz.xlsx", "hr", sheet="Umsatz", by="eva")
    assert [t.access_level for t in catalog.tables("nord")] == ["hr", "hr"]
    assert len(catalog.sheets("nord", version.version_id)) == 1
    assert catalog.problems("nord", version.version_id) == ()
    assert catalog.paths_in_use("nord", ["originals/x"]) == set()
    catalog.remove("nord", "umsatz.xlsx", "zwei", by="eva")
    assert [v.binding for v in catalog.versions("nord")] == [True]
    assert catalog.versions("nord")[0].ingested_at.utcoffset() is not None
    assert [e.action for e in catalog.events("nord")][-1] == "remove"
    table_ids = [t.table_id for t in catalog.tables("nord")]
    assert catalog.table("nord", table_ids[0]) is not None and catalog.table("nord", "x") is None


@SQLITE_ONLY
def test_every_statement_is_also_postgresql(catalog: Catalog) -> None:
    """Also where no server can be started."""
    dialect = postgresql.dialect()
    statements = _statements(catalog)
    assert len(statements) > 30
    for statement in [*statements, *(CreateTable(table) for table in schema.metadata.tables.values())]:
        assert str(statement.compile(dialect=dialect))


def test_a_life_of_the_catalogue(server_url: str | None, tmp_path: Path) -> None:
    catalog = Catalog.open(server_url or f"sqlite:///{tmp_path / 'catalog.sqlite'}", tmp_path)
    _live(catalog)
    catalog.close()
