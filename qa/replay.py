"""`beleg audit replay`: the plan or statement of a logged answer once more, in the engine, on the same table versions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from indexer.stored import StoredTable, Version
from orchestrator.ask_sql import ask_sql
from orchestrator.build_answer import AnswerBody, build_answer
from orchestrator.build_scope import build_scope
from orchestrator.plan import LikenessPlan, SearchPlan
from orchestrator.plan_json import plan_from_json
from orchestrator.rows.answer_rows import row_body
from orchestrator.run_versions import run_over_versions
from orchestrator.scope import Asker, Scope
from qa.personal_values import MASK
from qa.problems import BelegError
from qa.review import full_answer
from qa.wiring import Workspace
from schema_maps.relations import RelationMeter

JsonObject = Mapping[str, Any]
Value = tuple[str | None, str | None]
"""Machine form and unit."""


@dataclass(frozen=True)
class Replay:
    """`then`, `now`: the result's values row by row, each with its unit; `now` is empty where the run gave no answer, and `why`
    says in one German sentence what it gave instead. Behind the result stand the related rows, each with its similarity."""

    answer_id: str
    then: tuple[tuple[Value, ...], ...]
    now: tuple[tuple[Value, ...], ...]
    why: str = ""

    @property
    def same(self) -> bool:
        return self.then == self.now

    def differences(self) -> Iterator[tuple[int, int, Value | None, Value | None]]:
        """(row, column, then, now), counted from 0; None where there is no such value."""
        for row in range(max(len(self.then), len(self.now))):
            old = self.then[row] if row < len(self.then) else ()
            new = self.now[row] if row < len(self.now) else ()
            for column in range(max(len(old), len(new))):
                pair = (old[column] if column < len(old) else None, new[column] if column < len(new) else None)
                if pair[0] != pair[1]:
                    yield row, column, *pair


def replay(workspace: Workspace, answer_id: str) -> Replay:
    """With the levels that the asker had then and the schema map of today. Raises BelegError where there is nothing to repeat."""
    record = workspace.audit.answer(answer_id)
    if record is None:
        raise BelegError(f"Eine Antwort „{answer_id}“ steht nicht im Protokoll; die Kennung steht am Ende jeder Antwort.")
    answer = full_answer(record)
    if answer["status"] != "answered" or (answer["result"] is None and not answer["related"]):
        raise BelegError(f"Die Frage „{answer_id}“ wurde nicht beantwortet ({answer['status']}); es gibt nichts zu wiederholen.")
    kept = [record["detail"].get("plan"), record["question"], answer["result"], answer["related"]]
    if MASK in json.dumps(kept, ensure_ascii=False):
        raise BelegError(
            f"Die Antwort „{answer_id}“ steht im Protokoll ohne ihre personenbezogenen Werte und lässt sich nicht wiederholen; "
            "'beleg verify' vergleicht sie über ihre Signatur."
        )
    then = _shown(answer["result"]["rows"] if answer["result"] is not None else (), answer["facts"])
    versions = dict.fromkeys(table["version_id"] for table in record["tables"])
    tables = [table for version in versions for table in workspace.catalog.tables_of_version(record["tenant"], version)]
    if not {table["table_id"] for table in record["tables"]} <= {table.table_id for table in tables}:
        return Replay(answer_id, then, (), "Eine der gelesenen Tabellenversionen ist im Katalog nicht mehr verzeichnet.")
    body = _run(workspace, record, answer, tables)
    if body.status != "answered":
        return Replay(answer_id, then, (), f"Jetzt gibt es keine Antwort: {body.text}")
    return Replay(answer_id, then, _shown(body.result.rows if body.result is not None else (), [asdict(f) for f in body.facts]))


def _run(workspace: Workspace, record: JsonObject, answer: JsonObject, tables: Sequence[StoredTable]) -> AnswerBody:
    tenant, detail = record["tenant"], record["detail"]
    asker = Asker(record["user"], tenant, frozenset(record["levels"]))
    scope = build_scope(asker, tables, workspace.schema_maps.load(tenant), meter=RelationMeter())
    if detail.get("review", {}).get("reach") == "sql":
        data = replace(workspace.tenant_data(tenant), scope=lambda _: scope)
        again = ask_sql(record["question"], asker, data, most_rows=workspace.settings.limits.max_result_rows).answer
        return AnswerBody(again.status, again.text, again.result, again.facts)
    try:
        plans = [plan_from_json(detail[name]) for name in ("plan", "related_plan") if name == "plan" or name in detail]
    except (KeyError, ValueError) as error:
        raise BelegError(
            f"Zur Antwort „{record['answer_id']}“ ist kein wiederholbarer Plan aufgezeichnet; 'beleg verify' rechnet sie aus den "
            "Originaldateien nach."
        ) from error
    reader = workspace.tenant_data(tenant).reader
    select, rows = partial(workspace.select, tenant), workspace.row_indexes.rows(tenant)
    bodies = []
    for plan in plans:
        outcome = run_over_versions(plan, scope, _candidates(scope, answer), select, reader=reader, rows=rows)
        if isinstance(plan, LikenessPlan | SearchPlan):
            bodies.append(row_body(outcome, plan, answer["language"], answer["question"]))
        else:
            bodies.append(build_answer(outcome, plan, scope, answer["language"], answer["question"]))
    failed = next((body for body in bodies if body.status != "answered"), None)
    return failed or replace(bodies[0], facts=tuple(fact for body in bodies for fact in body.facts))


def _candidates(scope: Scope, answer: JsonObject) -> dict[str, tuple[Version, ...]]:
    """document -> the versions read then: the one that was binding at that time, else all, newest first."""
    bound = {
        (source["file"], source["version"]["label"])
        for fact in answer["facts"]
        for source in fact["provenance"]["sources"]
        if source["version"]["binding"]
    }
    versions: dict[str, dict[str, Version]] = {}
    for table in scope.tables:
        versions.setdefault(table.version.document, {})[table.version.version_id] = table.version
    found: dict[str, tuple[Version, ...]] = {}
    for document, by_id in versions.items():
        newest = tuple(sorted(by_id.values(), key=lambda version: -version.number))
        found[document] = tuple(each for each in newest if (document, each.label) in bound)[:1] or newest
    return found


def _shown(rows: Sequence[Sequence[str | None]], facts: Sequence[JsonObject]) -> tuple[tuple[Value, ...], ...]:
    """The result, then what is shown of each related row, best first, with its similarity."""
    related: dict[int, list[Value]] = {}
    similarity: dict[int, Value] = {}
    for fact in facts:
        place = fact.get("related")
        if place is not None:
            related.setdefault(place, []).append((fact["value"], fact["unit"]))
            similarity[place] = (str(fact["provenance"].get("similarity")), None)
    return (*_values(rows, facts), *((*values, similarity[place]) for place, values in sorted(related.items())))


def _values(rows: Sequence[Sequence[str | None]], facts: Sequence[JsonObject]) -> tuple[tuple[Value, ...], ...]:
    units = {(fact["row"], fact["column"]): fact["unit"] for fact in facts if fact.get("row") is not None}
    return tuple(tuple((value, units.get((i, j))) for j, value in enumerate(row)) for i, row in enumerate(rows))
