"""Typed tables <-> immutable Parquet segments; the format is described in indexer.stored."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from indexer.places import sync_file
from parsers.exact_numbers import ExactNumbers
from parsers.periods import Period
from parsers.problem import Problem, UnreadableFile
from parsers.table import CellState, Column, ColumnType, ParsedTable

PRECISION = 38
"""Digits of a stored decimal: the most that decimal128 and DuckDB's DECIMAL hold."""
ROW_GROUP = 122_880
"""Rows of a row group: DuckDB reads a Parquet file in parallel by groups and works best at its own group size."""

_STATE_CODES = {CellState.VALUE: 0, CellState.MISSING: 1, CellState.UNREADABLE: 2, CellState.SETTLED: 3}
_LARGEST_INT64 = 2**63 - 1


def period_start(sql_name: str) -> str:
    return f"_from_{sql_name}"


def period_end(sql_name: str) -> str:
    return f"_to_{sql_name}"


def cell_column(sql_name: str) -> str:
    return f"_cell_{sql_name}"


def state_column(sql_name: str) -> str:
    return f"_state_{sql_name}"


def arrow_table(parsed: ParsedTable, where: str = "") -> pa.Table:
    """The segment's content, in the documented column order. `where` names the table in errors. Raises UnreadableFile if
    a number has more than 38 digits."""
    names: list[str] = []
    arrays: list[pa.Array] = []
    for name, array in _columns(parsed, where or parsed.table.name):
        names.append(name)
        arrays.append(array)
    return pa.Table.from_arrays(arrays, names=names)


def write_segment(parsed: ParsedTable, directory: Path, where: str = "") -> tuple[Path, str]:
    """Writes `<digest>.parquet` into a directory of the writer's own and gives path and SHA-256. The file is on the disk
    when this returns; the same content gives the same name. Raises UnreadableFile as `arrow_table` does."""
    table = arrow_table(parsed, where)
    draft = directory / f"{parsed.table.name or 'table'}.draft"
    pq.write_table(table, draft, compression="zstd", row_group_size=ROW_GROUP)
    sync_file(draft)
    digest = file_digest(draft)
    final = directory / f"{digest}.parquet"
    draft.replace(final)
    return final, digest


def read_segment(path: Path, columns: Collection[str] | None = None) -> pa.Table:
    """All or some columns of a segment."""
    return pq.read_table(path, columns=None if columns is None else list(columns), partitioning=None)


def file_digest(path: Path) -> str:
    """SHA-256 of a file as hex text."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _columns(parsed: ParsedTable, where: str) -> Iterator[tuple[str, pa.Array]]:
    table, data = parsed.table, parsed.data
    for column in table.columns:
        yield from _value_columns(column, data.values[column.sql_name], where)
    yield "_row", pa.array(_listed(data.rows), type=pa.int64())
    for column in table.columns:
        if column.has_cells:
            yield cell_column(column.sql_name), pa.array(_listed(data.cells[column.sql_name]), type=pa.string())
    for column in table.columns:
        if column.has_unreadable or column.has_settled:
            codes = [_STATE_CODES[state] for state in data.states[column.sql_name]]
            yield state_column(column.sql_name), pa.array(codes, type=pa.uint8())
    if table.has_totals:
        yield "_total", pa.array(_listed(data.totals), type=pa.bool_())
    if table.has_hidden_rows:
        yield "_hidden", pa.array(_listed(data.hidden), type=pa.bool_())


def _value_columns(column: Column, values: Sequence[Any], where: str) -> Iterator[tuple[str, pa.Array]]:
    name = column.sql_name
    if column.type is ColumnType.DECIMAL:
        yield name, _decimals(values, column.scale, f"{where}, Spalte „{column.header}“")
        return
    if column.type is ColumnType.INTEGER:
        yield name, _integers(_decimals(values, 0, f"{where}, Spalte „{column.header}“"))
        return
    values = _listed(values)
    match column.type:
        case ColumnType.TEXT:
            yield name, pa.array(values, type=pa.string())
        case ColumnType.DATE:
            yield name, pa.array(values, type=pa.date32())
        case ColumnType.TIMESTAMP:
            yield name, pa.array(values, type=pa.timestamp("us"))
        case ColumnType.BOOLEAN:
            yield name, pa.array(values, type=pa.bool_())
        case ColumnType.PERIOD:
            periods: list[Period | None] = values
            yield name, pa.array([None if p is None else p.label for p in periods], type=pa.string())
            yield period_start(name), pa.array([None if p is None else p.start for p in periods], type=pa.date32())
            yield period_end(name), pa.array([None if p is None else p.end for p in periods], type=pa.date32())


def _decimals(values: Sequence[Any], scale: int, where: str) -> pa.Array:
    """Exact or an error: pyarrow refuses a value whose digits do not fit, it never rounds."""
    stored = pa.decimal128(PRECISION, scale)
    try:
        if isinstance(values, ExactNumbers):
            return pa.array(values.texts(), type=pa.string()).cast(stored)
        return pa.array(_listed(values), type=stored)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise UnreadableFile(
            Problem(
                code="number_too_large",
                where=where,
                message=f"Eine Zahl hat mehr als {PRECISION} Stellen oder mehr als {scale} Nachkommastellen ({error}).",
                hint="Berichtigen Sie die Zahl in der Datei.",
                blocking=True,
            )
        ) from error


def _integers(numbers: pa.Array) -> pa.Array:
    if len(numbers) == numbers.null_count:
        return numbers.cast(pa.int64())
    bounds = pc.min_max(numbers).as_py()
    fits = bounds["min"] >= -_LARGEST_INT64 - 1 and bounds["max"] <= _LARGEST_INT64
    return numbers.cast(pa.int64()) if fits else numbers


def _listed(values: Sequence[Any]) -> list[Any]:
    return values if isinstance(values, list) else list(values)
