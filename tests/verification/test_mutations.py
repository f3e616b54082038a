"""`beleg verify` names every change of a stored original that could change an answered number: file, sheet, cell, both values."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from goldsets.demo.expected import GOLDSET
from goldsets.read_goldset import read_goldset
from goldsets.run import run_goldset
from indexer.cell_cache import load_cells
from indexer.stored import StoredTable
from parsers.address import parse_address
from qa.goldset_workspace import open_goldset_workspace
from qa.wiring import open_workspace
from tests.contract.conftest import run_beleg
from tests.verification.mutate_files import MUTATIONS, Mutated

FEW, MANY = 2, 22  # changes a kind: 28 of them in every run, 308 on demand
MOST_TRIES = 200


@dataclass(frozen=True)
class Cited:
    """A cell that an answer cites, or one in the same row of the same table, which decided that the row counts."""

    answer_id: str
    table: StoredTable
    cell: str
    text: str | None
    single: bool  # the only cell of a fact: the fact's value is this cell's


@dataclass(frozen=True)
class Answered:
    root: Path
    cells: Mapping[str, tuple[Cited, ...]]  # kind of file ("csv", "xlsx") -> cells


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Answered:
    root = tmp_path_factory.mktemp("mutated") / "workspace"
    report = run_goldset(read_goldset(GOLDSET), root, open_goldset_workspace)
    found: dict[str, list[Cited]] = {"csv": [], "xlsx": []}
    with open_workspace(root) as workspace:
        tables = [table for tenant in workspace.catalog.tenants() for table in workspace.catalog.tables(tenant)]
        for result in report.results:
            if result.answer is not None and result.answer["status"] == "answered":
                for cited in _cited(result.answer, tables):
                    found["csv" if cited.table.table.sheet is None else "xlsx"].append(cited)
    assert all(found.values())
    return Answered(root, {kind: tuple(cells) for kind, cells in found.items()})


def _cited(answer: Mapping[str, Any], tables: list[StoredTable]) -> Iterator[Cited]:
    for fact in answer["facts"]:
        for source in fact["provenance"]["sources"]:
            addresses = [cell for cell in source["cells"] if ":" not in cell]
            table = next((each for each in tables if _is_of(each, source, addresses)), None)
            if table is None or not addresses:
                continue
            single = len(addresses) == 1 and len(fact["provenance"]["sources"]) == 1
            texts = load_cells(table.cells, addresses, original_sha256=table.version.sha256)
            for address in addresses[:: max(1, len(addresses) // 20)]:
                text = texts[address].text if address in texts else None
                yield Cited(answer["answer_id"], table, address, text, single)


def _is_of(table: StoredTable, source: Mapping[str, Any], addresses: list[str]) -> bool:
    version = table.version
    here = (version.document, table.table.sheet, version.label) == (source["file"], source["sheet"], source["version"]["label"])
    rows = range(table.table.header_rows[0] if table.table.header_rows else 1, (table.table.last_data_row or 0) + 1)
    return here and table.table.layout != "tidy" and all(parse_address(address)[0] in rows for address in addresses[:1])


def _cases() -> Iterator[Any]:
    for kind in MUTATIONS:
        for number in range(MANY):
            marks = [] if number < FEW else [pytest.mark.slow]
            yield pytest.param(kind, number, id=f"{kind} {number}", marks=marks)


@pytest.mark.parametrize(("kind", "number"), list(_cases()))
def test_the_change_is_named(kind: str, number: int, answered: Answered) -> None:
    chance = random.Random(f"{kind} {number}")
    cited, mutated = _applied(kind, answered, chance)
    original = cited.table.version.original
    before = original.read_bytes()
    mode = original.stat().st_mode
    try:
        original.chmod(0o644)
        original.write_bytes(mutated.content)
        said = run_beleg("verify", cited.answer_id, "--json", "--workspace", answered.root)
        printed = run_beleg("verify", cited.answer_id, "--workspace", answered.root)
    finally:
        original.write_bytes(before)
        original.chmod(mode)
    assert said.code == printed.code == 4
    _check(cited, mutated, json.loads(said.out), printed.out)


def _applied(kind: str, answered: Answered, chance: random.Random) -> tuple[Cited, Mutated]:
    cells = answered.cells["csv" if kind.startswith("csv") else "xlsx"]
    for _ in range(MOST_TRIES):
        cited = chance.choice(cells)
        content = cited.table.version.original.read_bytes()
        mutated = MUTATIONS[kind](content, cited.table.table.sheet, cited.cell, cited.text, chance)
        if mutated is not None:
            return cited, mutated
    raise AssertionError(f"no cell for the change: {kind}")


def _check(cited: Cited, mutated: Mutated, shape: Mapping[str, Any], printed: str) -> None:
    assert not shape["ok"]
    document, sheet = cited.table.version.document, cited.table.table.sheet
    place = (document, sheet, mutated.cell)
    found = [each for each in shape["differences"] if (each["file"], each["sheet"], each["cell"]) == place]
    assert found, (mutated.cell, shape["differences"][:10])
    assert found[0]["stored"] != found[0]["found"]
    if not mutated.reading:
        assert found[0]["stored"] == cited.text
    if mutated.now != "?":
        assert found[0]["found"] == mutated.now
    assert document in printed and mutated.cell in printed
    if cited.single and mutated.now != cited.text:
        facts = [fact for fact in shape["facts"] if any(cited.cell in source["cells"] for source in fact["sources"])]
        assert not all(fact["equal"] for fact in facts), facts[:3]
