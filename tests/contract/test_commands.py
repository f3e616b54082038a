"""Exit codes, error sentences and help of the command line."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import openpyxl
import pytest

from qa.cli import main
from tests.contract.conftest import ASKER, DATA, REPORT, TENANT, Run, run_beleg

ORDERS = "bestellungen_2024.xlsx"
DANZIG = "Wie hoch war der Nettoumsatz der Niederlassung in Danzig im Q3 2024?"


def _commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _commands(inner, (*path, name))


COMMANDS = list(_commands(main))


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) or "beleg" for path, _ in COMMANDS])
def test_help_is_complete_sentences_with_an_example(path: tuple[str, ...], command: click.Command) -> None:
    said = run_beleg(*path, "--help")
    assert said.code == 0
    assert command.help is not None and command.help.endswith(".")
    assert "Beispiel" in said.out
    for example in command.examples:  # type: ignore[attr-defined]
        assert f"  {example}" in said.out
    assert all(parameter.help for parameter in command.params if isinstance(parameter, click.Option))


@pytest.mark.parametrize(
    "example",
    sorted({part for _, command in COMMANDS for example in command.examples for part in example.split(" && ")}),  # type: ignore[attr-defined]
)
def test_examples_are_understood(example: str) -> None:
    """Their options and arguments parse; they are not run."""
    words = shlex.split(example.split(" > ")[0])
    while "=" in words[0]:  # a variable set for this command
        words.pop(0)
    assert words.pop(0) == "beleg"
    command: click.Command = main
    while isinstance(command, click.Group) and words and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    command.make_context(example, words)


def test_help_names_every_command_of_this_version() -> None:
    said = run_beleg("--help")
    for name in ("demo", "init", "ingest", "inspect", "tables", "versions", "remove", "set-level", "schema-map", "ask", "sql",
                 "verify", "diff", "audit", "goldset"):  # fmt: skip
        assert f"\n  {name} " in said.out


USAGE = [
    ((), "beleg"),
    (("aks",), "'ask'"),
    (("ask",), "FRAGE"),
    (("ask", "a", "b", *ASKER), "'b'"),
    (("ask", "a", "--tenant", "x", "--as", "y"), "--levels"),
    (("ask", "a", *ASKER, "--today", "16.10.2024"), "--today"),
    (("ask", "", *ASKER), "0 Zeichen"),
    (("ask", "a" * 2001, *ASKER), "2000"),
    (("ingest", "x", "--tenat", "y"), "--tenant"),
    (("ingest", "x", "--tenant", "y", "--kind", "z"), "financial"),
    (("ingest", "x", "--tenant", "y", "--sheet-level", "Personal"), "BLATT=STUFE"),
    (("schema-map", "approve", REPORT, "--tenant", TENANT, "--by", "w"), "--all"),
    (("schema-map", "approve", REPORT, "a", "b", "--name", "c", "--tenant", TENANT, "--by", "w"), "eine Spalte"),
    (("goldset", "run"), "DATEI"),
    (("inspect", DATA / "guv_2024.xlsx", "--cells", "Nix!A1"), "--cells"),
    (("inspect", DATA / "guv_2024.xlsx", "--cells", "D7"), "schreiben Sie Blatt!D7"),
    (("inspect", DATA / "guv_2024.xlsx", "--cells", "GuV!7D"), "„GuV!7D“"),
    (("inspect", DATA / "offene_posten_2024-09.csv", "--cells", "Blatt!D7"), "schreiben Sie D7"),
    (("ask", "a", "--tenant", TENANT, "--as", "w", "--levels", " , "), "--levels"),
    (("ask", "a", "--tenant", TENANT, "--as", " ", "--levels", "l"), "--as"),
    (("ask", "a", *ASKER, "--session", "../a b"), "--session"),
    (("ask", "a", *ASKER, "--session", "x" * 65), "--session"),
    (("ask", "a", *ASKER, "--session", ""), "--session"),
    (("ingest", DATA / "guv_2024.xlsx", "--tenant", TENANT, "--create-tenant", "--version", " "), "--version"),
    (("goldset", "run", DATA.parent / "demo.yaml", "--case", "nope"), "„nope“"),
    (("index",), "'beleg index --help'"),
]


@pytest.mark.parametrize(("arguments", "named"), USAGE, ids=[" ".join(map(str, each[0]))[:60] for each in USAGE])
def test_wrong_usage_ends_with_2_and_names_the_option(arguments: tuple[object, ...], named: str, beleg: Run) -> None:
    said = beleg(*arguments) if arguments else run_beleg()
    assert said.code == 2
    assert named in said.err
    assert said.out == ""
    assert "Traceback" not in said.err


FAILURES = [
    (("ask", "Umsatz?", "--tenant", "fremd", "--as", "w", "--levels", "l"), "fremd"),
    (("ingest", "nix.xlsx", "--tenant", TENANT, "--access-level", "l"), "nix.xlsx"),
    (("ingest", DATA / "guv_2024.xlsx", "--tenant", "fremd", "--access-level", "l"), "--create-tenant"),
    (("ingest", DATA, "--tenant", "fremd", "--access-level", "l"), "--create-tenant"),
    (("inspect", "nix.xlsx"), "nix.xlsx"),
    (("inspect", sys.executable), Path(sys.executable).name),
    (("versions", "authorize", REPORT, "dritte", "--tenant", TENANT, "--by", "w"), "dritte"),
    (("versions", "--tenant", "fremd"), "fremd"),
    (("remove", "nix.xlsx", "--tenant", TENANT, "--by", "w"), "nix.xlsx"),
    (("set-level", REPORT, "l", "--sheet", "Nix", "--tenant", TENANT, "--by", "w"), "Nix"),
    (("diff", REPORT, "Entwurf", "dritte", "--tenant", TENANT), "dritte"),
    (("schema-map", "approve", "nix.xlsx", "a", "--tenant", TENANT, "--by", "w"), "nix.xlsx"),
    (("schema-map", "apply", "nix.yaml", "--tenant", TENANT, "--by", "w"), "nix.yaml"),
    (("schema-map", "show", "nix.xlsx", "--tenant", TENANT), "nix.xlsx"),
    (("schema-map", "propose", "nix.xlsx", "--tenant", TENANT), "nix.xlsx"),
    (("schema-map", "approve", ORDERS, "nix", "--sheet", "Bestellungen", "--tenant", TENANT, "--by", "w"), "Eine Spalte „nix“"),
    (("schema-map", "apply", DATA / "guv_2024.xlsx", "--tenant", TENANT, "--by", "w"), "YAML"),
    (("verify", "nix"), "nix"),
    (("goldset", "run", "nix.yaml"), "nix.yaml"),
]


@pytest.mark.parametrize(("arguments", "named"), FAILURES, ids=[" ".join(map(str, each[0]))[:60] for each in FAILURES])
def test_what_cannot_be_done_ends_with_1_and_one_sentence(arguments: tuple[object, ...], named: str, beleg: Run) -> None:
    said = beleg(*arguments)
    assert said.code == 1
    assert named in said.err
    assert "Traceback" not in said.err
    assert all(line.rstrip().endswith(".") for line in said.err.strip().splitlines())


def test_a_workspace_without_settings_is_named(tmp_path: Path) -> None:
    said = run_beleg("versions", "--workspace", tmp_path)
    assert said.code == 1
    assert str(tmp_path / "beleg.toml") in said.err


def test_the_workspace_comes_from_option_environment_or_directory(
    shared_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BELEG_WORKSPACE", str(shared_root))
    assert run_beleg("versions").code == 0
    assert run_beleg("versions", "--workspace", tmp_path).code == 1
    monkeypatch.delenv("BELEG_WORKSPACE")
    assert run_beleg("--workspace", shared_root, "versions").code == 0
    monkeypatch.chdir(shared_root)
    assert run_beleg("versions").code == 0


def test_debug_shows_where_an_error_arose(beleg: Run) -> None:
    said = beleg("verify", "nix", "--debug")
    assert said.code == 1
    assert "Traceback" in said.err


def test_an_answer_for_people(beleg: Run) -> None:
    said = beleg("ask", DANZIG, *ASKER)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].endswith("betrug 1.247.890 PLN.")
    assert f"Beleg: 1.247.890 PLN = {REPORT}, Niederlassungen!C47, Version „nach Korrektur“ 2024-10-15 (verbindlich)" in lines
    assert "\x1b" not in said.out
    table = beleg("ask", "Welche fünf Niederlassungen hatten im Q3 2024 den höchsten Nettoumsatz?", *ASKER).out.splitlines()
    assert any(line.split() == ["Krakau", "1.667.550", "PLN"] for line in table)
    stopped = beleg("ask", "Wie hoch war der Nettoumsatz in Danzgi im Q3 2024?", *ASKER)
    assert stopped.code == 3
    assert "Möglich: Danzig" in stopped.out


def test_a_changed_source_cell_is_found_by_verify(own: tuple[Path, Run]) -> None:
    root, beleg = own
    answer = beleg("ask", DANZIG, *ASKER, "--json").json
    original = Path(beleg("verify", answer["answer_id"], "--json").json["original"])
    assert original.is_relative_to(root)
    original.chmod(0o644)
    workbook = openpyxl.load_workbook(original)
    workbook["Niederlassungen"]["C47"] = 1247891
    workbook.save(original)
    said = beleg("verify", answer["answer_id"])
    assert said.code == 4
    for named in (REPORT, "Niederlassungen!C47", "1247890", "1247891"):
        assert named in said.out
    found = beleg("verify", answer["answer_id"], "--json").json
    assert (found["ok"], found["facts"][0]["equal"], found["facts"][0]["recomputed"]) == (False, False, "1247891")


def test_removing_and_levels_take_effect_at_once(own: tuple[Path, Run]) -> None:
    _, beleg = own
    assert beleg("set-level", REPORT, "vorstand", "--tenant", TENANT, "--by", "A. Weber").code == 0
    hidden = beleg("ask", DANZIG, *ASKER, "--json")
    assert (hidden.code, hidden.json["refusal"]["code"]) == (3, "not_in_data")
    assert beleg("set-level", REPORT, "controlling", "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert beleg("ask", DANZIG, *ASKER).code == 0
    assert beleg("remove", REPORT, "--version", "nach Korrektur", "--tenant", TENANT, "--by", "A. Weber").code == 0
    assert beleg("ask", DANZIG, *ASKER, "--json").json["result"]["rows"] == [["1274890"]]
    events = [line for line in beleg("audit", "export").out.splitlines() if '"set_level"' in line or '"remove"' in line]
    assert len(events) == 3


def test_a_map_is_proposed_decided_and_logged(own: tuple[Path, Run]) -> None:
    _, beleg = own
    assert "rev_net_adj_eur → Nettoumsatz nach Korrektur [EUR]" in beleg("schema-map", "propose", "--tenant", TENANT).out
    decided = ("bestellungen_2024.xlsx", "--sheet", "Bestellungen", "--tenant", TENANT, "--by", "A. Weber")
    assert beleg("schema-map", "approve", "rev_net_adj_eur", *decided).code == 1  # the document comes first
    assert beleg("schema-map", "approve", decided[0], "rev_net_adj_eur", *decided[1:]).code == 0
    assert beleg("schema-map", "reject", decided[0], "disc_pct", *decided[1:], "--reason", "Zuschlag").code == 0
    shown = beleg("schema-map", "show", decided[0], "--tenant", TENANT).out
    assert "rev_net_adj_eur = Nettoumsatz nach Korrektur [EUR] (freigegeben durch A. Weber" in shown
    assert "disc_pct = Rabatt [%] (abgelehnt durch A. Weber" in shown
    answer = beleg("ask", "Wie hoch war der Nettoumsatz nach Korrektur im August 2024?", *ASKER, "--json").json
    assert answer["status"] == "answered"
    log = beleg("audit", "export").out
    assert all(event in log for event in ("schema_map_propose", "schema_map_approve", "schema_map_reject"))


def test_a_map_of_another_tenant_is_refused(own: tuple[Path, Run], tmp_path: Path) -> None:
    _, beleg = own
    (tmp_path / "map.yaml").write_text("synonyms: {sued: {Danzig: [Gdansk]}}\n", encoding="utf-8")
    said = beleg("schema-map", "apply", tmp_path / "map.yaml", "--tenant", TENANT, "--by", "A. Weber")
    assert said.code == 1
    assert TENANT in said.err


def test_no_answer_without_its_record(own: tuple[Path, Run]) -> None:
    root, beleg = own
    assert beleg("audit", "verify").code == 0
    with closing(sqlite3.connect(root / "data" / "audit.sqlite")) as connection:
        connection.execute("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)")
        connection.commit()
    said = beleg("ask", DANZIG, *ASKER)
    assert said.code == 1
    assert "1.247.890" not in said.out
    assert beleg("audit", "verify").code == 4


def test_the_same_file_again_changes_nothing(own: tuple[Path, Run], tmp_path: Path) -> None:
    _, beleg = own
    shutil.copy(DATA / "guv_2024.xlsx", tmp_path / "kopie.xlsx")
    before = beleg("versions", "--json").json
    for path in (DATA / "guv_2024.xlsx", tmp_path / "kopie.xlsx"):
        said = beleg("ingest", path, "--tenant", TENANT, "--access-level", "controlling")
        assert said.code == 0
        assert "nichts geändert" in said.out
    assert beleg("versions", "--json").json == before


def test_in_a_process_of_its_own(shared_root: Path) -> None:
    """Started as users start it, with a locale that knows no umlauts and output into a pipe."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "qa", "ask", "Summe der offenen Beträge je Währung", *ASKER, "--workspace", str(shared_root)]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, capture_output=True, check=False, env=environment, cwd=root, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    assert "Währung" in done.stdout.decode("utf-8")
    assert b"\x1b" not in done.stdout


def test_help_is_quick() -> None:
    """What is heavy is not imported for it."""
    heavy = "{name for name in sys.modules if name.split('.')[0] in ('sqlalchemy', 'pydantic', 'duckdb', 'pyarrow', 'openpyxl')}"
    code = f"import sys; import qa.cli; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "set()"
