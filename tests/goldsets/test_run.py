"""A goldset run from file to scores, on a real workspace with one small table."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldsets.goldset import Goldset, GoldsetError
from goldsets.read_goldset import read_goldset
from goldsets.run import RunReport, run_goldset
from qa.goldset_workspace import open_goldset_workspace

CSV = """Niederlassung;Quartal;Umsatz [EUR];Kosten [EUR]
Danzig;Q1 2024;100,50;70
Danzig;Q2 2024;110,25;75
Krakau;Q1 2024;200;150
Krakau;Q2 2024;210;155
"""
GOLDSET = """goldset: klein
corpus:
  - {file: umsatz.csv, tenant: nord, access_level: controlling, kind: financial}
schema_map:
  - {file: umsatz.csv, columns: {"Kosten [EUR]": {name: Kosten, unit: EUR, levels: [vorstand]}}}
synonyms: {nord: {Danzig: [Gdansk]}}
cases:
  - {id: summe, question: "Wie hoch war der Umsatz in Gdansk im Q1 2024?", tenant: nord, levels: [controlling],
     expect: {status: answered, rows: [["100.5"]], unit: EUR, sources: [{file: umsatz.csv, cells: [C2]}]}}
  - {id: folge, question: "Und im Q2 2024?", tenant: nord, levels: [controlling], after: summe,
     expect: {status: answered, rows: [["110.25"]]}}
  - {id: verdeckt, question: "Wie hoch waren die Kosten in Danzig im Q1 2024?", tenant: nord, levels: [controlling],
     expect: {status: refused, code: not_in_data}}
  - {id: sichtbar, question: "Wie hoch waren die Kosten in Danzig im Q1 2024?", tenant: nord, levels: [controlling, vorstand],
     expect: {status: answered, rows: [["70"]]}}
  - {id: falsch, question: "Wie hoch war der Umsatz in Krakau im Q1 2024?", tenant: nord, levels: [controlling],
     expect: {status: answered, rows: [["201"]]}}
  - {id: fehler, question: "%s", tenant: nord, levels: [controlling], expect: {status: refused}}
"""


@pytest.fixture(scope="module")
def goldset(tmp_path_factory: pytest.TempPathFactory) -> Goldset:
    folder = tmp_path_factory.mktemp("goldset")
    (folder / "umsatz.csv").write_text(CSV, encoding="utf-8")
    (folder / "klein.yaml").write_text(GOLDSET % ("Umsatz " * 400), encoding="utf-8")
    return read_goldset(folder / "klein.yaml")


def _scores(report: RunReport) -> dict[str, str]:
    return {result.case.case_id: result.verdict.score for result in report.results}


def test_files_meanings_chain_and_scores(goldset: Goldset, tmp_path: Path) -> None:
    told: list[str] = []
    report = run_goldset(goldset, tmp_path / "run", open_goldset_workspace, progress=told.append)
    assert _scores(report) == {
        "summe": "correct", "folge": "correct", "verdeckt": "correct", "sichtbar": "correct", "falsch": "wrong_number",
        "fehler": "missed",
    }  # fmt: skip
    assert report.summary == {"correct": 4, "missed": 1, "wrong_number": 1}
    assert not report.passed
    assert [line.startswith("Datei 1/1: umsatz.csv") for line in told[:1]] == [True]
    by_case = {result.case.case_id: result for result in report.results}
    assert by_case["fehler"].answer is None
    assert "2000" in by_case["fehler"].verdict.reason
    assert "200" in by_case["falsch"].verdict.reason
    first, second = by_case["summe"].answer, by_case["folge"].answer
    assert first is not None and second is not None
    assert first["session_id"] == second["session_id"]


def test_a_chosen_case_brings_its_session_but_not_its_score(goldset: Goldset, tmp_path: Path) -> None:
    report = run_goldset(goldset, tmp_path / "run", open_goldset_workspace, only=["folge"])
    assert _scores(report) == {"folge": "correct"}
    assert report.passed
    assert [case["id"] for case in report.to_json()["cases"]] == ["folge"]


def test_an_unknown_case_is_named(goldset: Goldset, tmp_path: Path) -> None:
    with pytest.raises(GoldsetError, match="„nix“"):
        run_goldset(goldset, tmp_path / "run", open_goldset_workspace, only=["nix"])
    assert not (tmp_path / "run").exists()
