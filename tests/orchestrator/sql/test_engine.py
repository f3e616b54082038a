"""The engine's process: limits that end it, the next statement answered, nothing carried over, nothing but the named segments."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.engine import Engine, EngineLimits
from orchestrator.guard_rules import SqlLimits
from orchestrator.rewrite_scope import segment_name
from orchestrator.run_select import run_select
from orchestrator.scope import VisibleTable
from orchestrator.sql_refusals import EngineFailed, LimitExceeded, SqlRefusal
from tests.orchestrator.sql.made_tables import Made, store, trade
from tests.orchestrator.sql.test_guard import SHARED, shared_statements

LONGEST_START = 3.0  # seconds; 0.4 on an idle machine


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, VisibleTable]:
    directory = tmp_path_factory.mktemp("tables")
    many = 20_000
    made = (*trade(), Made("wide", {"k": [1] * many, "t": ["x" * 50] * many}))
    return {one.name: store(one, directory) for one in made}


def _answers(engine: Engine, tables: Mapping[str, VisibleTable]) -> bool:
    return run_select("select count(*) from sales", tables, engine).rows[0][0].value == 60


def _process_id(engine: Engine) -> int:
    assert engine._process is not None
    return engine._process.pid


@pytest.mark.skipif(not SHARED.exists(), reason="the shared statements are not here")
@pytest.mark.parametrize(("name", "sql"), list(shared_statements("sql_bombs.sql")))
def test_shared_bombs_end_and_the_next_statement_is_answered(
    name: str, sql: str, engine: Engine, tables: Mapping[str, VisibleTable]
) -> None:
    started = time.monotonic()
    with pytest.raises(SqlRefusal):
        run_select(sql, tables, engine)
    assert time.monotonic() - started < 8
    assert _answers(engine, tables)


# Straight to the engine, as if the guard had let them through: what it must survive by itself.
ENDLESS = {
    "product of a table with itself": 'select count(*) as v0 from "{0}" a, "{0}" b, "{0}" c where a.t || b.t || c.t > \'y\'',
    "series": "select sum(i) as v0 from range(100000000000) t(i)",
    "levenshtein": "select levenshtein(repeat('a', 100000), repeat('b', 100000)) as v0",
    "recursion": "with recursive r as (select 1 as n union all select n from r, range(10)) select count(*) as v0 from r",
}
GREEDY = {
    "long text": "select length(repeat('x', 2000000000)) as v0",
    "long list": "select len(range(400000000)) as v0",
    "joined texts": 'select length(string_agg(a.t, \',\')) as v0 from "{0}" a, "{0}" b',
    "sorted product": 'select a.t as v0 from "{0}" a, "{0}" b order by a.t || b.t || random()::varchar limit 1000000',
}


@pytest.mark.parametrize("sql", ENDLESS.values(), ids=ENDLESS.keys())
def test_time_is_limited(sql: str, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    stored = tables["wide"].stored
    engine.run("select 1 as v0", [stored], 30)
    started = time.monotonic()
    with pytest.raises(SqlRefusal):
        engine.run(sql.format(segment_name(stored.segment_sha256)), [stored], 1.0)
    assert time.monotonic() - started < 3
    assert _answers(engine, tables)


@pytest.mark.parametrize("sql", GREEDY.values(), ids=GREEDY.keys())
def test_memory_is_limited(sql: str, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    stored = tables["wide"].stored
    with pytest.raises((LimitExceeded, EngineFailed)):
        engine.run(sql.format(segment_name(stored.segment_sha256)), [stored], 5.0)
    assert _answers(engine, tables)


def test_a_killed_worker_is_replaced(engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    assert _answers(engine, tables)
    before = _process_id(engine)
    assert engine._process is not None
    engine._process.kill()
    engine._process.wait()
    assert _answers(engine, tables)
    assert _process_id(engine) != before


FORBIDDEN = [
    "select * from read_csv('/etc/passwd')", "select * from '/etc/passwd'",
    "select content as v0 from read_text('/etc/hostname')",
    "copy (select 1) to '/dev/null'", "attach ':memory:' as other", "set threads = 16", "set enable_external_access = true",
    "create table kept as select 1 as x", "install httpfs", "select 1 as v0; select 2 as v0", "create temp macro f() as 1",
    "select name as v0 from duckdb_settings()", "select * from information_schema.tables",
    "select 1.5::double as v0", "select avg(k) as v0 from {0}", "select 1 as v0 where 1 / 3 > 0",
    "with x as (select avg(k) as a from {0}) select cast(a as decimal(9, 2)) as v0 from x",
]  # fmt: skip


@pytest.mark.parametrize("sql", FORBIDDEN)
def test_the_engine_refuses_by_itself(sql: str, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    """Files, other tables, settings, several statements and binary numbers, also where the guard would have failed."""
    stored = tables["wide"].stored
    with pytest.raises(SqlRefusal):
        engine.run(sql.format(f'"{segment_name(stored.segment_sha256)}"'), [stored], 5.0)


def test_only_the_named_tables_can_be_read(engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    assert _answers(engine, tables)  # sales is loaded
    sales, budget = tables["sales"].stored, tables["budget"].stored
    with pytest.raises(SqlRefusal):
        engine.run(f'select count(*) as v0 from "{segment_name(sales.segment_sha256)}"', [budget], 5.0)


def test_a_changed_segment_is_not_read(tmp_path: Path, engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    table = store(Made("changed", {"a": [1, 2]}), tmp_path)
    other = store(Made("changed", {"a": [1, 3]}), tmp_path)
    assert other.stored.segment == table.stored.segment
    with pytest.raises(EngineFailed) as refusal:
        run_select("select sum(a) from changed", {"changed": table}, engine)
    assert refusal.value.rule == "segment_changed"


def test_segments_beyond_the_room_are_dropped_and_loaded_again(tmp_path: Path) -> None:
    rows = 4_000
    named = {f"t{n}": store(Made(f"t{n}", {"a": [n] * rows, "b": ["y" * 40] * rows}), tmp_path) for n in range(6)}
    with Engine(EngineLimits(segment_bytes=2_000_000)) as engine:
        engine._room = 2_000_000
        engine._end()
        for _ in range(2):
            for number in range(6):
                result = run_select(f"select sum(a) as s from t{number}", named, engine)
                assert result.rows[0][0].value == number * rows or number == 0


def test_starting_is_quick() -> None:
    started = time.monotonic()
    with Engine() as engine:
        engine.run("select 1 as v0", [], 10)
    assert time.monotonic() - started < LONGEST_START


def test_a_closed_engine_says_so(tables: Mapping[str, VisibleTable]) -> None:
    engine = Engine()
    engine.close()
    with pytest.raises(EngineFailed):
        run_select("select region from sales", tables, engine)


def test_results_are_cut_and_say_so(engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    result = run_select("select k, t from wide", tables, engine, row_limit=10)
    assert (len(result.rows), result.truncated) == (10, True)
    result = run_select("select k, t from wide limit 10", tables, engine, row_limit=10)
    assert (len(result.rows), result.truncated) == (10, False)


def test_the_time_limit_is_the_statements_own(engine: Engine, tables: Mapping[str, VisibleTable]) -> None:
    slow = "select count(*) from wide a join wide b on a.k = b.k where a.t || b.t > 'y'"
    with pytest.raises(LimitExceeded):
        run_select(slow, tables, engine, limits=replace(SqlLimits(), seconds=0.3))
    assert _answers(engine, tables)


def test_the_worker_ends_with_its_parent() -> None:
    """Also while it works: the parent is killed in the middle of an endless statement."""
    series = ", ".join(f"(select unnest(generate_series(1, 100000)) as n) x{place}" for place in range(3))
    code = (
        "from orchestrator.engine import Engine\nengine = Engine()\nengine.run('select 1 as v0', [], 20)\n"
        "print(engine._process.pid, flush=True)\n"
        f"engine.run('select count(*) as v0 from {series} where x0.n + x1.n > x2.n', [], 60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3])
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _runs(worker):
        time.sleep(0.1)
    assert not _runs(worker)


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
