"""Numbers compared many at a time are read as each of them is read alone."""

from __future__ import annotations

import random
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from orchestrator.exact_vectors import Vector
from orchestrator.prove import CellTexts, agreeing
from orchestrator.second_readings import means, readings
from orchestrator.sql_algebra import Kind, Type
from parsers.table import Column, ColumnType

SCALE = 3
COLUMN = Column("x", "x", "x", ColumnType.DECIMAL, position=1, scale=SCALE)


def _texts(chance: random.Random) -> list[str]:
    made = ["".join(chance.choices("0123456789.,-", k=chance.randrange(1, 9))) for _ in range(300)]
    made += [f"{chance.randrange(2000000) / 100:,.2f}" for _ in range(100)]
    return [*made, "0.123", "0,123", "1.234", "12.345,5", "-1.234.567,25", "007", "1,2,3", ",5", "5,", "1.234\n"]


@pytest.mark.parametrize("seed", range(10))
def test_the_same_as_each_alone(seed: int) -> None:
    chance = random.Random(seed)
    for text in _texts(chance):
        for value in {
            Decimal(text.replace(other, "").replace(mark, ".")) for other, mark in (".,", ",.") if _is_number(text, other, mark)
        }:
            if abs(value) >= 10**12 or value != round(value, SCALE):
                continue
            stored = Vector(Type(Kind.DECIMAL, SCALE), np.array([int(value * 10**SCALE)]), np.array([True]))
            found = bool(agreeing(COLUMN, stored, CellTexts(pa.array(["text"]), pa.array([text])))[0])
            alone = any(means(COLUMN, stored.value(0), reading) for reading in readings(COLUMN, text, "text"))
            assert found == alone, (text, value)


def _is_number(text: str, other: str, mark: str) -> bool:
    try:
        return Decimal(text.replace(other, "").replace(mark, ".")).is_finite()
    except ArithmeticError:
        return False


def test_one_style_for_all() -> None:
    texts = ["1,5", "2,5", "1.234", "1.5"]
    stored = Vector(Type(Kind.DECIMAL, SCALE), np.array([1500, 2500, 1234000, 1500]), np.ones(4, dtype=bool))
    found = agreeing(COLUMN, stored, CellTexts(pa.array(["text"] * 4), pa.array(texts)))
    assert found.tolist() == [True, True, True, False]
