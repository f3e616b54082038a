"""The answer's sentences. Numbers come only from show_value; where one comes from is said right behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.cell_lists import ColumnCells, RowNumbers
from orchestrator.cell_ranges import compact_cells, compact_rows, union
from orchestrator.evidence import CellSet
from orchestrator.explain import describe_filters, describe_measure
from orchestrator.figure_nouns import GERMAN_FIGURES
from orchestrator.lexicon import Language
from orchestrator.outcome import Outcome, StopOption
from orchestrator.plan import Plan
from orchestrator.scope import Scope, VisibleTable
from orchestrator.show_value import Shown, show_count, show_day

MOST_LINES = 20
"""Result rows that the text lists; the result holds all that are shown."""
_MOST_CELLS = 6

_WORDS: Mapping[str, Mapping[Language, str]] = {
    "source": {"de": "Quelle", "en": "source", "pl": "źródło"},
    "sources": {"de": "Quellen", "en": "sources", "pl": "źródła"},
    "sheet": {"de": "Tabellenblatt", "en": "sheet", "pl": "arkusz"},
    "row": {"de": "Zeile", "en": "row", "pl": "wiersz"},
    "rows": {"de": "Zeilen", "en": "rows", "pl": "wiersze"},
    "cell": {"de": "Zelle", "en": "cell", "pl": "komórka"},
    "cells": {"de": "Zellen", "en": "cells", "pl": "komórki"},
    "version": {"de": "Version", "en": "version", "pl": "wersja"},
    "query": {"de": "Abfrage", "en": "query", "pl": "zapytanie"},
    "more": {"de": "… und {n} weitere", "en": "… and {n} more", "pl": "… i {n} więcej"},
    "truncated": {
        "de": "Es sind {n} Zeilen; gezeigt werden die ersten {m}.",
        "en": "There are {n} rows; the first {m} are shown.",
        "pl": "Wierszy jest {n}; pokazano pierwsze {m}.",
    },
    "group_count": {"de": "Anzahl {name}", "en": "Number of {name}", "pl": "Liczba: {name}"},
    "blank": {"de": "(ohne Angabe)", "en": "(blank)", "pl": "(bez wartości)"},
    "according": {"de": "laut Version", "en": "according to version", "pl": "według wersji"},
    "no_value": {"de": "kein Wert", "en": "no value", "pl": "brak wartości"},
}  # fmt: skip

_TITLES: Mapping[str, Mapping[Language, str]] = {
    "Blatt": {"en": "Sheet", "pl": "Arkusz"},
    "Schlüssel": {"en": "Key", "pl": "Klucz"},
    "Spalte": {"en": "Column", "pl": "Kolumna"},
    "alt": {"en": "old", "pl": "stara"},
    "neu": {"en": "new", "pl": "nowa"},
    "Datei": {"en": "File", "pl": "Plik"},
    "Zeilen": {"en": "Rows", "pl": "Wiersze"},
    "Einheit": {"en": "Unit", "pl": "Jednostka"},
}  # fmt: skip


def compose(outcome: Outcome, shown: Sequence[Sequence[Shown]], plan: Plan, scope: Scope, language: Language) -> str:
    """The answer in words: one value as a sentence, several as a sentence and a list; then the evidence."""
    filters = describe_filters(plan, scope, language)
    evidence = _evidence(outcome, language)
    if outcome.kind == "existence":
        return f"{shown[0][0].text.capitalize()}{_in_brackets(filters)} ({evidence})."
    if len(outcome.rows) == 1 and len(outcome.columns) == 1:
        name = describe_measure(plan, scope, language) or _name(outcome, language)
        return f"{_sentence(name, filters, shown[0][0].text, language)} ({evidence})."
    if len(outcome.rows) == 1:
        pairs = "; ".join(_pair(column.name, value, language) for column, value in zip(outcome.columns, shown[0], strict=True))
        return f"{pairs}{_in_brackets(filters)} ({evidence})."
    return _listed(outcome, shown, filters, evidence, language)


def option_question(question: str, option: StopOption, language: Language) -> str:
    """The question that chooses this option."""
    plain = question.strip().rstrip("?.! ")
    if option.kind == "version":
        return f"{plain} {_WORDS['according'][language]} {option.label}?"
    return f"{plain} {option.label}?"


def source_line(sets: Sequence[CellSet], tables: Mapping[str, VisibleTable], language: Language) -> str:
    """ "bericht.xlsx, Tabellenblatt Niederlassungen, Zeile 47, Zelle C47, Version nach Korrektur 2024-10-15"; several
    sources are separated by semicolons."""
    return "; ".join(_source(cells, tables[cells.table_id], language) for cells in sets)


def title(name: str, outcome: Outcome, language: Language) -> str:
    """Heading of a result column; the headings that do not come from the data are translated."""
    if outcome.kind in ("difference", "catalog"):
        return _TITLES.get(name, {}).get(language, name)
    return name


def _listed(
    outcome: Outcome, shown: Sequence[Sequence[Shown]], filters: Sequence[str], evidence: str, language: Language
) -> str:
    header = " | ".join(title(column.name, outcome, language) for column in outcome.columns)
    lines = [f"{header}{_in_brackets(filters)}:"]
    for row in shown[:MOST_LINES]:
        first = row[0].text if row[0].value is not None else _WORDS["blank"][language]
        rest = ", ".join(value.text for value in row[1:] if value.value is not None or outcome.kind != "catalog")
        lines.append(f"- {first}: {rest}" if rest else f"- {first}")
    left = len(shown) - MOST_LINES
    if left > 0:
        lines.append(f"- {_WORDS['more'][language].format(n=show_count(left, language))}")
    if outcome.truncated:
        counts = (show_count(outcome.total_rows, language), show_count(len(shown), language))
        lines.append(_WORDS["truncated"][language].format(n=counts[0], m=counts[1]))
    lines.append(f"({evidence})")
    return "\n".join(lines)


def _name(outcome: Outcome, language: Language) -> str:
    name = outcome.columns[0].name
    return _WORDS["group_count"][language].format(name=name) if outcome.kind == "group_count" else name


def _sentence(name: str, filters: Sequence[str], value: str, language: Language) -> str:
    brackets = _in_brackets(filters)
    if language == "de" and " " not in name:
        for article, verb, endings in GERMAN_FIGURES:
            if name.casefold().endswith(endings):
                return f"{article} {name}{brackets} {verb} {value}"
    return f"{name}{brackets}: {value}"


def _pair(name: str, value: Shown, language: Language) -> str:
    return f"{name}: {value.text if value.value is not None else _WORDS['no_value'][language]}"


def _in_brackets(filters: Sequence[str]) -> str:
    return f" ({', '.join(filters)})" if filters else ""


def _evidence(outcome: Outcome, language: Language) -> str:
    values = [value for row in outcome.rows for value in row]
    cells = union(*((*value.evidence.cells, *value.evidence.base_cells) for value in values))
    lines = source_line(cells, outcome.tables, language)
    queries = dict.fromkeys(query for value in values for query in value.queries)
    query = f", {_WORDS['query'][language]}: {'; '.join(queries)}" if queries else ""
    word = _WORDS["sources" if len(cells) > 1 else "source"][language]
    return f"{word}: {lines}{query}"


def _source(cells: CellSet, table: VisibleTable, language: Language) -> str:
    parts = [table.version.document]
    if table.stored.table.sheet is not None:
        parts.append(f"{_WORDS['sheet'][language]} {table.stored.table.sheet}")
    if cells.rows:
        word = _WORDS["row" if len(cells.rows) == 1 else "rows"][language]
        parts.append(f"{word} {_shortened(_outline(cells.rows))}")
    if cells.cells:
        word = _WORDS["cell" if len(cells.cells) == 1 else "cells"][language]
        parts.append(f"{word} {_shortened(_outline(cells.cells))}")
    version = table.version
    date = f" {show_day(version.date, 'en')}" if version.date is not None else ""
    parts.append(f"{_WORDS['version'][language]} {version.label}{date}")
    return ", ".join(parts)


def _outline(places: Sequence[int] | Sequence[str]) -> Sequence[str]:
    """Runs of rows or cells; of very many the first ones and the last."""
    if isinstance(places, RowNumbers | ColumnCells):
        return places.outline(_MOST_CELLS + 1)
    return compact_cells(places) if isinstance(places[0], str) else compact_rows(places).split(",")  # type: ignore[arg-type]


def _shortened(runs: Sequence[str]) -> str:
    return ", ".join(runs) if len(runs) <= _MOST_CELLS else f"{', '.join(runs[:_MOST_CELLS])} … {runs[-1]}"
