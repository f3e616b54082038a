"""Goldset files: read strictly, every error with its place."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from goldsets.goldset import Goldset, GoldsetError
from goldsets.read_goldset import read_goldset

HEAD = """goldset: g
corpus:
  - {file: a.xlsx, tenant: nord, access_level: l}
  - {file: b/a.xlsx, tenant: nord, access_level: l, version: {label: Entwurf, date: 2024-10-12, status: draft}, locale: en}
"""
CASE = "  - {id: %s, question: Umsatz, tenant: nord, levels: [l], expect: {status: refused}%s}\n"


def _read(folder: Path, text: str) -> Goldset:
    (folder / "b").mkdir(exist_ok=True)
    for name in ("a.xlsx", "b/a.xlsx"):
        (folder / name).touch()
    (folder / "g.yaml").write_text(text, encoding="utf-8")
    return read_goldset(folder / "g.yaml")


def test_scalars_keep_their_text_and_lists_may_be_single(tmp_path: Path) -> None:
    goldset = _read(
        tmp_path,
        HEAD
        + """cases:
  - id: 007
    question: Land?
    tenant: nord
    levels: [l]
    asked_on: 2024-10-16
    expect: {status: answered, rows: [[1.50, no, 0042, 2024-10-15, 1e3]], ordered: true, unit: "%"}
""",
    )
    (case,) = goldset.cases
    assert case.case_id == "007"
    assert case.asked_on == date(2024, 10, 16)
    assert case.expect.rows == (("1.50", "no", "0042", "2024-10-15", "1e3"),)
    assert case.expect.statuses == ("answered",)
    assert case.expect.ordered is True
    assert [entry.label for entry in goldset.corpus] == ["1", "Entwurf"]
    assert goldset.corpus[1].version_date == date(2024, 10, 12)


def test_a_chain_is_the_session_up_to_a_case(tmp_path: Path) -> None:
    goldset = _read(tmp_path, HEAD + "cases:\n" + CASE % ("a", "") + CASE % ("b", ", after: a") + CASE % ("c", ", after: b"))
    assert [case.case_id for case in goldset.chain(goldset.cases[2])] == ["a", "b", "c"]


WRONG = {
    "unknown key": (HEAD + "cases: []\nextra: 1\n", "extra"),
    "unknown key of a case": (HEAD + "cases:\n" + CASE % ("a", ", tolerance: 1"), "tolerance (Fall „a“)"),
    "unknown status": (HEAD + "cases:\n" + CASE.replace("refused", "denied") % ("a", ""), "Fall „a“"),
    "key twice": (HEAD + "goldset: h\ncases: []\n", "zweimal"),
    "no YAML": (HEAD + "cases: [\n", "YAML"),
    "no cases": (HEAD, "cases"),
    "question without text": (HEAD + "cases:\n" + CASE.replace("Umsatz", '""') % ("a", ""), "question"),
    "same id twice": (HEAD + "cases:\n" + CASE % ("a", "") + CASE % ("a", ""), "„a“"),
    "follows nothing": (HEAD + "cases:\n" + CASE % ("a", ", after: z"), "„z“"),
    "follows a later case": (HEAD + "cases:\n" + CASE % ("a", ", after: b") + CASE % ("b", ""), "„b“"),
    "two follow one": (HEAD + "cases:\n" + CASE % ("a", "") + CASE % ("b", ", after: a") + CASE % ("c", ", after: a"), "„c“"),
    "file is missing": (HEAD + "  - {file: c.xlsx, tenant: nord, access_level: l}\ncases: []\n", "c.xlsx"),
    "no level": ("goldset: g\ncorpus: [{file: a.xlsx, tenant: nord}]\ncases: []\n", "access_level"),
    "unknown binding": (HEAD + "binding: [{file: a.xlsx, version: Entwurf}]\ncases: []\n", "„Entwurf“"),
    "unknown kind": (HEAD.replace("access_level: l}", "access_level: l, kind: x}") + "cases: []\n", "kind"),
    "meaning of a file that is not there": (
        HEAD + "schema_map: [{file: c.xlsx, columns: {a: {name: b}}}]\ncases: []\n",
        "c.xlsx",
    ),
    "unknown key of a meaning": (HEAD + "schema_map: [{file: a.xlsx, columns: {a: {nam: b}}}]\ncases: []\n", "nam"),
    "unknown setting": (HEAD + "settings: {rounding: 2}\ncases: []\n", "rounding"),
    "fiscal year that is no day": (HEAD + "settings: {fiscal_year_start: 31-12}\ncases: []\n", "fiscal_year_start"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    text, place = WRONG[name]
    with pytest.raises(GoldsetError) as caught:
        _read(tmp_path, text)
    message = str(caught.value)
    assert "g.yaml" in message
    assert place in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GoldsetError, match=r"g\.yaml"):
        read_goldset(tmp_path / "g.yaml")


SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@pytest.mark.parametrize("folder", ["goldsets", "benchmarks"])
@pytest.mark.skipif(not SHARED.is_dir(), reason="the development goldsets are not beside the project")
def test_the_development_goldsets_are_read(folder: str) -> None:
    for path in sorted((SHARED / folder).glob("*.yaml")):
        assert read_goldset(path).cases
