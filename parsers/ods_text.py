"""Texts of OpenDocument spreadsheets: paragraphs, durations, formulas, repetition counts."""

from __future__ import annotations

import re
from decimal import Decimal

from parsers.stored_number import decimal_of_double

SPACE, TAB, LINE_BREAK = "\x01", "\x02", "\x03"
"""Stand-ins for the elements text:s, text:tab and text:line-break; these characters cannot occur in XML."""

_BLANKS = re.compile(r"[ \t\r\n]+")
_DURATION = re.compile(r"(-)?P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?\Z")
_REFERENCE = re.compile(r"\[([^\[\]]*)\]")
_QUOTED = re.compile(r'("(?:[^"]|"")*")')


def repetition(text: str | None, most: int) -> int:
    """A repetition count, at least 1; more than a sheet can hold is cut to `most`. Raises ValueError."""
    return min(max(int(text), 1), most) if text else 1


def written_text(paragraph: str) -> str:
    """Blanks as OpenDocument reads them: a run of them is one, unless written as elements."""
    collapsed = _BLANKS.sub(" ", paragraph).strip(" ")
    return collapsed.replace(SPACE, " ").replace(TAB, "\t").replace(LINE_BREAK, "\n")


def days_of_duration(text: str) -> Decimal:
    """An ISO 8601 duration ("PT12H30M00S") as a number of days. Raises ValueError."""
    match = _DURATION.match(text)
    if match is None:
        raise ValueError(f"Zeitdauer {text[:40]!r}")
    days, hours, minutes, seconds = (Decimal((part or "0").replace(",", ".")) for part in match.groups()[1:])
    total = days * 86400 + hours * 3600 + minutes * 60 + seconds
    return decimal_of_double(float((-total if match[1] else total) / 86400))


def formula_in_excel_spelling(text: str | None) -> str | None:
    """ "of:=SUM([.B2:.B5];1)" -> "SUM(B2:B5,1)"; None stays None."""
    if text is None:
        return None
    bare = text.partition("=")[2] if ":=" in text[:12] or text.startswith("=") else text
    pieces = _QUOTED.split(bare)
    return "".join(
        piece if index % 2 else _REFERENCE.sub(_reference, piece).replace(";", ",") for index, piece in enumerate(pieces)
    )


def _reference(match: re.Match[str]) -> str:
    parts = []
    for part in match[1].split(":"):
        sheet, dot, cell = part.rpartition(".")
        parts.append(f"{sheet.removeprefix('$')}!{cell}" if dot and sheet else cell)
    return ":".join(parts)
