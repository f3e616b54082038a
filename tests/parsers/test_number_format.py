"""Number format codes: which show a day, which an amount of time, which a plain number."""

from __future__ import annotations

import pytest

from parsers.number_format import BUILT_IN_FORMATS, is_date_format, is_duration_format

DATES = (
    "dd.mm.yyyy",
    "mm-dd-yy",
    "d-mmm-yy",
    "mmm yyyy",
    "mmm\\ yy;@",
    "[$-407]d. mmmm yyyy;@",
    "yyyy-mm-dd hh:mm:ss",
    "m/d/yy h:mm",
    "dddd, d mmmm",
    "[Red]dd/mm/yyyy",
    "mmmm",
    "yyyy",
    "dd.mm.yyyy hh:mm:ss.000",
    "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy",
    'yy"Q"',
)
DURATIONS = ("h:mm", "hh:mm:ss", "[h]:mm", "[hh]:mm:ss", "mm:ss", "mm:ss.0", "h:mm AM/PM", "[mm]:ss", "[ss]")
NUMBERS = (
    "",
    "General",
    "0",
    "0.00",
    "#,##0.00",
    "0.0%",
    "# ?/?",
    "0.00E+00",
    "@",
    "#,##0.00\\ [$€-407]",
    '0 "Tage"',
    '0.0 "Mio. EUR"',
    "_-* #,##0.00\\ _€_-;-* #,##0.00\\ _€_-",
    '"d"0',
    "[Red]0;[Blue]-0",
    "#,##0\\ \\d",
    "[>=1000]0.0,\\k;0",
    "Standard",
    '0.00" h"',
    "[$zł-415]\\ #,##0.00",
    '#,##0" m²"',
    '_-* #,##0 "kr."_-',
)


@pytest.mark.parametrize(
    ("code", "is_date", "is_duration"),
    [
        *((code, True, False) for code in DATES),
        *((code, False, True) for code in DURATIONS),
        *((code, False, False) for code in NUMBERS),
    ],
)
def test_codes(code: str, is_date: bool, is_duration: bool) -> None:
    assert (is_date_format(code), is_duration_format(code)) == (is_date, is_duration)


def test_built_in_dates_are_the_ones_of_the_standard() -> None:
    dates = {number for number, code in BUILT_IN_FORMATS.items() if is_date_format(code)}
    assert dates == {14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58}
