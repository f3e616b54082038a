"""Writes the small files of this goldset: people by department, plan and actual by quarter, a list of orders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from openpyxl import Workbook

DATA = Path(__file__).parent / "data"
PEOPLE = (
    ("Abteilung", "Mitarbeiter", "Personalkosten (TEUR)", "Schulungstage"),
    ("Gießerei", 40, 2000, 90),
    ("Versand", 16, 620.8, 12),
    ("Einkauf", 8, 544, 20),
    ("Labor", 5, 401.5, 31),
)
COSTS = (
    ("Kostenart", "Q1", "", "Q2", ""),
    ("", "Plan", "Ist", "Plan", "Ist"),
    ("Fracht", 40000, 43000, 42000, 41580),
    ("Energie", 25000, 25000, 24000, 27600),
    ("Werbung", 18000, 15300, 22000, 23100),
)
DEVICES = (
    ("Inventarnr.", "Bezeichnung", "Halle", "Wert (EUR)", "Betriebsstunden 2023", "Betriebsstunden 2024", "Bemerkung"),
    ("G-1", "Drehbank", "Halle 1", 90000, 1800, 1650, None),
    ("G-2", "Bohrwerk", "Halle 2", 140000, 2100, 2300, "Spindel laut"),
    ("G-3", "Stapler", "Halle 1", 24000, 700, 720, None),
)
ORDERS = """Auftrag;Kunde;Rabatt %;Warenwert EUR
A-1;Ohm KG;5;500
A-2;Ohm KG;10;750,50
A-3;Tal AG;10;1200
A-4;Tal AG;0;500
A-5;Ufer GmbH;;90
"""
INVOICES = """Beleg;Kunde;Fällig am;Betrag EUR;Bezahlt am
B-1;Ohm KG;10.03.2024;100;12.03.2024
B-2;Ohm KG;20.03.2024;250,50;
B-3;Tal AG;25.03.2024;400;15.04.2024
B-4;Tal AG;05.04.2024;70;
B-5;Ufer GmbH;01.03.2024;30;28.02.2024
"""
STATES = """Posten;Fällig am;Betrag EUR;Status
P-1;10.03.2024;100;bezahlt
P-2;20.03.2024;250,50;offen
P-3;25.03.2024;400;gemahnt
P-4;05.05.2024;70;offen
"""


def _save(name: str, title: str, rows: Sequence[Sequence[object]], merged: Sequence[str] = ()) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for area in merged:
        sheet.merge_cells(area)
    book.save(DATA / name)


def main() -> None:
    DATA.mkdir(exist_ok=True)
    _save("personal_2025.xlsx", "Personal", PEOPLE)
    _save("kosten_2025.xlsx", "Kosten", (("Plan und Ist 2025 in EUR",), *COSTS), ("B2:C2", "D2:E2"))
    _save("geraete.xlsx", "Geräte", DEVICES)
    (DATA / "auftraege.csv").write_text(ORDERS, encoding="utf-8")
    (DATA / "belege.csv").write_text(INVOICES, encoding="utf-8")
    (DATA / "posten.csv").write_text(STATES, encoding="utf-8")


if __name__ == "__main__":
    main()
