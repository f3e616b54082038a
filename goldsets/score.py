"""Scores one case: the answer object as JSON against what the goldset expects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from goldsets.assignment import assign
from goldsets.compare import ShownValue, folded, same_text, same_value, shown_value
from goldsets.goldset import Case, Expectation, Goldset, Source, TopRow
from orchestrator.cell_ranges import expand_cells, expand_rows
from parsers.address import cell_address, parse_address

Score = Literal["correct", "wrong_number", "bad_source", "missed", "false_answer", "missed_row", "other_stop"]
SCORES: tuple[Score, ...] = ("correct", "other_stop", "missed", "missed_row", "bad_source", "false_answer", "wrong_number")
"""Best first."""
PASSING: frozenset[Score] = frozenset({"correct", "other_stop"})
FIRST_ROWS = 5
"""How many related rows, and result rows, a row of `top` may stand in."""

JsonObject = Mapping[str, Any]
Place = tuple[str, str | None, str, str]
"""A cell as evidence: file, sheet, address, version label; folded for comparison. The version is "" where any will do."""


@dataclass(frozen=True)
class Verdict:
    """`reason`: one sentence on what differs; empty if correct."""

    score: Score
    reason: str = ""


@dataclass(frozen=True)
class _Cell:
    """One cell of the result and the places that its fact names as sources."""

    value: ShownValue
    places: frozenset[Place] = frozenset()


def score(case: Case, answer: JsonObject | None, goldset: Goldset) -> Verdict:
    """`answer` None: asking ended in an error."""
    expect = case.expect
    if answer is None:
        return Verdict("missed", "Die Frage endete in einem Fehler.")
    status = answer["status"]
    if status == "answered":
        if "answered" not in expect.statuses:
            return Verdict("false_answer", f"Beantwortet statt {' oder '.join(expect.statuses)}: {_flat(answer)}")
        return _score_answer(case, answer, goldset)
    if status in expect.statuses:
        code = (answer.get("refusal") or {}).get("code")
        if status == "refused" and expect.code is not None and code != expect.code:
            return Verdict("other_stop", f"Abgelehnt mit {code} statt {expect.code}.")
        return Verdict("correct")
    stop = answer.get("refusal") or answer.get("clarification") or {}
    said = f"{status} ({stop.get('code', '–')}): {stop.get('message') or stop.get('question') or ''}".strip()
    if "answered" in expect.statuses or status == "pending_review":
        return Verdict("missed", said)
    return Verdict("other_stop", said)


def _score_answer(case: Case, answer: JsonObject, goldset: Goldset) -> Verdict:
    expect = case.expect
    cells = _cells(answer, lambda file: goldset.locale_of(case.tenant, file))
    if expect.rows is not None:
        matched = _match(expect, cells)
        if matched is None:
            return Verdict("wrong_number", _difference(expect, cells))
        if (answer.get("result") or {}).get("truncated"):
            return Verdict("wrong_number", "Das Ergebnis ist abgeschnitten.")
        if expect.sources is not None:
            wanted = _expected_places(expect.sources)
            named = frozenset(place for cell in matched for place in _comparable(cell.places, wanted))
            if named != wanted:
                return Verdict("bad_source", _source_difference(named, wanted))
    absent = [row for row in expect.top if not _among_the_first(row, answer)]
    if absent:
        places = ", ".join(f"{row.file} {row.sheet or ''} Zeile {row.row}".replace("  ", " ") for row in absent)
        return Verdict("missed_row", f"Nicht unter den ersten fünf: {places}.")
    return Verdict("correct")


def _cells(answer: JsonObject, locale_of: Callable[[str], str]) -> list[list[_Cell]]:
    result = answer.get("result") or {"columns": [], "rows": []}
    facts = {(fact["row"], fact["column"]): fact for fact in answer.get("facts", ()) if fact.get("row") is not None}
    table = []
    for row_index, row in enumerate(result["rows"]):
        cells = []
        for column_index, text in enumerate(row):
            fact = facts.get((row_index, column_index))
            sources = tuple(fact["provenance"]["sources"]) if fact else ()
            locale = locale_of(sources[0]["file"]) if sources else "de"
            cells.append(_Cell(shown_value(text, result["columns"][column_index], fact, locale), _places(sources)))
        table.append(cells)
    return table


def _match(expect: Expectation, table: list[list[_Cell]]) -> list[_Cell] | None:
    """The cells that hold the expected values, row by row, or None. Where several would do, those with the expected evidence."""
    assert expect.rows is not None
    if len(expect.rows) != len(table):
        return None
    wanted = None if expect.sources is None else _expected_places(expect.sources)

    def right(expected: str, cell: _Cell) -> bool:
        return same_value(expected, cell.value) and _unit_fits(expect.unit, cell.value)

    def right_and_from_there(expected: str, cell: _Cell) -> bool:
        return right(expected, cell) and wanted is not None and _comparable(cell.places, wanted) <= wanted

    for fits in (right_and_from_there, right) if wanted is not None else (right,):
        pairs = _match_rows(expect, table, fits)
        if pairs is not None and (expect.unit is None or all(_has_unit(expect.unit, cells) for cells in pairs)):
            return [cell for cells in pairs for cell in cells]
    return None


def _match_rows(expect: Expectation, table: list[list[_Cell]], fits: Callable[[str, _Cell], bool]) -> list[list[_Cell]] | None:
    assert expect.rows is not None

    def row_match(expected_row: Sequence[str], row: list[_Cell]) -> list[_Cell] | None:
        found = assign(len(expected_row), len(row), lambda i, j: fits(expected_row[i], row[j]))
        return None if found is None else [row[j] for j in found]

    in_order = [row_match(expected_row, row) for expected_row, row in zip(expect.rows, table, strict=True)]
    if all(match is not None for match in in_order):
        return [match for match in in_order if match is not None]
    if expect.ordered:
        return None
    known: dict[tuple[int, int], list[_Cell] | None] = {}

    def row_fits(i: int, j: int) -> bool:
        if (i, j) not in known:
            known[i, j] = row_match(expect.rows[i], table[j])  # type: ignore[index]
        return known[i, j] is not None

    assigned = assign(len(expect.rows), len(table), row_fits)
    return None if assigned is None else [known[i, j] or [] for i, j in enumerate(assigned)]


def _unit_fits(unit: str | None, value: ShownValue) -> bool:
    """A number with another unit is another number; one without a unit may be a name (a cost centre beside its sum)."""
    return unit is None or value.number is None or value.unit is None or same_text(unit, value.unit)


def _has_unit(unit: str, cells: Iterable[_Cell]) -> bool:
    return any(
        cell.value.number is not None and cell.value.unit is not None and same_text(unit, cell.value.unit) for cell in cells
    )


def _places(sources: Sequence[JsonObject]) -> frozenset[Place]:
    return frozenset(
        _place(source["file"], source.get("sheet"), address, source["version"]["label"])
        for source in sources
        for address in expand_cells(source.get("cells") or ())
    )


def _expected_places(sources: Sequence[Source]) -> frozenset[Place]:
    return frozenset(
        _place(source.file, source.sheet, address, source.version or "")
        for source in sources
        for address in expand_cells(source.cells)
    )


def _place(file: str, sheet: str | None, address: str, version: str) -> Place:
    return folded(file), None if sheet is None else folded(sheet), cell_address(*parse_address(address)), folded(version)


def _comparable(places: frozenset[Place], wanted: frozenset[Place]) -> frozenset[Place]:
    """The places without their version where the goldset names none for that file and sheet."""
    with_version = {(file, sheet) for file, sheet, _, version in wanted if version}
    return frozenset(place if place[:2] in with_version else (*place[:3], "") for place in places)


def _among_the_first(row: TopRow, answer: JsonObject) -> bool:
    related = [source for each in (answer.get("related") or ())[:FIRST_ROWS] for source in each["provenance"]["sources"]]
    facts = [
        source
        for fact in answer.get("facts", ())
        if fact.get("row") is not None and fact["row"] < FIRST_ROWS
        for source in fact["provenance"]["sources"]
    ]
    return any(_is_row(row, source) for source in (*related, *facts))


def position_of(row: TopRow, answer: JsonObject) -> int | None:
    """The place of a row among the related rows of an answer, from 0; None if it is not among them."""
    for place, each in enumerate(answer.get("related") or ()):
        if any(_is_row(row, source) for source in each["provenance"]["sources"]):
            return place
    return None


def _is_row(row: TopRow, source: JsonObject) -> bool:
    same_sheet = folded(source.get("sheet") or "") == folded(row.sheet or "")
    return same_text(source["file"], row.file) and same_sheet and row.row in expand_rows(source["rows"])


def _difference(expect: Expectation, table: list[list[_Cell]]) -> str:
    assert expect.rows is not None
    wanted = "; ".join(" | ".join(row) for row in expect.rows[:5])
    shown = "; ".join(" | ".join(_shown(cell.value) for cell in row) for row in table[:5])
    return f"Erwartet {len(expect.rows)} Zeile(n): {wanted} {expect.unit or ''}; gezeigt {len(table)}: {shown}."


def _shown(value: ShownValue) -> str:
    return f"{value.fraction or value.text} {value.unit or ''}".strip()


def _source_difference(named: frozenset[Place], wanted: frozenset[Place]) -> str:
    return f"Es fehlt als Beleg: {_listed(wanted - named)}; zu viel ist: {_listed(named - wanted)}."


def _listed(places: frozenset[Place]) -> str:
    shown = [" ".join(part for part in place if part) for place in sorted(places, key=str)]
    return ", ".join(shown[:5]) + (f" und {len(shown) - 5} weitere" if len(shown) > 5 else "") if shown else "nichts"


def _flat(answer: JsonObject) -> str:
    return str(answer.get("text", ""))[:200]
