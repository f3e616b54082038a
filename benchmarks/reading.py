"""Reading workbooks with all facts, against pandas.read_excel (openpyxl) and bare calamine, which keep values only."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import xlsxwriter

from benchmarks.timing import Measured, measure

COLUMNS = 10
FIRST_DATA_ROW = 3  # 0-based, below a title, a blank row and the header
GROUP = 3  # rows below one merged label


def write_workbook(path: Path, cells: int, merges: int = 0) -> None:
    """A list below two title rows: one label column, the rest money with two decimal places.

    The first `merges` labels stand in a merged area of `GROUP` rows each.
    """
    book = xlsxwriter.Workbook(str(path), {"constant_memory": not merges})
    sheet = book.add_worksheet("Daten")
    money = book.add_format({"num_format": "#,##0.00"})
    sheet.write(0, 0, "Umsätze je Filiale, Angaben in EUR")
    sheet.write_row(FIRST_DATA_ROW - 1, 0, ["Filiale", *(f"Wert {column}" for column in range(1, COLUMNS))])
    for row in range(cells // COLUMNS):
        place = FIRST_DATA_ROW + row
        group = row // GROUP
        if group >= merges:
            sheet.write_string(place, 0, f"Filiale {row:06d}")
        elif row % GROUP == 0:
            sheet.merge_range(place, 0, place + GROUP - 1, 0, f"Filiale {group:06d}")
        for column in range(1, COLUMNS):
            sheet.write_number(place, column, (row * 7919 + column * 104729) % 1_000_000 / 100, money)
    book.close()


def with_grids(path: str) -> int:
    """All cells with all facts; the number of data rows."""
    from parsers.read_file import read_grids

    _, (grid,), _ = read_grids(Path(path))
    return grid.last_row - FIRST_DATA_ROW


def with_tables(path: str) -> int:
    """The whole line from the file to typed columns; the number of data rows."""
    from parsers.parse import parse_file

    return len(parse_file(Path(path)).sheets[0].tables[0].data.rows)


def with_pandas(path: str) -> int:
    """The number of rows of the frame."""
    import pandas

    return len(pandas.read_excel(path, engine="openpyxl", header=FIRST_DATA_ROW - 1))


def with_calamine(path: str) -> int:
    """The number of rows below the header."""
    import python_calamine

    rows = python_calamine.CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python(skip_empty_area=False)
    return len(rows[FIRST_DATA_ROW:])


READERS: tuple[tuple[str, Callable[[str], int], tuple[str, ...]], ...] = (
    ("Beleg, all facts", with_grids, ("parsers.read_file",)),
    ("Beleg, typed tables", with_tables, ("parsers.parse",)),
    ("pandas.read_excel (openpyxl)", with_pandas, ("pandas", "openpyxl")),
    ("calamine, values only", with_calamine, ("python_calamine",)),
)


def compare(cells: int, merges: int, runs: int) -> list[str]:
    """A table of one workbook read by every reader. Raises SystemExit if they do not agree on its number of rows."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "werte.xlsx"
        write_workbook(path, cells, merges)
        results: dict[str, Measured] = {name: measure(read, str(path), runs, modules) for name, read, modules in READERS}
    rows = {name: result.result for name, result in results.items()}
    if len(set(rows.values())) != 1:
        raise SystemExit(f"the readers do not agree on the number of rows: {rows}")
    pandas, calamine = (results[name].seconds for name, _, _ in READERS[2:])
    lines = [
        f"{cells:,} cells, {merges:,} merged areas",
        "",
        "| reader | processor s | clock s | peak MB | times faster than pandas | times calamine |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, result in results.items():
        ratios = f"{pandas / result.seconds:.1f} | {result.seconds / calamine:.1f}"
        lines.append(f"| {name} | {result.seconds:.2f} | {result.clock:.2f} | {result.peak_mb:.0f} | {ratios} |")
    return lines


def growth(sizes: Sequence[int], runs: int) -> list[str]:
    """A table of how time and memory of Beleg's two readings grow with the number of cells."""
    lines = [
        "Beleg by size",
        "",
        "| cells | reader | processor s | µs a cell | peak MB |",
        "| ---: | --- | ---: | ---: | ---: |",
    ]
    for cells in sizes:
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "werte.xlsx"
            write_workbook(path, cells)
            for name, read, modules in READERS[:2]:
                found = measure(read, str(path), runs, modules)
                micros = found.seconds / cells * 1e6
                lines.append(f"| {cells:,} | {name} | {found.seconds:.2f} | {micros:.2f} | {found.peak_mb:.0f} |")
    return lines
