"""What an ingest says for programs, on the command line and over HTTP."""

from __future__ import annotations

from typing import Any

from indexer.ingest import IngestReport


def report_json(report: IngestReport) -> dict[str, Any]:
    """One file of `beleg ingest --json`."""
    return {
        "file": report.given_name,
        "document": report.document,
        "version": report.version.label,
        "version_id": report.version.version_id,
        "sha256": report.version.sha256,
        "already_there": report.already_there,
        "tables": [
            {"table": each.sql_name, "sheet": each.table.sheet, "range": each.table.range, "rows": each.table.data_rows}
            for each in report.tables
        ],
        "problems": [
            {"code": each.code, "where": each.where, "message": each.message, "hint": each.hint} for each in report.problems
        ],
    }
