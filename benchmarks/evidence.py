"""What evidence and proof cost over the plain query: filter, group by, join and ratio, in the same engine and the same run."""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import processor_seconds
from indexer.cell_cache import write_cells
from indexer.stored import StoredTable, Version
from orchestrator.engine import Engine
from orchestrator.rewrite_scope import segment_name
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleColumn, VisibleTable
from parsers.table import Column, ColumnType, Table

LEAST_RUNS = 9
PRODUCTS = 1_000
REGIONS = 20
_ORIGINAL = "0f" * 32

STATEMENTS: tuple[tuple[str, str], ...] = (
    ("filter", "SELECT sum(amount) AS a FROM {sales} WHERE region = 'R07'"),
    ("group by", "SELECT region, sum(amount) AS a FROM {sales} GROUP BY region"),
    ("join", "SELECT p.cat, sum(s.amount) AS a FROM {sales} s JOIN {products} p ON s.pid = p.id GROUP BY p.cat"),
    ("ratio", "SELECT sum(amount) / sum(qty) AS a FROM {sales}"),
)
"""Name -> statement; the plain form reads the segments directly (of a ratio both sums, since the engine's division is not exact),
the other goes through guard, scope, evidence and proof."""


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time of both processes: median of the runs, and `first`: evidence with proof when no cell has been
    compared yet. `clock`: evidence with proof by the clock."""

    plain: float
    evidence: float
    proof: float
    first: float
    clock: float


def overhead(rows: int, runs: int) -> list[str]:
    """A table for sales of so many rows joined to 1,000 products."""
    lines = [
        f"Evidence and proof, {rows:,} rows",
        "",
        "| statement | plain query ms | with evidence ms | ratio | and proof ms | ratio | by the clock ms | the first time ms |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, cost in _costs(rows, runs):
        evidence = f"{cost.evidence * 1e3:.1f} | {cost.evidence / cost.plain:.1f}"
        proof = f"{cost.proof * 1e3:.1f} | {cost.proof / cost.plain:.1f} | {cost.clock * 1e3:.1f}"
        lines.append(f"| {name} | {cost.plain * 1e3:.1f} | {evidence} | {proof} | {cost.first * 1e3:.0f} |")
    return lines


def _costs(rows: int, runs: int) -> Iterator[tuple[str, Cost]]:
    with tempfile.TemporaryDirectory() as place:
        tables = {"sales": _sales(rows, Path(place)), "products": _products(Path(place))}
        names = {name: f'"{segment_name(table.stored.segment_sha256)}"' for name, table in tables.items()}
        for name, statement in STATEMENTS:
            own, plain = statement.format(sales="sales", products="products"), statement.replace(" / ", ", ").format_map(names)
            with Engine() as engine:
                yield name, _cost(engine, own, plain, tables, runs)


def _cost(engine: Engine, own: str, plain: str, tables: dict[str, VisibleTable], runs: int) -> Cost:
    stored = [table.stored for table in tables.values()]
    engine.run(plain, stored, 60.0)
    first, _ = _spent(engine, lambda: run_select(own, tables, engine))
    proved = [_spent(engine, lambda: run_select(own, tables, engine)) for _ in range(runs)]
    return Cost(
        _median(engine, lambda: engine.run(plain, stored, 60.0), runs),
        _median(engine, lambda: run_select(own, tables, engine, prove=False), runs),
        statistics.median(processor for processor, _ in proved),
        first,
        statistics.median(clock for _, clock in proved),
    )


def _spent(engine: Engine, step: Callable[[], object]) -> tuple[float, float]:
    """Processor time of both processes, and time by the clock."""
    processes = engine.processes
    processor, clock = processor_seconds(processes), time.perf_counter()
    step()
    return processor_seconds(processes) - processor, time.perf_counter() - clock


def _median(engine: Engine, step: Callable[[], object], runs: int) -> float:
    return statistics.median(_spent(engine, step)[0] for _ in range(runs))


def _sales(rows: int, place: Path) -> VisibleTable:
    chance = np.random.default_rng(7)
    cents, regions = chance.integers(100, 10_000_000, rows), chance.integers(0, REGIONS, rows)
    pids, quantities = chance.integers(1, PRODUCTS + 1, rows), chance.integers(1, 50, rows)
    data = {
        "region": pa.array([f"R{each:02d}" for each in regions]),
        "pid": pa.array(pids, pa.int64()),
        "amount": pa.array([Decimal(int(each)).scaleb(-2) for each in cents], pa.decimal128(38, 2)),
        "qty": pa.array(quantities, pa.int64()),
    }
    return _stored("sales", data, place)


def _products(place: Path) -> VisibleTable:
    ids = range(1, PRODUCTS + 1)
    return _stored("products", {"id": pa.array(ids, pa.int64()), "cat": pa.array([f"C{each % 12:02d}" for each in ids])}, place)


def _stored(name: str, data: dict[str, pa.Array], place: Path) -> VisibleTable:
    """Segment, second reader's cells and the table as an asker with all levels sees it."""
    size = len(next(iter(data.values())))
    columns = tuple(_column(header, values, number) for number, (header, values) in enumerate(data.items(), start=1))
    segment, cells = place / f"{name}.parquet", place / f"{name}.cells"
    pq.write_table(pa.table(data | {"_row": pa.array(range(2, size + 2), pa.int64())}), segment, compression="zstd")
    write_cells(cells, _second_cells(data), original_sha256=_ORIGINAL, sheet="Blatt")
    version = Version(
        tenant="t", document=f"{name}.xlsx", version_id=f"{name}-1", number=1, label="1", date=None, status=None, binding=True,
        authorized_by=None, authorized_at=None, ingested_at=datetime(2024, 1, 1), sha256=_ORIGINAL, original=place / name,
        access_level="alle", kind="sales", locale="de",
    )  # fmt: skip
    table = Table(
        name=name, sheet="Blatt", range=f"A1:H{size + 1}", layout="list", columns=columns, header_rows=(1,), first_data_row=2,
        last_data_row=size + 1, data_rows=size,
    )  # fmt: skip
    digest = hashlib.sha256(segment.read_bytes()).hexdigest()
    stored = StoredTable(f"{name}@1", name, version, table, "alle", segment, digest, cells)
    return VisibleTable(stored, tuple(VisibleColumn(column, (column.name,), None, "sum") for column in columns), {})


def _column(header: str, values: pa.Array, position: int) -> Column:
    kind = ColumnType.TEXT if pa.types.is_string(values.type) else ColumnType.INTEGER
    if pa.types.is_decimal(values.type):
        return Column(header, header, header, ColumnType.DECIMAL, position=position, scale=values.type.scale)
    return Column(header, header, header, kind, position=position)


def _second_cells(data: dict[str, pa.Array]) -> Iterator[tuple[int, int, str, str]]:
    for column, values in enumerate(data.values(), start=1):
        kind = "text" if pa.types.is_string(values.type) else "number"
        for row, value in enumerate(values.to_pylist(), start=2):
            yield row, column, kind, _text(value)


def _text(value: object) -> str:
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def tables(sizes: Sequence[int], runs: int) -> Iterator[list[str]]:
    for rows in sizes:
        yield overhead(rows, runs)
