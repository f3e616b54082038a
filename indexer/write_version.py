"""The files of one version: segments, cell caches, original; written in the staging directory, then published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from indexer.add_version import NewSheet, NewTable
from indexer.cell_cache import write_cells
from indexer.places import TenantPlace
from indexer.reconcile import reconcile
from indexer.segments import write_segment
from indexer.staging import publish
from parsers.problem import Problem, UnreadableFile
from parsers.second_reader import second_read
from parsers.table import ParsedFile, ParsedTable


def write_tables(parsed: ParsedFile, name: str, staging: Path, checkpoint: Callable[[str], None]) -> tuple[NewTable, ...]:
    """One segment a table, each compared with what was parsed. `name` is the document's, for errors. Raises UnreadableFile
    for a number that does not fit, NotReconciled."""
    written: list[NewTable] = []
    for index, sheet in enumerate(parsed.sheets):
        for table in sheet.tables:
            where = _where(name, table)
            segment, digest = write_segment(table, staging, where)
            checkpoint("segment_written")
            reconcile(table, segment, where)
            checkpoint("reconciled")
            written.append(NewTable(table.table, index, f"segments/{segment.name}", digest))
    return tuple(written)


def write_cell_caches(
    parsed: ParsedFile, name: str, original: Path, sha256: str, staging: Path, checkpoint: Callable[[str], None]
) -> tuple[tuple[NewSheet, ...], tuple[Problem, ...]]:
    """One cell cache a sheet, from the second reader, and what that reader could not read: values without a second reading
    stay unproved. The sheets have no level of their own yet."""
    unread = {sheet.name: index for index, sheet in enumerate(parsed.sheets)}
    problems: list[Problem] = []
    try:
        for sheet_name, cells in second_read(original, parsed.kind):
            if sheet_name in unread:
                file = _cell_file(staging, unread[sheet_name])
                write_cells(file, cells, original_sha256=sha256, sheet=sheet_name)
                del unread[sheet_name]
                checkpoint("cells_written")
    except UnreadableFile as error:
        problems.append(_unproved(name, None, error.problem.message))
    for sheet_name, index in unread.items():
        write_cells(_cell_file(staging, index), (), original_sha256=sha256, sheet=sheet_name)
        if parsed.sheets[index].tables and not problems:
            problems.append(_unproved(name, sheet_name, "Es fehlt dort."))
    sheets = tuple(
        NewSheet(sheet.name, sheet.hidden, None, sheet.notes, f"cells/{sha256}/{index}.parquet")
        for index, sheet in enumerate(parsed.sheets)
    )
    return sheets, tuple(problems)


def publish_version(
    place: TenantPlace,
    staging: Path,
    original: Path,
    final_original: str,
    tables: tuple[NewTable, ...],
    sheets: tuple[NewSheet, ...],
) -> None:
    """Moves everything to where the catalogue will name it."""
    segments = dict.fromkeys(table.segment for table in tables)  # equal tables share a file
    publish(
        place,
        staging,
        [
            (original, final_original),
            *((staging / Path(segment).name, segment) for segment in segments),
            *((staging / "cells" / Path(sheet.cells).name, sheet.cells) for sheet in sheets),
        ],
    )


def _unproved(name: str, sheet: str | None, reason: str) -> Problem:
    return Problem(
        code="no_second_reading",
        where=name if sheet is None else f"{name}, Tabellenblatt „{sheet}“",
        message=f"Der zweite Leser konnte die Zellen nicht lesen; Zahlen daraus werden nicht als bewiesen gezeigt. {reason}",
        hint="Speichern Sie die Datei mit einem Tabellenprogramm neu und lesen Sie sie noch einmal ein.",
    )


def _cell_file(staging: Path, sheet: int) -> Path:
    return staging / "cells" / f"{sheet}.parquet"


def _where(name: str, parsed: ParsedTable) -> str:
    table = parsed.table
    return f"{name}, {table.range}" if table.sheet is None else f"{name}, Tabellenblatt „{table.sheet}“, {table.range}"
