"""Whatever stands in the parts that an asker may not see, or whether they exist, every answer is the same to the last letter."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from goldsets.goldset import Goldset
from goldsets.read_goldset import read_goldset
from goldsets.run import prepare_workspace
from orchestrator.scope import Asker
from qa.asking import ask, run_sql
from qa.goldset_workspace import open_goldset_workspace
from qa.wiring import Workspace, open_workspace
from tests.access.hidden_parts import hidden_from, texts_in
from tests.access.test_leaks import probes

FOLDER = Path(__file__).parent / "goldset"


@dataclass(frozen=True)
class Seen:
    """What of a CSV file an asker sees: fields by index, rows by the text of their first field; None: all of them."""

    fields: frozenset[int] | None = None
    first: frozenset[str] | None = None


@dataclass(frozen=True)
class Case:
    """`seen`: file -> what of it is visible; a file that is not named is hidden as a whole."""

    name: str
    asker: Asker
    seen: Mapping[str, Seen]


FINAL = "data/final/budget.csv"
CASES = [
    Case("sales", Asker("a", "ost", frozenset({"vertrieb"})), {"data/umsatz.csv": Seen(frozenset({0, 1, 2})), FINAL: Seen()}),
    Case(
        "one branch",
        Asker("b", "ost", frozenset({"filiale_hamburg"})),
        {"data/umsatz.csv": Seen(frozenset({0, 1, 2}), frozenset({"Hamburg"}))},
    ),
    Case("staff", Asker("c", "ost", frozenset({"hr"})), {"data/gehalt.csv": Seen()}),
    Case("another tenant", Asker("d", "west", frozenset({"vertrieb"})), {"data/west/umsatz.csv": Seen()}),
    Case("nothing", Asker("e", "ost", frozenset()), {}),
]
STATEMENTS = [
    "SELECT * FROM umsatz",
    "SELECT sum(umsatz_eur) FROM umsatz",
    "SELECT count(*) FROM umsatz",
    "SELECT niederlassung, count(*) FROM umsatz GROUP BY niederlassung",
    "SELECT max(umsatz_eur) FROM umsatz",
    "SELECT sum(deckungsbeitrag_eur) FROM umsatz",
    "SELECT kunde FROM umsatz WHERE betreuer = 'Quirin Zantop'",
    "SELECT kunde FROM umsatz ORDER BY deckungsbeitrag_eur LIMIT 1",
    "SELECT sum(jahresgehalt_eur) FROM gehalt",
    "SELECT * FROM budget",
    "SELECT rabattgruppe FROM umsatz",
    "SELECT u.kunde FROM umsatz u JOIN gehalt g ON u.kunde = g.nachname",
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return _prepared(read_goldset(FOLDER / "access.yaml"), tmp_path_factory.mktemp("plain"))


def _prepared(goldset: Goldset, root: Path) -> Workspace:
    prepare_workspace(goldset, root / "workspace", open_goldset_workspace)
    return open_workspace(root / "workspace")


def _scrambled(case: Case, root: Path) -> Goldset:
    """The same goldset with every letter and digit of the hidden parts replaced, and two hidden rows more."""
    shutil.copytree(FOLDER, root / "goldset")
    for path in (root / "goldset" / "data").rglob("*.csv"):
        seen = case.seen.get(path.relative_to(root / "goldset").as_posix())
        header, *rows = path.read_text(encoding="utf-8").splitlines()
        if seen is None:
            header = _other(header) if "umsatz.csv" not in path.name else header  # the map names its columns
        changed = [_row(row, seen) for row in rows]
        more = [_other(rows[-1]), _other(_other(rows[-1]))] if seen is None or seen.first is not None else []
        path.write_text("\n".join([header, *changed, *more]) + "\n", encoding="utf-8")
    return read_goldset(root / "goldset" / "access.yaml")


def _row(row: str, seen: Seen | None) -> str:
    fields = row.split(";")
    if seen is None or (seen.first is not None and fields[0] not in seen.first):
        return _other(row)
    return ";".join(text if seen.fields is None or place in seen.fields else _other(text) for place, text in enumerate(fields))


def _other(text: str) -> str:
    turned = {**{chr(97 + i): chr(97 + (i + 7) % 26) for i in range(26)}, **{str(i): str((i + 3) % 9 + 1) for i in range(10)}}
    return "".join(turned.get(letter, letter) for letter in text)


def _absent(case: Case, root: Path) -> Goldset:
    """The same goldset without the files that are hidden as a whole, and what is approved about them."""
    goldset = read_goldset(FOLDER / "access.yaml")
    kept = tuple(entry for entry in goldset.corpus if entry.path.relative_to(FOLDER).as_posix() in case.seen)
    contract = goldset.contract.for_files({entry.path.relative_to(FOLDER).as_posix() for entry in kept})
    return replace(goldset, corpus=kept, contract=contract)


@pytest.mark.parametrize("variant", [_scrambled, pytest.param(_absent, marks=pytest.mark.slow)], ids=["scrambled", "absent"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answers_are_the_same(case: Case, variant: Callable[[Case, Path], Goldset], plain: Workspace, tmp_path: Path) -> None:
    goldset = read_goldset(FOLDER / "access.yaml")
    changed = _prepared(variant(case, tmp_path), tmp_path)
    if case.asker.tenant not in changed.catalog.tenants():
        changed.catalog.create_tenant(case.asker.tenant)
    questions = [each.question for each in goldset.cases] + list(probes(hidden_from(case.asker, plain, goldset)))
    differing = []
    with changed:
        for question in questions:
            before, after = (_said(ask(workspace, question, case.asker)) for workspace in (plain, changed))
            if before != after:
                differing.append((question, before, after))
        for statement in STATEMENTS:
            before, after = (_said(run_sql(workspace, statement, case.asker)) for workspace in (plain, changed))
            if before != after:
                differing.append((statement, before, after))
    assert differing == []


def _said(answer: Mapping[str, object]) -> str:
    return "\n".join(texts_in({key: value for key, value in answer.items() if key != "trace"}))


def test_a_hidden_name_is_refused_like_one_that_does_not_exist(plain: Workspace) -> None:
    asker = Asker("a", "ost", frozenset({"vertrieb"}))
    patterns = ["SELECT {} FROM umsatz", "SELECT kunde FROM umsatz WHERE {} > 5", "SELECT u.{} FROM umsatz u"]
    pairs = [(pattern, "deckungsbeitrag_eur", "nirgendwo_eur") for pattern in patterns]
    pairs += [("SELECT * FROM {}", "gehalt", "nirgendwo"), ("SELECT 1 FROM umsatz, {}", "gehalt", "nirgendwo")]
    for pattern, hidden, absent in pairs:
        said = [_said(run_sql(plain, pattern.format(name), asker)).replace(name, "x") for name in (hidden, absent)]
        assert said[0] == said[1], pattern
