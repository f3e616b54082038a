"""Writes the workbooks in data/: run it from this folder with python make_data.py (needs xlsxwriter)."""

from __future__ import annotations

from pathlib import Path

import xlsxwriter

DATA = Path(__file__).parent / "data"


def main() -> None:
    _merged_regions(DATA / "a01_regionen.xlsx")
    _totals(DATA / "a05_summen.xlsx")
    _hidden(DATA / "a08_verborgen.xlsx")
    _errors(DATA / "a10_fehler.xlsx")
    _scales(DATA / "a19_teur.xlsx")
    _currencies(DATA / "a20_waehrung.xlsx")
    _noisy_results(DATA / "rechenrauschen.xlsx")


def _merged_regions(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Umsatz")
        sheet.write_row("A1", ["Region", "Monat", "Umsatz [EUR]"])
        for row, (month, amount) in enumerate(
            [("Jan", 110), ("Feb", 210), ("Mrz", 320), ("Jan", 55), ("Feb", 75), ("Jan", 6)], start=1
        ):
            sheet.write_row(row, 1, [month, amount])
        sheet.merge_range("A2:A4", "Nord")
        sheet.merge_range("A5:A6", "Süd")


def _totals(path: Path) -> None:
    rows = [["Region", "Kunde", "Umsatz [EUR]"], ["Nord", "Adler", 120], ["Nord", "Birke", 230], ["Summe Nord", "", 350],
            ["Süd", "Gesamtbau GmbH", 60], ["Zwischensumme", "", 60], ["Gesamt", "", 410]]  # fmt: skip
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Umsatz")
        for row, values in enumerate(rows):
            sheet.write_row(row, 0, [value if value != "" else None for value in values])


def _hidden(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Umsatz")
        for row, values in enumerate(
            [["Kunde", "Umsatz [EUR]", "Marge"], ["Adler", 110, 0.1], ["Birke", 220, 0.2], ["Cedern", 340, 0.3]]
        ):
            sheet.write_row(row, 0, values)
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_column("C:C", None, None, {"hidden": True})


def _errors(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Umsatz")
        sheet.write_row("A1", ["Kunde", "Umsatz [EUR]", "Quote"])
        sheet.write_row("A2", ["Adler", 130, 0.2])
        sheet.write_row("A3", ["Birke", None, 0.1])
        sheet.write_row("A4", ["Cedern", 60])
        sheet.write_formula("B3", "=#REF!", None, "#REF!")
        sheet.write_formula("C4", "=1/0", None, "#DIV/0!")


def _scales(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Sparten")
        sheet.write("A1", "Angaben in Tsd. €, soweit nicht anders angegeben")
        for row, values in enumerate(
            [["Sparte", "Umsatz (TEUR)", "Invest (Mio. EUR)"], ["Kabel", 1358.79, 1.3], ["Rohre", 400, 0.06]], start=2
        ):
            sheet.write_row(row, 0, values)


def _currencies(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Posten")
        sheet.write_row("A1", ["Kunde", "Betrag"])
        sheet.write_row("A2", ["Adler"])
        sheet.write_row("A3", ["Birke"])
        sheet.write_number("B2", 120, book.add_format({"num_format": "#,##0.00 [$zł-415]"}))
        sheet.write_number("B3", 130, book.add_format({"num_format": "#,##0.00 [$€-407]"}))


def _noisy_results(path: Path) -> None:
    """Results of formulas as spreadsheet programs store them: 0.1+0.2 and 55*1.18."""
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Umsatz")
        sheet.write_row("A1", ["Kunde", "Menge", "Umsatz [EUR]"])
        for row, values in enumerate([["Adler", 3], ["Birke", 55], ["Cedern", 7]], start=1):
            sheet.write_row(row, 0, values)
        sheet.write_formula("C2", "=0.1+0.2", None, 0.1 + 0.2)
        sheet.write_formula("C3", "=B3*1.18", None, 55 * 1.18)
        sheet.write_formula("C4", "=B4*1.4357142857142857", None, 10.05)


if __name__ == "__main__":
    main()
