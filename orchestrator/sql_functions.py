"""Scalar functions: result type, SQL form for the engine, and exact meaning for the recomputation, side by side.

The arithmetic operators and comparisons are not here: sql_emit and exact_vectors know them, because divisions are fractions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Any

from orchestrator.sql_algebra import (
    BOOLEAN,
    DATE,
    EXACT_NUMBERS,
    INTEGER,
    MOMENTS,
    TEXT,
    TIMESTAMP,
    Constant,
    Expression,
    Kind,
    Type,
    common_type,
)

_EXACT = Context(prec=200)
"""More digits than any value here has; Python's default context rounds at 28."""

TypeRule = Callable[[Sequence[Expression]], Type | None]


@dataclass(frozen=True)
class ScalarFunction:
    """`result` gives None for arguments that do not fit. `sql` joins emitted arguments. `value` gets Python values, never None
    unless `takes_missing` (otherwise a missing argument gives a missing result)."""

    result: TypeRule
    sql: Callable[..., str]
    value: Callable[..., Any]
    takes_missing: bool = False


def _kinds(*wanted: frozenset[Kind] | Kind) -> Callable[[Sequence[Expression]], bool]:
    sets = [one if isinstance(one, frozenset) else frozenset({one}) for one in wanted]

    def fits(arguments: Sequence[Expression]) -> bool:
        return len(arguments) == len(sets) and all(
            argument.type.kind in allowed or argument.type.kind is Kind.NULL
            for argument, allowed in zip(arguments, sets, strict=True)
        )

    return fits


def _typed(result: Type, *wanted: frozenset[Kind] | Kind) -> TypeRule:
    fits = _kinds(*wanted)
    return lambda arguments: result if fits(arguments) else None


def _same_as_first(arguments: Sequence[Expression]) -> Type | None:
    return arguments[0].type if len(arguments) == 1 and arguments[0].type.kind in EXACT_NUMBERS else None


def _common_exact(arguments: Sequence[Expression]) -> Type | None:
    found = common_type([argument.type for argument in arguments])
    return None if found is None or found.kind is Kind.RATIONAL else found


def _small_count(argument: Expression, least: int, most: int = 10_000) -> int | None:
    if isinstance(argument, Constant) and argument.type.kind is Kind.INTEGER and isinstance(argument.value, Decimal):
        number = int(argument.value)
        return number if least <= number <= most else None
    return None


def _round_type(arguments: Sequence[Expression]) -> Type | None:
    if len(arguments) != 2 or arguments[0].type.kind not in EXACT_NUMBERS:
        return None
    places = _small_count(arguments[1], 0, 30)
    if places is None:
        return None
    places = min(places, arguments[0].type.scale)
    return Type(Kind.DECIMAL, places) if places else INTEGER


def _whole(arguments: Sequence[Expression]) -> Type | None:
    return INTEGER if len(arguments) == 1 and arguments[0].type.kind in EXACT_NUMBERS else None


def _text_and_counts(least: tuple[int, ...]) -> TypeRule:
    def rule(arguments: Sequence[Expression]) -> Type | None:
        if len(arguments) != 1 + len(least) or arguments[0].type.kind is not Kind.TEXT:
            return None
        return TEXT if all(_small_count(one, low) is not None for one, low in zip(arguments[1:], least, strict=True)) else None

    return rule


# --- dates

_FORMAT_PART = re.compile(r"%.|[^%]+")
_FORMATS: dict[str, Callable[[Any], str]] = {
    "%Y": lambda d: f"{d.year:04d}",
    "%m": lambda d: f"{d.month:02d}",
    "%d": lambda d: f"{d.day:02d}",
    "%y": lambda d: f"{d.year % 100:02d}",
    "%H": lambda d: f"{getattr(d, 'hour', 0):02d}",
    "%M": lambda d: f"{getattr(d, 'minute', 0):02d}",
    "%S": lambda d: f"{getattr(d, 'second', 0):02d}",
    "%j": lambda d: f"{d.timetuple().tm_yday:03d}",
    "%%": lambda d: "%",
}


def _strftime_type(arguments: Sequence[Expression]) -> Type | None:
    if len(arguments) != 2 or arguments[0].type.kind not in MOMENTS or not isinstance(arguments[1], Constant):
        return None
    pattern = arguments[1].value
    if not isinstance(pattern, str) or not all(
        part in _FORMATS or not part.startswith("%") for part in _FORMAT_PART.findall(pattern)
    ):
        return None
    return TEXT


def _strftime(moment: date, pattern: str) -> str:
    return "".join(_FORMATS[part](moment) if part.startswith("%") else part for part in _FORMAT_PART.findall(pattern))


def truncate(unit: str, moment: date) -> date:
    """First day of the moment's day, ISO week, month, quarter or year."""
    day = moment.date() if isinstance(moment, datetime) else moment
    match unit:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
    raise ValueError(unit)


TRUNCATIONS = ("day", "week", "month", "quarter", "year")


def _trunc_function(unit: str) -> ScalarFunction:
    return ScalarFunction(
        _typed(DATE, MOMENTS),
        lambda moment: f"CAST(date_trunc('{unit}', {moment}) AS DATE)",
        lambda moment: truncate(unit, moment),
    )


def _as_day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _as_timestamp(moment: date) -> datetime:
    return moment if isinstance(moment, datetime) else datetime.combine(moment, time())


def _date_part(name: str, part: Callable[[date], int]) -> ScalarFunction:
    return ScalarFunction(_typed(INTEGER, MOMENTS), lambda moment: f"{name}({moment})", lambda moment: Decimal(part(moment)))


# --- text


@lru_cache(maxsize=256)
def _like_pattern(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    parts = (".*" if letter == "%" else "." if letter == "_" else re.escape(letter) for letter in pattern)
    return re.compile("".join(parts) + r"\Z", re.DOTALL | (re.IGNORECASE if ignore_case else 0))


def _matches(text: str, pattern: str, ignore_case: bool) -> bool:
    return _like_pattern(pattern, ignore_case).match(text) is not None


def _like_type(arguments: Sequence[Expression]) -> Type | None:
    """No backslash in the pattern: engines differ on it."""
    if not _kinds(Kind.TEXT, Kind.TEXT)(arguments) or not isinstance(arguments[1], Constant):
        return None
    return None if "\\" in str(arguments[1].value) else BOOLEAN


def _text_cast_type(arguments: Sequence[Expression]) -> Type | None:
    return TEXT if len(arguments) == 1 and arguments[0].type.kind in (Kind.TEXT, Kind.INTEGER, Kind.DATE) else None


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str) else value.isoformat() if isinstance(value, date) else format(value, "f")


def _substring(text: str, start: Decimal, length: Decimal | None = None) -> str:
    first = int(start) - 1
    return text[first:] if length is None else text[first : first + int(length)]


# --- numbers


def _rounded(number: Decimal, places: Decimal) -> Decimal:
    """Half away from zero, as the engine rounds DECIMAL."""
    return number.quantize(Decimal((0, (1,), -int(places))), rounding=ROUND_HALF_UP, context=_EXACT)


def _remainder(left: Decimal, right: Decimal) -> Decimal | None:
    return _EXACT.remainder(left, right) if right else None


def _largest_of(*values: Any) -> Any:
    return max((one for one in values if one is not None), default=None)


def _smallest_of(*values: Any) -> Any:
    return min((one for one in values if one is not None), default=None)


def _remainder_type(arguments: Sequence[Expression]) -> Type | None:
    return _common_exact(arguments) if _kinds(EXACT_NUMBERS, EXACT_NUMBERS)(arguments) else None


_TEXT_TO_TEXT = _typed(TEXT, Kind.TEXT)
_TWO_TEXTS = _typed(BOOLEAN, Kind.TEXT, Kind.TEXT)

_NUMBER_FUNCTIONS = {
    "abs": ScalarFunction(_same_as_first, "abs({})".format, lambda n: n.copy_abs()),
    "floor": ScalarFunction(
        _whole, "CAST(floor({}) AS DECIMAL(38, 0))".format, lambda n: n.to_integral_value(rounding=ROUND_FLOOR)
    ),
    "ceil": ScalarFunction(
        _whole, "CAST(ceil({}) AS DECIMAL(38, 0))".format, lambda n: n.to_integral_value(rounding=ROUND_CEILING)
    ),
    "round": ScalarFunction(_round_type, "round({}, {})".format, _rounded),
    "mod": ScalarFunction(_remainder_type, "({} % nullif({}, 0))".format, _remainder),
    "greatest": ScalarFunction(_common_exact, lambda *a: f"greatest({', '.join(a)})", _largest_of, takes_missing=True),
    "least": ScalarFunction(_common_exact, lambda *a: f"least({', '.join(a)})", _smallest_of, takes_missing=True),
}

_TEXT_FUNCTIONS = {
    "upper": ScalarFunction(_TEXT_TO_TEXT, "upper({})".format, str.upper),
    "lower": ScalarFunction(_TEXT_TO_TEXT, "lower({})".format, str.lower),
    "trim": ScalarFunction(_TEXT_TO_TEXT, "trim({}, ' ')".format, lambda text: text.strip(" ")),
    "length": ScalarFunction(_typed(INTEGER, Kind.TEXT), "length({})".format, lambda text: Decimal(len(text))),
    "concat": ScalarFunction(_typed(TEXT, Kind.TEXT, Kind.TEXT), "({} || {})".format, lambda left, right: left + right),
    "left": ScalarFunction(_text_and_counts((0,)), "left({}, {})".format, lambda text, n: text[: int(n)]),
    "right": ScalarFunction(_text_and_counts((0,)), "right({}, {})".format, lambda text, n: text[-int(n) :] if int(n) else ""),
    "substring": ScalarFunction(_text_and_counts((1, 0)), "substring({}, {}, {})".format, _substring),
    "substring_from": ScalarFunction(_text_and_counts((1,)), "substring({}, {})".format, _substring),
    "like": ScalarFunction(_like_type, "({} LIKE {})".format, lambda text, pattern: _matches(text, pattern, False)),
    "ilike": ScalarFunction(_like_type, "({} ILIKE {})".format, lambda text, pattern: _matches(text, pattern, True)),
    "contains": ScalarFunction(_TWO_TEXTS, "contains({}, {})".format, lambda text, part: part in text),
    "starts_with": ScalarFunction(_TWO_TEXTS, "starts_with({}, {})".format, lambda text, part: text.startswith(part)),
    "ends_with": ScalarFunction(_TWO_TEXTS, "suffix({}, {})".format, lambda text, part: text.endswith(part)),
    "to_text": ScalarFunction(_text_cast_type, "CAST({} AS VARCHAR)".format, _as_text),
}

_DATE_FUNCTIONS = {
    "year": _date_part("year", lambda d: d.year),
    "month": _date_part("month", lambda d: d.month),
    "day": _date_part("day", lambda d: d.day),
    "quarter": _date_part("quarter", lambda d: (d.month + 2) // 3),
    "strftime": ScalarFunction(_strftime_type, "strftime({}, {})".format, _strftime),
    **{f"trunc_{unit}": _trunc_function(unit) for unit in TRUNCATIONS},
    "to_date": ScalarFunction(_typed(DATE, MOMENTS), "CAST({} AS DATE)".format, _as_day),
    "to_timestamp": ScalarFunction(_typed(TIMESTAMP, MOMENTS), "CAST({} AS TIMESTAMP)".format, _as_timestamp),
}

FUNCTIONS: dict[str, ScalarFunction] = {**_NUMBER_FUNCTIONS, **_TEXT_FUNCTIONS, **_DATE_FUNCTIONS}
"""Every scalar function that a statement may use, besides arithmetic, comparisons and logic."""
