"""The catalogue's tables, for SQLite and PostgreSQL alike. Every table carries the tenant.

The migrations in indexer/migrations create them; a test holds both against each other.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC; comes back with its time zone, also from SQLite, which keeps none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

tenant = Table(
    "tenant",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("place", String(160), nullable=False, unique=True),
    Column("revision", Integer, nullable=False),  # counts every change, so that readers know when to read again
    Column("created_at", UtcDateTime, nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("document_id", String(32), primary_key=True),
    Column("tenant", String(64), ForeignKey("tenant.name"), nullable=False),
    Column("name", String(255), nullable=False),
    UniqueConstraint("tenant", "name"),
)

version = Table(
    "version",
    metadata,
    Column("version_id", String(32), primary_key=True),
    Column("tenant", String(64), ForeignKey("tenant.name"), nullable=False),
    Column("document_id", String(32), ForeignKey("document.document_id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("label", String(200), nullable=False),
    Column("date", Date),
    Column("status", String(20)),
    Column("binding", Boolean, nullable=False),
    Column("authorized_by", String(200)),
    Column("authorized_at", UtcDateTime),
    Column("ingested_at", UtcDateTime, nullable=False),
    Column("ingested_by", String(200), nullable=False),
    Column("ingested_as", String(255), nullable=False),  # base name of the file that was read
    Column("sha256", String(64), nullable=False),
    Column("live_sha256", String(64)),  # the same while the version is live, NULL once it is removed
    Column("original", String(300), nullable=False),
    Column("access_level", String(100), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("locale", String(20), nullable=False),
    Column("problems", Text, nullable=False),
    Column("removed_at", UtcDateTime),
    Column("removed_by", String(200)),
    UniqueConstraint("document_id", "number"),
    UniqueConstraint("tenant", "live_sha256"),
)

sheet = Table(
    "sheet",
    metadata,
    Column("version_id", String(32), ForeignKey("version.version_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("tenant", String(64), ForeignKey("tenant.name"), nullable=False),
    Column("name", String(255)),
    Column("hidden", Boolean, nullable=False),
    Column("access_level", String(100)),
    Column("notes", Text, nullable=False),
    Column("cells", String(300), nullable=False),
)

table_name = Table(
    "table_name",
    metadata,
    Column("tenant", String(64), ForeignKey("tenant.name"), primary_key=True),
    Column("sql_name", String(255), primary_key=True),
    Column("document_id", String(32), ForeignKey("document.document_id"), nullable=False),
    Column("name_in_file", String(255), nullable=False),
    UniqueConstraint("document_id", "name_in_file"),
)

table_version = Table(
    "table_version",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("tenant", String(64), ForeignKey("tenant.name"), nullable=False),
    Column("version_id", String(32), ForeignKey("version.version_id"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("sheet_position", Integer, nullable=False),
    Column("sql_name", String(255), nullable=False),
    Column("metadata", Text, nullable=False),
    Column("segment", String(300), nullable=False),
    Column("segment_sha256", String(64), nullable=False),
    UniqueConstraint("version_id", "sql_name"),
)

event = Table(
    "admin_event",
    metadata,
    Column("event_id", Integer, primary_key=True, autoincrement=True),
    Column("tenant", String(64), ForeignKey("tenant.name"), nullable=False, index=True),
    Column("at", UtcDateTime, nullable=False),
    Column("by", String(200), nullable=False),
    Column("action", String(40), nullable=False),
    Column("document", String(255)),
    Column("version_id", String(32)),
    Column("detail", Text, nullable=False),
)
