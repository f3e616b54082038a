"""`beleg inspect --cells` for people: which addresses there are, and what stands at each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from parsers.address import cell_address, parse_address
from parsers.grid import Grid
from parsers.inspection import printed_tables
from parsers.table import ParsedFile
from qa.german_text import TYPE_WORDS, value_text
from qa.problems import UsageProblem


def asked_cells(text: str, parsed: ParsedFile) -> list[str]:
    """ "GuV!C47, 'Umsatz, netto'!B3" -> the addresses; a comma within '…' belongs to a name. Raises UsageProblem."""
    wanted = [part.strip() for part in re.findall(r"(?:'[^']*'|[^,'])+", text) if part.strip()]
    if not wanted:
        raise UsageProblem("Die Option --cells nennt keine Zelle; verlangt ist z. B. --cells Blatt!C47.")
    for address in wanted:
        _check(address, parsed)
    return wanted


def _check(address: str, parsed: ParsedFile) -> None:
    sheets = [sheet.name for sheet in parsed.sheets if sheet.name is not None]
    sheet, mark, place = address.rpartition("!")
    try:
        parse_address(place)
    except ValueError:
        raise UsageProblem(
            f"Die Option --cells nennt „{address}“, das ist keine Zelle; verlangt ist z. B. {'Blatt!C47' if sheets else 'C47'}."
        ) from None
    if sheets and not mark:
        raise UsageProblem(
            f"Die Option --cells nennt „{address}“ ohne Tabellenblatt; schreiben Sie Blatt!{address}, "
            f"hier z. B. {_quoted(sheets[0])}!{address}."
        )
    if mark and not sheets:
        raise UsageProblem(f"Die Option --cells nennt „{address}“, {parsed.file} hat aber keine Blätter; schreiben Sie {place}.")
    if sheets and sheet.strip("'") not in sheets:
        names = ", ".join(f"„{name}“" for name in sheets)
        raise UsageProblem(
            f"Die Option --cells nennt „{address}“; dieses Tabellenblatt hat {parsed.file} nicht, vorhanden sind: {names}."
        )


def describe_cell(parsed: ParsedFile, address: str, cell: Mapping[str, object]) -> str:
    """One line of an address that `asked_cells` gave and its entry of parsers.inspection.inspection."""
    name, _, place = address.rpartition("!")
    grid = next(sheet.grid for sheet in parsed.sheets if (sheet.name or "") == name.strip("'"))
    row, column = parse_address(place)
    if cell["type"] == "blank" and (anchor := _anchor(grid, row, column)) is not None:
        return f"{address}: in einem verbundenen Bereich; sein Wert steht in {f'{name}!' if name else ''}{anchor}"
    if row > grid.last_row or column > grid.last_column:
        used = f"belegt ist es bis {cell_address(grid.last_row, grid.last_column)}" if grid.cells else "es ist leer"
        return f"{address}: außerhalb des Blatts ({used})"
    if cell["type"] == "blank":
        return f"{address}: leer"
    value = _in_column(parsed, name.strip("'"), row, column) or _value(cell)
    return f"{address}: {value} ({TYPE_WORDS[str(cell['type'])]}, in der Datei „{cell['raw']}“)"


def _in_column(parsed: ParsedFile, sheet_name: str, row: int, column: int) -> str | None:
    """A number as its column reads it, with the column's unit: 0.342 shown as a percentage is 34,2 %. None for all else."""
    for sheet in (each for each in parsed.sheets if (each.name or "") == sheet_name):
        for table in printed_tables(sheet):
            found = next((each for each in table.table.columns if each.position == column), None)
            rows = list(table.data.rows)
            if found is None or found.blocked is not None or row not in rows:
                continue
            value = table.data.values[found.sql_name][rows.index(row)]
            return value_text(value, found.unit) if isinstance(value, Decimal) else None
    return None


def _value(cell: Mapping[str, object]) -> str:
    value = cell["value"]
    if value is None:
        return "kein Wert"
    if cell["type"] == "number":
        return value_text(Decimal(str(value)))
    if cell["type"] == "boolean":
        return "ja" if value == "TRUE" else "nein"
    return str(value)


def _anchor(grid: Grid, row: int, column: int) -> str | None:
    """The cell that holds the value of the merged area in which this one lies."""
    for top, left, bottom, right in grid.merges:
        if top <= row <= bottom and left <= column <= right and (row, column) != (top, left):
            return cell_address(top, left)
    return None


def _quoted(sheet: str) -> str:
    return sheet if re.fullmatch(r"\w+", sheet) else f"'{sheet}'"
