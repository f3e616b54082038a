"""Which delimiter and which escape a CSV file uses, told by consistency of its records."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from parsers.csv_records import Dialect, physical_lines, records

_DELIMITERS = (";", "\t", "|", ",")  # best first where the evidence is equal
_SAMPLE = 2_000  # records
_SEP_LINE = re.compile(r'^"?sep=(.)"?\s*$', re.IGNORECASE)
_NUMBER = re.compile(r"^[-+(']*[€$£]?\s*\d[\d.,' \u00a0\u202f]*\s*[%€$£)-]*$")


def is_numeric(field: str) -> bool:
    """True if a field reads like a number, whatever its style."""
    return _NUMBER.match(field.strip()) is not None


def sep_line(lines: list[str]) -> str | None:
    """The delimiter that a first line "sep=;" announces (Excel's own convention), None without one."""
    match = _SEP_LINE.match(lines[0]) if lines else None
    return match[1] if match else None


def find_dialect(text_or_lines: str | list[str]) -> Dialect:
    """The dialect under which most records have the same number of fields, two at least; one column if there is none."""
    lines = physical_lines(text_or_lines) if isinstance(text_or_lines, str) else text_or_lines
    announced = sep_line(lines)
    candidates = (announced,) if announced else _DELIMITERS
    first = 1 if announced else 0
    head = lines[: _SAMPLE * 4]
    escapes = (False, True) if any('\\"' in line for line in head) else (False,)
    best, best_score = Dialect(announced or ""), 0.0
    for rank, delimiter in enumerate(candidates):
        if not any(delimiter in line for line in head):
            continue
        for backslash in escapes:
            dialect = Dialect(delimiter, backslash)
            score = _consistency(head, dialect, first) - 0.001 * rank - 0.0001 * backslash
            if score > best_score:
                best, best_score = dialect, score
    return best


def _consistency(lines: list[str], dialect: Dialect, first: int) -> float:
    """Share of records that have the most frequent field count, plus a bonus if the first of them reads like a header."""
    sample = [
        record for record in islice(records(lines, dialect, first), _SAMPLE) if any(field.strip() for field in record.fields)
    ]
    widths = Counter(len(record.fields) for record in sample)
    if not sample or all(width == 1 for width in widths):
        return 0.0
    width, count = max(((w, c) for w, c in widths.items() if w > 1), key=lambda pair: (pair[1], pair[0]))
    opening = next(record for record in sample if len(record.fields) == width)
    textual = not any(is_numeric(field) for field in opening.fields)
    stray = sum(record.stray_quote or record.text_after_quote for record in sample)
    return (count - stray) / len(sample) + (0.25 if textual else 0.0)
