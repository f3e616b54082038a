"""Parsed tables and stored versions written by hand, for tests of what comes after the parser."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from indexer.add_version import NewSheet, NewTable, NewVersion, add_version
from indexer.catalog import Catalog
from indexer.cell_cache import write_cells
from indexer.segments import write_segment
from indexer.stored import StoredTable, Version
from parsers.table import CellState, Column, ColumnType, ParsedTable, Table, TableData


def column(header: str, type: ColumnType, position: int | None, **more: Any) -> Column:
    return Column(header=header, name=header, sql_name=header.lower(), type=type, position=position, **more)


def parsed_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Any]],
    *,
    name: str = "umsatz",
    sheet: str | None = "Umsatz",
    first_row: int = 2,
    totals: Sequence[bool] | None = None,
    hidden: Sequence[bool] | None = None,
    cells: dict[str, list[str]] | None = None,
    states: dict[str, list[CellState]] | None = None,
    **more: Any,
) -> ParsedTable:
    """Rows as tuples in column order; the source rows follow each other from `first_row`."""
    return ParsedTable(
        Table(
            name=name,
            sheet=sheet,
            range=f"A1:H{len(rows) + 1}",
            layout=more.pop("layout", "list"),
            columns=tuple(columns),
            header_rows=(first_row - 1,),
            first_data_row=first_row,
            last_data_row=first_row + len(rows) - 1,
            data_rows=len(rows),
            has_totals=totals is not None,
            has_hidden_rows=hidden is not None,
            **more,
        ),
        TableData(
            rows=list(range(first_row, first_row + len(rows))),
            values={c.sql_name: [row[i] for row in rows] for i, c in enumerate(columns)},
            cells=cells or {},
            states=states or {},
            totals=list(totals or [False] * len(rows)),
            hidden=list(hidden or [False] * len(rows)),
        ),
    )


BRANCHES = (
    column("Niederlassung", ColumnType.TEXT, 1),
    column("Monat", ColumnType.DATE, 2),
    column("Umsatz", ColumnType.DECIMAL, 3, scale=2, unit="EUR"),
)


def branches(*rows: tuple[str | None, date, str | None], **more: Any) -> ParsedTable:
    return parsed_table(BRANCHES, [(n, m, None if u is None else Decimal(u)) for n, m, u in rows], **more)


JANUARY, FEBRUARY = date(2024, 1, 1), date(2024, 2, 1)
SALES = branches(("Danzig", JANUARY, "10.50"), ("Łódź", JANUARY, "20.25"), ("Danzig", FEBRUARY, None))


def store(
    catalog: Catalog,
    tables: Sequence[ParsedTable],
    *,
    tenant: str = "nord",
    document: str = "umsatz.xlsx",
    access_level: str = "controlling",
    sheet_levels: dict[str, str] | None = None,
    label: str | None = None,
    content: bytes = b"one",
) -> Version:
    """A version as the ingest stores it, without a file to read."""
    place = catalog.place(tenant)
    sha256 = hashlib.sha256(content).hexdigest()
    names = list(dict.fromkeys(parsed.table.sheet for parsed in tables))
    sheets = tuple(
        NewSheet(name, False, (sheet_levels or {}).get(name or ""), (), f"cells/{sha256}/{index}.parquet")
        for index, name in enumerate(names)
    )
    for sheet in sheets:
        write_cells(place.root / sheet.cells, [], original_sha256=sha256, sheet=sheet.name)
    original = f"originals/{sha256}.xlsx"
    (place.root / original).write_bytes(content)
    added = []
    for parsed in tables:
        segment, digest = write_segment(parsed, place.segments)
        added.append(NewTable(parsed.table, names.index(parsed.table.sheet), f"segments/{segment.name}", digest))
    new = NewVersion(
        tenant=tenant,
        document=document,
        sha256=sha256,
        original=original,
        access_level=access_level,
        kind="financial",
        locale="de",
        label=label,
        date=None,
        status=None,
        sheets=sheets,
        tables=tuple(added),
        problems=(),
        by="anna",
    )
    with catalog.change() as connection:
        version_id = add_version(connection, new, datetime.now(UTC))
    return next(version for version in catalog.versions(tenant) if version.version_id == version_id)


def tables_of(catalog: Catalog, version: Version) -> tuple[StoredTable, ...]:
    return tuple(t for t in catalog.tables(version.tenant) if t.version.version_id == version.version_id)


def stored(parsed: ParsedTable, directory: Path) -> StoredTable:
    """A stored table outside any catalogue."""
    directory.mkdir(parents=True, exist_ok=True)
    segment, digest = write_segment(parsed, directory)
    version = Version(
        tenant="nord",
        document="umsatz.xlsx",
        version_id="v",
        number=1,
        label="1",
        date=None,
        status=None,
        binding=False,
        authorized_by=None,
        authorized_at=None,
        ingested_at=datetime(2024, 1, 1, tzinfo=UTC),
        sha256="",
        original=directory / "umsatz.xlsx",
        access_level="controlling",
        kind="financial",
        locale="de",
    )
    return StoredTable("t", "umsatz", version, parsed.table, "controlling", segment, digest, directory / "cells.parquet")
