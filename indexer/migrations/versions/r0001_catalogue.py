"""The first catalogue: tenants, documents, versions, sheets, tables, administrative events."""

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "tenant",
        sa.Column("name", sa.String(64)),
        sa.Column("place", sa.String(160), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_tenant"),
        sa.UniqueConstraint("place", name="uq_tenant_place"),
    )
    op.create_table(
        "document",
        sa.Column("document_id", sa.String(32)),
        sa.Column("tenant", sa.String(64), sa.ForeignKey("tenant.name", name="fk_document_tenant"), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.PrimaryKeyConstraint("document_id", name="pk_document"),
        sa.UniqueConstraint("tenant", "name", name="uq_document_tenant_name"),
    )
    op.create_table(
        "version",
        sa.Column("version_id", sa.String(32)),
        sa.Column("tenant", sa.String(64), sa.ForeignKey("tenant.name", name="fk_version_tenant"), nullable=False),
        sa.Column(
            "document_id", sa.String(32), sa.ForeignKey("document.document_id", name="fk_version_document_id"), nullable=False
        ),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("date", sa.Date),
        sa.Column("status", sa.String(20)),
        sa.Column("binding", sa.Boolean, nullable=False),
        sa.Column("authorized_by", sa.String(200)),
        sa.Column("authorized_at", _MOMENT),
        sa.Column("ingested_at", _MOMENT, nullable=False),
        sa.Column("ingested_by", sa.String(200), nullable=False),
        sa.Column("ingested_as", sa.String(255), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("live_sha256", sa.String(64)),
        sa.Column("original", sa.String(300), nullable=False),
        sa.Column("access_level", sa.String(100), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("problems", sa.Text, nullable=False),
        sa.Column("removed_at", _MOMENT),
        sa.Column("removed_by", sa.String(200)),
        sa.PrimaryKeyConstraint("version_id", name="pk_version"),
        sa.UniqueConstraint("document_id", "number", name="uq_version_document_id_number"),
        sa.UniqueConstraint("tenant", "live_sha256", name="uq_version_tenant_live_sha256"),
    )
    op.create_table(
        "sheet",
        sa.Column("version_id", sa.String(32), sa.ForeignKey("version.version_id", name="fk_sheet_version_id")),
        sa.Column("position", sa.Integer),
        sa.Column("tenant", sa.String(64), sa.ForeignKey("tenant.name", name="fk_sheet_tenant"), nullable=False),
        sa.Column("name", sa.String(255)),
        sa.Column("hidden", sa.Boolean, nullable=False),
        sa.Column("access_level", sa.String(100)),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("cells", sa.String(300), nullable=False),
        sa.PrimaryKeyConstraint("version_id", "position", name="pk_sheet"),
    )
    op.create_table(
        "table_name",
        sa.Column("tenant", sa.String(64), sa.ForeignKey("tenant.name", name="fk_table_name_tenant")),
        sa.Column("sql_name", sa.String(255)),
        sa.Column(
            "document_id", sa.String(32), sa.ForeignKey("document.document_id", name="fk_table_name_document_id"), nullable=False
        ),
        sa.Column("name_in_file", sa.String(255), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sql_name", name="pk_table_name"),
        sa.UniqueConstraint("document_id", "name_in_file", name="uq_table_name_document_id_name_in_file"),
    )
    op.create_table(
        "table_version",
        sa.Column("table_id", sa.String(32)),
        sa.Column("tenant", sa.String(64), sa.ForeignKey("tenant.name", name="fk_table_version_tenant"), nullable=False),
        sa.Column(
            "version_id", sa.String(32), sa.ForeignKey("version.version_id", name="fk_table_version_version_id"), nullable=False
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("sheet_position", sa.Integer, nullable=False),
        sa.Column("sql_name", sa.String(255), nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
        sa.Column("segment", sa.String(300), nullable=False),
        sa.Column("segment_sha256", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("table_id", name="pk_table_version"),
        sa.UniqueConstraint("version_id", "sql_name", name="uq_table_version_version_id_sql_name"),
    )
    op.create_index("ix_table_version_version_id", "table_version", ["version_id"])
    op.create_table(
        "admin_event",
        sa.Column("event_id", sa.Integer, autoincrement=True),
        sa.Column("tenant", sa.String(64), sa.ForeignKey("tenant.name", name="fk_admin_event_tenant"), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("action", sa.String(40), nullable=False),
        sa.Column("document", sa.String(255)),
        sa.Column("version_id", sa.String(32)),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_admin_event"),
    )
    op.create_index("ix_admin_event_tenant", "admin_event", ["tenant"])


def downgrade() -> None:
    for table in ("admin_event", "table_version", "table_name", "sheet", "version", "document", "tenant"):
        op.drop_table(table)
