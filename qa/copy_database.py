"""Rows of a database into another one, table by table: SQLite or PostgreSQL on either side."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

_ROWS_AT_ONCE = 500
"""Rows that are in memory at a time; a record of the audit log may hold some hundred kilobytes."""


def sqlite_engine(file: Path) -> sa.Engine:
    """An engine on a SQLite file of a backup: one plain file, nothing beside it."""
    return sa.create_engine(sa.URL.create("sqlite", database=str(file)), poolclass=sa.pool.NullPool)


def copy_rows(source: sa.Connection, target: sa.Connection, tables: Sequence[sa.Table]) -> int:
    """Copies all rows of the tables, in the order given (what others refer to first), and gives their number; what is numbered
    by the database is numbered on from there. Both connections are inside a transaction of the caller's."""
    copied = 0
    for table in tables:
        rows = source.execution_options(yield_per=_ROWS_AT_ONCE).execute(sa.select(table))
        for part in rows.mappings().partitions(_ROWS_AT_ONCE):
            target.execute(sa.insert(table), [dict(row) for row in part])
            copied += len(part)
        _number_on(target, table)
    return copied


def _number_on(target: sa.Connection, table: sa.Table) -> None:
    """PostgreSQL counts apart from the rows, so that rows copied with their numbers leave its counter where it was."""
    column = table.autoincrement_column
    if column is None or target.dialect.name != "postgresql":
        return
    counter = sa.func.pg_get_serial_sequence(table.name, column.name)
    highest = sa.select(sa.func.max(column)).scalar_subquery()
    target.execute(sa.select(sa.func.setval(counter, highest)).where(sa.exists(sa.select(column))))


def copy_sqlite_file(source: Path, target: Path) -> None:
    """A SQLite file as it is at one moment, also while others write it (SQLite's online backup)."""
    address = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as reader, closing(sqlite3.connect(target)) as writer:
        reader.backup(writer)
        writer.execute("PRAGMA journal_mode = DELETE")


def is_sqlite_file(file: Path) -> bool:
    """Told from the content (the SQLite file format, section 1.3)."""
    with open(file, "rb") as reader:
        return reader.read(16) == b"SQLite format 3\x00"
