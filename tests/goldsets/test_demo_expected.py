"""The shipped goldset and its files are what the independent computation and the generator say."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest
import yaml

from goldsets.demo.expected import GOLDSET, differences
from goldsets.demo.make_demo import DATA, FILES, write_all
from goldsets.demo.read_demo import FINAL, branches

CASES = yaml.safe_load(GOLDSET.read_text(encoding="utf-8"))["cases"]
QUESTIONS = yaml.safe_load((GOLDSET.parent / "questions.yaml").read_text(encoding="utf-8"))["questions"]


def test_every_expected_value_is_computed_and_equal() -> None:
    assert differences() == []


def test_there_are_at_least_forty_cases_with_unique_names() -> None:
    names = [case["id"] for case in CASES]
    assert len(names) >= 40
    assert len(set(names)) == len(names)


def test_the_demo_asks_only_cases_that_exist() -> None:
    assert {question["case"] for question in QUESTIONS} <= {case["id"] for case in CASES}


def test_the_demo_shows_an_answer_a_clarification_and_a_refusal() -> None:
    status = {case["id"]: case["expect"]["status"] for case in CASES}
    assert {"answered", "clarify", "refused"} <= {status[question["case"]] for question in QUESTIONS}


def test_the_given_case_stands_in_row_47() -> None:
    danzig = branches(FINAL)[47 - 9]
    found = {name: str(cell.value) for name, cell in danzig.items()}
    assert (found["Niederlassung"], found["Quartal"], found["Nettoumsatz [PLN]"]) == ("Danzig", "Q3 2024", "1247890")
    assert danzig["Nettoumsatz [PLN]"].address == "C47"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_all(folder)
    return folder


def _content(path: Path) -> object:
    """What a reader sees: the parts of an xlsx file without the compression that a library version chose."""
    if path.suffix == ".csv":
        return list(csv.reader(io.StringIO(path.read_bytes().decode("cp1252"), newline=""), delimiter=";"))
    with zipfile.ZipFile(path) as package:
        return {name: package.read(name) for name in sorted(package.namelist()) if name.startswith("xl/")}


@pytest.mark.parametrize("name", FILES)
def test_the_committed_files_are_what_the_generator_writes(name: str, written: Path) -> None:
    assert _content(DATA / name) == _content(written / name)
