"""The right answers of `demo.yaml`, computed from the demo files without the product.

`python -m goldsets.demo.expected --check` compares every case of demo.yaml with its computation (exit code 1 on a difference);
`--show [ID ...]` prints what is computed, for writing a new case.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from goldsets.demo.read_demo import DRAFT, FINAL, ORDERS, PROFIT_AND_LOSS, Cell, Record, branches, open_items, profit_and_loss
from goldsets.demo.read_demo import read_sheet as sheet

GOLDSET = Path(__file__).parent / "demo.yaml"
REVENUE, MARGIN, STAFF, COMPLAINTS = "Nettoumsatz [PLN]", "Bruttomarge", "Mitarbeiter", "Reklamationen"
ADJUSTED = "rev_net_adj_eur"


@dataclass(frozen=True)
class Answer:
    """Rows as the goldset writes them, and the cells that the numbers come from."""

    rows: list[list[str]]
    cells: list[Cell] = field(default_factory=list)


def text(value: Decimal | Fraction | str | None) -> str:
    """Plain decimal text, "num/den" where there is no finite decimal form."""
    if value is None or isinstance(value, str):
        return value or ""
    exact = Fraction(value)
    rest = exact.denominator
    places = 0
    while rest % 10 == 0:
        rest //= 10
    for factor in (2, 5):
        while rest % factor == 0:
            rest //= factor
    if rest != 1:
        return f"{exact.numerator}/{exact.denominator}"
    while (exact * 10**places).denominator != 1:
        places += 1
    digits = f"{abs(int(exact * 10**places)):0{places + 1}d}"
    sign = "-" if exact < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def total(cells: Iterable[Cell]) -> Answer:
    """Sum of the cells that hold a number."""
    used = [cell for cell in cells if cell.value is not None]
    return Answer([[text(sum((cell.number for cell in used), Decimal(0)))]], used)


def mean(cells: Iterable[Cell]) -> Answer:
    """Plain mean of the cells that hold a number."""
    used = [cell for cell in cells if cell.value is not None]
    return Answer([[text(Fraction(sum((cell.number for cell in used), Decimal(0))) / len(used))]], used)


def count(things: Iterable[object]) -> Answer:
    """How many."""
    return Answer([[str(len(list(things)))]])


def where(records: list[Record], **conditions: str) -> list[Record]:
    """The records whose columns hold the given texts."""
    return [r for r in records if all(r[key].value == value for key, value in conditions.items())]


def branch(name: str, quarter: str, column: str, file: str = FINAL) -> Cell:
    """One cell of the branch report."""
    (record,) = where(branches(file), Niederlassung=name, Quartal=quarter)
    return record[column]


def look_up(cell: Cell) -> Answer:
    """The value of one cell; for text cells the text."""
    assert cell.value is not None and not isinstance(cell.value, date)
    return Answer([[text(cell.value)]], [cell])


def grouped(pairs: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Sums by key."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for key, amount in pairs:
        sums[key] += amount
    return sums


def rows_of(sums: dict[str, Decimal], best: int | None = None) -> Answer:
    """Key and sum a row; `best`: only so many, greatest first, where no tie decides."""
    ordered = sorted(sums.items(), key=lambda item: -item[1])
    if best is not None:
        assert ordered[best - 1][1] != ordered[best][1], "a tie at the border"
        ordered = ordered[:best]
    return Answer([[key, text(amount)] for key, amount in ordered])


def third_quarter(**conditions: str) -> list[Record]:
    """The corrected report's rows of Q3 2024."""
    return where(branches(), Quartal="Q3 2024", **conditions)


def by_branch() -> dict[str, Decimal]:
    """Revenue of Q3 2024 by branch."""
    return grouped((str(r["Niederlassung"].value), r[REVENUE].number) for r in third_quarter())


def highest_branch() -> Answer:
    """The branch with the highest revenue in Q3 2024."""
    (best,) = rows_of(by_branch(), best=1).rows
    return Answer([[best[0]]])


def change(new: Cell, old: Cell) -> Answer:
    """Percent change."""
    return Answer([[text(Fraction(new.number - old.number) / Fraction(old.number) * 100)]], [new, old])


def difference(left: Cell, right: Cell) -> Answer:
    """left - right."""
    return Answer([[text(left.number - right.number)]], [left, right])


def share_of_danzig() -> Answer:
    """Danzig's part of the revenue of Q3 2024, in percent."""
    whole = sum(by_branch().values(), Decimal(0))
    return Answer([[text(Fraction(by_branch()["Danzig"]) / Fraction(whole) * 100)]])


def months(column: str, first: date, last: date) -> list[Cell]:
    """Cells of the monthly figures between two months, both included."""
    return [r[column] for r in sheet(PROFIT_AND_LOSS, "Monatskennzahlen", 3)
            if isinstance(r["Monat"].value, date) and first <= r["Monat"].value <= last]


def orders(first: date = date(2024, 1, 1), last: date = date(2024, 12, 31)) -> list[Record]:
    """Order lines with an order date between two days."""
    return [r for r in sheet(ORDERS, "Bestellungen", 1)
            if isinstance(r["order_dt"].value, date) and first <= r["order_dt"].value <= last]


def order_sums(lookup: str, key: str, shown: str, column: str) -> dict[str, Decimal]:
    """Sums of an order column by a column of the sheet `lookup` that `key` leads to."""
    names = {r[key].value: str(r[shown].value) for r in sheet(ORDERS, lookup, 1)}
    return grouped((names[r[key].value], r[column].number) for r in orders())


def article(number: str, column: str) -> Cell:
    """One cell of the article list."""
    (record,) = where(sheet(ORDERS, "Artikel", 1), art_no=number)
    return record[column]


def highest(cells: list[Cell]) -> Answer:
    """The greatest value and the cells that hold it."""
    best = max(cell.number for cell in cells)
    return Answer([[text(best)]], [cell for cell in cells if cell.number == best])


def lowest(cells: list[Cell]) -> Answer:
    """The smallest value and the cells that hold it."""
    best = min(cell.number for cell in cells)
    return Answer([[text(best)]], [cell for cell in cells if cell.number == best])


def overdue_pln() -> Answer:
    """Items in PLN that were due before 2024-09-30."""
    day = date(2024, 9, 30)
    dues = [r["Fällig am"].value for r in where(open_items(), Währung="PLN")]
    return count(due for due in dues if isinstance(due, date) and due < day)


def pl(position: str, quarter: int, scenario: str) -> Cell:
    """One cell of the P&L."""
    return profit_and_loss()[position, f"Q{quarter} 2024", scenario]


COMPUTE: dict[str, Callable[[], Answer]] = {
    "danzig-umsatz": lambda: look_up(branch("Danzig", "Q3 2024", REVENUE)),
    "danzig-marge": lambda: look_up(branch("Danzig", "Q3 2024", MARGIN)),
    "danzig-entwurf": lambda: look_up(branch("Danzig", "Q3 2024", REVENUE, DRAFT)),
    "posen-korrigiert": lambda: look_up(branch("Posen", "Q3 2024", REVENUE)),
    "danzig-english": lambda: look_up(branch("Danzig", "Q3 2024", REVENUE)),
    "danzig-polnisch": lambda: look_up(branch("Danzig", "Q3 2024", REVENUE)),
    "gruenberg-marge": lambda: look_up(branch("Grünberg", "Q2 2024", MARGIN)),
    "danzig-vorquartal": lambda: look_up(branch("Danzig", "Q2 2024", REVENUE)),
    "summe-q3": lambda: total(r[REVENUE] for r in third_quarter()),
    "summe-nord-q2": lambda: total(r[REVENUE] for r in where(branches(), Region="Nord", Quartal="Q2 2024")),
    "reklamationen-posen": lambda: total(r[COMPLAINTS] for r in where(branches(), Niederlassung="Posen")),
    "marge-mittel-q3": lambda: mean(r[MARGIN] for r in third_quarter()),
    "mitarbeiter-q3": lambda: total(r[STAFF] for r in third_quarter()),
    "anzahl-sued": lambda: count({r["Niederlassung"].value for r in where(branches(), Region="Süd")}),
    "hoechster-umsatz": highest_branch,
    "niedrigste-marge": lambda: lowest([r[MARGIN] for r in where(branches(), Quartal="Q2 2024")]),
    "top5-umsatz": lambda: rows_of(by_branch(), best=5),
    "umsatz-je-region": lambda: rows_of(grouped((str(r["Region"].value), r[REVENUE].number) for r in third_quarter())),
    "ueber-schwelle": lambda: Answer([[name] for name, amount in by_branch().items() if amount > 1_600_000]),
    "danzig-veraenderung": lambda: change(branch("Danzig", "Q3 2024", REVENUE), branch("Danzig", "Q2 2024", REVENUE)),
    "danzig-stettin": lambda: difference(branch("Stettin", "Q3 2024", REVENUE), branch("Danzig", "Q3 2024", REVENUE)),
    "anteil-danzig": share_of_danzig,
    "rendite-vorstand": lambda: look_up(
        where(sheet(FINAL, "Vorstand", 3), Niederlassung="Danzig", Quartal="Q3 2024")[0]["Umsatzrendite"]),
    "materialaufwand-ist": lambda: look_up(pl("Materialaufwand", 2, "Ist")),
    "rohertrag-plan": lambda: look_up(pl("Rohertrag", 1, "Plan")),
    "erloese-abweichung": lambda: difference(pl("Umsatzerlöse", 3, "Ist"), pl("Umsatzerlöse", 3, "Plan")),
    "erloese-plan-jahr": lambda: total(pl("Umsatzerlöse", quarter, "Plan") for quarter in (1, 2, 3, 4)),
    "eingang-mai": lambda: look_up(months("Auftragseingang [TEUR]", date(2024, 5, 1), date(2024, 5, 31))[0]),
    "eingang-halbjahr": lambda: total(months("Auftragseingang [TEUR]", date(2024, 1, 1), date(2024, 6, 30))),
    "krankenquote-2023": lambda: mean(months("Krankenquote", date(2023, 1, 1), date(2023, 12, 31))),
    "offen-eur": lambda: total(r["Betrag"] for r in where(open_items(), Währung="EUR")),
    "offen-je-waehrung": lambda: rows_of(grouped((str(r["Währung"].value), r["Betrag"].number) for r in open_items())),
    "offen-kunde": lambda: total(r["Betrag"] for r in where(open_items(), Kundennr="0010042", Währung="EUR")),
    "offen-hoechster-pln": lambda: highest([r["Betrag"] for r in where(open_items(), Währung="PLN")]),
    "mahnstufe-3": lambda: count(where(open_items(), Mahnstufe="3")),
    "ueberfaellig": overdue_pln,
    "bestellwert-august": lambda: total(r[ADJUSTED] for r in orders(date(2024, 8, 1), date(2024, 8, 31))),
    "top5-kunden": lambda: rows_of(order_sums("Kunden", "cust_no", "Firma", ADJUSTED), best=5),
    "listenpreis-messtechnik": lambda: mean(
        r["list_price_eur"] for r in where(sheet(ORDERS, "Artikel", 1), Warengruppe="Messtechnik")),
    "kunden-oesterreich": lambda: count(where(sheet(ORDERS, "Kunden", 1), Land="Österreich")),
    "artikel-juli": lambda: count({r["art_no"].value for r in orders(date(2024, 7, 1), date(2024, 7, 31))}),
    "menge-je-warengruppe": lambda: rows_of(order_sums("Artikel", "art_no", "Warengruppe", "qty_pcs")),
    "ort-der-firma": lambda: look_up(where(sheet(ORDERS, "Kunden", 1), Firma="Kornblume Fahrzeugbau AG")[0]["Ort"]),
    "einkaufspreis-sichtbar": lambda: look_up(article("004023", "purch_price_eur")),
}


def sources(answer: Answer) -> list[dict[str, Any]]:
    """The cells of an answer as the goldset's `sources`, one entry a sheet."""
    places: dict[tuple[str, str | None], list[str]] = {}
    for cell in answer.cells:
        places.setdefault((Path(cell.file).name, cell.sheet), []).append(cell.address)
    return [{"file": file} | ({"sheet": name} if name else {}) | {"cells": cells} for (file, name), cells in places.items()]


def differences(goldset: Path = GOLDSET) -> list[str]:
    """One sentence for every case whose expected rows or cells are not the computed ones, or that is not computed."""
    cases = {case["id"]: case["expect"] for case in yaml.safe_load(goldset.read_text(encoding="utf-8"))["cases"]}
    found = [f"{name}: computed, but not a case of {goldset.name}" for name in COMPUTE if name not in cases]
    for name, expect in cases.items():
        if expect["status"] != "answered":
            found += [f"{name}: is computed, but no answer is expected"] if name in COMPUTE else []
        elif name not in COMPUTE:
            found.append(f"{name}: an answer is expected, but it is not computed")
        else:
            found += _differences_of(name, expect, COMPUTE[name]())
    return found


def _differences_of(name: str, expect: dict[str, Any], answer: Answer) -> list[str]:
    wanted, rows = expect["rows"], answer.rows
    if not expect.get("ordered"):
        wanted, rows = sorted(wanted), sorted(rows)
    found = [] if wanted == rows else [f"{name}: {GOLDSET.name} expects {wanted}, computed are {rows}"]
    if "sources" in expect:
        named = sorted((s["file"], s.get("sheet") or "", sorted(s["cells"])) for s in expect["sources"])
        computed = sorted((s["file"], s.get("sheet") or "", sorted(s["cells"])) for s in sources(answer))
        found += [] if named == computed else [f"{name}: {GOLDSET.name} names the cells {named}, computed are {computed}"]
    return found


def main() -> int:
    """Exit code 1 if --check finds a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with demo.yaml")
    parser.add_argument("--show", nargs="*", metavar="ID", help="print the computed answers, of all cases or of these")
    arguments = parser.parse_args()
    if arguments.show is not None:
        for name in arguments.show or COMPUTE:
            answer = COMPUTE[name]()
            print(f"{name}: {answer.rows} from {sources(answer)}")
    found = differences() if arguments.check else []
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
