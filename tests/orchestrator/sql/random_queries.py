"""Random statements over the tables of made_tables.trade, from the forms that evidence covers."""

from __future__ import annotations

import random
from dataclasses import dataclass

AGGREGATES = (
    "sum({n})", "count({a})", "count(*)", "count(distinct {a})", "min({a})", "max({a})", "avg({n})", "median({n})", "sum({n}) / count({n})",
    "sum({n}) - min({n})", "sum({n} * {m})", "sum(case when {c} then {n} end)", "sum({n}) filter (where {c})", "count(*) filter (where {c})",
    "coalesce(sum({n}), 0)", "sum({n}) / nullif(sum({m}), 0)", "max({n}) - min({n})", "sum(distinct {n})", "avg({n}) filter (where {c})",
    "sum({n} + {m})", "count({n}) * 100 / count(*)", "sum(abs({n}))",
)  # fmt: skip


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
    """Each `statement()` is one more random statement. `limited` says whether the last one had a LIMIT."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.limited = False

    def statement(self) -> str:
        self.limited = False
        form = self._chance.choices(
            [self._plain, self._grouped, self._grouped, self._derived, self._union, self._scalar, self._window],
            [3, 6, 6, 3, 2, 2, 2],
        )[0]
        return form()

    # --- forms

    def _plain(self) -> str:
        relation = self._relation()
        columns = self._pick(relation.everything, 1, 4)
        if self._chance.random() < 0.4 and len(relation.numbers) > 1:
            first, second = self._chance.sample(relation.numbers, 2)
            columns.append(self._chance.choice([f"{first} * {second}", f"{first} - {second}", f"coalesce({first}, {second})",
                                                f"{first} / {second}", f"case when {self._condition(relation)} then {first} else {second} end"]))  # fmt: skip
        distinct = "distinct " if self._chance.random() < 0.3 and not any("/" in one for one in columns) else ""
        outputs = [f"{column} as c{index}" for index, column in enumerate(columns)]
        sql = f"select {distinct}{', '.join(outputs)} from {relation.sql}{self._where(relation)}"
        return sql + self._order(len(outputs), any("/" in one for one in columns))

    def _grouped(self) -> str:
        relation = self._relation()
        keys = self._pick([*relation.texts, *relation.dates, *relation.numbers[1:]], 0, 2)
        if relation.dates and self._chance.random() < 0.2:
            keys.append(self._chance.choice([f"month({relation.dates[0]})", f"strftime({relation.dates[0]}, '%Y-%m')"]))
        measures = [self._aggregate(relation) for _ in range(self._chance.randint(1, 3))]
        outputs = [f"{text} as c{index}" for index, text in enumerate([*keys, *measures])]
        sql = f"select {', '.join(outputs)} from {relation.sql}{self._where(relation)}"
        if keys:
            sql += f" group by {', '.join(keys)}"
            if self._chance.random() < 0.25:
                sql += f" having {self._chance.choice(['count(*) > 2', f'sum({relation.numbers[0]}) > 20', f'avg({relation.numbers[0]}) > 5.5', f'min({relation.numbers[0]}) is not null'])}"
        return sql + self._order(len(outputs), True)

    def _derived(self) -> str:
        inner = self._relation()
        key, number = self._chance.choice(inner.texts), self._chance.choice(inner.numbers)
        body = f"select {key} as k, sum({number}) as s, count(*) as n, avg({number}) as a from {inner.sql}{self._where(inner)} group by {key}"
        outer = self._chance.choice(
            [
                "select sum(x.s) as c0, count(*) as c1 from ({0}) x",
                "select x.k as c0, x.s as c1, x.a as c2 from ({0}) x where x.n > 1",
                "with x as ({0}) select x.k as c0, x.s as c1, b.plan as c2, x.s - b.plan as c3 from x join budget b on b.region = x.k",
                "with x as ({0}) select max(x.s) as c0, min(x.n) as c1 from x where x.a > 2",
                "with x as ({0}) select b.region as c0, x.s as c1, b.plan as c2 from budget b left join x on x.k = b.region",
                "with x as ({0}) select y.k as c0, y.s - z.s as c1 from x y join x z on y.k = z.k",
            ]
        )
        return outer.format(body)

    def _union(self) -> str:
        word = self._chance.choice(["union all", "union"])
        first = f"select s.region as c0, s.amount as c1 from sales s{self._where(SALES)}"
        second = f"select b.region, b.plan from budget b{self._where(BUDGET)}"
        if self._chance.random() < 0.3:
            return f"select u.c0 as c0, sum(u.c1) as c1, count(*) as c2 from ({first} {word} {second}) u group by u.c0"
        return f"{first} {word} {second}"

    def _scalar(self) -> str:
        return self._chance.choice(
            [
                "select b.region as c0, (select sum(s.amount) from sales s where s.region = b.region) as c1 from budget b",
                "select s.region as c0, s.amount - (select avg(t.amount) from sales t where t.region = s.region) as c1 from sales s",
                "select b.region as c0, b.plan - (select max(s.amount) from sales s where s.region = b.region and s.qty > 1) as c1 from budget b",
                "select s.region as c0, s.amount as c1 from sales s where s.amount > (select avg(t.amount) from sales t)",
                "select b.region as c0, b.plan * (select count(*) from products p where p.cost > 2) as c1 from budget b where b.yr = 2024",
                "select sum(s.amount) as c0, (select sum(b.plan) from budget b) as c1 from sales s",
            ]
        )

    def _window(self) -> str:
        part = self._chance.choice(["", "partition by s.region "])
        return self._chance.choice(
            [
                f"select s.region as c0, s.amount as c1, sum(s.amount) over ({part.strip()}) as c2 from sales s{self._where(SALES)}",
                f"select s.d as c0, sum(s.amount) over ({part}order by s.d) as c1 from sales s where s.amount is not null",
                f"select s.region as c0, count(*) over ({part.strip()}) as c1, max(s.qty) over ({part.strip()}) as c2 from sales s",
                "with m as (select month(s.d) as m, sum(s.amount) as s from sales s group by 1) "
                "select m.m as c0, m.s as c1, m.s - lag(m.s) over (order by m.m) as c2 from m",
            ]
        )

    # --- pieces

    def _relation(self) -> Relation:
        kind = self._chance.choice(["", "left ", "inner ", "right ", "full "])
        joined = Relation(
            f"sales s {kind}join products p on p.id = s.pid",
            SALES.numbers + ("p.cost",),
            SALES.texts + PRODUCTS.texts,
            SALES.dates,
        )
        with_plan = Relation(
            f"sales s {kind}join budget b on b.region = s.region and b.yr = 2024",
            SALES.numbers + ("b.plan",),
            SALES.texts,
            SALES.dates,
        )
        return self._chance.choices([SALES, BUDGET, PRODUCTS, joined, with_plan], [5, 1, 1, 4, 1])[0]

    def _pick(self, items: list[str] | tuple[str, ...], least: int, most: int) -> list[str]:
        return self._chance.sample(list(items), min(len(items), self._chance.randint(least, most)))

    def _aggregate(self, relation: Relation) -> str:
        pattern = self._chance.choice(AGGREGATES)
        number = self._chance.choice(relation.numbers)
        other = self._chance.choice(relation.numbers)
        return pattern.format(n=number, m=other, a=self._chance.choice(relation.everything), c=self._condition(relation))

    def _condition(self, relation: Relation) -> str:
        number, text = self._chance.choice(relation.numbers), self._chance.choice(relation.texts)
        choices = [
            f"{number} > {self._chance.choice(['0', '2', '10.5', '1.005'])}", f"{number} between 1 and 20", f"{text} in ('N', 'S', 'a')",
            f"{text} is null", f"{text} is not null", f"{number} is not null", f"{text} = 'N'", f"{text} <> 'N'", f"not {number} <= 2",
            f"{text} like '%a%'", f"{number} = 1 or {text} = 'S'", f"{number} * 2 > 5", f"{text} not in ('N', 'b')",
        ]  # fmt: skip
        if relation.dates:
            choices += [f"{relation.dates[0]} >= date '2024-03-01'", f"month({relation.dates[0]}) in (1, 2, 5)"]
        if "s.pid" in relation.numbers:
            choices += [
                "s.pid in (select q.id from products q where q.cat = 'a')",
                "s.pid not in (select q.id from products q where q.cat = 'b')",
            ]
        return self._chance.choice(choices)

    def _where(self, relation: Relation) -> str:
        wanted = self._chance.choice([0, 1, 1, 2])
        conditions = [f"({self._condition(relation)})" for _ in range(wanted)]
        if relation is SALES and self._chance.random() < 0.15:
            conditions.append(
                self._chance.choice(
                    [
                        "exists (select 1 from products q where q.id = s.pid and q.cost > 1)",
                        "not exists (select 1 from products q where q.id = s.pid)",
                        "s.amount > (select avg(t.amount) from sales t)",
                        "s.amount >= all (select t.plan from budget t where t.plan < 60)",
                    ]
                )
            )
        return f" where {' and '.join(conditions)}" if conditions else ""

    def _order(self, outputs: int, exact_only: bool) -> str:
        if self._chance.random() > 0.3 or exact_only and self._chance.random() > 0.5:
            return ""
        self.limited = True
        keys = ", ".join(f"{1 + index}{self._chance.choice(['', ' desc'])}" for index in range(outputs))
        return f" order by {keys} limit {self._chance.randint(1, 6)}"
