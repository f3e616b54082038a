"""Random statements over the tables of made_tables.trade, from the forms that evidence covers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

# {n} {m}: numbers, {a}: any column, {c}: a condition
AGGREGATES = """
sum({n}) | count({a}) | count(*) | count(distinct {a}) | min({a}) | max({a}) | avg({n}) | median({n}) | sum({n}) / count({n})
sum({n}) - min({n}) | sum({n} * {m}) | sum(case when {c} then {n} end) | sum({n}) filter (where {c}) | count(*) filter (where {c})
coalesce(sum({n}), 0) | sum({n}) / nullif(sum({m}), 0) | max({n}) - min({n}) | sum(distinct {n}) | avg({n}) filter (where {c})
sum({n} + {m}) | count({n}) * 100 / count(*) | sum(abs({n})) | sum(case when {c} then 1 else 0 end) | avg({n}) - avg({m})
min({n}) filter (where {c}) | count(distinct case when {c} then {a} end) | sum(coalesce({n}, {m})) | -sum({n}) | avg(distinct {n})
sum({n}) * 100 / nullif(max({m}), 0) | greatest(max({n}), max({m})) | case when count({n}) > 2 then sum({n}) else min({m}) end
sum(round({n} * {m}, 1)) | median({n}) filter (where {c}) | max({n} - {m}) | sum(nullif({n}, 10)) | sum({n}) > 10
"""
EXPRESSIONS = """
{n} * {m} | {n} - {m} | coalesce({n}, {m}) | {n} / {m} | case when {c} then {n} else {m} end | abs({n}) | -{n} | nullif({n}, 10)
case when {c} then 'ja' else 'nein' end | {n} > {m} | greatest({n}, {m}) | round({n} * 1.5, 1) | {n} * 3 - {m} * 2 | {n} % 3
"""
CONDITIONS = """
{n} > 0 | {n} > 2 | {n} > 10.5 | {n} >= 1.005 | {n} between 1 and 20 | {t} in ('N', 'S', 'a') | {t} is null | {t} is not null
{n} is not null | {t} = 'N' | {t} <> 'N' | not {n} <= 2 | {t} like '%a%' | {n} = 1 or {t} = 'S'
{n} * 2 > 5 | {t} not in ('N', 'b')
{n} > {m} | {n} / 3 > 1.1 | {n} - {m} < 4 | coalesce({n}, 0) < 3 | ({n} > 2) is not true | {n} in (1, 2, 10) | lower({t}) >= 'n'
"""
DATE_CONDITIONS = (
    "s.d >= date '2024-03-01'",
    "month(s.d) in (1, 2, 5)",
    "s.d between '2024-02-01' and '2024-04-15'",
    "quarter(s.d) = 1",
)
MEMBERSHIPS = (
    "s.pid in (select q.id from products q where q.cat = 'a')",
    "s.pid not in (select q.id from products q where q.cat = 'b')",
)
SUBQUERY_CONDITIONS = (
    "exists (select 1 from products q where q.id = s.pid and q.cost > 1)",
    "not exists (select 1 from products q where q.id = s.pid)",
    "s.amount > (select avg(t.amount) from sales t)",
    "s.amount >= all (select t.plan from budget t where t.plan < 60)",
    "s.amount > (select min(t.plan) from budget t where t.region = s.region)",
    "s.qty = any (select t.id from products t where t.cost > 1)",
)
KEYS = (
    "month(s.d)",
    "strftime(s.d, '%Y-%m')",
    "quarter(s.d)",
    "date_trunc('month', s.d)::date",
    "case when s.qty > 2 then 'viel' else 'wenig' end",
)
HAVINGS = (
    "count(*) > 2",
    "sum({n}) > 20",
    "avg({n}) > 5.5",
    "min({n}) is not null",
    "sum({n}) > (select avg(t.qty) from sales t)",
    "count({n}) >= 1",
)
INNER = "select {k} as k, sum({n}) as s, count(*) as n, avg({n}) as a from {from} group by {k}"
DERIVED = (
    "select sum(x.s) as c0, count(*) as c1 from ({inner}) x",
    "select x.k as c0, x.s as c1, x.a as c2 from ({inner}) x where x.n > 1",
    "with x as ({inner}) select x.k as c0, x.s as c1, b.plan as c2, x.s - b.plan as c3 from x join budget b on b.region = x.k",
    "with x as ({inner}) select max(x.s) as c0, min(x.n) as c1 from x where x.a > 2",
    "with x as ({inner}) select b.region as c0, x.s as c1, b.plan as c2 from budget b left join x on x.k = b.region",
    "with x as ({inner}) select y.k as c0, y.s - z.s as c1 from x y join x z on y.k = z.k",
    "with x as ({inner}), y as (select x.k, x.s from x where x.n > 2) select sum(y.s) as c0, min(y.k) as c1 from y",
    "select z.n as c0, sum(z.s) as c1 from (select x.n, x.s from ({inner}) x where x.s is not null) z group by z.n",
    "with x as ({inner}) select coalesce(x.k, b.region) as c0, sum(x.s) as c1, sum(b.plan) as c2 "
    "from x full join budget b on x.k = b.region group by 1",
    "with x as ({inner}), y as (select sum(x.s) as s from x) select x.k as c0, x.s / y.s as c1 from x, y",
    "with x as ({inner}) select count(distinct x.n) as c0, sum(x.s) filter (where x.a > 3) as c1, avg(x.n) as c2 from x",
)
SCALARS = (
    "select b.region as c0, (select sum(s.amount) from sales s where s.region = b.region) as c1 from budget b",
    "select s.region as c0, s.amount - (select avg(t.amount) from sales t where t.region = s.region) as c1 from sales s",
    "select b.region as c0, b.plan - (select max(s.amount) from sales s where s.region = b.region and s.qty > 1) as c1 "
    "from budget b",
    "select s.region as c0, s.amount as c1 from sales s where s.amount > (select avg(t.amount) from sales t)",
    "select b.region as c0, b.plan * (select count(*) from products p where p.cost > 2) as c1 from budget b where b.yr = 2024",
    "select sum(s.amount) as c0, (select sum(b.plan) from budget b) as c1 from sales s",
    "select s.region as c0, sum(s.qty) as c1, (select max(p.cost) from products p) as c2 from sales s group by s.region",
    "select s.region as c0, sum(s.amount) * 100 / (select sum(t.amount) from sales t) as c1 from sales s group by s.region",
    "select b.plan as c0, coalesce((select min(s.qty) from sales s where s.region = b.region and s.amount < 0), b.yr) as c1 "
    "from budget b",
)
WINDOWS = (
    "select s.region as c0, s.amount as c1, sum(s.amount) over ({p}) as c2 from sales s where {c}",
    "select s.d as c0, sum(s.amount) over ({p} order by s.d) as c1 from sales s where s.amount is not null",
    "select s.region as c0, count(*) over ({p}) as c1, max(s.qty) over ({p}) as c2 from sales s",
    "with m as (select month(s.d) as m, sum(s.amount) as s from sales s group by 1) "
    "select m.m as c0, m.s as c1, m.s - lag(m.s) over (order by m.m) as c2 from m",
    "with m as (select month(s.d) as m, sum(s.amount) as s from sales s group by 1) "
    "select m.m as c0, sum(m.s) over (order by m.m rows between 1 preceding and current row) as c1, "
    "lead(m.m) over (order by m.m) as c2 from m",
    "select s.region as c0, s.qty - avg(s.qty) over ({p}) as c1 from sales s",
)


def listed(text: str) -> tuple[str, ...]:
    """The patterns of one of the tables above."""
    return tuple(pattern.strip() for line in text.strip().splitlines() for pattern in line.split(" | "))


@dataclass(frozen=True)
class Relation:
    """FROM text with its columns by kind, already qualified."""

    sql: str
    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    dates: tuple[str, ...] = ()

    @property
    def everything(self) -> tuple[str, ...]:
        return self.numbers + self.texts + self.dates


SALES = Relation("sales s", ("s.amount", "s.qty", "s.pid"), ("s.region",), ("s.d",))
PRODUCTS = Relation("products p", ("p.cost", "p.id"), ("p.name", "p.cat"))
BUDGET = Relation("budget b", ("b.plan", "b.yr"), ("b.region",))


class QueryMaker:
    """Each `statement()` is one more random statement. `limited` says whether rows of the
    last one depend on other rows than those behind them (a LIMIT, groups of counts)."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.limited = False

    def statement(self) -> str:
        self.limited = False
        forms = [self._plain, self._grouped, self._derived, self._union, self._scalar, self._window]
        return self._chance.choices(forms, [3, 12, 4, 2, 2, 2])[0]()

    # --- forms

    def _plain(self) -> str:
        relation = self._relation()
        columns = self._pick(relation.everything, 1, 4)
        if self._chance.random() < 0.5:
            columns.append(self._filled(self._one_of(EXPRESSIONS), relation))
        divides = any("/" in one for one in columns)
        distinct = "distinct " if self._chance.random() < 0.3 and not divides else ""
        sql = f"select {distinct}{self._outputs(columns)} from {relation.sql}{self._where(relation)}"
        return sql + self._order(len(columns))

    def _grouped(self) -> str:
        relation = self._relation()
        keys = self._pick([*relation.texts, *relation.dates, *relation.numbers[1:]], 0, 2)
        if relation.dates and self._chance.random() < 0.25:
            keys.append(self._chance.choice(KEYS))
        measures = [self._filled(self._one_of(AGGREGATES), relation) for _ in range(self._chance.randint(1, 3))]
        sql = f"select {self._outputs([*keys, *measures])} from {relation.sql}{self._where(relation)}"
        if keys:
            rollup = self._chance.random() < 0.08
            sql += f" group by rollup ({', '.join(keys)})" if rollup else f" group by {', '.join(keys)}"
            if self._chance.random() < 0.25:
                sql += f" having {self._chance.choice(HAVINGS).format(n=relation.numbers[0])}"
            if rollup:
                return sql
        return sql + self._order(len(keys) + len(measures))

    def _derived(self) -> str:
        inner = self._relation()
        body = INNER.replace("{from}", f"{inner.sql}{self._where(inner)}")
        body = body.format(k=self._chance.choice(inner.texts), n=self._chance.choice(inner.numbers))
        pattern = self._chance.choice(DERIVED)
        self.limited = "x.n)" in pattern or "z.n" in pattern  # one more row elsewhere may change which groups fall together
        return pattern.format(inner=body)

    def _union(self) -> str:
        word = self._chance.choice(["union all", "union"])
        first = f"select s.region as c0, s.amount as c1 from sales s{self._where(SALES)}"
        second = f"select b.region, b.plan from budget b{self._where(BUDGET)}"
        both = f"{first} {word} {second}"
        if self._chance.random() < 0.3:
            both += f" {self._chance.choice(['union all', 'union'])} select p.cat, sum(p.cost) from products p group by p.cat"
        if self._chance.random() < 0.3:
            return f"select u.c0 as c0, sum(u.c1) as c1, count(*) as c2 from ({both}) u group by u.c0"
        return both

    def _scalar(self) -> str:
        return self._chance.choice(SCALARS)

    def _window(self) -> str:
        partition = self._chance.choice(["", "partition by s.region"])
        return self._chance.choice(WINDOWS).format(p=partition, c=self._condition(SALES))

    # --- pieces

    def _relation(self) -> Relation:
        kind = self._chance.choice(["", "left ", "inner ", "right ", "full "])
        numbers = (*SALES.numbers, "p.cost")
        joined = Relation(f"sales s {kind}join products p on p.id = s.pid", numbers, SALES.texts + PRODUCTS.texts, SALES.dates)
        numbers = (*SALES.numbers, "b.plan")
        planned = Relation(
            f"sales s {kind}join budget b on b.region = s.region and b.yr = 2024", numbers, SALES.texts, SALES.dates
        )
        return self._chance.choices([SALES, BUDGET, PRODUCTS, joined, planned], [5, 1, 1, 4, 1])[0]

    def _pick(self, items: Sequence[str], least: int, most: int) -> list[str]:
        return self._chance.sample(list(items), min(len(items), self._chance.randint(least, most)))

    def _one_of(self, patterns: str) -> str:
        return self._chance.choice(listed(patterns))

    def _filled(self, pattern: str, relation: Relation) -> str:
        number, other = (self._chance.choice(relation.numbers) for _ in range(2))
        condition = self._condition(relation, simple=True)
        return pattern.format(n=number, m=other, a=self._chance.choice(relation.everything), c=condition)

    def _outputs(self, columns: Sequence[str]) -> str:
        return ", ".join(f"{text} as c{index}" for index, text in enumerate(columns))

    def _condition(self, relation: Relation, simple: bool = False) -> str:
        choices = [*listed(CONDITIONS), *(DATE_CONDITIONS if relation.dates else ())]
        if "s.pid" in relation.numbers and not simple:
            choices += MEMBERSHIPS
        number, other = (self._chance.choice(relation.numbers) for _ in range(2))
        return self._chance.choice(choices).format(n=number, m=other, t=self._chance.choice(relation.texts))

    def _where(self, relation: Relation) -> str:
        conditions = [f"({self._condition(relation)})" for _ in range(self._chance.choice([0, 1, 1, 2]))]
        if relation is SALES and self._chance.random() < 0.15:
            conditions.append(self._chance.choice(SUBQUERY_CONDITIONS))
        return f" where {' and '.join(conditions)}" if conditions else ""

    def _order(self, outputs: int) -> str:
        if self._chance.random() > 0.25:
            return ""
        self.limited = True
        keys = ", ".join(f"{1 + index}{self._chance.choice(['', ' desc', ' nulls first'])}" for index in range(outputs))
        offset = " offset 1" if self._chance.random() < 0.2 else ""
        return f" order by {keys} limit {self._chance.randint(1, 6)}{offset}"
