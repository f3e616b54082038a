"""A result as XLSX with its evidence, as CSV and as text to paste, in German or English form; text is never a formula there."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from io import BytesIO, StringIO
from typing import Any, Literal

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from qa.answer_text import answer_lines, short_query
from qa.web.answer_view import NUMBER_TYPES, is_proved
from qa.web.page_texts import PageLanguage, speaker

JsonObject = Mapping[str, Any]
NumberForm = Literal["de", "en"]

_MOST_DIGITS = 15
"""Digits that a spreadsheet program keeps; a longer number is written as text, so that none is lost."""
_LONGEST_TEXT = 32_000
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_INVISIBLE = re.compile(r"^[\s\x00-\x1f\u00a0\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def csv_text(answer: JsonObject, form: NumberForm) -> str:
    """Rows with a heading; German: semicolons and decimal commas. It begins with a byte order mark, so that spreadsheet programs
    read its letters rightly."""
    output = StringIO()
    writer = csv.writer(output, delimiter=";" if form == "de" else ",", lineterminator="\r\n")
    for row in _text_rows(answer, form):
        writer.writerow(row)
    return "\ufeff" + output.getvalue()


def pasted_text(answer: JsonObject, form: NumberForm) -> str:
    """Rows divided by tabs, to paste into a spreadsheet."""
    return "\n".join("\t".join(re.sub(r"[\t\r\n]+", " ", cell) for cell in row) for row in _text_rows(answer, form))


def result_rows(answer: JsonObject) -> JsonObject:
    """The result; of an answer that has none the rows that retrieval found, as a result of the same shape."""
    if answer["result"] is not None:
        result: JsonObject = answer["result"]
        return result
    names = list(dict.fromkeys(name for row in answer["related"] for name in row["values"]))
    rows = [[row["values"].get(name) for name in names] for row in answer["related"]]
    kinds = ["decimal" if all(_is_plain_number(row[place]) for row in rows) else "text" for place in range(len(names))]
    return {
        "columns": [{"name": name, "unit": None, "type": kind} for name, kind in zip(names, kinds, strict=True)],
        "rows": rows,
    }


def _is_plain_number(value: str | None) -> bool:
    """Not a code with leading zeros, nor one that only looks like a number."""
    return value is None or re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", value) is not None


def _text_rows(answer: JsonObject, form: NumberForm) -> Iterator[list[str]]:
    result = result_rows(answer)
    yield [harmless(_heading(column)) for column in result["columns"]]
    kinds = [column["type"] in NUMBER_TYPES for column in result["columns"]]
    for row in result["rows"]:
        yield [_text_cell(value, is_number, form) for value, is_number in zip(row, kinds, strict=True)]


def _text_cell(value: str | None, is_number: bool, form: NumberForm) -> str:
    if value is None:
        return ""
    number = _decimal(value) if is_number else None
    if number is None:
        return harmless(value)
    return format(number, "f").replace(".", ",") if form == "de" else format(number, "f")


def harmless(text: str) -> str:
    """Text that a spreadsheet program does not take for a formula: what looks like the start of one gets an apostrophe."""
    return f"'{text}" if _INVISIBLE.sub("", text).startswith(_FORMULA_STARTS) or text.startswith(_FORMULA_STARTS) else text


def _heading(column: JsonObject) -> str:
    return f"{column['name']} [{column['unit']}]" if column["unit"] else str(column["name"])


# --- XLSX


def workbook_bytes(answer: JsonObject, language: PageLanguage) -> bytes:
    """Three sheets: the result, the evidence of each of its values, and what was asked and how it was understood."""
    t = speaker(language)
    book = Workbook(write_only=True)
    _result_sheet(book, answer, t("xlsx.result"))
    _evidence_sheet(book, answer, t("xlsx.evidence"), t)
    _question_sheet(book, answer, t("xlsx.question"), t)
    output = BytesIO()
    book.save(output)
    return output.getvalue()


def _result_sheet(book: Any, answer: JsonObject, title: str) -> None:
    result = result_rows(answer)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    _widths(sheet, [max(14, min(40, len(_heading(column)) + 4)) for column in result["columns"]])
    sheet.append([_cell(sheet, _heading(column), bold=True) for column in result["columns"]])
    for row in result["rows"]:
        sheet.append([_typed_cell(sheet, value, column) for value, column in zip(row, result["columns"], strict=True)])


def _evidence_sheet(book: Any, answer: JsonObject, title: str, t: Any) -> None:
    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    widths = {
        "row": 8, "column": 24, "value": 18, "unit": 10, "exact": 10, "fraction": 18, "role": 12, "file": 34, "sheet": 20,
        "cells": 30, "version": 18, "date": 12, "binding": 12,
    }  # fmt: skip
    _widths(sheet, list(widths.values()))
    sheet.append([_cell(sheet, t(f"xlsx.{name}"), bold=True) for name in widths])
    columns = (answer["result"] or {"columns": []})["columns"]
    for fact in answer["facts"]:
        provenance = fact["provenance"]
        is_number = fact.get("row") is not None and columns[fact["column"]]["type"] in NUMBER_TYPES
        place = fact["row"] + 1 if fact.get("row") is not None else fact["related"] + 1
        name = columns[fact["column"]]["name"] if fact.get("row") is not None else t("xlsx.related")
        fraction = f"{provenance['numerator']}/{provenance['denominator']}" if "numerator" in provenance else None
        cited = [(t("xlsx.part"), source) for source in provenance["sources"]]
        cited += [(t("xlsx.whole"), source) for source in provenance.get("base_sources", ())]
        for role, source in cited:
            version = source["version"]
            sheet.append(
                [
                    place,
                    _cell(sheet, name),
                    _typed_cell(sheet, fact["value"], {"type": "decimal" if is_number else "text"}),
                    _cell(sheet, fact["unit"]),
                    _cell(sheet, t("yes") if fact["exact"] else t("no")),
                    _cell(sheet, fraction),
                    _cell(sheet, role),
                    _cell(sheet, source["file"]),
                    _cell(sheet, source["sheet"]),
                    _cell(sheet, ", ".join(source["cells"])),
                    _cell(sheet, version["label"]),
                    _cell(sheet, version["date"]),
                    _cell(sheet, t("yes") if version["binding"] else t("no")),
                ]
            )


def _question_sheet(book: Any, answer: JsonObject, title: str, t: Any) -> None:
    sheet = book.create_sheet(title)
    _widths(sheet, [22, 110])
    queries = dict.fromkeys(q for fact in answer["facts"] if (q := fact["provenance"].get("query")))
    lines: Sequence[tuple[str, str | None]] = [
        (t("xlsx.question"), answer["question"]),
        *((t("xlsx.answer") if not place else "", line) for place, line in enumerate(answer_lines(answer))),
        *((t("warning"), warning["message"]) for warning in answer["warnings"]),
        (t("proved"), t("yes") if is_proved(answer) else t("no")),
        *((t("query"), short_query(query)) for query in queries),
        (t("xlsx.asked_at"), answer["asked_at"]),
        (t("xlsx.answer_id"), answer["answer_id"]),
    ]
    for name, text in lines:
        sheet.append([_cell(sheet, name, bold=True), _cell(sheet, text, wrap=True)])


def _widths(sheet: Any, widths: Sequence[int]) -> None:
    for position, width in enumerate(widths, start=1):
        sheet.column_dimensions[get_column_letter(position)].width = width


def _typed_cell(sheet: Any, value: str | None, column: JsonObject) -> Any:
    number = _decimal(value) if value is not None and column["type"] in NUMBER_TYPES else None
    if number is None or len(number.as_tuple().digits) > _MOST_DIGITS:
        return _cell(sheet, value)
    cell = WriteOnlyCell(sheet, value=number)
    places = -int(number.as_tuple().exponent)
    cell.number_format = "#,##0" + ("." + "0" * min(places, 10) if places > 0 else "")
    return cell


def _cell(sheet: Any, text: str | None, *, bold: bool = False, wrap: bool = False) -> Any:
    """A text cell: of type text whatever it begins with, marked as text for whoever edits it, without what XML cannot hold."""
    clean = _NOT_IN_XML.sub("\ufffd", text or "")
    cell = WriteOnlyCell(sheet, value=clean if len(clean) <= _LONGEST_TEXT else clean[:_LONGEST_TEXT] + "…")
    if cell.value:
        cell.data_type = "s"
    if clean.startswith(_FORMULA_STARTS):
        cell.quotePrefix = True
    if bold:
        cell.font = Font(bold=True)
    if wrap:
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    return cell


def _decimal(value: str) -> Decimal | None:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
