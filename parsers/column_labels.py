"""What a header path says about its column: a period, a scenario, a total, a derived figure, and what is left over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from parsers.fold import fold
from parsers.name_columns import ColumnHeader
from parsers.periods import Grain, Period, is_period_without_year, parse_period
from parsers.scenarios import HEADER_WORDS
from parsers.sheet_view import Place, SheetView, period_of_cell
from parsers.total_words import names_total
from parsers.units import split_unit

_DERIVED = re.compile(
    r"^(?:abw|abweichung|differenz|diff|delta|veraenderung|aenderung|change|variance|var|odchylenie|zmiana|wachstum|growth|ytd|yoy|δ|∆|%-?abw|index)\b|"
    r"\b(?:abweichung|abw|veraenderung|variance|change|vs)\b|^[%δ∆]|^in %|^± "
)
_YEAR_ENDED = re.compile(r"\b(?:fiscal )?years? ended\b|\bgeschaeftsjahre? (?:zum|bis|endend)\b|\brok (?:obrotowy )?zakonczony\b")
_GRAIN_ORDER: tuple[Grain, ...] = ("year", "fiscal_year", "half_year", "quarter", "month", "week", "day")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True)
class ColumnLabel:
    """`rest`: elements that are none of the known ones, joined. Places: where period and scenario stand."""

    period: Period | None = None
    period_place: Place | None = None
    scenario: str | None = None
    scenario_place: Place | None = None
    rest: str = ""
    rest_place: Place | None = None
    total: bool = False
    derived: bool = False

    @property
    def is_value(self) -> bool:
        return (self.period is not None or self.scenario is not None) and not self.total and not self.derived


def label_column(view: SheetView, header: ColumnHeader, year_hint: int | None, fiscal_year_start: tuple[int, int]) -> ColumnLabel:
    """Reads a path from its top; a year above gives the year of a quarter, month or week below it."""
    label = ColumnLabel()
    year = year_hint
    for cell in header.path:
        own = view.cell(*cell.place)
        period = None if own is None else period_of_cell(own, year, fiscal_year_start)
        if period is not None:
            label = _with_period(label, period, cell.place)
            year = label.period.start.year if label.period is not None else year
            continue
        text = split_unit(cell.text)[0]
        if names_total(text):
            label = replace(label, total=True)
            continue
        if _DERIVED.search(fold(text)):
            label = replace(label, derived=True)
        label = _with_words(label, text, cell.place, year, fiscal_year_start)
    if (
        label.period is not None
        and label.period.grain == "day"
        and any(_YEAR_ENDED.search(fold(cell.text)) for cell in header.path)
    ):
        label = replace(label, period=_year_ending(label.period))
    return label


def _year_ending(day: Period) -> Period:
    """ "Years ended / December 31, 2019": the twelve months up to that day."""
    before = (
        day.end.replace(year=day.end.year - 1, day=min(day.end.day, 28))
        if day.end.day == 29
        else day.end.replace(year=day.end.year - 1)
    )
    grain: Grain = "year" if (day.end.month, day.end.day) == (12, 31) else "fiscal_year"
    return Period(before + timedelta(days=1), day.end, grain, day.label)


def year_in(texts: Sequence[str]) -> int | None:
    """The one calendar year that the first text naming exactly one year names."""
    for text in texts:
        years = {int(year) for year in _YEAR.findall(text)}
        if len(years) == 1:
            return years.pop()
    return None


def without_year(headers: Sequence[ColumnHeader], column: int) -> bool:
    """Whether the header of a column names a period whose year stands elsewhere."""
    paths = [header.path for header in headers if header.column == column]
    texts = [cell.text for path in paths for cell in path]
    return any(is_period_without_year(text) for text in texts) and not any(_YEAR.search(text) for text in texts)


def _with_period(label: ColumnLabel, period: Period, place: Place) -> ColumnLabel:
    """The finer of two periods stays; a finer label without its year gets the year that stands above it."""
    if label.period is None:
        return replace(label, period=period, period_place=place)
    coarse, fine = sorted(
        (label.period, period), key=lambda found: _GRAIN_ORDER.index(found.grain) if found.grain in _GRAIN_ORDER else 0
    )
    if coarse.grain == fine.grain:
        return replace(label, rest=f"{label.rest} / {period.label}".strip(" /"), rest_place=label.rest_place or place)
    chosen_place = place if fine is period else label.period_place
    if _YEAR.search(fine.label) is None and not re.search(r"\d\d\Z", fine.label.removeprefix("KW").strip()):
        fine = replace(fine, label=f"{fine.label} {coarse.label}")
    return replace(label, period=fine, period_place=chosen_place)


def _with_words(label: ColumnLabel, text: str, place: Place, year: int | None, fiscal_year_start: tuple[int, int]) -> ColumnLabel:
    """Takes scenario words and a period off either end of a text: "Ist Q1 2024", "Umsatz 2023"."""
    words = text.replace("\u00a0", " ").split()
    if fold(text) in HEADER_WORDS:
        return replace(label, scenario=label.scenario or text, scenario_place=label.scenario_place or place)
    for side in (0, -1):
        if len(words) > 1 and fold(words[side]).strip("()-:") in HEADER_WORDS and label.scenario is None:
            label = replace(label, scenario=words[side].strip("()-:"), scenario_place=place)
            words = words[1:] if side == 0 else words[:-1]
    for count in range(min(3, len(words)), 0, -1):
        for chosen, left in ((words[-count:], words[:-count]), (words[:count], words[count:])):
            period = parse_period(" ".join(chosen).strip("()"), year_hint=year, fiscal_year_start=fiscal_year_start)
            if period is not None and label.period is None and _names_time(" ".join(chosen)):
                label = replace(_with_period(label, period, place))
                words = left
                break
        else:
            continue
        break
    rest = " ".join(words).strip(" -–:/")
    if not rest:
        return label
    return replace(label, rest=f"{label.rest} / {rest}".strip(" /"), rest_place=label.rest_place or place)


def _names_time(text: str) -> bool:
    """A period with digits in it, or a full label; a lone short month inside a longer text ("Mai GmbH") is a word."""
    return any(letter.isdigit() for letter in text)
