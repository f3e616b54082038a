"""What the command line says to people: numbers, counts, blanks, states, and what became of an unusual step."""

from __future__ import annotations

import os
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from qa import administration
from qa.answer_text import _short
from qa.cli_output import Progress, shown
from qa.german_text import counted, machine_number_text, seconds_text, value_text
from tests.contract.conftest import ASKER, DATA, REPORT, TENANT, Run, run_beleg

NEW = DATA / "bestellungen_2024.xlsx"
BY = ("--tenant", TENANT, "--by", "A. Weber")

SHOWN = [
    ("1\u00a0247\u00a0890 PLN", "1\u00a0247\u00a0890 PLN"),
    ("1\u202f247,5\u2009%", "1\u202f247,5\u2009%"),
    ("Zażółć 🙂 ß", "Zażółć 🙂 ß"),
    ("a\x1b[2Kb", "a\\x1b[2Kb"),
    ("a\rb\x00", "a\\rb\\x00"),
    ("\u202eRLO\u2066\u200b", "\\u202eRLO\\u2066\\u200b"),
    ("a\nb\tc", "a\nb\tc"),
]


@pytest.mark.parametrize(("text", "expected"), SHOWN, ids=[ascii(each[0]) for each in SHOWN])
def test_blanks_stay_and_control_characters_are_written_out(text: str, expected: str) -> None:
    assert shown(text) == expected


WORDS = [
    (counted(1, "Fall", "Fälle"), "1 Fall"),
    (counted(0, "Fall", "Fälle"), "0 Fälle"),
    (counted(12_500, "Zeile", "Zeilen"), "12.500 Zeilen"),
    (seconds_text(14.64), "14,6 Sekunden"),
    (value_text(Decimal("1247890.5"), "PLN"), "1.247.890,50 PLN"),
    (value_text(Decimal("-34.2"), "%"), "-34,2 %"),
    (value_text(None), "leer"),
    (value_text(True), "ja"),
    (value_text("0815"), "0815"),
    (machine_number_text("1/3", "EUR"), "rund 0,33 EUR"),
    (machine_number_text("2024-10-15"), "2024-10-15"),
    (machine_number_text(None), "leer"),
]


@pytest.mark.parametrize(("said", "expected"), WORDS, ids=[each[1] for each in WORDS])
def test_numbers_and_counts(said: str, expected: str) -> None:
    assert said == expected


def test_row_lists_end_at_a_whole_entry() -> None:
    rows = ",".join(f"{row}-{row + 5}" for row in range(1000, 2000, 10))
    cut = _short(rows)
    assert len(cut) <= 60
    assert rows.startswith(cut.removesuffix("…"))
    assert cut.endswith(",…")
    assert _short("5-46,48") == "5-46,48"


LINES: list[tuple[tuple[object, ...], str]] = [
    (("versions",), "korrigiert"),
    (("versions",), "Entwurf"),
    (("tables",), "Dezimalzahl"),
    (("tables",), "Zeitraum"),
    (("inspect", DATA / "guv_2024.xlsx"), "Dezimalzahl TEUR"),
    (("inspect", DATA / "guv_2024.xlsx", "--cells", "GuV!D7"), "GuV!D7: -2.688,30 TEUR (Zahl, in der Datei „-2688.3“)"),
    (("inspect", DATA / "guv_2024.xlsx", "--cells", "'GuV'!C4"), "sein Wert steht in 'GuV'!B4"),
    (("inspect", DATA / "guv_2024.xlsx", "--cells", "GuV!ZZ999"), "außerhalb des Blatts"),
    (("diff", REPORT, "Entwurf", "nach Korrektur", "--tenant", TENANT), "1.274.890 PLN"),
    (("diff", REPORT, "Entwurf", "nach Korrektur", "--tenant", TENANT), "1.247.890 PLN"),
]


@pytest.mark.parametrize(("arguments", "expected"), LINES, ids=[" ".join(map(str, (*each[0], each[1])))[-70:] for each in LINES])
def test_lists_are_in_german(arguments: tuple[object, ...], expected: str, beleg: Run) -> None:
    said = beleg(*arguments)
    assert said.code == 0
    assert expected in said.out


def test_a_conversation_goes_on_with_the_id_that_the_answer_shows(beleg: Run) -> None:
    first = beleg("ask", "Wie hoch war der Nettoumsatz in Danzig im Q3 2024?", *ASKER)
    (line,) = [line for line in first.out.splitlines() if "--session" in line]
    assert line.startswith("Nachfragen mit --session ")
    assert beleg("ask", "und in Radom?", *ASKER, "--session", line.split()[-1]).code == 0


def test_one_checked_value_is_said_in_the_singular(beleg: Run) -> None:
    one = beleg("ask", "Wie hoch war der Nettoumsatz in Danzig im Q3 2024?", *ASKER, "--json").json
    assert len(one["facts"]) == 1
    assert "Der Wert ist aus den Originaldateien nachgerechnet" in beleg("verify", one["answer_id"]).out


def test_a_differing_value_is_shown_as_the_answer_shows_it(own: tuple[Path, Run]) -> None:
    _, beleg = own
    answer = beleg("ask", "Wie hoch war der Nettoumsatz in Danzig im Q3 2024?", *ASKER, "--json").json
    original = Path(beleg("verify", answer["answer_id"], "--json").json["original"])
    original.chmod(0o644)
    workbook = openpyxl.load_workbook(original)
    workbook["Niederlassungen"]["C47"] = 1247891
    workbook.save(original)
    assert "Gezeigt wurde 1.247.890 PLN, die Zellen ergeben jetzt 1.247.891 PLN." in beleg("verify", answer["answer_id"]).out


def test_removing_the_binding_version_and_bringing_it_back_says_what_holds(own: tuple[Path, Run]) -> None:
    _, beleg = own
    gone = beleg("remove", REPORT, "--version", "nach Korrektur", *BY)
    assert "keine Version verbindlich; gefragt wird die einzige, die bleibt: „Entwurf“" in gone.out
    back = beleg("ingest", DATA / "korrektur" / REPORT, "--tenant", TENANT, "--access-level", "controlling")
    assert "Version „nach Korrektur“, schon eingelesen" in back.out
    assert "A. Weber entfernt" in back.out
    assert "nicht verbindlich" in back.out
    assert "keine Version mehr" in beleg("remove", "guv_2024.xlsx", *BY).out


def test_a_wrong_tenant_is_said_once_and_only_ingest_offers_to_make_it(beleg: Run) -> None:
    said = beleg("ingest", DATA / "guv_2024.xlsx", NEW, "--tenant", "nix", "--access-level", "l")
    assert said.code == 1
    assert said.err.count("„nix“") == 1
    for command in ("tables", "versions"):
        listed = beleg(command, "--tenant", "nix")
        assert (listed.code, "--create-tenant" in listed.err, TENANT in listed.err) == (1, False, True)


@pytest.mark.parametrize(
    ("options", "named"),
    [((), "--access-level"), (("--access-level", "l", "--sheet-level", "Nix=hr"), "„Nix“")],
    ids=["no level", "no such sheet"],
)
@pytest.mark.parametrize("files", [1, 2])
def test_levels_that_do_not_fit_a_file_are_wrong_usage(
    files: int, options: tuple[str, ...], named: str, beleg: Run, tmp_path: Path
) -> None:
    paths = [tmp_path / f"neu{number}.xlsx" for number in range(files)]
    for path in paths:
        workbook = openpyxl.Workbook()
        for row in (("Ort", "Umsatz"), (path.stem, 1), ("Radom", 2)):
            workbook.worksheets[0].append(row)
        workbook.save(path)
    said = beleg("ingest", *paths, "--tenant", TENANT, *options)
    assert said.code == 2
    assert said.err.count(named) == files


@pytest.mark.parametrize("step", ["received", "parsed", "segment_written", "committed"])
def test_an_interrupted_ingest_says_what_is_stored(step: str, own: tuple[Path, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    _, beleg = own
    (whole := own[0].parent / "neu.csv").write_text("Ort;Umsatz [EUR]\nDanzig;12,50\nRadom;3,25\n", encoding="utf-8")
    real = administration.ingest_file

    def interrupted(*arguments: Any, **named: Any) -> Any:
        def stop(reached: str) -> None:
            if reached == step:
                raise KeyboardInterrupt

        return real(*arguments, **{**named, "checkpoint": stop})

    monkeypatch.setattr(administration, "ingest_file", interrupted)
    said = beleg("ingest", whole, "--tenant", TENANT, "--access-level", "controlling")
    stored = any(each["document"] == "neu.csv" for each in beleg("versions", "--json").json)
    assert said.code == 1
    assert stored == (step == "committed")
    assert ("es wurde nichts gespeichert" in said.err) != stored
    assert said.err.strip().startswith("Abgebrochen")


def test_a_long_step_tells_its_latest_state_from_time_to_time(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(first_after=0.05, then_every=0.05) as progress:
        progress("neu.csv: 20.000 Zeilen gelesen")
        told = ""
        while told.count("20.000 Zeilen") < 2:  # nothing new is said, and still it goes on
            time.sleep(0.01)
            told += capsys.readouterr().err
    with Progress(first_after=60) as progress:
        progress("neu.csv: 1 Zeile gelesen")
    captured = capsys.readouterr()
    assert (captured.out, "1 Zeile" in captured.err) == ("", False)


YAMLS = [
    ("schema_map: [", "Zeile 1"),
    ("schema_map:\n  - file: x\n   sheet: y\n", "Zeile 3"),
    ("a: 1\na: 2\n", "„a“ steht zweimal da"),
    ("schema_map: nichts\n", "verlangt ist eine Liste"),
    ("- 1\n", "schema_map"),
]
ENGLISH = ("expected", "Input", "should", "mapping", "Value error", "found", "Unerwartet")


@pytest.mark.parametrize(("text", "named"), YAMLS, ids=[each[0][:20] for each in YAMLS])
def test_faults_of_a_yaml_are_said_in_german(text: str, named: str, beleg: Run, tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(text, encoding="utf-8")
    said = beleg("schema-map", "apply", tmp_path / "map.yaml", *BY)
    assert said.code == 1
    assert named in said.err
    assert "map.yaml" in said.err
    assert not any(word in said.err for word in ENGLISH)


TOMLS = [
    (b"[workspace\n", "Zeile 1, Spalte"),
    (b"[workspace]\nlocale = \n", "Zeile 2, Spalte"),
    (b"# \xff\n", "kein UTF-8"),
]


@pytest.mark.parametrize(("content", "named"), TOMLS, ids=[each[1] for each in TOMLS])
def test_faults_of_the_settings_are_said_in_german(content: bytes, named: str, tmp_path: Path) -> None:
    (tmp_path / "beleg.toml").write_bytes(content)
    said = run_beleg("versions", "--workspace", tmp_path)
    assert said.code == 1
    assert named in said.err
    assert not any(word in said.err for word in ("xpected", "nvalid", "line ", "codec"))


def test_a_missing_goldset_has_no_number_of_the_system(beleg: Run) -> None:
    assert "Errno" not in beleg("goldset", "run", "nix.yaml").err


def test_what_cannot_be_proposed_is_said_once(own: tuple[Path, Run], tmp_path: Path) -> None:
    _, beleg = own
    (tmp_path / "codes.csv").write_text("xqz_wvk_eur;ort\n1,5;Danzig\n2,5;Radom\n", encoding="utf-8")
    assert beleg("ingest", tmp_path / "codes.csv", "--tenant", TENANT, "--access-level", "controlling").code == 0
    (line,) = [line for line in beleg("schema-map", "propose", "codes.csv", "--tenant", TENANT).out.splitlines() if "xqz" in line]
    assert line.count("Kein Vorschlag") == 1
    assert "„xqz“, „wvk“ sind nicht bekannt" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_workspace_that_may_only_be_read(own: tuple[Path, Run]) -> None:
    root, beleg = own
    data = root / "data"
    before = beleg("tables").out
    data.chmod(0o555)
    try:
        assert beleg("tables").out == before
        assert beleg("versions").code == 0
        refused = beleg("remove", REPORT, *BY)
        assert refused.code == 1
        assert str(data) in refused.err
        assert "Ordner" in refused.err
    finally:
        data.chmod(0o755)
