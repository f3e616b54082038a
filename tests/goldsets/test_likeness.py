"""Rows that are alike: whole questions, and the order and similarity of every row against an independent computation."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from goldsets.read_goldset import read_goldset
from orchestrator.cell_ranges import expand_rows
from tests.goldsets.whole_run import Run, answer_of, verified, whole_run

FOLDER = Path(__file__).parent / "likeness"
GOLDSET = read_goldset(FOLDER / "likeness.yaml")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with whole_run(GOLDSET, tmp_path_factory.mktemp("likeness") / "workspace") as run:
        yield run


@pytest.mark.parametrize("case_id", [case.case_id for case in GOLDSET.cases])
def test_every_case_is_right(case_id: str, run: Run) -> None:
    verdict = run[1][case_id].verdict
    assert verdict.score == "correct", verdict.reason


@dataclass(frozen=True)
class Expected:
    """`row`: of the file, of what the others are compared with; `columns`: compared, from 0; `among`: rows that may be named."""

    file: str
    row: int
    columns: tuple[int, ...]
    shape: bool = False
    among: frozenset[int] | None = None
    most: int = 5


_MONTHS = tuple(range(3, 15))
_SECOND_QUARTER, _FIRST_QUARTER = frozenset(range(8, 14)), frozenset(range(2, 8))
EXPECTED = {
    "shape": Expected("absatz_2023.csv", 2, _MONTHS, shape=True),
    "shape-by-code": Expected("absatz_2023.csv", 6, _MONTHS, shape=True),
    "shape-synonym": Expected("absatz_2023.csv", 8, _MONTHS, shape=True),
    "shape-filter": Expected("absatz_2023.csv", 5, _MONTHS, shape=True, among=frozenset({3, 6, 7, 13})),
    "shape-one": Expected("absatz_2023.csv", 10, _MONTHS, shape=True, most=2),
    "shape-en": Expected("absatz_2023.csv", 10, _MONTHS, shape=True),
    "shape-pl": Expected("absatz_2023.csv", 8, _MONTHS, shape=True),
    "profile": Expected("kundenprofile.csv", 3, (3, 4, 5)),
    "profile-hidden-column": Expected("kundenprofile.csv", 3, (3, 5)),
    "profile-short-name": Expected("kundenprofile.csv", 3, (3, 5)),
    "profile-leading-zeros": Expected("kundenprofile.csv", 10, (3, 5)),
    "profile-named-columns": Expected("kundenprofile.csv", 4, (3, 5)),
    "profile-en": Expected("kundenprofile.csv", 11, (3, 5)),
    "in-a-period": Expected("filialen_2024.csv", 8, (2, 3), among=_SECOND_QUARTER),
    "mixed": Expected("absatz_2023.csv", 5, _MONTHS, shape=True),
    "mixed-period": Expected("filialen_2024.csv", 2, (2, 3), among=_FIRST_QUARTER),
    "mixed-of-the-answer": Expected("absatz_2023.csv", 10, _MONTHS, shape=True),
}


@pytest.mark.parametrize("case_id", EXPECTED)
def test_order_and_similarity_are_those_of_an_independent_computation(case_id: str, run: Run) -> None:
    expected, answer = EXPECTED[case_id], answer_of(run, case_id)
    found = [
        (expand_rows(source["rows"])[-1], row["provenance"]["similarity"])
        for row in answer["related"]
        for source in row["provenance"]["sources"]
    ]
    wanted = _most_alike(expected)
    near = [similarity for _, similarity in wanted]
    assert [similarity for _, similarity in found] == pytest.approx(near[: len(found)], abs=0.0001)
    assert len(found) >= min(expected.most, len(wanted))
    by_row = dict(wanted)
    assert [by_row[row] for row, _ in found] == pytest.approx([similarity for _, similarity in found], abs=0.0001)


def _most_alike(expected: Expected) -> list[tuple[int, float]]:
    """(row, similarity), most alike first, by the standard library's correlation and standard deviation."""
    with open(FOLDER / "data" / expected.file, encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream, delimiter=";"))
    rows = {number: [line[column] for column in expected.columns] for number, line in enumerate(lines[1:], start=2)}
    kept = {
        number: [float(text.replace(",", ".")) for text in texts]
        for number, texts in rows.items()
        if all(texts) and (number == expected.row or expected.among is None or number in expected.among)
    }
    own = kept.pop(expected.row)
    if expected.shape:
        found = {number: statistics.correlation(own, values) for number, values in kept.items()}
    else:
        spreads = [statistics.pstdev(column) for column in zip(own, *kept.values(), strict=True)]
        found = {number: 1 / (1 + _distance(own, values, spreads)) for number, values in kept.items()}
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))


def _distance(own: list[float], values: list[float], spreads: list[float]) -> float:
    return statistics.fmean([((a - b) / s) ** 2 for a, b, s in zip(own, values, spreads, strict=True) if s]) ** 0.5


@pytest.mark.parametrize("case_id", ["shape", "profile", "in-a-period", "mixed"])
def test_every_shown_value_is_read_again_from_the_file(case_id: str, run: Run) -> None:
    answer = answer_of(run, case_id)
    assert answer["route"] == ("mixed" if case_id == "mixed" else "rows")
    shown = [fact for fact in answer["facts"] if "related" in fact]
    assert shown and all(fact["provenance"]["kind"] == "rows" and fact["provenance"]["sources"] for fact in shown)
    for place, row in enumerate(answer["related"]):
        values = [fact["value"] for fact in shown if fact["related"] == place]
        assert list(row["values"].values()) == values
    assert {fact.checked for fact in verified(run, case_id)} == {"recomputed"}


def test_a_hidden_column_enters_neither_order_nor_values(run: Run) -> None:
    assert "Bestellwert" not in str(answer_of(run, "profile-hidden-column"))
