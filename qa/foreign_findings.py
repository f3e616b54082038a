"""What is conspicuous in the files that an answer reads: texts that speak to a machine, and secrets; for those who review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from indexer.stored import StoredTable
from orchestrator.scope import Scope
from parsers.address import parse_address
from parsers.foreign_text import CODES
from parsers.problem import Problem
from qa.wiring import Workspace


def foreign_findings(workspace: Workspace, record: Mapping[str, Any], scope: Scope | None = None) -> tuple[Problem, ...]:
    """Findings in the sheets that the answer of an audit record reads. `scope`: that of the person who is shown them; what stands
    in a column that they do not see is left out."""
    tenant = record["tenant"]
    read = {each["table_id"] for each in record["tables"]}
    tables = [each for each in workspace.catalog.tables(tenant) if each.table_id in read]
    found = (problem for table in tables for problem in _of_table(workspace, tenant, table, scope))
    return tuple(dict.fromkeys(found))


def _of_table(workspace: Workspace, tenant: str, table: StoredTable, scope: Scope | None) -> Iterator[Problem]:
    for problem in workspace.catalog.problems(tenant, table.version.version_id):
        if problem.code not in CODES:
            continue
        sheet, mark, cell = problem.where.rpartition("!")
        of_file = problem.where in (table.version.document, table.table.sheet)
        if of_file or ((sheet if mark else None) == table.table.sheet and _is_seen(cell, table, scope)):
            yield problem


def _is_seen(cell: str, table: StoredTable, scope: Scope | None) -> bool:
    if scope is None:
        return True
    try:
        column = parse_address(cell)[1]
    except ValueError:  # a range: captions and notes of the table
        return True
    seen = (each for each in scope.tables if each.stored.table_id == table.table_id)
    return any(each.column.position == column for table_seen in seen for each in table_seen.columns)
