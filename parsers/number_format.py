"""What a spreadsheet number format code says about its cell: date, duration, plain number."""

from __future__ import annotations

import re
from functools import lru_cache

# ECMA-376 part 1, 18.8.30: ids whose code is not in the file. 5-8, 41-44 as Excel writes them for a locale without own currency.
BUILT_IN_FORMATS: dict[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)',
    7: '"$"#,##0.00_);("$"#,##0.00)',
    8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "mm-dd-yy",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    22: "m/d/yy h:mm",
    37: "#,##0_);(#,##0)",
    38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)",
    40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mmss.0",
    48: "##0.0E+0",
    49: "@",
    **dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "yyyy/m/d"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56), "h:mm:ss"),
}

_LITERAL = re.compile(r'"[^"]*"?|\\.|_.|\*.', re.DOTALL)
_BRACKET = re.compile(r"\[([^\]]*)\]")
_WORDS = re.compile(r"general|standard|am/pm|a/p", re.IGNORECASE)
_SECOND_FRACTION = re.compile(r"s[.,]0+")


def _first_section(code: str) -> str:
    """The positive section in lower case, without literals, colours, conditions, currencies and locales."""
    bare = _WORDS.sub("", _LITERAL.sub("", code))
    section = bare.partition(";")[0].lower()

    def keep_elapsed(match: re.Match[str]) -> str:
        inside = match[1]
        return match[0] if inside and not inside.strip("hms") else ""

    return _BRACKET.sub(keep_elapsed, section)


@lru_cache(maxsize=4096)
def is_duration_format(code: str) -> bool:
    """Elapsed time ("[h]:mm") or a time of day without a date ("h:mm"): the stored number counts days."""
    section = _first_section(code)
    return (
        not _has_digits(section) and any(letter in section for letter in "hs") and not any(letter in section for letter in "yd")
    )


@lru_cache(maxsize=4096)
def is_date_format(code: str) -> bool:
    """True if the code shows a day, month or year; False for plain numbers, text and mere times."""
    section = _first_section(code)
    if _has_digits(section) or "[" in section:
        return False
    if "y" in section or "d" in section:
        return True
    return "m" in section and not any(letter in section for letter in "hs")


def _has_digits(section: str) -> bool:
    return any(letter in _SECOND_FRACTION.sub("s", section) for letter in "0#?@")
