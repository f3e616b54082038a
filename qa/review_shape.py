"""What a person approves: the shape of a query, with its literals lifted, on these table versions and this schema map."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from indexer.stored import StoredTable
from orchestrator.ask import LogRecord
from orchestrator.plan import CatalogPlan, LikenessPlan, SearchPlan
from orchestrator.plan_json import plan_to_json, without_literals
from orchestrator.scope import Asker
from parsers.fold import fold
from qa.map_administration import sheet_readings
from qa.wiring import Workspace

Reach = Literal["table", "tables", "sql", "rows", "mixed"]
"""A plan over one table, a plan over several, or a statement that somebody wrote; also a plan that a model wrote. rows: what is
alike or fits, without a computed number; mixed: a number and such rows."""


@dataclass(frozen=True)
class Shape:
    """`key`: shape, table versions and schema map; `form`: the shape alone, to recognise one that was approved on other
    versions; `words`: the same question in the same words with the same literals, for the same levels, on the same versions.
    All three are SHA-256. `text`: the shape as JSON or SQL with `?` in place of each literal."""

    key: str
    form: str
    words: str
    reach: Reach
    text: str

    def to_json(self) -> dict[str, str]:
        """What the audit record keeps."""
        return {"shape": self.key, "form": self.form, "words": self.words, "reach": self.reach, "query": self.text}


def shape_of(workspace: Workspace, asker: Asker, question: str, log: LogRecord) -> Shape | None:
    """None where there is nothing to approve: no table was read, or only names of tables and columns were asked for."""
    if not log.tables or isinstance(log.plan, CatalogPlan):
        return None
    if log.plan is not None:
        data: Any = plan_to_json(log.plan)
        data = [data, plan_to_json(log.related_plan)] if log.related_plan is not None else data
        full, text = _canonical(data), _canonical(without_literals(data))
    else:
        full = "; ".join(log.queries)
        text = "; ".join(map(lifted_sql, log.queries))
    ground = _canonical([_versions(log.tables), _meanings(workspace, log.tables)])
    words = _canonical([_same_words(question), full, sorted(asker.levels)])
    return Shape(
        key=_digest(asker.tenant, text, ground),
        form=_digest(asker.tenant, text),
        words=_digest(asker.tenant, words, ground),
        reach=_reach(log),
        text=text,
    )


def lifted_sql(sql: str) -> str:
    """A statement with `?` for every literal, and one for a whole list of them."""
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, read="duckdb")
    for found in list(tree.find_all(exp.In)):
        if len(found.expressions) > 1 and all(isinstance(each, exp.Literal) for each in found.expressions):
            found.set("expressions", [exp.Placeholder(), exp.Placeholder()])
    lifted = tree.transform(lambda node: exp.Placeholder() if isinstance(node, exp.Literal) else node)
    return lifted.sql(dialect="duckdb", normalize=True)


def _reach(log: LogRecord) -> Reach:
    if log.plan is None or log.by_model:
        return "sql"
    if log.related_plan is not None:
        return "mixed"
    if isinstance(log.plan, LikenessPlan | SearchPlan):
        return "rows"
    return "table" if len({table.sql_name for table in log.tables}) == 1 else "tables"


def _versions(tables: Iterable[StoredTable]) -> list[list[str]]:
    return sorted([table.sql_name, table.version.version_id, table.segment_sha256] for table in tables)


def _meanings(workspace: Workspace, tables: Sequence[StoredTable]) -> list[list[Any]]:
    """What people have approved about the sheets read, as it applies to these versions."""
    sheets = {(table.version.version_id, table.table.sheet) for table in tables}
    by_version: dict[str, list[StoredTable]] = {version: [] for version, _ in sheets}
    for stored in workspace.catalog.tables(tables[0].version.tenant):
        if stored.version.version_id in by_version:
            by_version[stored.version.version_id].append(stored)
    return sorted(_sheet_meanings(workspace, by_version, sheets))


def _sheet_meanings(
    workspace: Workspace, by_version: Mapping[str, Sequence[StoredTable]], sheets: set[tuple[str, str | None]]
) -> Iterator[list[Any]]:
    for version, stored in by_version.items():
        readings = sheet_readings(workspace, stored) if stored else {}
        for sheet, reading in readings.items():
            if (version, sheet) in sheets:
                meanings = reading.meanings.values()
                said = sorted([each.header, each.name, each.unit or "", each.aggregation or ""] for each in meanings)
                yield [version, sheet or "", said]


def _same_words(question: str) -> str:
    return fold(question).rstrip("?.! ")


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()
