"""Every rule of scoring, as rows of score_cases.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from goldsets.assignment import assign
from goldsets.goldset import Goldset
from goldsets.read_goldset import read_goldset
from goldsets.score import SCORES, score

ROWS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "score_cases.yaml").read_text(encoding="utf-8"))
VERSION = {"label": "1", "date": None, "status": None, "binding": False}


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """A goldset with one case that expects this, read from a file as every goldset is."""
    (tmp_path / "a.xlsx").touch()

    def read_one(expect: dict[str, Any]) -> Goldset:
        case = {"id": "c", "question": "?", "tenant": "t", "levels": ["l"], "expect": expect}
        content = {"goldset": "g", "corpus": [{"file": "a.xlsx", "tenant": "t", "access_level": "l"}], "cases": [case]}
        (tmp_path / "g.yaml").write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        return read_goldset(tmp_path / "g.yaml")

    return read_one


def _source(cells: list[str]) -> dict[str, Any]:
    rows = ",".join(sorted({number for cell in cells for number in re.findall(r"\d+", cell)}, key=int))
    return {"file": "a.xlsx", "sheet": "S", "rows": rows, "cells": cells, "row_count": len(cells), "version": VERSION}


def _answer(short: dict[str, Any] | None) -> dict[str, Any] | None:
    """The answer object of the contract from its short form in the table."""
    if short is None:
        return None
    if "refused" in short:
        return {"status": "refused", "refusal": {"code": short["refused"], "message": "nein"}, "clarification": None}
    if "clarify" in short:
        return {"status": "clarify", "refusal": None, "clarification": {"code": short["clarify"], "question": "welche?"}}
    if "status" in short:
        return {"status": short["status"], "refusal": None, "clarification": None}
    columns = [{"name": "x", "type": kind, "unit": unit} for kind, unit in short["columns"]]
    facts = []
    for row, cells in enumerate(short.get("facts", [])):
        for column, fact in enumerate(cells):
            provenance = {"kind": "sql", "sources": [_source(fact["cells"])] if "cells" in fact else [], "complete": True}
            provenance |= {key: fact[key] for key in ("numerator", "denominator") if key in fact}
            facts.append(
                {
                    "row": row,
                    "column": column,
                    "value": short["rows"][row][column],
                    "unit": columns[column]["unit"],
                    "provenance": provenance,
                }
            )
    related = [
        {"title": "x", "provenance": {"kind": "rows", "sources": [_source([f"A{row}"])]}} for row in short.get("related", [])
    ]
    result = {"columns": columns, "rows": short["rows"], "truncated": short.get("truncated", False)}
    return {"status": "answered", "text": "x", "result": result, "facts": facts, "related": related}


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_score(row: dict[str, Any], read: Any) -> None:
    goldset = read(row["expect"])
    verdict = score(goldset.cases[0], _answer(row["answer"]), goldset)
    assert verdict.score == row["score"], verdict.reason
    assert (verdict.reason == "") == (verdict.score == "correct")


def test_every_score_is_in_the_table() -> None:
    assert {row["score"] for row in ROWS} == set(SCORES)


@pytest.mark.parametrize(
    ("left", "right", "edges", "possible"),
    [
        (0, 0, set(), True),
        (1, 1, set(), False),
        (2, 2, {(0, 0), (0, 1), (1, 0)}, True),
        (3, 3, {(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)}, False),
        (3, 3, {(0, 0), (0, 1), (1, 0), (1, 2), (2, 0)}, True),
        (1200, 1200, {(i, j) for i in range(1200) for j in ((i + 1) % 1200, i) if (i, j) != (0, 0)}, True),
    ],
)
def test_assign(left: int, right: int, edges: set[tuple[int, int]], possible: bool) -> None:
    found = assign(left, right, lambda i, j: (i, j) in edges)
    assert (found is not None) == possible
    if found is not None:
        assert len(set(found)) == left
        assert all((i, j) in edges for i, j in enumerate(found))
