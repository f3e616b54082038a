"""An answer for people: the sentence, the values, the evidence, then warnings or ways on. Works on the contract's object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orchestrator.cell_lists import CellRanges, RowNumbers
from parsers.address import parse_range
from qa.cli_output import write, write_table

MOST_EVIDENCE_LINES = 20
MOST_CELLS = 12
MOST_ROWS_TEXT = 60
"""How many lines of evidence, and cells in a line, are listed, and how many characters the rows of a line may take; the rest is
counted and stands in `--json`."""

_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "evidence": "Beleg", "query": "Abfrage", "row": "Zeile", "rows": "Zeilen", "version": "Version", "binding": "verbindlich",
        "more": "und {n} weitere, alle mit --json", "cells": "{n} Zellen", "of": "von", "base": "Bezug", "warning": "Hinweis",
        "suggestion": "Vorschlag", "option": "Möglich", "similar": "Ähnlich", "id": "Antwort", "proof": "nachprüfen mit",
        "session": "Nachfragen mit", "cut": "Das Ergebnis hat mehr Zeilen, als hier stehen.",
    },
    "en": {
        "evidence": "Evidence", "query": "Query", "row": "row", "rows": "rows", "version": "version", "binding": "binding",
        "more": "and {n} more, all with --json", "cells": "{n} cells", "of": "of", "base": "Base", "warning": "Note",
        "suggestion": "Suggestion", "option": "Option", "similar": "Similar", "id": "Answer", "proof": "check it with",
        "session": "Ask on with", "cut": "The result has more rows than are shown here.",
    },
    "pl": {
        "evidence": "Dowód", "query": "Zapytanie", "row": "wiersz", "rows": "wiersze", "version": "wersja", "binding": "wiążąca",
        "more": "i jeszcze {n}, wszystkie z --json", "cells": "komórek: {n}", "of": "z", "base": "Podstawa", "warning": "Uwaga",
        "suggestion": "Propozycja", "option": "Możliwe", "similar": "Podobne", "id": "Odpowiedź", "proof": "sprawdź poleceniem",
        "session": "Pytaj dalej z", "cut": "Wynik ma więcej wierszy, niż tu pokazano.",
    },
}  # fmt: skip

_EVIDENCE = re.compile(r" ?\((?:Quellen?|sources?|źródł[oa]): .*\)(\.?)$", re.IGNORECASE)
"""The evidence that orchestrator.compose puts in brackets at the end of a line."""

_STATUS_COLOUR = {"answered": "green", "refused": "red", "clarify": "yellow", "pending_review": "yellow"}

JsonObject = Mapping[str, Any]


def write_answer(answer: JsonObject, *, in_session: bool = False) -> None:
    """Writes an answer object to stdout; in colour on a terminal. `in_session`: with the way to ask on in its conversation."""
    words = _WORDS[answer["language"] if answer["language"] in _WORDS else "de"]
    sentence, *remarks = answer_lines(answer)
    write(sentence, bold=True, colour=_STATUS_COLOUR.get(answer["status"]))
    for remark in remarks:
        write(remark, dim=True)
    if answer["status"] == "answered":
        if is_table(answer):
            _write_result(answer["result"], answer["facts"], words)
        _write_evidence(answer, words)
    for warning in answer["warnings"]:
        write(f"{words['warning']}: {warning['message']}", colour="yellow")
    for suggestion in (answer["refusal"] or {}).get("suggestions", ()):
        write(f"{words['suggestion']}: {suggestion}")
    for option in (answer["clarification"] or {}).get("options", ()):
        write(f"{words['option']}: {option['label']} – „{option['question']}“")
    check = f"; {words['proof']} beleg verify {answer['answer_id']}" if answer["facts"] else ""
    write(f"{words['id']} {answer['answer_id']}{check}", dim=True)
    if in_session and answer.get("session_id"):
        write(f"{words['session']} --session {answer['session_id']}", dim=True)


def answer_lines(answer: JsonObject) -> list[str]:
    """The lines of the text without what is written below it anyway: the evidence in brackets, and rows where a table follows."""
    lines = [_EVIDENCE.sub(r"\1", line) for line in answer["text"].split("\n")]
    lines = [line for line in lines if line and not (is_table(answer) and line.startswith("- "))]
    return lines or [answer["text"]]


def is_table(answer: JsonObject) -> bool:
    return answer["result"] is not None and len(answer["result"]["rows"]) > 1


def _write_result(result: JsonObject, facts: Sequence[JsonObject], words: Mapping[str, str]) -> None:
    shown = {(fact["row"], fact["column"]): fact["shown_as"] for fact in facts if fact.get("row") is not None}
    numeric = frozenset(i for i, column in enumerate(result["columns"]) if column["type"] in ("decimal", "integer"))
    rows = [
        [shown.get((i, j), value if value is not None else "–") for j, value in enumerate(row)]
        for i, row in enumerate(result["rows"])
    ]
    write()
    write_table([column["name"] for column in result["columns"]], rows, right=numeric)
    if result["truncated"]:
        write(words["cut"], colour="yellow")


def _write_evidence(answer: JsonObject, words: Mapping[str, str]) -> None:
    facts = [fact for fact in facts_to_prove(answer) if fact["shown_as"]]
    if not facts and not answer["related"]:
        return
    write()
    lines = [(fact, source, words["evidence"]) for fact in facts for source in fact["provenance"]["sources"]]
    lines += [(fact, source, words["base"]) for fact in facts for source in fact["provenance"].get("base_sources", ())]
    for fact, source, label in lines[:MOST_EVIDENCE_LINES]:
        write(f"{label}: {fact['shown_as']} = {describe_source(source, words)}", colour="cyan")
    if len(lines) > MOST_EVIDENCE_LINES:
        write(words["more"].format(n=len(lines) - MOST_EVIDENCE_LINES), dim=True)
    for query in dict.fromkeys(fact["provenance"]["query"] for fact in facts if fact["provenance"].get("query")):
        write(f"{words['query']}: {short_query(query)}", dim=True)
    for row in answer["related"]:
        values = ", ".join(f"{name}: {value}" for name, value in row["values"].items())
        write(f"{words['similar']}: {row['title']} ({values})")
        for source in row["provenance"]["sources"]:
            write(f"  {describe_source(source, words)}", colour="cyan")


def facts_to_prove(answer: JsonObject) -> list[JsonObject]:
    """The numbers of the result; where it has none, everything."""
    facts = [fact for fact in answer["facts"] if fact.get("row") is not None]
    columns = (answer["result"] or {"columns": []})["columns"]
    numbers = [fact for fact in facts if columns[fact["column"]]["type"] in ("decimal", "integer")]
    return numbers or facts


def short_query(query: str) -> str:
    """The statement as a person would write it: a table's name is left out before its columns where it is the only table."""
    parts = re.split(r"('(?:[^']|'')*')", query)  # every second part is a text in quotes and stays as it is
    tables = set(re.findall(r'(?:FROM|JOIN) "((?:[^"]|"")+)"', " ".join(parts[::2])))
    if len(tables) != 1:
        return query
    (table,) = tables
    for place in range(0, len(parts), 2):
        bare = parts[place].replace(f'"{table}".', "").replace(f' AS "{table}"', "")
        parts[place] = re.sub(r'"([a-z_][a-z0-9_]*)"', r"\1", bare)
    return "".join(parts)


def describe_source(source: JsonObject, words: Mapping[str, str] = _WORDS["de"]) -> str:
    """ "bericht.xlsx, Niederlassungen!C47, Version „nach Korrektur“ vom 2024-10-15 (verbindlich)"."""
    return ", ".join(_source_parts(source, words))


def _source_parts(source: JsonObject, words: Mapping[str, str]) -> Iterator[str]:
    yield source["file"]
    cells: Sequence[str] = source["cells"]
    sheet = f"{source['sheet']}!" if source["sheet"] is not None else ""
    if len(cells) <= MOST_CELLS:
        yield sheet + " ".join(cells)
    else:
        word = words["row"] if source["row_count"] == 1 else words["rows"]
        yield f"{sheet}{cells[0]} … {cells[-1]} ({words['cells'].format(n=_cell_count(cells))}, {word} {_short(source['rows'])})"
    version = source["version"]
    day = f" {version['date']}" if version["date"] else ""
    yield f"{words['version']} „{version['label']}“{day}" + (f" ({words['binding']})" if version["binding"] else "")


def _cell_count(cells: Sequence[str]) -> int:
    """How many cells single addresses and ranges are."""
    if isinstance(cells, CellRanges):
        return len(cells.cells)
    areas = map(parse_range, cells)
    return sum((bottom - top + 1) * (right - left + 1) for top, left, bottom, right in areas)


def _short(rows: str | RowNumbers) -> str:
    """Shortened to whole entries: "5-46,48,…"."""
    rows = ",".join(rows.outline(MOST_ROWS_TEXT)) if isinstance(rows, RowNumbers) else rows
    return rows if len(rows) <= MOST_ROWS_TEXT else rows[: rows.rfind(",", 0, MOST_ROWS_TEXT - 1) + 1] + "…"
