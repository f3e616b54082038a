"""An answer object as the page shows it: sentences with links to the cells, one page of the result, evidence, the proof mark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from qa.answer_text import answer_lines, short_query

JsonObject = Mapping[str, Any]
Direction = Literal["asc", "desc"]

ROWS_OF_A_PAGE = 100
MOST_SOURCES = 12
NUMBER_TYPES = frozenset({"decimal", "integer"})


@dataclass(frozen=True)
class Piece:
    """A part of a sentence; `fact`: index of the fact that it shows, None for words."""

    text: str
    fact: int | None = None


@dataclass(frozen=True)
class ResultCell:
    text: str
    fact: int | None


@dataclass(frozen=True)
class ResultColumn:
    """`unit` stands in the head and not in every cell. `sorted`: how the rows are sorted by it now."""

    index: int
    name: str
    unit: str | None
    is_number: bool
    sorted: Direction | None

    @property
    def next_direction(self) -> Direction:
        """What a click on the head asks for: numbers first the largest, words first A."""
        if self.sorted is None:
            return "desc" if self.is_number else "asc"
        return "asc" if self.sorted == "desc" else "desc"


@dataclass(frozen=True)
class ResultPage:
    """One page of the result; `first`, `last` counted from 1."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[ResultCell, ...], ...]
    first: int
    last: int
    total: int
    page: int
    pages: int
    truncated: bool


@dataclass(frozen=True)
class SourceLine:
    """One source of one fact, for the list of evidence."""

    fact: int
    source: int
    shown: str
    file: str
    sheet: str | None
    cells: str
    version: JsonObject


@dataclass(frozen=True)
class RelatedRow:
    """`values`: name of the column and what stands there. `similarity`: as it is shown; None where the row has none."""

    title: str
    similarity: str | None
    values: tuple[tuple[str, ResultCell], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.values)


@dataclass(frozen=True)
class AnswerView:
    """Everything that the template shows of an answer; the object itself is beside it."""

    answer: JsonObject
    headline: tuple[Piece, ...]
    single: ResultCell | None
    remarks: tuple[str, ...]
    result: ResultPage | None
    sources: tuple[SourceLine, ...]
    sources_left_out: int
    queries: tuple[str, ...]
    related: tuple[RelatedRow, ...]
    is_proved: bool


def answer_view(answer: JsonObject, *, page: int = 1, sort: int | None = None, direction: Direction = "asc") -> AnswerView:
    """`sort`: index of the result column by which the rows are sorted, None: as answered."""
    sentence, *remarks = answer_lines(answer)
    facts: Sequence[JsonObject] = answer["facts"]
    result = answer["result"]
    is_table = result is not None and (len(result["rows"]) > 1 or len(result["columns"]) > 1)
    lines = [*_sources(answer), *_related_sources(answer)]
    related = tuple(related_rows(answer))
    return AnswerView(
        answer=answer,
        headline=tuple(_linked(sentence.removesuffix(":") if is_table else sentence, [] if is_table else _shown_facts(facts))),
        single=_single(result, facts),
        remarks=tuple(line for line in remarks if not (related and line.startswith("- "))),
        result=result_page(answer, page, sort, direction) if is_table else None,
        sources=tuple(lines[:MOST_SOURCES]),
        sources_left_out=max(0, len(lines) - MOST_SOURCES),
        queries=tuple(dict.fromkeys(short_query(q) for fact in facts if (q := fact["provenance"].get("query")))),
        related=related,
        is_proved=is_proved(answer),
    )


def is_proved(answer: JsonObject) -> bool:
    """Every shown value has its cells, none is left out, and the answer does not say otherwise."""
    if answer["status"] != "answered" or not answer["facts"]:
        return False
    if any(warning["code"] == "not_proved" for warning in answer["warnings"]):
        return False
    of_result = [fact for fact in answer["facts"] if fact.get("row") is not None]
    return all(fact["provenance"]["complete"] and fact["provenance"]["sources"] for fact in of_result or answer["facts"])


def sources_of_fact(answer: JsonObject, fact: int) -> tuple[JsonObject, ...]:
    """The sources of a fact, those of the whole of a share after its own; empty where there is no such fact."""
    if not 0 <= fact < len(answer["facts"]):
        return ()
    provenance = answer["facts"][fact]["provenance"]
    return (*provenance["sources"], *provenance.get("base_sources", ()))


def _shown_facts(facts: Sequence[JsonObject]) -> list[tuple[str, int]]:
    return [(fact["shown_as"], index) for index, fact in enumerate(facts) if fact.get("related") is None and fact["shown_as"]]


def _linked(sentence: str, shown: Sequence[tuple[str, int]]) -> Iterator[Piece]:
    """The sentence with each value that it shows once as a piece of its own; never a part of a longer number."""
    rest = sentence
    for text, index in shown:
        found = re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w]|[.,]\d)", rest)
        if found is None:
            continue
        if found.start():
            yield Piece(rest[: found.start()])
        yield Piece(found.group(), index)
        rest = rest[found.end() :]
    if rest:
        yield Piece(rest)


def _single(result: JsonObject | None, facts: Sequence[JsonObject]) -> ResultCell | None:
    """The value of a result of one cell."""
    if result is None or len(result["rows"]) != 1 or len(result["columns"]) != 1:
        return None
    index = next((i for i, fact in enumerate(facts) if (fact.get("row"), fact.get("column")) == (0, 0)), None)
    text = facts[index]["shown_as"] if index is not None else result["rows"][0][0]
    return ResultCell(text, index) if text is not None else None


def _sources(answer: JsonObject) -> Iterator[SourceLine]:
    """The evidence of the numbers of the result; where it has none, of everything."""
    columns = (answer["result"] or {"columns": []})["columns"]
    facts = [(i, fact) for i, fact in enumerate(answer["facts"]) if fact.get("row") is not None]
    numbers = [(i, fact) for i, fact in facts if columns[fact["column"]]["type"] in NUMBER_TYPES]
    for index, fact in numbers or facts:
        for place, source in enumerate(sources_of_fact(answer, index)):
            yield SourceLine(
                index, place, fact["shown_as"], source["file"], source["sheet"], short_cells(source["cells"]), source["version"]
            )


def _related_sources(answer: JsonObject) -> Iterator[SourceLine]:
    """One line a related row, opened at the first of its values."""
    first: dict[int, int] = {}
    for index, fact in enumerate(answer["facts"]):
        if fact.get("related") is not None and fact["provenance"]["sources"]:
            first.setdefault(fact["related"], index)
    for place, row in enumerate(answer["related"]):
        for source in row["provenance"]["sources"][:1] if place in first else ():
            cells = short_cells(source["cells"])
            yield SourceLine(first[place], 0, row["title"], source["file"], source["sheet"], cells, source["version"])


def short_cells(cells: Sequence[str]) -> str:
    """ "C47", "C11, C14, C17" or "C11 … C71"."""
    return ", ".join(cells) if len(cells) <= 4 else f"{cells[0]} … {cells[-1]}"


def related_rows(answer: JsonObject) -> Iterator[RelatedRow]:
    """Each value with the fact that names its cell: the facts of a row come in the order of its values."""
    facts: dict[int, list[int]] = {}
    for index, fact in enumerate(answer["facts"]):
        if fact.get("related") is not None:
            facts.setdefault(fact["related"], []).append(index)
    for place, row in enumerate(answer["related"]):
        left = facts.get(place, [])
        values = []
        for name, value in row["values"].items():
            found = next((index for index in left if answer["facts"][index]["value"] == value), None)
            left = [index for index in left if index != found]
            values.append((name, _related_cell(answer["facts"], found, name, value)))
        similarity = row["provenance"].get("similarity")
        yield RelatedRow(row["title"], _similarity_text(similarity, answer["language"]), tuple(values))


def _related_cell(facts: Sequence[JsonObject], fact: int | None, name: str, value: str | None) -> ResultCell:
    if fact is None:
        return ResultCell(value if value is not None else "–", None)
    text, unit = facts[fact]["shown_as"], facts[fact]["unit"]
    return ResultCell(text.removesuffix(unit).rstrip() if unit not in (None, "%") and f"[{unit}]" in name else text, fact)


def _similarity_text(similarity: float | None, language: str) -> str | None:
    """A measure of nearness between 0 and 1, not a number of the data."""
    if similarity is None:
        return None
    text = f"{similarity:.4f}"
    return text if language == "en" else text.replace(".", ",")


# --- the result as a table


def result_page(answer: JsonObject, page: int, sort: int | None, direction: Direction) -> ResultPage:
    """One page of the result's rows in the order asked for."""
    result = answer["result"]
    columns, rows = result["columns"], result["rows"]
    if sort is not None and not 0 <= sort < len(columns):
        sort = None
    order = sorted_rows(columns, rows, sort, direction)
    pages = max(1, -(-len(order) // ROWS_OF_A_PAGE))
    page = max(1, min(page, pages))
    begin = (page - 1) * ROWS_OF_A_PAGE
    shown = order[begin : begin + ROWS_OF_A_PAGE]
    facts = {(f["row"], f["column"]): i for i, f in enumerate(answer["facts"]) if f.get("row") is not None}
    described = tuple(
        ResultColumn(i, c["name"], c["unit"], c["type"] in NUMBER_TYPES, direction if i == sort else None)
        for i, c in enumerate(columns)
    )
    cells = tuple(
        tuple(_cell(answer["facts"], facts.get((row, column.index)), rows[row][column.index], column) for column in described)
        for row in shown
    )
    return ResultPage(described, cells, begin + 1, begin + len(shown), len(order), page, pages, result["truncated"])


def _cell(facts: Sequence[JsonObject], fact: int | None, value: str | None, column: ResultColumn) -> ResultCell:
    text = facts[fact]["shown_as"] if fact is not None else (value if value is not None else "–")
    if column.unit is not None and column.unit != "%":
        text = text.removesuffix(column.unit).rstrip()
    return ResultCell(text, fact)


def sorted_rows(
    columns: Sequence[JsonObject], rows: Sequence[Sequence[str | None]], sort: int | None, direction: Direction
) -> list[int]:
    """Indices of the rows; numbers by value, words without regard to case, rows without a value last in both directions."""
    order = list(range(len(rows)))
    if sort is None:
        return order
    is_number = columns[sort]["type"] in NUMBER_TYPES

    def key(row: int) -> Any:
        value = rows[row][sort]
        return _number(value) if is_number else (value or "").casefold()

    there = [row for row in order if rows[row][sort] is not None]
    return sorted(there, key=key, reverse=direction == "desc") + [row for row in order if rows[row][sort] is None]


def _number(value: str | None) -> Decimal:
    try:
        return Decimal(value or "0")
    except InvalidOperation:
        return Decimal(0)
