"""What the guard lets through and what it refuses before the engine is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from orchestrator.guard_rules import SqlLimits
from orchestrator.run_select import check_select
from orchestrator.scope import VisibleTable
from orchestrator.sql_refusals import GuardRefusal, NoProvenance, SqlRefusal
from tests.orchestrator.sql.made_tables import store, trade

HERE = Path(__file__).parent
SHARED = Path(__file__).parents[3] / ".." / "shared" / "cases"
ATTACKS = yaml.safe_load((HERE / "attacks.yaml").read_text(encoding="utf-8"))
HARMLESS = yaml.safe_load((HERE / "harmless.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, VisibleTable]:
    directory = tmp_path_factory.mktemp("tables")
    return {made.name: store(made, directory) for made in trade()}


def shared_statements(name: str) -> Iterator[tuple[str, str]]:
    """(name, statement) of a file of statements that end with ;; and are named by a comment."""
    path = SHARED / name
    if not path.exists():
        return
    for part in path.read_text(encoding="utf-8").split(";;"):
        _, found, statement = part.partition("-- name:")
        if found:
            title, _, sql = statement.partition("\n")
            yield title.strip(), sql.strip()


@pytest.mark.parametrize("case", ATTACKS, ids=lambda case: case["name"])
def test_attacks_are_refused(case: dict[str, str], tables: Mapping[str, VisibleTable]) -> None:
    with pytest.raises((GuardRefusal, NoProvenance)) as refusal:
        check_select(case["sql"], tables)
    assert refusal.value.rule and refusal.value.message


@pytest.mark.skipif(not SHARED.exists(), reason="the shared statements are not here")
@pytest.mark.parametrize(("name", "sql"), list(shared_statements("sql_attacks.sql")))
def test_shared_attacks_are_called_unsafe(name: str, sql: str, tables: Mapping[str, VisibleTable]) -> None:
    with pytest.raises(GuardRefusal):
        check_select(sql, tables)


@pytest.mark.parametrize("sql", HARMLESS)
def test_harmless_statements_pass(sql: str, tables: Mapping[str, VisibleTable]) -> None:
    check_select(sql, tables)


def test_a_hidden_column_is_answered_like_one_that_does_not_exist(tables: Mapping[str, VisibleTable]) -> None:
    for pattern in (
        "select {} from sales",
        "select s.{} from sales s",
        "select region from sales order by {}",
        "select sum({}) from sales",
    ):
        messages = []
        for column in ("secret", "nosuch"):
            with pytest.raises(SqlRefusal) as refusal:
                check_select(pattern.format(column), tables)
            messages.append((type(refusal.value), refusal.value.rule, str(refusal.value).replace(column, "x")))
        assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("sql", "rule"),
    [
        ("select region from sales where " + " or ".join(["qty = 1"] * 3000), "too_large"),
        ("select " + "(" * 200 + "qty" + ")" * 200 + " from sales", "too_large"),
        ("select " + "not " * 2000 + "(qty = 1) from sales", "too_deep"),
        ("select region from sales where region = '" + "x" * 2000 + "'", "literal_too_long"),
        ("select region from sales " + " " * 100_000, "too_long"),
        (
            "select s0.region from sales s0 " + " ".join(f"join sales s{i} on s{i}.pid = s0.pid" for i in range(1, 30)),
            "too_many_joins",
        ),
        (
            "with c0 as (select region, 1 as n from sales), "
            + ", ".join(f"c{i} as (select a.region from c{i - 1} a join c{i - 1} b on a.region = b.region)" for i in range(1, 9))
            + " select region from c8",
            "too_large",
        ),
        ("select region from sales where qty > 1" + "0" * 60, "bad_number"),
    ],
    ids=["nodes", "parentheses", "depth", "literal", "statement", "joins", "doubling WITH queries", "number"],
)
def test_sizes_are_limited(sql: str, rule: str, tables: Mapping[str, VisibleTable]) -> None:
    with pytest.raises(GuardRefusal) as refusal:
        check_select(sql, tables, limits=SqlLimits())
    assert refusal.value.rule == rule


def test_only_regenerated_quoted_sql_is_shown(tables: Mapping[str, VisibleTable]) -> None:
    admitted, _ = check_select("select Region, sum(amount) from sales /* x */ group by 1 -- y", tables)
    assert admitted.sql == (
        'SELECT "sales"."region" AS "region", SUM("sales"."amount") AS "_col_1" FROM "sales" AS "sales" GROUP BY "sales"."region"'
    )
    assert admitted.headings == ("region", "SUM(amount)")
