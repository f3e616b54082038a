"""Nothing that only hidden columns, rows, sheets, files or other tenants hold reaches a restricted asker or the log.

All questions of all goldsets are asked again as every restricted asker, and questions made from the hidden names and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from goldsets.goldset import Goldset
from goldsets.read_goldset import read_goldset
from goldsets.run import prepare_workspace
from orchestrator.scope import Asker
from qa.answer_text import write_answer
from qa.asking import ask
from qa.goldset_workspace import open_goldset_workspace
from qa.wiring import Workspace, open_workspace
from tests.access.hidden_parts import Hidden, hidden_from, occurring, phrase_of, texts_in

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / ".." / "shared" / "goldsets"
PROBES = yaml.safe_load((Path(__file__).parent / "probes.yaml").read_text(encoding="utf-8"))
MOST_COLUMNS = 6
MOST_SHEETS = 3


@dataclass(frozen=True)
class Run:
    """`questions`: of one goldset that every restricted asker asks; the others only those of that asker's own tenant."""

    name: str
    path: Path
    questions: int
    slow: bool = False


RUNS = [
    Run("access", Path(__file__).parent / "goldset" / "access.yaml", 1000),
    Run("demo", ROOT / "goldsets" / "demo" / "demo.yaml", 8),
    Run("demo, all", ROOT / "goldsets" / "demo" / "demo.yaml", 1000, slow=True),
    Run("attacks", ROOT / "tests" / "goldsets" / "attacks" / "attacks.yaml", 1000, slow=True),
    *(Run(f"shared {name}", SHARED / f"{name}.yaml", 1000, slow=True) for name in ("access", "controlling_sql", "rows", "mixed")),
]  # fmt: skip


def _param(run: Run) -> Any:
    absent = pytest.mark.skipif(not run.path.exists(), reason="the goldset is not here")
    return pytest.param(run, id=run.name, marks=[absent, pytest.mark.slow] if run.slow else [absent])


@pytest.mark.parametrize("run", list(map(_param, RUNS)))
def test_nothing_hidden_is_said(run: Run, tmp_path: Path) -> None:
    goldset = read_goldset(run.path)
    prepare_workspace(goldset, tmp_path / "workspace", open_goldset_workspace)
    found: list[str] = []
    asked = hidden_words = 0
    with open_workspace(tmp_path / "workspace") as workspace:
        for asker in _askers(goldset):
            hidden = hidden_from(asker, workspace, goldset)
            hidden_words += len(hidden.words.phrases) + len(hidden.words.numbers)
            for question, today in _questions(asker, goldset, hidden, run.questions):
                found += _leaks(workspace, asker, hidden, question, today)
                asked += 1
    assert found == [], f"{len(found)} of {asked}:\n" + "\n".join(found[:40])
    assert asked and hidden_words


def _askers(goldset: Goldset) -> list[Asker]:
    """Those of the cases, each single level, and one without any."""
    levels = {(case.tenant, case.levels) for case in goldset.cases}
    for entry in goldset.corpus:
        for level in (entry.access_level, *entry.sheet_levels.values()):
            if level is not None:
                levels.add((entry.tenant, frozenset({level})))
    for sheet in goldset.contract.schema_map:
        opened = [*sheet.levels, *(level for column in sheet.columns.values() for level in column.levels)]
        tenants = {entry.tenant for entry in goldset.corpus if entry.path.name == sheet.document}
        levels |= {(tenant, frozenset({level})) for tenant in tenants for level in opened}
    if len(goldset.tenants) < 10:
        levels |= {(tenant, frozenset()) for tenant in goldset.tenants}
    return [Asker("probe", tenant, each) for tenant, each in sorted(levels, key=lambda pair: (pair[0], sorted(pair[1])))]


def _questions(asker: Asker, goldset: Goldset, hidden: Hidden, most: int) -> Iterator[tuple[str, date | None]]:
    mine = [case for case in goldset.cases if case.tenant == asker.tenant]
    others = [case for case in goldset.cases if case.tenant != asker.tenant][:20]
    step = max(1, len(mine) // most)
    for case in (*mine[::step], *others):
        yield case.question, case.asked_on
    yield from ((question, None) for question in probes(hidden))


def probes(hidden: Hidden) -> Iterator[str]:
    yield from PROBES["always"]
    columns = [pair for pair in hidden.columns if phrase_of(pair[0])]
    for name, value in columns[:: max(1, len(columns) // MOST_COLUMNS)]:
        words = {"column": name, "mistyped": _mistyped(name), "value": value, "mistyped_value": _mistyped(value)}
        yield from (text.format_map(words) for text in PROBES["with_column"])
        if phrase_of(value):
            yield from (text.format_map(words) for text in PROBES["with_value"])
    for sheet in hidden.sheets[:MOST_SHEETS]:
        yield from (text.format(sheet=sheet, mistyped_sheet=_mistyped(sheet)) for text in PROBES["with_sheet"])


def _mistyped(text: str) -> str:
    return text[:2] + text[3:]


def _leaks(workspace: Workspace, asker: Asker, hidden: Hidden, question: str, today: date | None) -> list[str]:
    """What of the hidden parts is in the answer object, in the answer as it is printed, and in the exported log lines."""
    answer = ask(workspace, question, asker, today=today)
    record = workspace.audit.answer(answer["answer_id"])
    assert record is not None
    said = {"answer": "\n".join(texts_in(answer)), "log": "\n".join(texts_in(record)), "printed": _printed(answer)}
    allowed = "\n".join((question, asker.user, asker.tenant, *asker.levels, *_addresses(answer)))
    return [
        f"{asker.tenant} {sorted(asker.levels)} „{question}“: the {where} holds {sorted(found)}"
        for where, text in said.items()
        if (found := occurring(hidden.words, text, allowed))
    ]


def _addresses(answer: Mapping[str, Any]) -> Iterator[str]:
    """Rows and cells that the answer cites: a row number is no value."""
    for fact in answer["facts"]:
        for source in (*fact["provenance"]["sources"], *fact["provenance"].get("base_sources", ())):
            yield from (source["rows"], str(source["row_count"]), *source["cells"])


def _printed(answer: Mapping[str, Any]) -> str:
    import click

    @click.command()
    def show() -> None:
        write_answer(answer)

    text = CliRunner().invoke(show).output
    return text.replace(str(answer["answer_id"]), "").replace(str(answer["session_id"]), "")
