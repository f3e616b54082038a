"""Very long lists of cells: nothing is lost between the answer, the log, its export and a verification."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orchestrator.cell_lists import CellRanges, ColumnCells, RowNumbers, written_out
from qa.packed_rows import ROW_LISTS, packed, unpacked
from tests.qa.conftest import TENANT, Bench

ROWS = 12_000
TOWNS = ("Danzig", "Lublin")


@pytest.mark.parametrize(
    "rows", [[7], [2, 4, 6], [1, 300, 70_000], [5, 5 + 2**33], sorted(random.Random(4).sample(range(1, 90_000), 30_000))]
)
def test_lists_come_back_as_they_were(rows: list[int]) -> None:
    array = np.array(rows, dtype=np.int64)
    cells = CellRanges(ColumnCells([(3, lambda: array), (28, lambda: array)]))
    record = {"facts": [{"rows": RowNumbers(lambda: array), "cells": cells, "n": 1}], "detail": {"held": [cells]}, "text": "a"}
    written = json.dumps(record, default=written_out)
    kept = json.loads(json.dumps(packed(record)))
    assert len(kept[ROW_LISTS]) == 1
    whole = list(cells)
    assert (len(cells), cells[0], cells[-1], cells[:3], cells[1:]) == (len(whole), whole[0], whole[-1], whole[:3], whole[1:])
    assert json.dumps(unpacked(kept), default=written_out) == written


def test_a_record_without_long_lists_stays_as_it_is() -> None:
    record = {"facts": [{"rows": "5-7", "cells": ["C5:C7"]}]}
    assert packed(record) is record and unpacked(record) is record


@pytest.mark.parametrize("change", [{"count": 4}, {"steps": "AAAA"}])
def test_a_damaged_list_is_no_other_list(change: dict[str, Any]) -> None:
    array = np.array([2, 4, 6], dtype=np.int64)
    kept = dict(packed({"rows": RowNumbers(lambda: array)}))
    kept[ROW_LISTS] = [{**kept[ROW_LISTS][0], **change}]
    with pytest.raises(Exception, match=r"holds 3|header|decompress"):
        len(unpacked(kept)["rows"])


def test_a_group_by_over_rows_in_no_order_is_logged_briefly_and_verified(tmp_path: Path) -> None:
    """Sums and cells are computed apart, from the lines as they were written."""
    bench = Bench(tmp_path / "workspace")
    bench("init", bench.root)
    chance = random.Random(9)
    lines = [(chance.choice(TOWNS), chance.randrange(1, 1_000)) for _ in range(ROWS)]
    bench.ingest("umsatz.csv", "Filiale;Nettoumsatz [EUR]\n" + "".join(f"{town};{amount}\n" for town, amount in lines))
    answer = bench.ask("Nettoumsatz je Filiale")
    facts = {fact["row"]: fact for fact in answer["facts"] if fact["column"] == 1}
    assert len(facts) == len(TOWNS)
    for row, fact in facts.items():
        town = answer["result"]["rows"][row][0]
        own = [line for line, (name, _) in enumerate(lines, start=2) if name == town]
        assert fact["value"] == str(sum(amount for name, amount in lines if name == town))
        (source,) = fact["provenance"]["sources"]
        assert source["row_count"] == len(own)
        assert [int(cell) for run in source["rows"].split(",") for cell in _spread(run, "-")] == own
        assert [int(cell) for run in source["cells"] for cell in _spread(run.replace("B", ""), ":")] == own
    (logged,) = [record for record in bench.log() if record["answer_id"] == answer["answer_id"]]
    assert logged["facts"] == answer["facts"]
    with sqlite3.connect(bench.root / "data" / "audit.sqlite") as log:
        (longest,) = log.execute("SELECT max(length(body)) FROM audit").fetchone()
    assert longest < len(json.dumps(answer["facts"])) / 3
    verified = bench("verify", answer["answer_id"], "--json")
    assert verified.code == 0 and all(fact["equal"] for fact in verified.json["facts"])
    assert bench("audit", "verify").code == 0
    said = bench("ask", "Nettoumsatz je Filiale", "--tenant", TENANT, "--as", "weber", "--levels", "controlling").out
    for fact in facts.values():
        assert f"({fact['provenance']['sources'][0]['row_count']} Zellen, Zeilen " in said


def _spread(run: str, joint: str) -> range:
    first, _, last = run.partition(joint)
    return range(int(first), int(last or first) + 1)
