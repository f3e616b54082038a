"""What stands out: whole questions, and the rows they expect against an independent computation."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest

from goldsets.read_goldset import read_goldset
from tests.goldsets.conspicuous.expected import out_of_proportion, outliers
from tests.goldsets.whole_run import Run, answer_of, assert_replayed, verified, whole_run

FOLDER = Path(__file__).parent / "conspicuous"
GOLDSET = read_goldset(FOLDER / "conspicuous.yaml")
CASES = {case.case_id: case for case in GOLDSET.cases}
ANSWERED = [case.case_id for case in GOLDSET.cases if case.expect.statuses == ("answered",)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with whole_run(GOLDSET, tmp_path_factory.mktemp("conspicuous") / "workspace") as run:
        yield run


@pytest.mark.parametrize("case_id", CASES)
def test_every_case_is_right(case_id: str, run: Run) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score == "correct", verdict.reason


@pytest.mark.parametrize("case_id", ANSWERED)
def test_every_shown_value_is_read_again_and_comes_out_the_same_again(case_id: str, run: Run) -> None:
    assert {fact.checked for fact in verified(run, case_id)} == {"recomputed"}
    assert_replayed(run, case_id)


def _sheet(file: str, sheet: str, header: int, name: str, value: str) -> dict[str, object]:
    rows = list(openpyxl.load_workbook(FOLDER / "data" / file)[sheet].iter_rows(min_row=header, values_only=True))
    names = [str(cell) for cell in rows[0]]
    found = {str(row[names.index(name)]): row[names.index(value)] for row in rows[1:]}
    return {key: number for key, number in found.items() if key != "Summe"}


def _years(first: str, second: str) -> tuple[dict[str, int], dict[str, int]]:
    before, after = (_sheet("kosten.xlsx", "Kosten", 3, "Kostenart", year) for year in (first, second))
    return before, after  # type: ignore[return-value]


def _per_customer() -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    with open(FOLDER / "data" / "bestellungen.csv", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter=";"):
            amount = Decimal(row["Betrag [EUR]"].replace(",", "."))
            found[row["Kundennr"]] = found.get(row["Kundennr"], Decimal(0)) + amount
    return found


_CALLS = _sheet("stationen.xlsx", "Stationen", 1, "Station", "Anrufe")
_ALL, _COSTS = outliers(_CALLS), _sheet("stationen.xlsx", "Stationen", 1, "Station", "Sachkosten [EUR]")
_MORE = out_of_proportion(*_years("2023", "2024"), more=True, up=True)
EXPECTED: Mapping[str, Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("more", "more-category", "more-en", "more-pl"), _MORE),
    "more-down": out_of_proportion(*_years("2023", "2024"), more=True, up=False),
    "less": out_of_proportion(*_years("2022", "2024"), more=False, up=True),
    "more-with-gaps": out_of_proportion(
        {"Altona": 1000, "Bergedorf": 2000, "Eppendorf": 1500, "Wandsbek": 800},
        {"Altona": 1100, "Bergedorf": 2900, "Eppendorf": 1450, "Wandsbek": 820},
        more=True,
        up=True,
    ),
    **dict.fromkeys(("out", "out-folded", "out-misspelt"), _ALL),
    "out-in-a-period": outliers(dict(list(_sheet("stationen.xlsx", "Monate", 1, "Monat", "Umsatz [TEUR]").items())[:6])),
    "out-down": {"Linde": _ALL["Linde"]},
    "out-up": {"Erle": _ALL["Erle"]},
    "out-rate": outliers(_sheet("stationen.xlsx", "Stationen", 1, "Station", "Beschwerdequote [%]")),
    **dict.fromkeys(("out-costs", "out-en", "out-pl"), outliers(_COSTS)),
    "out-months": outliers(_sheet("stationen.xlsx", "Monate", 1, "Monat", "Umsatz [TEUR]")),
    "out-of-groups": outliers(_per_customer()),
    "out-binding": outliers(_sheet("korrektur/kisten.xlsx", "Kisten", 1, "Kiste", "Gewicht [kg]")),
    "out-near": outliers(_sheet("schichten.xlsx", "Schichten", 1, "Schicht", "Stückzahl")),
    "out-draft": outliers(_sheet("entwurf/kisten.xlsx", "Kisten", 1, "Kiste", "Gewicht [kg]")),
}


@pytest.mark.parametrize("case_id", ANSWERED)
def test_the_expected_rows_are_those_of_an_independent_computation(case_id: str) -> None:
    rows = CASES[case_id].expect.rows
    assert rows is not None and {row[0] for row in rows} == set(EXPECTED[case_id])
    for row in rows:
        assert set(EXPECTED[case_id][str(row[0])]) <= set(row)


def test_no_sum_of_parts_stands_out_and_nothing_is_taken_for_one() -> None:
    assert outliers(_sheet("stationen.xlsx", "Stationen", 1, "Station", "Wartezeit [min]")) == {}
    assert outliers(_sheet("stationen.xlsx", "Monate", 1, "Monat", "Ausfalltage")) == {}


def test_the_bound_and_how_it_is_drawn_are_said(run: Run) -> None:
    for case_id, words in {
        "out": "mehr als das Anderthalbfache des Quartilsabstands",
        "more": "stärker gestiegen als alle zusammen",
        "out-en": "more than one and a half interquartile ranges",
    }.items():
        assert words in answer_of(run, case_id)["text"]


def test_what_is_a_near_thing_is_said(run: Run) -> None:
    answer = run[1]["out-near"].answer
    assert answer is not None
    assert [warning["message"] for warning in answer["warnings"]] == [
        "Nur knapp jenseits der Grenze (1): S9.",
        "Knapp diesseits der Grenze und daher nicht aufgeführt (1): S8.",
    ]


@pytest.mark.parametrize(
    ("case_id", "sentence"),
    [
        ("out-none", "Unter 9 Werten ist kein Ausreißer"),
        ("out-too-few", "nötig sind mindestens 5"),
        ("out-no-spread", "mindestens die mittlere Hälfte"),
        ("more-with-signs", "Die Vergleichsbasis ist null oder negativ (Hausmeister, Reparaturen)"),
    ],
)
def test_why_nothing_is_said_to_stand_out(case_id: str, sentence: str, run: Run) -> None:
    answer = run[1][case_id].answer
    assert answer is not None and sentence in answer["text"]
