"""Versions of a document: which one counts, who said so, and the cells in which two of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Response, get, post
from litestar.params import FromQuery
from litestar.response import Redirect

from indexer.diff import CellChange, ColumnChange, Diff, RowChange
from indexer.table_rows import TypedValue, display
from orchestrator.scope import VisibleColumn
from qa.administration import authorize
from qa.http.problem_details import ServiceProblem
from qa.http.sign_in import needs
from qa.sheet_excerpt import shown_value
from qa.visible_files import chosen_version, visible_diff
from qa.web.asking_routes import Form
from qa.web.file_routes import documents
from qa.web.visit import AnyRequest, Visit, address, to, visit_of

_MOST_CHANGES = 500


@dataclass(frozen=True)
class ChangedCell:
    sheet: str | None
    cell: str
    column: str
    row: str
    old: str
    new: str


@dataclass(frozen=True)
class ShownDiff:
    """`added`, `removed`: one line for each row, column or table that only one version has."""

    old: str
    new: str
    changed: tuple[ChangedCell, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    left_out: int

    @property
    def is_empty(self) -> bool:
        return not (self.changed or self.added or self.removed)


@get("/versions", guards=[needs("ask")], include_in_schema=False)
async def versions_page(
    request: AnyRequest, document: FromQuery[str] = "", old: FromQuery[str] = "", new: FromQuery[str] = ""
) -> Response[str]:
    """The versions of a document; `old` and `new`: compares two of them."""
    visit = visit_of(request)
    return await visit.services.run(lambda: _page(visit, document, old, new))


def _page(visit: Visit, document: str, old: str, new: str) -> Response[str]:
    found = documents(visit)
    if not document:
        document = next((each.name for each in found if len(each.versions) > 1), found[0].name if found else "")
    chosen = next((each for each in found if each.name == document), None)
    if chosen is None and document:
        raise ServiceProblem("not_found")
    versions = chosen.versions if chosen is not None else ()
    whole = [each for each in versions if each["original"]]
    return visit.html(
        "versions.html",
        documents=found,
        document=document,
        versions=versions,
        comparable=whole,
        old=old or (whole[1]["version_id"] if len(whole) > 1 else ""),
        new=new or (whole[0]["version_id"] if whole else ""),
        difference=_difference(visit, document, old, new) if old and new else None,
    )


def _difference(visit: Visit, document: str, old: str, new: str) -> ShownDiff:
    found = visible_diff(visit.workspace, visit.person, document, old, new)
    columns = {
        (table.sql_name, column.sql_name): column
        for label in (old, new)
        for table in chosen_version(visit.workspace, visit.person, document, label).tables
        for column in table.columns
    }
    count = len(found.changed) + len(found.added) + len(found.removed)
    return ShownDiff(
        old=found.from_version.label,
        new=found.to_version.label,
        changed=tuple(_changed(visit, each, columns) for each in found.changed[:_MOST_CHANGES]),
        added=tuple(_only_in(visit, found.added, found.added_columns)),
        removed=tuple(_only_in(visit, found.removed, found.removed_columns)),
        left_out=count - sum(min(_MOST_CHANGES, len(each)) for each in _lists(found)),
    )


def _lists(found: Diff) -> tuple[Sequence[object], ...]:
    return found.changed, found.added, found.removed


def _changed(visit: Visit, change: CellChange, columns: Mapping[tuple[str, str], VisibleColumn]) -> ChangedCell:
    column = columns.get((change.table, change.sql_name))

    def shown(value: TypedValue) -> str:
        text = display(value) if column is None else shown_value(value, column, visit.language)
        return f"{text} {column.unit}" if text and column is not None and column.unit not in (None, "%") else text or "–"

    moved = "" if change.cell_from == change.cell_to else f" → {change.cell_to}"
    return ChangedCell(
        change.sheet, change.cell_from + moved, change.column, " · ".join(change.key), shown(change.old), shown(change.new)
    )


def _only_in(visit: Visit, rows: Sequence[RowChange], columns: Sequence[ColumnChange]) -> list[str]:
    words = {"de": ("Zeile", "Spalte", "Tabelle"), "en": ("row", "column", "table")}[visit.language]
    lines = [f"{row.sheet or ''} {words[0]} {row.row}: {' · '.join(row.key)}".strip() for row in rows[:_MOST_CHANGES]]
    names = ((each.sheet or "", f"{words[1]} {each.column}" if each.column else f"{words[2]} {each.table}") for each in columns)
    return lines + [f"{sheet} {name}".strip() for sheet, name in names]


@post("/versions/authorize", guards=[needs("versions")], include_in_schema=False, status_code=303)
async def authorize_by_form(
    request: AnyRequest, data: Form, document: FromQuery[str], version: FromQuery[str]
) -> Redirect:
    """Declares a version binding."""
    visit = visit_of(request)

    def work() -> None:
        seen = chosen_version(visit.workspace, visit.person, document, version)
        authorize(visit.workspace, visit.person.tenant, document, seen.version.version_id, visit.person.user)

    await visit.services.run(work)
    return to(address("/versions", document=document, done="versions.authorized"))


VERSION_PAGES: Sequence[Any] = (versions_page, authorize_by_form)
