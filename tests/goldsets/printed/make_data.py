"""Writes the workbooks of data/ with merged headers; run once, the files are kept."""

from __future__ import annotations

from pathlib import Path

from openpyxl import Workbook

DATA = Path(__file__).parent / "data"


def write(name: str, rows: list[list[object]], merges: list[str]) -> None:
    """One sheet with these rows and merged areas."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Report"
    for row in rows:
        sheet.append(row)
    for area in merges:
        sheet.merge_cells(area)
    book.save(DATA / name)


def main() -> None:
    """All workbooks."""
    write(
        "p07_operators.xlsx",
        [
            ["Province", "Farm operators"],
            [None, "English", "French", "Other"],
            [None, "percent"],
            ["Northland", 40.1, 30.2, 29.7],
            ["Southland", 50, 25.5, 24.5],
            ["Westland", 61, 20, 19],
        ],
        ["A1:A3", "B1:D1", "B3:D3"],
    )
    write(
        "p08_area.xlsx",
        [
            ["Other crop", "Area", None, "Change"],
            [None, "2011", "2016"],
            [None, "acres", None, "percent"],
            ["Garlic", 1290, 2207, 71.1],
            ["Kale", 92, 448, 389.9],
            ["Spelt", 1400, 1700, 21.4],
        ],
        ["A1:A3", "B1:C1", "D1:D2", "B3:C3"],
    )


if __name__ == "__main__":
    main()
