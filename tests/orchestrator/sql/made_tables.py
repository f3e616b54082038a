"""Small stored tables made by hand: a Parquet segment in the documented format and the second reader's cells beside it.

Nothing of the writer or the parser is used, so that a mistake there does not hide one here.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from indexer.cell_cache import write_cells
from indexer.stored import StoredTable, Version
from orchestrator.scope import VisibleColumn, VisibleTable
from parsers.address import parse_address
from parsers.table import Column, ColumnType, Table

ORIGINAL = "0f" * 32
D = Decimal


@dataclass(frozen=True)
class Made:
    """A table to be stored.

    `columns`: sql_name -> values (None: blank). `cells`: sql_name -> addresses, where a column has its own; `states`, `totals`,
    `hidden` as in a segment. `hidden_columns`: stored, but not visible to the asker. `second`: texts of the second reader that
    differ from what the values say, by address (None: no such cell)."""

    name: str
    columns: Mapping[str, Sequence[Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    unit_columns: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    states: Mapping[str, Sequence[int]] = field(default_factory=dict)
    totals: Sequence[bool] = ()
    hidden: Sequence[bool] = ()
    rows: Sequence[int] = ()
    hidden_columns: frozenset[str] = frozenset()
    row_filter: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    second: Mapping[str, tuple[str, str] | None] = field(default_factory=dict)


def store(made: Made, directory: Path) -> VisibleTable:
    """Writes segment and cells and gives the table as an asker sees it."""
    directory.mkdir(parents=True, exist_ok=True)
    names = list(made.columns)
    size = len(made.columns[names[0]])
    rows = list(made.rows or range(2, size + 2))
    columns = tuple(_column(made, name, place) for place, name in enumerate(names, start=1))
    arrays: dict[str, pa.Array] = {}
    for column in columns:
        arrays |= _arrays(column, made.columns[column.sql_name])
    arrays["_row"] = pa.array(rows, pa.int64())
    arrays |= {f"_cell_{name}": pa.array(list(addresses), pa.string()) for name, addresses in made.cells.items()}
    arrays |= {f"_state_{name}": pa.array(list(states), pa.uint8()) for name, states in made.states.items()}
    if made.totals:
        arrays["_total"] = pa.array(list(made.totals), pa.bool_())
    if made.hidden:
        arrays["_hidden"] = pa.array(list(made.hidden), pa.bool_())
    segment = directory / f"{made.name}.parquet"
    pq.write_table(pa.table(arrays), segment)
    cells = directory / f"{made.name}.cells"
    write_cells(cells, _second_cells(made, columns, rows), original_sha256=ORIGINAL, sheet="Blatt")
    stored = StoredTable(
        f"{made.name}@1", made.name, _version(made.name), _table(made, columns, size), "alle", segment,
        hashlib.sha256(segment.read_bytes()).hexdigest(), cells,
    )  # fmt: skip
    visible = tuple(
        VisibleColumn(column, (column.name,), column.unit, "sum")
        for column in columns
        if column.sql_name not in made.hidden_columns
    )
    return VisibleTable(stored, visible, dict(made.row_filter))


def _column(made: Made, name: str, place: int) -> Column:
    kind, scale = _kind(made.columns[name])
    return Column(
        header=name, name=name, sql_name=name, type=kind, position=None if name in made.cells else place,
        unit=made.units.get(name),
        unit_column=made.unit_columns.get(name), scale=scale, has_cells=name in made.cells, has_unreadable=name in made.states,
    )  # fmt: skip


def _kind(values: Sequence[Any]) -> tuple[ColumnType, int]:
    there = [value for value in values if value is not None]
    first = there[0]
    if isinstance(first, bool):
        return ColumnType.BOOLEAN, 0
    if isinstance(first, Decimal):
        return ColumnType.DECIMAL, max(max(-int(value.as_tuple().exponent), 0) for value in there)
    if isinstance(first, tuple):
        return ColumnType.PERIOD, 0
    kinds = {int: ColumnType.INTEGER, str: ColumnType.TEXT, date: ColumnType.DATE, datetime: ColumnType.TIMESTAMP}
    return kinds[type(first)], 0


def _arrays(column: Column, values: Sequence[Any]) -> dict[str, pa.Array]:
    name = column.sql_name
    match column.type:
        case ColumnType.DECIMAL:
            return {name: pa.array(list(values), pa.decimal128(38, column.scale))}
        case ColumnType.INTEGER:
            return {name: pa.array(list(values), pa.int64())}
        case ColumnType.TIMESTAMP:
            return {name: pa.array(list(values), pa.timestamp("us"))}
        case ColumnType.PERIOD:
            parts = [(None, None, None) if value is None else value for value in values]
            return {
                name: pa.array([part[0] for part in parts], pa.string()),
                f"_from_{name}": pa.array([part[1] for part in parts], pa.date32()),
                f"_to_{name}": pa.array([part[2] for part in parts], pa.date32()),
            }
    return {name: pa.array(list(values))}


def _second_cells(made: Made, columns: Sequence[Column], rows: Sequence[int]) -> list[tuple[int, int, str, str]]:
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for column in columns:
        for index, (row, value) in enumerate(zip(rows, made.columns[column.sql_name], strict=True)):
            place = parse_address(made.cells[column.sql_name][index]) if column.has_cells else (row, column.position or 0)
            if value is not None:
                found[place] = _second_text(value)
    for address, cell in made.second.items():
        if cell is None:
            found.pop(parse_address(address), None)
        else:
            found[parse_address(address)] = cell
    return [(row, column, kind, text) for (row, column), (kind, text) in found.items()]


def _second_text(value: Any) -> tuple[str, str]:
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, Decimal | int):
        text = format(Decimal(value), "f")
        return "number", text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, tuple):
        return "text", value[0]
    if isinstance(value, date):
        return "date", value.isoformat().removesuffix("T00:00:00")
    return "text", str(value)


def _version(name: str) -> Version:
    return Version(
        tenant="t", document=f"{name}.xlsx", version_id=f"{name}-1", number=1, label="1", date=None, status=None, binding=True,
        authorized_by=None, authorized_at=None, ingested_at=datetime(2024, 1, 1), sha256=ORIGINAL, original=Path(f"{name}.xlsx"),
        access_level="alle", kind="sales", locale="de",
    )  # fmt: skip


def _table(made: Made, columns: tuple[Column, ...], size: int) -> Table:
    return Table(
        name=made.name, sheet="Blatt", range=f"A1:H{size + 1}", layout="list", columns=columns, header_rows=(1,),
        first_data_row=2,
        last_data_row=size + 1, data_rows=size, has_totals=bool(made.totals), has_hidden_rows=bool(made.hidden),
    )  # fmt: skip


def with_rows_only(made: Made, kept: Sequence[int]) -> Made:
    """The same table with only these places (from 0)."""
    pick = lambda values: [values[index] for index in kept]  # noqa: E731
    size = len(next(iter(made.columns.values())))
    return replace(
        made,
        columns={name: pick(values) for name, values in made.columns.items()},
        rows=pick(list(made.rows or range(2, size + 2))),
    )


def trade(seed: int = 1, size: int = 60) -> tuple[Made, Made, Made]:
    """Sales, products and a budget with blanks, ties, keys without a partner, products of one name, zero and negative amounts."""
    chance = random.Random(seed)
    regions = ["N", "S", "O", "W", None]
    amounts = [None if chance.random() < 0.12 else D(chance.randint(-2000, 9000)).scaleb(-2) for _ in range(size)]
    sales = Made(
        "sales",
        {
            "region": [chance.choice(regions) for _ in range(size)],
            "pid": [chance.choice([1, 1, 2, 3, 4, 5, 9, None]) for _ in range(size)],
            "amount": [amount if amount is None or chance.random() > 0.2 else D("10.00") for amount in amounts],
            "qty": [chance.choice([0, 1, 2, 3, 4, 5, None]) for _ in range(size)],
            "d": [date(2024, chance.randint(1, 6), chance.randint(1, 28)) for _ in range(size)],
            "secret": [D(chance.randint(1, 9)) for _ in range(size)],
        },
        units={"amount": "EUR", "qty": "Stück"},
        hidden_columns=frozenset({"secret"}),
    )
    products = Made(
        "products",
        {
            "id": [1, 2, 3, 4, 5, 6],
            "name": ["Kabel", "Rohr", "Kabel", "Zange", None, "Säge"],
            "cat": ["a", "a", "b", "b", None, "c"],
            "cost": [D("1.50"), D("0.05"), None, D("12.00"), D("3.30"), D("7.00")],
        },
        units={"cost": "EUR"},
    )
    budget = Made(
        "budget",
        {
            "region": ["N", "N", "S", "O", "X", None],
            "plan": [D("100.00"), D("50.50"), D("80.00"), None, D("5.00"), D("1.00")],
            "yr": [2023, 2024, 2024, 2024, 2024, 2023],
        },
        units={"plan": "EUR"},
    )
    return sales, products, budget
