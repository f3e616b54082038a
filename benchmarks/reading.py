"""Reading a workbook with all facts, against pandas.read_excel (openpyxl) and bare calamine, which keep values only."""

from __future__ import annotations

import tempfile
from pathlib import Path

import xlsxwriter

from benchmarks.timing import Measured, measure

ROWS, COLUMNS = 20_000, 10


def write_workbook(path: Path, rows: int, columns: int) -> None:
    """A list below two title rows: one label column, the rest money with two decimal places."""
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    sheet = book.add_worksheet("Daten")
    money = book.add_format({"num_format": "#,##0.00"})
    sheet.write(0, 0, "Umsätze je Filiale, Angaben in EUR")
    sheet.write_row(2, 0, ["Filiale", *(f"Wert {column}" for column in range(1, columns))])
    for row in range(rows):
        sheet.write(3 + row, 0, f"Filiale {row:06d}")
        for column in range(1, columns):
            sheet.write_number(3 + row, column, (row * 7919 + column * 104729) % 1_000_000 / 100, money)
    book.close()


def with_beleg(path: str) -> int:
    """Number of values of the first table."""
    from parsers.parse import parse_file

    table = parse_file(Path(path)).sheets[0].tables[0]
    return len(table.data.rows) * len(table.table.columns)


def with_pandas(path: str) -> int:
    """Number of values of the frame."""
    import pandas

    return int(pandas.read_excel(path, engine="openpyxl", header=2).size)


def with_calamine(path: str) -> int:
    """Number of values below the header."""
    import python_calamine

    rows = python_calamine.CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python(skip_empty_area=False)
    return sum(len(row) for row in rows[3:])


def run() -> None:
    """Prints one line a reader: seconds, peak memory, and the ratio to Beleg's time."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "werte.xlsx"
        write_workbook(path, ROWS, COLUMNS)
        results: dict[str, Measured] = {
            "beleg": measure(with_beleg, str(path)),
            "pandas.read_excel": measure(with_pandas, str(path)),
            "calamine": measure(with_calamine, str(path)),
        }
    values = {name: result.result for name, result in results.items()}
    if len(set(values.values())) != 1:
        raise SystemExit(f"the readers do not agree on the number of values: {values}")
    own = results["beleg"].seconds
    print(f"Reading {ROWS * COLUMNS:,} cells of an XLSX file")
    for name, result in results.items():
        print(f"  {name:18} {result.seconds:7.2f} s  {result.peak_mb:6.0f} MB  {result.seconds / own:5.2f} x Beleg's time")
