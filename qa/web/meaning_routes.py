"""The schema map: what technical heads mean, proposals beside sample values, one decision or all at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from litestar import Response, get, post
from litestar.params import FromQuery
from litestar.response import Redirect

from indexer.table_rows import read_rows, source_rows
from orchestrator.scope import VisibleTable
from qa.http.problem_details import ServiceProblem
from qa.http.sign_in import needs
from qa.map_administration import Column, approve_meaning, propose_meanings, reject_meaning
from qa.sheet_excerpt import shown_value
from qa.visible_files import visible_document
from qa.visible_meanings import Place, meanings, visible_columns
from qa.web.asking_routes import Form
from qa.web.visit import AnyRequest, JsonObject, Visit, address, to, visit_of
from schema_maps.schema_map import Aggregation
from schema_maps.store import Decision
from schema_maps.technical import is_technical

_MOST_WAITING = 40
_MOST_LISTED = 400
_SAMPLED_ROWS, _MOST_SAMPLES, _LONGEST_SAMPLE = 200, 5, 60


@dataclass(frozen=True)
class Meaning:
    """A column for people to decide on. `key` stands for document, sheet and header, which may hold anything."""

    key: str
    said: JsonObject
    samples: tuple[str, ...]
    is_technical: bool


def column_key(place: Place) -> str:
    """The same for the same column, safe in addresses and forms."""
    return hashlib.sha256("\0".join(part or "" for part in place).encode(errors="surrogatepass")).hexdigest()[:20]


@get("/meanings", guards=[needs("meanings")], include_in_schema=False)
async def meanings_page(request: AnyRequest, document: FromQuery[str] = "", column: FromQuery[str] = "") -> Response[str]:
    """The columns of one document: what waits first. `column`: the key of one to change."""
    visit = visit_of(request)
    return await visit.services.run(lambda: _page(visit, document, column))


def _page(visit: Visit, document: str, column: str) -> Response[str]:
    said = list(meanings(visit.workspace, visit.person))
    counts = _waiting_counts(said)
    if not document:
        document = next((name for name, count in counts.items() if count), next(iter(counts), ""))
    elif document not in counts:
        raise ServiceProblem("not_found")
    tables = visible_columns(visit.workspace, visit.person)
    of_document = [_meaning(visit, each, tables) for each in said if each["document"] == document]
    waiting = [each for each in of_document if each.said["status"] == "proposed" or each.key == column]
    others = [each for each in of_document if each not in waiting]
    return visit.html(
        "meanings.html",
        documents=counts,
        document=document,
        waiting=[_with_samples(visit, each, tables) for each in waiting[:_MOST_WAITING]],
        waiting_count=len(waiting),
        proposed_count=sum(each.said["status"] == "proposed" for each in of_document),
        others=others[:_MOST_LISTED],
        others_left_out=max(0, len(others) - _MOST_LISTED),
    )


def _waiting_counts(said: Sequence[JsonObject]) -> dict[str, int]:
    """Document -> how many of its columns wait for a proposal or a decision."""
    counts: dict[str, int] = {}
    for each in said:
        waits = each["status"] == "proposed" or (each["status"] == "literal" and is_technical(each["header"]))
        counts[each["document"]] = counts.get(each["document"], 0) + waits
    return counts


def _meaning(visit: Visit, said: JsonObject, tables: Mapping[Place, VisibleTable]) -> Meaning:
    place = (said["document"], said["sheet"], said["header"])
    return Meaning(column_key(place), said, (), is_technical(said["header"]))


def _with_samples(visit: Visit, each: Meaning, tables: Mapping[Place, VisibleTable]) -> Meaning:
    table = tables[each.said["document"], each.said["sheet"], each.said["header"]]
    return Meaning(each.key, each.said, samples(visit, table, each.said["header"]), each.is_technical)


def samples(visit: Visit, table: VisibleTable, header: str) -> tuple[str, ...]:
    """The first different values of a column, of the rows that this person sees."""
    column = next(each for each in table.columns if each.column.header == header)
    first = source_rows(table.stored, table.row_filter)[:_SAMPLED_ROWS]
    rows = read_rows(table.stored, [column.sql_name], table.row_filter, first)
    shown = (shown_value(value, column, visit.language) for value in rows.values[column.sql_name])
    return tuple(text[:_LONGEST_SAMPLE] for text in list(dict.fromkeys(filter(None, shown)))[:_MOST_SAMPLES])


# --- decisions


def _column(visit: Visit, key: str) -> Column:
    """Raises ServiceProblem where this person sees no such column."""
    for place in visible_columns(visit.workspace, visit.person):
        if column_key(place) == key:
            return Column(*place)
    raise ServiceProblem("not_found")


@post("/meanings/propose", guards=[needs("meanings")], include_in_schema=False, status_code=303)
async def propose_by_form(request: AnyRequest, data: Form, document: FromQuery[str]) -> Redirect:
    """Proposals for the technical heads of a document."""
    visit = visit_of(request)

    def work() -> None:
        visible_document(visit.workspace, visit.person, document)
        propose_meanings(visit.workspace, visit.person.tenant, document, visit.person.user)

    await visit.services.run(work)
    return to(address("/meanings", document=document, done="meanings.proposed"))


@post("/meanings/approve-all", guards=[needs("meanings")], include_in_schema=False, status_code=303)
async def approve_all_by_form(request: AnyRequest, data: Form, document: FromQuery[str]) -> Redirect:
    """Every proposal for a column of this document that the person sees."""
    visit = visit_of(request)

    def work() -> None:
        for each in list(meanings(visit.workspace, visit.person, document)):
            if each["status"] == "proposed":
                column = Column(each["document"], each["sheet"], each["header"])
                approve_meaning(visit.workspace, visit.person.tenant, column, visit.person.user, Decision())

    await visit.services.run(work)
    return to(address("/meanings", document=document, done="meanings.approved"))


@post("/meanings/decide", guards=[needs("meanings")], include_in_schema=False, status_code=303)
async def decide_meaning_by_form(request: AnyRequest, data: Form) -> Redirect:
    """Approves a column with what stands in the form, or rejects it."""
    visit = visit_of(request)

    def work() -> Redirect:
        column = _column(visit, data.get("column", ""))
        tenant, user = visit.person.tenant, visit.person.user
        if data.get("act") == "reject":
            reject_meaning(visit.workspace, tenant, column, user, data.get("reason", ""))
        else:
            approve_meaning(visit.workspace, tenant, column, user, _decision(data))
        done = "meanings.rejected" if data.get("act") == "reject" else "meanings.approved"
        return to(address("/meanings", document=column.document, done=done))

    return await visit.services.run(work)


def _decision(data: Mapping[str, str]) -> Decision:
    aggregation = data.get("aggregation", "")
    if aggregation not in ("", "sum", "stock", "none"):
        raise ServiceProblem("bad_request")
    name = data.get("name", "").strip()
    return Decision(
        name=name[:200] or None,
        unit=data.get("unit", "").strip()[:50],
        synonyms=tuple(filter(None, (word.strip()[:200] for word in data.get("synonyms", "").split(","))))[:50],
        aggregation=cast(Aggregation, aggregation) if aggregation else None,
        personal="personal" in data,
    )


MEANING_PAGES: Sequence[Any] = (meanings_page, propose_by_form, approve_all_by_form, decide_meaning_by_form)
