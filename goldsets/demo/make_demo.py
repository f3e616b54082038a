"""Writes the demo workbooks under `data/`: `python -m goldsets.demo.make_demo [--check]`.

All firms, people and figures are invented. The output depends on nothing but this file and the version of xlsxwriter;
`--check` writes to a temporary place and says whether the files in `data/` hold the same cells.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from random import Random
from typing import Any

import xlsxwriter

from goldsets.demo import demo_names as names

DATA = Path(__file__).parent / "data"
REPORT = "bericht_ergebnisse_Q3_2024.xlsx"
FILES = (f"entwurf/{REPORT}", f"korrektur/{REPORT}", "guv_2024.xlsx", "offene_posten_2024-09.csv", "bestellungen_2024.xlsx")
CENT = Decimal("0.01")

# What the draft of 2024-10-12 says otherwise: (branch, quarter, column) -> value. The corrected report has the true ones.
DRAFT_DIFFERENCES: dict[tuple[str, str, str], Decimal | int] = {
    ("Danzig", "Q3 2024", "revenue"): 1274890,
    ("Posen", "Q3 2024", "revenue"): 514770,
    ("Lublin", "Q2 2024", "margin"): Decimal("0.291"),
}


class Book:
    """An xlsx file with the few cell formats that the demo uses and a fixed creation date."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.book = xlsxwriter.Workbook(str(path))
        self.book.set_properties({"author": "Silbertanne Controlling", "created": datetime(2024, 10, 15, 9, 0)})
        add = self.book.add_format
        self.title = add({"bold": True, "font_size": 14})
        self.head = add({"bold": True, "bottom": 1, "bg_color": "#DDE5EE", "text_wrap": True, "valign": "top"})
        self.banner = add({"bold": True, "align": "center", "bg_color": "#DDE5EE"})
        self.whole = add({"num_format": "#,##0"})
        self.one_place = add({"num_format": "#,##0.0"})
        self.money = add({"num_format": "#,##0.00"})
        self.percent = add({"num_format": "0.0%"})
        self.day = add({"num_format": "dd.mm.yyyy"})
        self.month = add({"num_format": "mmm yyyy"})
        self.total = add({"bold": True, "top": 1, "num_format": "#,##0"})
        self.total_one_place = add({"bold": True, "top": 1, "num_format": "#,##0.0"})
        self.label = add({"valign": "top", "bold": True})

    def sheet(self, name: str, widths: str) -> Any:
        """A new sheet; `widths`: column widths in characters, separated by blanks."""
        sheet = self.book.add_worksheet(name)
        for position, width in enumerate(widths.split()):
            sheet.set_column(position, position, int(width))
        return sheet

    def close(self) -> None:
        """Writes the file."""
        self.book.close()


def _percent_step(random: Random, low: int, high: int) -> Decimal:
    """A margin between low and high per mille, as a fraction of one with three places."""
    return Decimal(random.randrange(low, high)) / 1000


def branch_rows() -> list[dict[str, Any]]:
    """The true rows of the report in sheet order: five regions, 21 branches, three quarters each; row 47 is Danzig, Q3 2024."""
    random = Random(20241015)
    rows: list[dict[str, Any]] = []
    for region, branches in names.REGIONS.items():
        for branch in branches:
            size = random.randrange(60, 190)
            for quarter in names.QUARTERS:
                rows.append({
                    "region": region, "branch": branch, "quarter": quarter,
                    "revenue": size * 9000 + random.randrange(-40000, 90000) // 10 * 10,
                    "margin": _percent_step(random, 268, 389),
                    "staff": Decimal(size * 2 + random.randrange(-6, 7)) / Decimal(10),
                    "complaints": random.randrange(3, 48),
                })
    by_key = {(row["branch"], row["quarter"]): row for row in rows}
    by_key["Danzig", "Q3 2024"].update(revenue=1247890, margin=Decimal("0.342"))
    by_key["Köslin", "Q1 2024"].update(revenue="k. A.", margin="k. A.")  # opened in April
    by_key["Oppeln", "Q3 2024"].update(staff="k. A.")
    by_key["Grünberg", "Q2 2024"].update(margin=Decimal("0.2415"))
    return rows


def write_report(path: Path, draft: bool) -> None:
    """Branch results in PLN: seven rows of title, header in row 8, merged regions, a total, notes; a sheet for the board."""
    book = Book(path)
    sheet = book.sheet("Niederlassungen", "12 18 18 12 10 12 14")
    sheet.write("A1", "Silbertanne Werkzeuge · Ergebnisse der Niederlassungen", book.title)
    stand = "Entwurf vom 12.10.2024" if draft else "Fassung nach Korrektur vom 15.10.2024"
    sheet.write("A2", f"Bericht Ergebnisse Q3 2024, {stand}")
    sheet.write("A3", "Umsätze netto, ohne konzerninterne Lieferungen")
    sheet.write("A5", "Erstellt: Abteilung Controlling, Rückfragen an controlling@silbertanne.example")
    heads = ("Region", "Niederlassung", "Nettoumsatz [PLN]", "Bruttomarge", "Quartal", "Mitarbeiter", "Reklamationen")
    sheet.write_row(7, 0, heads, book.head)
    rows = branch_rows()
    if draft:
        for row in rows:
            for (branch, quarter, key), value in DRAFT_DIFFERENCES.items():
                if (row["branch"], row["quarter"]) == (branch, quarter):
                    row[key] = value
    first = 8  # 0-based: sheet row 9
    for position, row in enumerate(rows, first):
        sheet.write(position, 1, row["branch"])
        for column, key, style in ((2, "revenue", book.whole), (3, "margin", book.percent), (5, "staff", book.one_place),
                                   (6, "complaints", book.whole)):
            sheet.write(position, column, row[key], style)
        sheet.write(position, 4, row["quarter"])
    position = first
    for region, branches in names.REGIONS.items():
        height = len(branches) * len(names.QUARTERS)
        sheet.merge_range(position, 0, position + height - 1, 0, region, book.label)
        position += height
    revenues = [row["revenue"] for row in rows if row["revenue"] != "k. A."]
    complaints = [row["complaints"] for row in rows]
    sheet.write(position, 0, "Gesamt", book.total)
    sheet.write_formula(position, 2, f"=SUM(C{first + 1}:C{position})", book.total, sum(revenues))
    sheet.write_formula(position, 6, f"=SUM(G{first + 1}:G{position})", book.total, sum(complaints))
    sheet.write(position + 2, 0, "k. A.: keine Angabe (Köslin wurde am 02.04.2024 eröffnet).")
    sheet.write(position + 3, 0, "Mitarbeiter: Vollzeitäquivalente am Quartalsende.")
    _write_board_sheet(book, rows)
    book.close()


def _write_board_sheet(book: Book, rows: list[dict[str, Any]]) -> None:
    random = Random(47)
    sheet = book.sheet("Vorstand", "18 10 26 18")
    sheet.write("A1", "Nur für den Vorstand", book.title)
    sheet.write_row(2, 0, ("Niederlassung", "Quartal", "Filialergebnis [PLN]", "Umsatzrendite"), book.head)
    third = [row for row in rows if row["quarter"] == "Q3 2024"]
    for position, row in enumerate(third, 3):
        rate = _percent_step(random, 21, 118)
        sheet.write_row(position, 0, (row["branch"], row["quarter"]))
        sheet.write(position, 2, int(row["revenue"] * rate), book.whole)
        sheet.write(position, 3, rate, book.percent)


def write_profit_and_loss(path: Path) -> None:
    """P&L as a cross-tab in TEUR (quarters x plan/actual, two header rows, subtotals, no actuals for Q4) and monthly figures."""
    random = Random(2024)
    book = Book(path)
    sheet = book.sheet("GuV", "34 11 11 11 11 11 11 11 11")
    sheet.write("A1", "Gewinn- und Verlustrechnung 2024, Plan und Ist", book.title)
    sheet.write("A2", "Silbertanne Werkzeuge, alle Beträge in TEUR")
    sheet.merge_range(3, 0, 4, 0, "Position", book.head)
    for index in range(4):
        sheet.merge_range(3, 1 + 2 * index, 3, 2 + 2 * index, f"Q{index + 1} 2024", book.banner)
        sheet.write_row(4, 1 + 2 * index, ("Plan", "Ist"), book.head)
    values: dict[str, list[Decimal | None]] = {}
    for label, base, parts in names.PROFIT_AND_LOSS:
        if parts:
            values[label] = [sum((v for p in parts if (v := values[p][i]) is not None), Decimal(0)) if i != 7 else None
                             for i in range(8)]
            continue
        line: list[Decimal | None] = []
        for quarter in range(4):
            plan = Decimal(base * (100 + 3 * quarter)) / 100
            actual = Decimal(base * random.randrange(930, 1095)) / 1000
            line += [plan.quantize(Decimal("0.1")), None if quarter == 3 else actual.quantize(Decimal("0.1"))]
        values[label] = line
    row_of = {label: 6 + index for index, (label, _, _) in enumerate(names.PROFIT_AND_LOSS)}
    for label, _, parts in names.PROFIT_AND_LOSS:
        row = row_of[label]
        sheet.write(row - 1, 0, label, book.label if parts else None)
        for index, value in enumerate(values[label]):
            letter = "BCDEFGHI"[index]
            if parts and value is not None:
                formula = "=" + "+".join(f"{letter}{row_of[part]}" for part in parts)
                sheet.write_formula(row - 1, 1 + index, formula, book.total_one_place, value)
            elif value is not None:
                sheet.write(row - 1, 1 + index, value, book.one_place)
    sheet.write(16, 0, "Aufwendungen mit negativem Vorzeichen; Ist-Werte für Q4 liegen noch nicht vor.")
    _write_monthly_sheet(book, random)
    book.close()


def _write_monthly_sheet(book: Book, random: Random) -> None:
    sheet = book.sheet("Monatskennzahlen", "12 22 22 14")
    sheet.write("A1", "Kennzahlen je Monat", book.title)
    sheet.write_row(2, 0, ("Monat", "Auftragseingang [TEUR]", "Auftragsbestand [TEUR]", "Krankenquote"), book.head)
    for index in range(21):
        year, month = 2023 + index // 12, index % 12 + 1
        sheet.write_datetime(3 + index, 0, datetime(year, month, 1), book.month)
        sheet.write(3 + index, 1, Decimal(random.randrange(11000, 16500)) / 10, book.one_place)
        sheet.write(3 + index, 2, Decimal(random.randrange(24000, 31000)) / 10, book.one_place)
        sheet.write(3 + index, 3, _percent_step(random, 31, 79), book.percent)


def _german(amount: Decimal) -> str:
    """-9967.5 -> "9.967,50-" (trailing minus, as ledger exports write it)."""
    digits = f"{abs(amount):,.2f}".translate(str.maketrans(",.", ".,"))
    return digits + ("-" if amount < 0 else "")


def write_open_items(path: Path) -> None:
    """Open items in EUR and PLN as a ledger prints them: cp1252, two preamble lines, header in line 4, two totals at the end."""
    random = Random(930)
    lines = ["Silbertanne Werkzeuge;Offene Posten Debitoren", "Stichtag;30.09.2024", "",
             "Kundennr;Kunde;Belegnr;Belegdatum;Fällig am;Betrag;Währung;Mahnstufe"]
    totals = {"EUR": Decimal(0), "PLN": Decimal(0)}
    customers = list(names.CUSTOMERS.items())
    for index in range(186):
        number, (firm, _, country, _) = customers[random.randrange(len(customers) - 3)]
        currency = "PLN" if country == "Polen" or random.randrange(20) == 0 else "EUR"
        amount = Decimal(random.randrange(4200, 1900000)) / 100
        if random.randrange(11) == 0:
            amount = -(amount / 7).quantize(CENT, ROUND_HALF_EVEN)
        booked = date(2024, 5, 2) + timedelta(days=random.randrange(148))
        due = booked + timedelta(days=random.choice((14, 30, 30, 60)))
        level = "" if amount < 0 or due >= date(2024, 9, 30) else str(random.randrange(4))
        shown = f'"{firm}"' if ";" in firm else firm
        lines.append(f"{number};{shown};{310400 + index};{booked:%d.%m.%Y};{due:%d.%m.%Y};{_german(amount)};{currency};{level}")
        totals[currency] += amount
    lines += [f"Summe EUR;;;;;{_german(totals['EUR'])};EUR;", f"Summe PLN;;;;;{_german(totals['PLN'])};PLN;"]
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))


def write_orders(path: Path) -> None:
    """Order lines with technical headers, customers and articles; numbers with leading zeros are text."""
    random = Random(1177)
    book = Book(path)
    orders = book.sheet("Bestellungen", "10 8 12 11 10 8 14 10 17 12")
    orders.write_row(0, 0, ("order_no", "pos_no", "order_dt", "cust_no", "art_no", "qty_pcs", "price_net_eur", "disc_pct",
                            "rev_net_adj_eur", "deliv_st"), book.head)
    buyers = [number for number in names.CUSTOMERS if number not in names.CUSTOMERS_WITHOUT_ORDER]
    articles = list(names.ARTICLES.items())
    row, order = 1, 7001
    day = date(2024, 1, 3)
    while day <= date(2024, 9, 27):
        buyer = random.choice(buyers)
        for position in range(1, random.randrange(2, 6)):
            article, (_, _, price, _) = articles[random.randrange(len(articles) - 2)]
            quantity = random.choice((1, 2, 3, 4, 5, 8, 10, 12, 20, 25))
            discount = Decimal(random.choice((0, 0, 2, 5, 10))) / 100
            revenue = (quantity * price * (1 - discount)).quantize(CENT, ROUND_HALF_EVEN)
            orders.write_row(row, 0, (f"{order:08d}", position))
            orders.write_datetime(row, 2, datetime(day.year, day.month, day.day), book.day)
            orders.write_row(row, 3, (buyer, article, quantity))
            orders.write(row, 6, price, book.money)
            orders.write(row, 7, discount, book.percent)
            orders.write(row, 8, revenue, book.money)
            orders.write(row, 9, random.choice(("geliefert", "geliefert", "geliefert", "teilgeliefert", "offen")))
            row += 1
        order += 1
        day += timedelta(days=random.randrange(0, 3))
    sheet = book.sheet("Kunden", "11 34 18 14 18")
    sheet.write_row(0, 0, ("cust_no", "Firma", "Ort", "Land", "Kundengruppe"), book.head)
    for index, (number, customer) in enumerate(names.CUSTOMERS.items(), 1):
        sheet.write_row(index, 0, (number, *customer))
    sheet = book.sheet("Artikel", "10 34 18 16 18")
    sheet.write_row(0, 0, ("art_no", "Bezeichnung", "Warengruppe", "list_price_eur", "purch_price_eur"), book.head)
    for index, (number, (text, group, price, cost)) in enumerate(names.ARTICLES.items(), 1):
        sheet.write_row(index, 0, (number, text, group))
        sheet.write(index, 3, price, book.money)
        sheet.write(index, 4, cost, book.money)
    book.close()


def write_all(folder: Path) -> None:
    """Writes the five files of FILES under `folder`."""
    write_report(folder / FILES[0], draft=True)
    write_report(folder / FILES[1], draft=False)
    write_profit_and_loss(folder / FILES[2])
    write_open_items(folder / FILES[3])
    write_orders(folder / FILES[4])


def main() -> int:
    """Exit code 0: written, or the same bytes with --check; 1: a file differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with data/ and write nothing there")
    if not parser.parse_args().check:
        write_all(DATA)
        return 0
    with tempfile.TemporaryDirectory() as place:
        write_all(Path(place))
        different = [name for name in FILES if (Path(place) / name).read_bytes() != (DATA / name).read_bytes()]
    for name in different:
        print(f"{name}: data/ holds something else than make_demo.py writes; run it without --check", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
