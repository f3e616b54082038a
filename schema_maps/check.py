"""Checks of a sheet's map against the sheet: a tuple of small functions, each of which yields what it finds.

Nothing here changes a map or stops an answer by itself; who decides sees the findings before and after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from parsers.fold import fold
from parsers.problem import Problem
from parsers.table import ColumnType, Table
from schema_maps.aggregation import aggregation_of
from schema_maps.layout import find_drift, header_key, is_near, near_matches, printed_headers
from schema_maps.schema_map import ColumnMeaning, SheetMap
from schema_maps.units import contradicts

NUMBER_TYPES = (ColumnType.DECIMAL, ColumnType.INTEGER)


@dataclass(frozen=True)
class Checked:
    """`tables`: all tables of the sheet, of one version. `levels`: every level that files, sheets or people of the tenant have;
    empty: unknown, and not checked."""

    sheet_map: SheetMap
    tables: tuple[Table, ...]
    levels: frozenset[str] = frozenset()

    @property
    def where(self) -> str:
        sheet = self.sheet_map.sheet
        return self.sheet_map.document if sheet is None else f"{self.sheet_map.document}, Blatt „{sheet}“"

    def headers(self) -> tuple[str, ...]:
        return printed_headers(self.tables)

    def used(self) -> Iterator[ColumnMeaning]:
        return (column for column in self.sheet_map.columns if column.status != "rejected")


Check = Callable[[Checked], Iterator[Problem]]


def same_name_twice(checked: Checked) -> Iterator[Problem]:
    """Two columns of one table under one business name: every question about it would have to be asked back."""
    meanings = {header_key(column.header): column for column in checked.used()}
    for table in checked.tables:
        headers: dict[str, list[str]] = defaultdict(list)
        for column in table.columns:
            meaning = meanings.get(header_key(column.header))
            headers[fold(meaning.name if meaning else column.name)].append(column.header)
        for name, same in headers.items():
            if len(same) > 1 and any(header_key(header) in meanings for header in same):
                listed = ", ".join(f"„{header}“" for header in same)
                message = f"Die Spalten {listed} heißen beide „{name}“."
                yield Problem("same_name_twice", checked.where, message, "Einer einen anderen Namen geben.")


def unit_contradicts_file(checked: Checked) -> Iterator[Problem]:
    """A unit that cannot be true for what the file prints; the scope blocks the numbers of such a column."""
    meanings = {header_key(column.header): column for column in checked.used()}
    for table in checked.tables:
        for column in table.columns:
            meaning = meanings.get(header_key(column.header))
            if meaning and contradicts(meaning.unit, column.unit, printed_in_header=column.name != column.header):
                message = f"Spalte „{column.header}“: die Schema-Map sagt {meaning.unit}, die Datei {column.unit}."
                yield Problem(
                    "unit_contradicts_file", checked.where, message, "Zahlen der Spalte bleiben gesperrt, bis die Einheit stimmt."
                )


def unit_on_text(checked: Checked) -> Iterator[Problem]:
    """A unit for a column whose values are not read as numbers."""
    meanings = {header_key(column.header): column for column in checked.used()}
    for table in checked.tables:
        for column in table.columns:
            meaning = meanings.get(header_key(column.header))
            if meaning and meaning.unit and column.type not in NUMBER_TYPES:
                message = f"Spalte „{column.header}“ hat die Einheit {meaning.unit}, wird aber nicht als Zahl gelesen."
                yield Problem("unit_on_text", checked.where, message, "Mit „beleg inspect“ die Werte der Spalte ansehen.")


def header_drift(checked: Checked) -> Iterator[Problem]:
    """Headers gone, new, and moved on by their numbers, with the near ones named."""
    drift = find_drift(checked.sheet_map, checked.headers())
    near = {old: new for old, new in drift.near}
    for header in drift.gone:
        hint = (
            f"Vielleicht heißt sie jetzt „{near[header]}“; dann diese freigeben."
            if header in near
            else "Prüfen, ob sie noch gebraucht wird."
        )
        yield Problem("header_gone", checked.where, f"Die Spalte „{header}“ der Schema-Map fehlt.", hint)
    for header in drift.new:
        if header not in near.values():
            candidates = near_matches(header, drift.gone)
            hint = f"Ähnlich war: „{candidates[0]}“." if candidates else "Bei Bedarf benennen und freigeben."
            yield Problem("header_new", checked.where, f"Die Spalte „{header}“ ist neu.", hint)
    for old, new in drift.shifted:
        yield Problem(
            "header_shifted", checked.where, f"„{old}“ heißt jetzt „{new}“; Bedeutung mit geänderter Zahl übernommen.", ""
        )


def level_unknown(checked: Checked) -> Iterator[Problem]:
    """Levels that no file or sheet of the tenant has but that are spelt much like one that does. A level of its own is no
    mistake: the board's, or one with a row filter, need not be the level of any file."""
    places = [(f"Spalte „{column.header}“", level) for column in checked.used() for level in column.levels]
    places += [("Zeilenfilter", level) for level in checked.sheet_map.levels]
    for what, level in places:
        near = [known for known in sorted(checked.levels) if is_near(level, known)]
        if near and level not in checked.levels:
            message = f"{what}: die Stufe „{level}“ kommt sonst nirgends vor."
            yield Problem("level_unknown", checked.where, message, f"Vielleicht ist „{near[0]}“ gemeint.")


def row_filter_unknown_column(checked: Checked) -> Iterator[Problem]:
    """A row filter on a column that the sheet lacks opens nothing."""
    names = {fold(column.name) for column in checked.used()} | {header_key(header) for header in checked.headers()}
    for level, rows in checked.sheet_map.levels.items():
        for column in rows:
            if fold(column) not in names:
                near = near_matches(column, checked.headers())
                hint = f"Ähnlich: „{near[0]}“." if near else "Den Spaltennamen berichtigen."
                message = (
                    f"Der Zeilenfilter der Stufe „{level}“ nennt die unbekannte Spalte „{column}“; die Stufe sieht dort nichts."
                )
                yield Problem("row_filter_unknown_column", checked.where, message, hint)


def aggregation_differs(checked: Checked) -> Iterator[Problem]:
    """A person may say that a rate adds up; then the rule's doubt should at least be seen once."""
    for column in checked.used():
        by_rule = aggregation_of(column.name, column.unit)
        if column.aggregation == "sum" and by_rule != "sum":
            message = f"Spalte „{column.header}“ soll summiert werden, dem Namen „{column.name}“ nach ist das nicht sinnvoll."
            yield Problem("aggregation_differs", checked.where, message, "„aggregation“ prüfen.")


CHECKS: tuple[Check, ...] = (
    same_name_twice,
    unit_contradicts_file,
    unit_on_text,
    header_drift,
    level_unknown,
    row_filter_unknown_column,
    aggregation_differs,
)


def check_sheet(sheet_map: SheetMap, tables: Sequence[Table], levels: frozenset[str] = frozenset()) -> tuple[Problem, ...]:
    """All findings for one sheet of one version; the same finding once."""
    checked = Checked(sheet_map, tuple(tables), levels)
    return tuple(dict.fromkeys(problem for check in CHECKS for problem in check(checked)))
