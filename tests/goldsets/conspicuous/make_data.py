"""Writes the workbooks of this goldset: `python make_data.py`. Figures are invented; what stands out in them is worked out in
expected.py, which shares no code with the product."""

from __future__ import annotations

from pathlib import Path

import openpyxl

DATA = Path(__file__).parent / "data"

COSTS = [  # category, 2022, 2023, 2024 in EUR
    ("Energie", 40_000, 42_000, 61_300),
    ("Fuhrpark", 25_000, 25_500, 26_000),
    ("IT", 30_000, 33_000, 39_600),
    ("Marketing", 50_000, 48_000, 45_000),
    ("Miete", 120_000, 121_200, 122_400),
    ("Reisen", 8_000, 9_000, 9_900),
    ("Versicherung", 15_000, 15_000, 15_450),
]
STATIONS = [  # station, region, calls, waiting time, complaint rate in percent, material costs
    ("Ahorn", "Nord", 410, 12.5, 1.1, 900),
    ("Birke", "Nord", 395, 11.0, 1.3, 910),
    ("Buche", "Nord", 402, 12.0, 1.2, 905),
    ("Eiche", "Süd", 388, 13.5, 1.0, 890),
    ("Erle", "Süd", 640, 12.8, 1.4, 915),
    ("Fichte", "Süd", 405, 12.2, 4.9, 902),
    ("Kiefer", "West", 398, 11.6, 1.2, 3_400),
    ("Linde", "West", 120, 12.9, 1.1, 898),
    ("Tanne", "West", 415, 12.1, 1.3, 899),
    ("Ulme", "West", 407, None, 1.2, 901),
]
MONTHS = [  # month, turnover, days lost
    ("2024-01", 510, 4), ("2024-02", 498, 5), ("2024-03", 523, 4), ("2024-04", 505, 4), ("2024-05", 890, 5), ("2024-06", 517, 4),
    ("2024-07", 509, 4), ("2024-08", 501, 5), ("2024-09", 512, 4), ("2024-10", 506, 5), ("2024-11", 499, 4), ("2024-12", 515, 4),
]  # fmt: skip
ORDERS = [  # customer number, company, city, amount: several orders each
    ("0007", "Alster Optik", "Kiel", "120.50"),
    ("0012", "Brehm KG", "Bremen", "80.00"),
    ("0007", "Alster Optik", "Kiel", "99.50"),
    ("0020", "Cordes AG", "Kiel", "205.00"),
    ("0031", "Dorn GmbH", "Bremen", "190.00"),
    ("0044", "Ems Bau", "Lingen", "900.00"),
    ("0044", "Ems Bau", "Lingen", "1350.00"),
    ("0052", "Fock & Co.", "Kiel", "210.00"),
    ("0012", "Brehm KG", "Bremen", "125.25"),
    ("0063", "Gerlach", "Bremen", "198.00"),
]
REVENUE = [  # shop, Q1 2024, Q2 2024 in EUR: one opened in the second quarter, one has no first figure
    ("Altona", 1_000, 1_100), ("Bergedorf", 2_000, 2_900), ("Eppendorf", 1_500, 1_450), ("Harburg", 0, 700),
    ("Wandsbek", 800, 820), ("Winterhude", None, 640),
]  # fmt: skip
RESULTS = [  # line, 2023, 2024: incomes and expenses with their signs
    ("Mieteinnahmen", 900, 990), ("Zinserträge", 50, 40), ("Hausmeister", -300, -360), ("Reparaturen", -120, -180),
]  # fmt: skip
MACHINES = [("M1", 3), ("M2", 3), ("M3", 3), ("M4", 3), ("M5", 3), ("M6", 9)]  # failures: all but one the same
PAYMENTS = [
    ("R1", "10", "EUR"), ("R2", "12", "EUR"), ("R3", "11", "PLN"), ("R4", "13", "EUR"), ("R5", "90", "PLN"), ("R6", "12", "EUR"),
]  # fmt: skip
SHIFTS = [("S1", 100), ("S2", 102), ("S3", 104), ("S4", 106), ("S5", 108), ("S6", 110), ("S7", 112), ("S8", 123), ("S9", 125)]
WEIGHTS = {  # box, weight in kg: the draft has another outlier than the corrected list
    "entwurf": [("K1", 10), ("K2", 11), ("K3", 10), ("K4", 12), ("K5", 60), ("K6", 11)],
    "korrektur": [("K1", 10), ("K2", 11), ("K3", 70), ("K4", 12), ("K5", 12), ("K6", 11)],
}


def costs(path: Path) -> None:
    """Categories by year, with a total row and a sheet of plan and actual."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Kosten"
    sheet.append(["Kostenarten nach Jahren, in EUR"])
    sheet.append([])
    sheet.append(["Kostenart", "2022", "2023", "2024"])
    for row in COSTS:
        sheet.append(list(row))
    sheet.append(["Summe", *(sum(row[place] for row in COSTS) for place in (1, 2, 3))])
    book.save(path)


def stations(path: Path) -> None:
    """One row a station; the costs are for few."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Stationen"
    sheet.append(["Station", "Region", "Anrufe", "Wartezeit [min]", "Beschwerdequote [%]", "Sachkosten [EUR]"])
    for row in STATIONS:
        sheet.append(list(row))
    months = book.create_sheet("Monate")
    months.append(["Monat", "Umsatz [TEUR]", "Ausfalltage"])
    for row in MONTHS:
        months.append(list(row))
    book.save(path)


def small(folder: Path) -> None:
    """Lists with one fault or corner each."""
    _book(folder / "erloese.xlsx", "Erlöse", ["Laden", "Q1 2024", "Q2 2024"], REVENUE)
    _book(folder / "ergebnis.xlsx", "Ergebnis", ["Position", "2023", "2024"], RESULTS)
    _book(folder / "maschinen.xlsx", "Maschinen", ["Maschine", "Störungen"], MACHINES)
    _book(folder / "schichten.xlsx", "Schichten", ["Schicht", "Stückzahl"], SHIFTS)
    lines = ["Rechnung;Betrag;Währung", *(";".join(row) for row in PAYMENTS)]
    (folder / "zahlungen.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for version, rows in WEIGHTS.items():
        (folder / version).mkdir(exist_ok=True)
        _book(folder / version / "kisten.xlsx", "Kisten", ["Kiste", "Gewicht [kg]"], rows)


def _book(path: Path, title: str, header: list[str], rows: list[tuple[str | int | None, ...]]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in (header, *rows):
        sheet.append(list(row))
    book.save(path)


def orders(path: Path) -> None:
    """A list in which a customer has several rows."""
    lines = ["Kundennr;Firma;Ort;Betrag [EUR]", *(";".join((*row[:3], row[3].replace(".", ","))) for row in ORDERS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    costs(DATA / "kosten.xlsx")
    stations(DATA / "stationen.xlsx")
    orders(DATA / "bestellungen.csv")
    small(DATA)
