"""The cells of one table version, read again from its original file, beside what both readers saw at ingest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pyarrow.parquet as pq

from indexer.cell_cache import load_cells, load_columns
from indexer.segments import cell_column
from indexer.stored import StoredTable
from orchestrator.cell_reading import UnknownReading, reread_value
from orchestrator.evidence import Scalar
from orchestrator.exact_numbers import plain_text
from orchestrator.reading_now import NumbersNow
from orchestrator.recipe import NotComputable
from parsers.address import cell_address, column_letter, parse_address
from parsers.file_kind import container_of
from parsers.problem import UnreadableFile
from parsers.second_reader import reread_cells, second_read
from parsers.table import Column

MOST_DIFFERENCES = 50
"""Changed cells that a verification lists."""


@dataclass(frozen=True)
class CellDifference:
    """A cell whose text is no longer the one of ingest; None where there is no cell."""

    file: str
    sheet: str | None
    cell: str
    then: str | None
    now: str | None

    def to_json(self) -> dict[str, str | None]:
        return {"file": self.file, "sheet": self.sheet, "cell": self.cell, "stored": self.then, "found": self.now}


class OriginalCells:
    """Reads the announced cells of a table once from the original file, the cell cache and the segment.

    `numbers_now`: of an original that is no longer the one of ingest, the numbers as it would be read now."""

    def __init__(self, table: StoredTable, numbers_now: NumbersNow | None = None) -> None:
        self.table = table
        self._numbers_now = numbers_now or {}
        self._wanted: dict[str, None] = {}
        self._now: dict[str, str | None] = {}
        self._then: dict[str, str | None] = {}
        self._stored: dict[tuple[str, str], Scalar] = {}

    def announce(self, addresses: Iterable[str]) -> None:
        self._wanted |= dict.fromkeys(address for address in addresses if address not in self._now)

    def value(self, address: str, columns: Sequence[str]) -> Scalar:
        """The cell's value as the file holds it now. Raises NotComputable with a German sentence."""
        self._read([address])
        column = self._column(address, columns)
        if column is None:
            raise NotComputable(f"{self._name(address)} gehört zu keiner Spalte der Tabelle.")
        stored = self._stored[address, column.sql_name]
        now = self._numbers_now.get((address, column.sql_name))
        if now is not None and self._now[address] == self._then[address] and isinstance(stored, Decimal):
            return now[0]
        try:
            return reread_value(column, stored, self._then[address], self._now[address])
        except UnknownReading:
            raise NotComputable(
                f"{self._name(address)}: Die Originaldatei hält „{self._now[address]}“, gespeichert ist {stored}."
            ) from None

    def changed(self, addresses: Iterable[str]) -> list[str]:
        """The places of those cells whose text, or the number that it is read as, is no longer that of ingest."""
        wanted = list(addresses)
        self._read(wanted)
        other = {found.cell for found in self.other_readings()}
        return [self._name(each) for each in wanted if each in other or self._now[each] != self._then[each]]

    def differences(self) -> Iterator[CellDifference]:
        """The cells read so far whose text changed since ingest."""
        for address, now in self._now.items():
            if now != self._then[address]:
                yield CellDifference(self.table.version.document, self.table.table.sheet, address, self._then[address], now)

    def other_readings(self) -> Iterator[CellDifference]:
        """The cells read so far whose text is that of ingest and that would be read as another number now."""
        for (address, name), stored in self._stored.items():
            now = self._numbers_now.get((address, name))
            if now is None or self._now[address] != self._then[address] or not isinstance(stored, Decimal) or now[0] == stored:
                continue
            unit = next(column.unit for column in self.table.table.columns if column.sql_name == name)
            then_text, now_text = (f"{plain_text(value)} {of or ''}".strip() for value, of in ((stored, unit), now))
            yield CellDifference(self.table.version.document, self.table.table.sheet, address, then_text, now_text)

    def _name(self, address: str) -> str:
        sheet = f"{self.table.table.sheet}!" if self.table.table.sheet is not None else ""
        return f"{self.table.version.document}, {sheet}{address}"

    def _read(self, addresses: Iterable[str]) -> None:
        self.announce(addresses)
        wanted = list(self._wanted)
        if not wanted:
            return
        self._wanted = {}
        self._now |= _texts_now(self.table, wanted)
        cached = load_cells(self.table.cells, wanted, original_sha256=self.table.version.sha256)
        self._then |= {address: cached[address].text if address in cached else None for address in wanted}
        self._load_stored(set(wanted))

    def _column(self, address: str, columns: Sequence[str]) -> Column | None:
        """The column that the cell is read as: one of `columns` that holds a value there, else any that has the cell."""
        found = [column for column in self.table.table.columns if (address, column.sql_name) in self._stored]
        return next((column for column in found if column.sql_name in columns), found[0] if found else None)

    def _load_stored(self, wanted: set[str]) -> None:
        """Segment values by cell: by (row, sheet column), or by the recorded address where a column has its own."""
        rows = pq.read_table(self.table.segment, columns=["_row"])["_row"].to_pylist()
        letters = {address: parse_address(address) for address in wanted}
        positions = {column for _, column in letters.values()}
        for column in self.table.table.columns:
            name = column.sql_name
            if column.has_cells:
                data = pq.read_table(self.table.segment, columns=[name, cell_column(name)])
                addresses: Sequence[str] = data[cell_column(name)].to_pylist()
            elif column.position in positions:
                data = pq.read_table(self.table.segment, columns=[name])
                letter = column_letter(column.position)
                addresses = [f"{letter}{row}" for row in rows]
            else:
                continue
            for address, value in zip(addresses, data[name].to_pylist(), strict=True):
                if address in wanted:
                    self._stored[address, name] = Decimal(value) if type(value) is int else value


def changed_cells(tables: Sequence[StoredTable]) -> list[CellDifference]:
    """Every cell of these tables' sheets that differs from ingest, at most MOST_DIFFERENCES: for files whose digest changed.
    Gives none where the file cannot be read any more."""
    found: list[CellDifference] = []
    for table in {table.table.sheet: table for table in tables}.values():
        now = _all_now(table)
        if now is None:
            continue
        then = _all_then(table)
        for address in sorted({*now, *then}, key=parse_address):
            if now.get(address) != then.get(address):
                sheet = table.table.sheet
                found.append(CellDifference(table.version.document, sheet, address, then.get(address), now.get(address)))
                if len(found) >= MOST_DIFFERENCES:
                    return found
    return found


def _kind(table: StoredTable) -> str:
    """What the readers need to know of the kind: a text file, a workbook of the old kind, or a package."""
    container = container_of(table.version.original, table.version.document)
    return {"text": "csv", "ole": "xls"}.get(container, "xlsx")


def _texts_now(table: StoredTable, addresses: Sequence[str]) -> dict[str, str | None]:
    try:
        return reread_cells(table.version.original, _kind(table), table.table.sheet, addresses)
    except (UnreadableFile, OSError) as error:
        raise NotComputable(f"{table.version.document}: Die Originaldatei ist nicht lesbar ({error}).") from None


def _all_now(table: StoredTable) -> dict[str, str] | None:
    """Every cell of the table's sheet; {} if the file no longer has the sheet, None if it cannot be read."""
    try:
        for sheet, cells in second_read(table.version.original, _kind(table)):
            if sheet == table.table.sheet:
                return {cell_address(row, column): text for row, column, _, text in cells}
    except (UnreadableFile, OSError):
        return None
    return {}


def _all_then(table: StoredTable) -> dict[str, str]:
    wanted = dict.fromkeys(range(1, _last_column(table) + 1))
    columns = load_columns(table.cells, wanted, original_sha256=table.version.sha256)
    return {
        cell_address(row, column): text
        for column, cells in columns.items()
        for row, text in zip(cells.rows.tolist(), cells.texts.to_pylist(), strict=True)
    }


def _last_column(table: StoredTable) -> int:
    with pq.ParquetFile(table.cells) as file:
        groups = (file.metadata.row_group(index) for index in range(file.metadata.num_row_groups))
        return max((int(group.column(0).statistics.max) for group in groups), default=0)
